-- A starter bot for Capture the flag: some fetch the flag, others guard. Change it!
--
--     skirmish play ctf --watch . house:random
--
-- Each round, think() gets a view. Squares are { x = 10, y = 7 }, counted from 0:
--     view.turn                        the number of the round, from 1
--     view.map                         the rows of the map; "#" is an obstacle
--     view.base, view.spawn            where your flag belongs, and where your soldiers start
--     view.points, view.enemy_points   the score
--     view.flag, view.enemy_flag       where the flags are now
--     view.soldiers                    yours: name, at, cooldown, alive, carries_flag
--     view.grenades                    yours: at, countdown (enemy grenades are hidden)
--     view.enemies                     name, at, alive, carries_flag
-- and returns orders: a step (U, D, L, R, or S to stay) and perhaps a square to throw at:
--     { { name = "X", step = "D", target = { x = 10, y = 7 } }, { name = "Y", step = "S" } }
local protocol = require("protocol")

-- The line to change first: how many soldiers stay at our flag. The others fetch the enemy's.
local GUARDS = 1
local RANGE = 10 -- the default range of grenades
local STEPS = { { "S", 0, 0 }, { "U", 0, -1 }, { "D", 0, 1 }, { "L", -1, 0 }, { "R", 1, 0 } }
local UNREACHABLE = 9999

-- A square as an index of tables.
local function key(square)
  return square.x .. "," .. square.y
end

local function same(a, b)
  return a.x == b.x and a.y == b.y
end

local function apart(a, b)
  return math.abs(a.x - b.x) + math.abs(a.y - b.y)
end

-- What is on a square; rows and characters of a string count from 1.
local function tile(map, square)
  local row = map[square.y + 1] or ""
  return square.x >= 0 and row:sub(square.x + 1, square.x + 1) or ""
end

-- The steps to the goal from every square that can reach it.
local function distances(map, goal)
  local far, queue = { [key(goal)] = 0 }, { goal }
  for _, at in ipairs(queue) do -- also visits squares added in the loop
    for _, step in ipairs(STEPS) do
      local to = { x = at.x + step[2], y = at.y + step[3] }
      local here = tile(map, to)
      if here ~= "" and here ~= "#" and not far[key(to)] then
        far[key(to)] = far[key(at)] + 1
        queue[#queue + 1] = to
      end
    end
  end
  return far
end

local function is_hit(square, blasts)
  for _, blast in ipairs(blasts) do
    if math.abs(square.x - blast.x) <= 1 and math.abs(square.y - blast.y) <= 1 then
      return true
    end
  end
  return false
end

-- The orders of this round. The whole strategy is here.
local function think(view)
  local enemies, blasts = {}, {}
  for _, enemy in ipairs(view.enemies) do
    if enemy.alive then
      enemies[#enemies + 1] = enemy.at
    end
  end
  for _, grenade in ipairs(view.grenades) do
    if grenade.countdown == 1 then
      blasts[#blasts + 1] = grenade.at
    end
  end
  local to_base = distances(view.map, view.base)
  local to_flag = distances(view.map, view.flag)
  local to_enemy_flag = distances(view.map, view.enemy_flag)

  local orders = {}
  for number, soldier in ipairs(view.soldiers) do
    local at = soldier.alive and soldier.at or view.spawn -- the dead respawn first
    local far = number <= GUARDS and to_flag or to_enemy_flag
    if not same(at, view.base) and (soldier.carries_flag or same(at, view.enemy_flag)) then
      far = to_base -- on the base, the next order captures the flag
    end
    local order = { name = soldier.name, step = "S" }
    local best = UNREACHABLE
    for _, step in ipairs(STEPS) do
      local to = { x = at.x + step[2], y = at.y + step[3] }
      local steps = far[key(to)] or UNREACHABLE
      if is_hit(to, blasts) then
        steps = steps + 1000 -- our own grenades kill us too
      end
      if steps < best then
        best, order.step = steps, step[1]
      end
    end
    -- A grenade kills everyone in the 3 x 3 squares around it, three rounds later.
    if soldier.alive and soldier.cooldown == 0 then
      local nearest = RANGE + 1
      for _, enemy in ipairs(enemies) do
        local steps = apart(enemy, at)
        if steps > 3 and steps < nearest then
          nearest, order.target = steps, enemy
        end
      end
    end
    orders[number] = order
  end
  return orders
end

-- The main loop: answer every view until the match ends.
for view in protocol.views() do
  if view.turn == 1 then -- debug output: "skirmish play --stderr" and replays show it
    io.stderr:write("I have ", #view.soldiers, " soldiers\n")
  end
  protocol.answer(think(view))
end
