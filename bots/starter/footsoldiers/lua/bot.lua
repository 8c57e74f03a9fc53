-- A starter bot for Footsoldiers: it builds soldiers and guides them to the enemy. Change it!
--
--     skirmish play footsoldiers --watch . house:random
--
-- Each turn, think() gets a view. Squares are { x = 2, y = 3 }:
--     view.turn, view.turns_remaining   this turn, from 1; turns to play, including this one
--     view.me, view.enemy               the players: team ("player1"), money, base, health
--     view.map                          everything on the field, each with type, at, team;
--                                       type is "Base", "Rock", "Scout", "Assassin" or "Tank";
--                                       soldiers also have health, destination, direction
-- and returns one command; `at` is where the soldier is, or where to build it:
--     protocol.build("Scout", at, destination, "Right")   with its attack direction
--     protocol.move(at, destination)                      sets a new destination
--     protocol.turn(at, "Left")                           sets a new attack direction
--     protocol.NO_OP
local protocol = require("protocol")

-- The line to change first: what to build, in this order, over and over.
local PLAN = { "Scout", "Assassin", "Scout" }
local COST = { Scout = 10, Assassin = 11, Tank = 12 }
local NEAR = 5 -- maximum distance from the base to build
local UNREACHABLE = 9999

local far -- steps to the enemy's base from every square, by key; computed in the first turn
local built = 0

-- A square as an index of tables.
local function key(square)
  return square.x .. "," .. square.y
end

local function apart(a, b)
  return math.abs(a.x - b.x) + math.abs(a.y - b.y)
end

local function around(square)
  local x, y = square.x, square.y
  return { { x = x + 1, y = y }, { x = x, y = y + 1 }, { x = x, y = y - 1 }, { x = x - 1, y = y } }
end

-- The square with the fewest steps to go; on a tie, the first one; nil if there is none.
local function nearest(squares)
  local found, least
  for _, square in ipairs(squares) do
    local steps = far[key(square)] or UNREACHABLE
    if not found or steps < least then
      found, least = square, steps
    end
  end
  return found
end

-- Computes `far`: from the enemy's base outwards, around the rocks, also one square off the map.
local function measure(view)
  local rocks, width, height = {}, 0, 0
  for _, thing in ipairs(view.map) do
    rocks[key(thing.at)] = thing.type == "Rock"
    width, height = math.max(width, thing.at.x + 2), math.max(height, thing.at.y + 2)
  end
  local base = view.enemy.base
  far = { [key(base)] = 0 }
  local queue = { base }
  for _, at in ipairs(queue) do -- also visits squares added in the loop
    for _, to in ipairs(around(at)) do
      local inside = to.x >= 0 and to.x < width and to.y >= 0 and to.y < height
      if inside and not far[key(to)] and not rocks[key(to)] then
        far[key(to)] = far[key(at)] + 1
        queue[#queue + 1] = to
      end
    end
  end
end

-- How far a soldier can go without a detour: it gets stuck behind rocks.
local function waypoint(start)
  local here, steps = start, 0
  while far[key(here)] > 0 do
    local to = nearest(around(here))
    if apart(to, start) <= steps then
      break
    end
    here, steps = to, steps + 1
  end
  return here
end

-- The free squares near our base.
local function sites(view)
  local taken, free, home = {}, {}, view.me.base
  for _, thing in ipairs(view.map) do
    taken[key(thing.at)] = true
  end
  for x = home.x - NEAR, home.x + NEAR do
    for y = home.y - NEAR, home.y + NEAR do
      local at = { x = x, y = y }
      if apart(at, home) <= NEAR and far[key(at)] and not taken[key(at)] then
        free[#free + 1] = at
      end
    end
  end
  return free
end

-- The command of this turn. The whole strategy is here.
local function think(view)
  if not far then
    measure(view)
  end
  local kind = PLAN[built % #PLAN + 1]
  local at = view.me.money >= COST[kind] and nearest(sites(view))
  if at then
    built = built + 1
    local look = view.me.base.x < view.enemy.base.x and "Right" or "Left"
    return protocol.build(kind, at, waypoint(at), look)
  end
  for _, thing in ipairs(view.map) do -- nothing to build: guide a soldier that has arrived
    if thing.health and thing.team == view.me.team and far[key(thing.at)] then
      local to = waypoint(thing.at)
      if apart(thing.at, thing.destination) == 0 and apart(thing.at, to) > 0 then
        return protocol.move(thing.at, to)
      end
    end
  end
  return protocol.NO_OP
end

-- The main loop: answer every view until the match ends.
for view in protocol.views() do
  if view.turn == 1 then -- debug output: "skirmish play --stderr" and replays show it
    io.stderr:write("building ", table.concat(PLAN, " "), "\n")
  end
  protocol.answer(think(view))
end
