-- How a bot for Footsoldiers talks to the referee. You need not change this file.
--
-- The bot prints "Ready". Then each view is one line of JSON:
--     {"you":"player1","turns-remaining":99,
--      "map":[{"type":"Base","position":{"x":1,"y":3},"team":"player1"},
--             {"type":"Rock","position":{"x":4,"y":0}},
--             {"type":"Scout","position":{"x":6,"y":1},"health":9,"team":"player1",
--              "destination":{"x":9,"y":1},"attack-direction":"Right"}, ...],
--      "player1":{"team":"player1","money":13,"base":{"x":1,"y":3},"health":40},"player2":{...}}
-- An answer is one line with one command:
--     Build Scout (2, 3) (65, 3) Right
--     Move (6, 1) to (9, 5)
--     Change attack direction (6, 1) to Left
--     No-op
local protocol = {}

local ESCAPES = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

-- Converts JSON to Lua values. Objects and arrays become tables, and null becomes nil.
local function read_json(text)
  local at = 1 -- where to read on
  local read_value

  -- The next character that is not a space; stays in front of it.
  local function peek()
    at = text:find("%S", at) or #text + 1
    return text:sub(at, at)
  end

  local function read_code()
    local code = tonumber(text:sub(at, at + 3), 16)
    at = at + 4
    return code
  end

  local function read_string()
    local parts = {}
    at = at + 1
    while true do
      local plain, sign = text:match('^([^"\\]*)(.)', at)
      parts[#parts + 1] = plain
      at = at + #plain + 1
      if sign == '"' then
        return table.concat(parts)
      end
      local letter = text:sub(at, at)
      at = at + 1
      if letter == "u" then
        local code = read_code()
        if code >= 0xD800 and code < 0xDC00 then -- half of a character; "\u" and the rest follow
          at = at + 2
          code = 0x10000 + (code - 0xD800) * 0x400 + read_code() - 0xDC00
        end
        parts[#parts + 1] = utf8.char(code)
      else
        parts[#parts + 1] = ESCAPES[letter] or letter
      end
    end
  end

  -- The elements of an object or an array, up to the closing bracket.
  local function read_list(close, read_element)
    local list = {}
    at = at + 1
    while peek() ~= close do
      if peek() == "," then
        at = at + 1
      end
      read_element(list)
    end
    at = at + 1
    return list
  end

  local function read_member(object)
    peek()
    local name = read_string()
    peek()
    at = at + 1 -- the colon
    object[name] = read_value()
  end

  local function read_item(array)
    array[#array + 1] = read_value()
  end

  function read_value()
    local first = peek()
    if first == '"' then
      return read_string()
    elseif first == "{" then
      return read_list("}", read_member)
    elseif first == "[" then
      return read_list("]", read_item)
    end
    local word = text:match("^[%w+.-]+", at)
    at = at + #word
    if word == "true" or word == "false" then
      return word == "true"
    end
    return tonumber(word) -- nil for null
  end

  return read_value()
end

local function text(square)
  return string.format("(%d, %d)", square.x, square.y)
end

-- The commands as they are sent.
protocol.NO_OP = "No-op"

function protocol.build(kind, at, destination, direction)
  return string.format("Build %s %s %s %s", kind, text(at), text(destination), direction)
end

function protocol.move(soldier, destination)
  return string.format("Move %s to %s", text(soldier), text(destination))
end

function protocol.turn(soldier, direction)
  return string.format("Change attack direction %s to %s", text(soldier), direction)
end

-- The views of the match, one after the other.
function protocol.views()
  local turn = 0
  protocol.answer("Ready")
  return function()
    local line = io.read()
    if not line then
      return nil
    end
    turn = turn + 1
    local message = read_json(line)
    local me, enemy = message.player1, message.player2
    if message.you == "player2" then
      me, enemy = enemy, me
    end
    for _, thing in ipairs(message.map) do
      thing.at, thing.direction = thing.position, thing["attack-direction"]
    end
    return {
      turn = turn,
      turns_remaining = message["turns-remaining"],
      me = me,
      enemy = enemy,
      map = message.map,
    }
  end
end

-- Sends the answer to the last view.
function protocol.answer(command)
  print(command)
  io.flush()
end

return protocol
