-- A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
--
--     skirmish play aliens --watch . house:random
--
-- Each turn, think() gets a view:
--     view.turn              the number of the turn, from 1
--     view.rows, view.cols   the size of the grid; squares are numbered row by row from 0
--     view.grid              a character per square: "." empty, "*" energy, "a" and "b" units
--     view.me, view.enemy    the players: letter, energy, spawn (a square), spawn_destroyed
-- and returns the moves, from a square to an adjacent one. Units without a move stay:
--     { { from = 21, to = 22 }, { from = 40, to = 60 } }
local protocol = require("protocol")

-- The line to change first: attack when we have this many times as many units as the enemy.
local COURAGE = 2

-- The element with the smallest cost; on a tie, the first one; nil if there is none.
local function best(list, cost)
  local found, least
  for _, one in ipairs(list) do
    local its_cost = cost(one)
    if not found or its_cost < least then
      found, least = one, its_cost
    end
  end
  return found
end

-- The moves of this turn. The whole strategy is here.
local function think(view)
  local rows, cols = view.rows, view.cols

  -- What is on a square. Squares count from 0, but the characters of a string from 1.
  local function on(square)
    return view.grid:sub(square + 1, square + 1)
  end

  local function squares(what)
    local list = {}
    for square = 0, rows * cols - 1 do
      if on(square) == what then
        list[#list + 1] = square
      end
    end
    return list
  end

  local function steps(a, b)
    return math.abs(a // cols - b // cols) + math.abs(a % cols - b % cols)
  end

  local function neighbours(square)
    local list = {}
    for _, to in ipairs({ square - cols, square + cols, square - 1, square + 1 }) do
      if to >= 0 and to < rows * cols and steps(square, to) == 1 then
        list[#list + 1] = to
      end
    end
    return list
  end

  local units, enemies = squares(view.me.letter), squares(view.enemy.letter)
  local attack = #units >= COURAGE * #enemies
  local goals = squares(attack and view.enemy.letter or "*")
  if attack then
    goals[#goals + 1] = view.enemy.spawn
  end
  local taken = {} -- squares of our units; if two meet on a square, both die
  for _, unit in ipairs(units) do
    taken[unit] = true
  end
  local claimed = {} -- energy that one of our units is already going for
  local moves = {}
  for _, unit in ipairs(units) do
    local wanted = {}
    for _, goal in ipairs(goals) do
      if not claimed[goal] then
        wanted[#wanted + 1] = goal
      end
    end
    local goal = best(wanted, function(square) return steps(unit, square) end)
      or rows // 2 * cols + cols // 2
    if not attack then
      claimed[goal] = true
    end

    -- The cost of a square: distance to the goal, or an enemy too close.
    local function cost(square)
      for _, enemy in ipairs(enemies) do
        if not attack and steps(square, enemy) <= 2 then
          return steps(square, goal) + 1000
        end
      end
      return steps(square, goal)
    end

    -- Energy is gathered from an adjacent square; moving onto it destroys it.
    local free = { unit }
    for _, to in ipairs(neighbours(unit)) do
      if not taken[to] and on(to) ~= "*" then
        free[#free + 1] = to
      end
    end
    local to = best(free, cost)
    if to ~= unit then
      taken[unit], taken[to] = nil, true
      moves[#moves + 1] = { from = unit, to = to }
    end
  end
  return moves
end

-- The main loop: answer every view until the match ends.
for view in protocol.views() do
  if view.turn == 1 then -- debug output: "skirmish play --stderr" and replays show it
    io.stderr:write("I am player ", view.me.letter, "\n")
  end
  protocol.answer(think(view))
end
