-- A starter bot for Underworld: farms first, then warriors, then the nearest castle. Change it!
--
--     skirmish play underworld --map duel --watch . house:random
--
-- Each turn, think() gets a view. Cells are numbered row by row from 0, so they are easy to compare
-- and keep in tables; view.columns converts them to x and y.
--     view.turn                   the number of the turn, from 1
--     view.columns, view.rows     the size of the board
--     view.players, view.me       how many players there are, and your number, from 0
--     view.money                  what you can spend
--     view.things                 what you see: each has cell, owner, hitpoints and kind ("C"
--                                 castle, "B" barracks, "F" farm, "W" warrior, "#" wall)
-- and returns any number of commands:
--     { verb = "build", cell = 1, what = "F" }    a farm or barracks, within distance 2 of your
--                                                 buildings
--     { verb = "spawn", cell = 10, what = "E" }   the barracks spawns a warrior to the east
--     { verb = "move", cell = 11, what = "S" }    the warrior moves south; it strikes automatically
local protocol = require("protocol")

-- The lines to change first: how many farms to build, and how many warriors before they attack.
local FARMS = 3
local ARMY = 4
local FARM_COST, WARRIOR_COST = 1000, 500
local REACH = 4 -- range of warriors and of building: distance 2, squared
local STEPS = { { "N", 0, -1 }, { "S", 0, 1 }, { "E", 1, 0 }, { "W", -1, 0 } }

-- The element with the smallest cost; on a tie, the first one; nil if there is none.
local function best(list, cost)
  local found
  for _, one in ipairs(list) do
    if not found or cost(one) < cost(found) then
      found = one
    end
  end
  return found
end

-- The adjacent cells, each with the letter of its direction.
local function neighbours(view, cell)
  local list = {}
  for _, step in ipairs(STEPS) do
    local x, y = cell % view.columns + step[2], cell // view.columns + step[3]
    if x >= 0 and x < view.columns and y >= 0 and y < view.rows then
      list[#list + 1] = { letter = step[1], to = y * view.columns + x }
    end
  end
  return list
end

-- The steps to the goal from every cell that can reach it.
local function distances(view, goal, closed)
  local far, queue = { [goal] = 0 }, { goal }
  for _, cell in ipairs(queue) do -- also visits cells added in the loop
    for _, way in ipairs(neighbours(view, cell)) do
      if not far[way.to] and not closed[way.to] then
        far[way.to] = far[cell] + 1
        queue[#queue + 1] = way.to
      end
    end
  end
  return far
end

-- The commands of this turn. The whole strategy is here.
local function think(view)
  local function cells(kind, mine)
    local list = {}
    for _, thing in ipairs(view.things) do
      if thing.kind == kind and (thing.owner == view.me) == mine then
        list[#list + 1] = thing.cell
      end
    end
    return list
  end

  -- The squared distance between two cells.
  local function apart(a, b)
    local dx, dy = a % view.columns - b % view.columns, a // view.columns - b // view.columns
    return dx * dx + dy * dy
  end

  local function within_reach(cell, others)
    for _, other in ipairs(others) do
      if apart(cell, other) <= REACH then
        return true
      end
    end
    return false
  end

  local money = view.money
  local castle, barracks = cells("C", true), cells("B", true)
  local farms, warriors = cells("F", true), cells("W", true)
  local home, threats = castle[1], cells("W", false)
  local function from_home(cell)
    return apart(cell, home)
  end
  local across = view.columns * view.rows - 1 - home -- if we see no enemy castle
  local goal = best(cells("C", false), from_home) or across
  local buildings = {}
  -- Only walls and our own buildings block the way: we destroy those of the enemies.
  local closed, taken = {}, {}
  for _, wall in ipairs(cells("#", false)) do
    closed[wall] = true
  end
  for _, list in ipairs({ castle, barracks, farms }) do
    for _, cell in ipairs(list) do
      buildings[#buildings + 1] = cell
      closed[cell] = true
    end
  end
  for _, thing in ipairs(view.things) do
    taken[thing.cell] = true
  end
  local far = distances(view, goal, closed)
  local commands = {}

  -- The free neighbour that is nearest to the goal, with its direction.
  local function next_step(cell)
    local free = {}
    for _, way in ipairs(neighbours(view, cell)) do
      if far[way.to] and not taken[way.to] then
        free[#free + 1] = way
      end
    end
    return best(free, function(way) return far[way.to] end)
  end

  -- Warriors in front move first and make room for the next.
  local army = {}
  for i, cell in ipairs(warriors) do
    if far[cell] then
      army[#army + 1] = { cell = cell, index = i }
    end
  end
  table.sort(army, function(a, b)
    if far[a.cell] ~= far[b.cell] then
      return far[a.cell] < far[b.cell]
    end
    return a.index < b.index
  end)
  for _, warrior in ipairs(army) do
    local cell = warrior.cell
    local fights = within_reach(cell, threats)
    local waits = #warriors < ARMY and not within_reach(cell, buildings)
    local step = next_step(cell)
    if step and far[step.to] < far[cell] and not fights and not waits then
      taken[cell], taken[step.to] = nil, true
      commands[#commands + 1] = { verb = "move", cell = cell, what = step.letter }
    end
  end
  if #farms < FARMS and money >= FARM_COST then
    local doors = {} -- the cells around barracks are left free for warriors
    for _, cell in ipairs(barracks) do
      for _, way in ipairs(neighbours(view, cell)) do
        doors[way.to] = true
      end
    end
    local sites = {}
    for cell = 0, view.columns * view.rows - 1 do
      if not taken[cell] and not doors[cell] and within_reach(cell, buildings) then
        sites[#sites + 1] = cell
      end
    end
    local site = best(sites, from_home)
    if site then
      taken[site] = true
      money = money - FARM_COST
      commands[#commands + 1] = { verb = "build", cell = site, what = "F" }
    end
  end
  for _, cell in ipairs(barracks) do
    local step = next_step(cell)
    if step and money >= WARRIOR_COST then
      taken[step.to] = true
      money = money - WARRIOR_COST
      commands[#commands + 1] = { verb = "spawn", cell = cell, what = step.letter }
    end
  end
  return commands
end

-- The main loop: answer every view until the match ends.
for view in protocol.views() do
  if view.turn == 1 then -- debug output: "skirmish play --stderr" and replays show it
    io.stderr:write("I am player ", view.me, " of ", view.players, "\n")
  end
  protocol.answer(think(view), view)
end
