-- How a bot for Capture the flag talks to the referee. You need not change this file.
--
-- The input starts with the team's letter, the map and an empty line. Then a view per round:
--     0 0                            our points, theirs
--     Flag 1 5                       where our flag is
--     Soldier X 2 7 8 True No        name, x, y, cooldown, alive, the flag it carries
--     Grenade 10 7 2                 ours: x, y, rounds left
--     EnemyFlag 13 9
--     Enemy L 11 8 True No           name, x, y, alive, flag
--     (an empty line)
-- An answer is a line per order and an empty line:
--     X D (10,7)
local protocol = {}

-- The lines up to an empty line, as lists of words; nil at the end of the input.
local function read_block()
  local block = {}
  for line in io.lines() do
    local words = {}
    for word in line:gmatch("%S+") do
      words[#words + 1] = word
    end
    if #words == 0 then
      return block
    end
    block[#block + 1] = words
  end
end

-- The square in the words i and i + 1.
local function square(words, i)
  return { x = tonumber(words[i]), y = tonumber(words[i + 1]) }
end

local function find(map, tile)
  for y, row in ipairs(map) do
    local x = row:find(tile, 1, true)
    if x then
      return { x = x - 1, y = y - 1 }
    end
  end
end

-- What a line adds to a view, by its first word.
local lines = {}

function lines.Flag(view, words)
  view.flag = square(words, 2)
end

function lines.EnemyFlag(view, words)
  view.enemy_flag = square(words, 2)
end

function lines.Soldier(view, words)
  view.soldiers[#view.soldiers + 1] = {
    name = words[2],
    at = square(words, 3),
    cooldown = tonumber(words[5]),
    alive = words[6] == "True",
    carries_flag = words[7] ~= "No",
  }
end

function lines.Grenade(view, words)
  view.grenades[#view.grenades + 1] = { at = square(words, 2), countdown = tonumber(words[4]) }
end

function lines.Enemy(view, words)
  view.enemies[#view.enemies + 1] = {
    name = words[2],
    at = square(words, 3),
    alive = words[5] == "True",
    carries_flag = words[6] ~= "No",
  }
end

-- The views of the match, one after the other.
function protocol.views()
  local start = read_block()
  local team, map, turn = "", {}, 0
  if start then
    team = start[1][1]
    for i = 2, #start do
      map[i - 1] = start[i][1]
    end
  end
  return function()
    local block = read_block()
    if not block then
      return nil
    end
    turn = turn + 1
    local view = {
      turn = turn,
      map = map,
      base = find(map, team:lower()),
      spawn = find(map, team),
      points = tonumber(block[1][1]),
      enemy_points = tonumber(block[1][2]),
      soldiers = {},
      grenades = {},
      enemies = {},
    }
    for _, words in ipairs(block) do
      if lines[words[1]] then
        lines[words[1]](view, words)
      end
    end
    return view
  end
end

-- Sends the answer to the last view.
function protocol.answer(orders)
  for _, order in ipairs(orders) do
    local target = order.target
    local throw = target and string.format(" (%d,%d)", target.x, target.y) or ""
    print(order.name .. " " .. order.step .. throw)
  end
  print()
  io.flush()
end

return protocol
