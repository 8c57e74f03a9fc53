-- A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
--
--     skirmish play planetwars --watch . house:random
--
-- Each turn, think() gets a view:
--     view.turn          the number of the turn, from 1
--     view.planets       each has name, x, y, owner (1: you, 2 and more: enemies, 0: nobody), ships
--     view.expeditions   fleets under way: id, origin and destination (names of planets), owner,
--                        ships, turns_remaining
-- and returns the moves, each a fleet from one of your planets to another planet:
--     { { origin = "protos", destination = "extos", ships = 6 } }
local protocol = require("protocol")

-- The lines to change first: how many ships a planet keeps at home, and by how many ships its
-- fleets outnumber their targets.
local GARRISON = 0
local SPARE = 1

-- The travel time in turns.
local function turns(a, b)
  local dx, dy = a.x - b.x, a.y - b.y
  return math.max(1, math.ceil(math.sqrt(dx * dx + dy * dy)))
end

-- Ways from a planet to others, the shortest first; equally short ones in the order of the list.
local function ways(origin, planets)
  local list = {}
  for i, planet in ipairs(planets) do
    list[i] = { target = planet, turns = turns(origin, planet), index = i }
  end
  table.sort(list, function(a, b)
    if a.turns ~= b.turns then
      return a.turns < b.turns
    end
    return a.index < b.index
  end)
  return list
end

-- The moves of this turn. The whole strategy is here.
local function think(view)
  local mine, others = {}, {}
  local ours, theirs = {}, {} -- our ships and those of the enemies under way to each planet
  for _, planet in ipairs(view.planets) do
    local side = planet.owner == 1 and mine or others
    side[#side + 1] = planet
    ours[planet.name], theirs[planet.name] = 0, 0
  end
  for _, expedition in ipairs(view.expeditions) do
    local side = expedition.owner == 1 and ours or theirs
    side[expedition.destination] = side[expedition.destination] + expedition.ships
  end

  local moves = {}
  for _, origin in ipairs(mine) do
    -- A planet under attack keeps the ships it needs.
    local ships = origin.ships - GARRISON - theirs[origin.name]
    for _, way in ipairs(ways(origin, others)) do
      local target = way.target
      -- An enemy planet builds a ship per turn until we arrive; a neutral one builds none.
      local built = target.owner == 0 and 0 or way.turns
      local needed = target.ships + built + theirs[target.name] + SPARE - ours[target.name]
      if needed > 0 and needed <= ships then
        ships = ships - needed
        ours[target.name] = ours[target.name] + needed
        moves[#moves + 1] = { origin = origin.name, destination = target.name, ships = needed }
      end
    end
  end
  return moves
end

-- The main loop: answer every view until the match ends.
for view in protocol.views() do
  if view.turn == 1 then -- debug output: "skirmish play --stderr" and replays show it
    io.stderr:write("planets on this map: ", #view.planets, "\n")
  end
  protocol.answer(think(view))
end
