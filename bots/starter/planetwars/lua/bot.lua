-- A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
--
--     skirmish play planetwars --watch . house:random
--
-- A view is one line of JSON. You are always player 1 in it, and neutral planets have
-- the owner null:
--     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
--      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
--                      "owner":2,"turns_remaining":11}, ...]}
-- The answer is also one line of JSON. Without moves: {"moves":[]}
--     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}

-- The line to change first: how many ships a planet keeps at home, and by how many ships its
-- fleets outnumber their targets.
local GARRISON, SPARE = 0, 1

-- The travel time in turns.
local function turns(a, b)
  local dx, dy = a.x - b.x, a.y - b.y
  return math.max(1, math.ceil(math.sqrt(dx * dx + dy * dy)))
end

-- The moves of this turn. The whole strategy is here. `ours` and
-- `theirs` are ships under way to each planet, by its name.
local function think(planets, ours, theirs)
  local mine, others = {}, {}
  for _, planet in ipairs(planets) do
    table.insert(planet.owner == "1" and mine or others, planet)
  end

  local moves = {}
  for _, origin in ipairs(mine) do
    -- A planet under attack keeps the ships it needs.
    local ships = origin.ships - GARRISON - theirs[origin.name]
    table.sort(others, function(a, b)
      local to_a, to_b = turns(origin, a), turns(origin, b)
      return to_a < to_b or to_a == to_b and a.number < b.number
    end)
    for _, target in ipairs(others) do
      -- An enemy planet builds a ship per turn until we arrive; a neutral one builds none.
      local built = target.owner == "null" and 0 or turns(origin, target)
      local there = target.ships + built + theirs[target.name]
      local needed = there + SPARE - ours[target.name]
      if needed > 0 and needed <= ships then
        ships = ships - needed
        ours[target.name] = ours[target.name] + needed
        moves[#moves + 1] = string.format(
          '{"origin":"%s","destination":"%s","ship_count":%d}', origin.name, target.name, needed)
      end
    end
  end
  return '{"moves":[' .. table.concat(moves, ",") .. "]}"
end

-- The main loop: read a view, print an answer, until the input ends with the match.
io.stdout:setvbuf("line")
local first = true
for line in io.lines() do
  -- Lua has no JSON; patterns are enough for views as regular as these, once no quote is inside
  -- a name.
  line = line:gsub("\\(.)", { ['"'] = "\\u0022", ["\\"] = "\\u005c" })
  local planets, ours, theirs = {}, {}, {}
  local pattern = '{"ship_count":(%d+),"x":([^,]+),"y":([^,]+),"owner":(%w+),"name":"(.-)"}'
  for ships, x, y, owner, name in line:gmatch(pattern) do
    planets[#planets + 1] = {
      number = #planets, ships = math.tointeger(ships), x = tonumber(x), y = tonumber(y),
      owner = owner, name = name,
    }
    ours[name], theirs[name] = 0, 0
  end
  pattern = '"ship_count":(%d+),"origin":".-","destination":"(.-)","owner":(%d+)'
  for ships, name, owner in line:gmatch(pattern) do
    local side = owner == "1" and ours or theirs
    side[name] = side[name] + math.tointeger(ships)
  end
  -- Debug output: "skirmish play --stderr" and replays show standard error.
  if first then io.stderr:write("planets on this map: ", #planets, "\n") end
  first = false
  print(think(planets, ours, theirs))
end
