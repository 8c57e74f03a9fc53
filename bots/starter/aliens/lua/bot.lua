-- A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
--
--     skirmish play aliens --watch . house:random
--
-- Each turn, the bot reads one view, a line of JSON:
--     {"player":"a","state":{"rows":20,"cols":20,"grid":"....a..*....b...", ...}}
-- The grid has one character per square, row by row: "." empty, "*" energy, "a", "b" units.
-- The answer is a JSON array of moves. Units without a move stay:
--     [{"from":21,"to":22},{"from":40,"to":60}]

-- The line to change first: attack when we have this many times as many units as the enemy.
local COURAGE = 2

-- The element with the smallest cost; the first of equals; nil if there is none.
local function best(list, cost)
  local found
  for _, one in ipairs(list) do
    if not found or cost(one) < cost(found) then found = one end
  end
  return found
end

-- The moves of this turn. The whole strategy is here.
local function think(me, rows, cols, grid, enemy_spawn)
  -- Squares count from 0, characters of a string from 1.
  local function on(square) return grid:sub(square + 1, square + 1) end

  local function squares(what)
    local list = {}
    for square = 0, rows * cols - 1 do
      if on(square) == what then list[#list + 1] = square end
    end
    return list
  end

  local function steps(a, b)
    return math.abs(a // cols - b // cols) + math.abs(a % cols - b % cols)
  end

  local function beside(square)
    local list = {}
    for _, to in ipairs({ square - cols, square + cols, square - 1, square + 1 }) do
      if to >= 0 and to < rows * cols and steps(square, to) == 1 then list[#list + 1] = to end
    end
    return list
  end

  local enemy = me == "a" and "b" or "a"
  local units, enemies = squares(me), squares(enemy)
  local attack = #units >= COURAGE * #enemies
  local goals = squares(attack and enemy or "*")
  if attack then goals[#goals + 1] = enemy_spawn end
  local taken = {} -- by one of our units; if two meet on a square, both die
  for _, unit in ipairs(units) do taken[unit] = true end
  local moves = {}
  for _, unit in ipairs(units) do
    local goal = best(goals, function(square) return steps(unit, square) end)
    if goal and not attack then -- no other unit goes for this energy
      for i, square in ipairs(goals) do
        if square == goal then table.remove(goals, i) break end
      end
    end
    goal = goal or rows // 2 * cols + cols // 2

    -- The cost of a square: distance to the goal, or an enemy too close.
    local function cost(square)
      for _, other in ipairs(enemies) do
        if not attack and steps(square, other) <= 2 then return steps(square, goal) + 1000 end
      end
      return steps(square, goal)
    end

    -- Energy is gathered from an adjacent square; moving onto it destroys it.
    local free = { unit }
    for _, to in ipairs(beside(unit)) do
      if not taken[to] and on(to) ~= "*" then free[#free + 1] = to end
    end
    local to = best(free, cost)
    if to ~= unit then
      taken[unit], taken[to] = nil, true
      moves[#moves + 1] = string.format('{"from":%d,"to":%d}', unit, to)
    end
  end
  return "[" .. table.concat(moves, ",") .. "]"
end

-- The main loop: read a view, print an answer, until the input ends with the match.
io.stdout:setvbuf("line")
local first = true
for line in io.lines() do
  -- Lua has no JSON; patterns are good enough for these simple views.
  local me = line:match('"player":"(%a)"')
  local rows, cols = line:match('"rows":(%d+)'), line:match('"cols":(%d+)')
  local enemy_spawn = line:match((me == "a" and '"p2"' or '"p1"') .. ':{.-"spawn":(%d+)')
  -- Debug output: "skirmish play --stderr" and replays show standard error.
  if first then io.stderr:write("I am player ", me, "\n") end
  first = false
  local grid = line:match('"grid":"(.-)"')
  print(think(me, math.tointeger(rows), math.tointeger(cols), grid, math.tointeger(enemy_spawn)))
end
