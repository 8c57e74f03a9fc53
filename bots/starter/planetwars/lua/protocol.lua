-- How a bot for Planet Wars talks to the referee. You need not change this file.
--
-- A view is one line of JSON. The bot is always player 1 in it; neutral planets have owner null:
--     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
--      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
--                      "owner":2,"turns_remaining":11}, ...]}
-- An answer is also one line of JSON. Without moves: {"moves":[]}
--     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
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

-- A string in JSON.
local function quoted(text)
  local escaped = text:gsub('[%c"\\]', function(sign)
    return string.format("\\u%04x", sign:byte())
  end)
  return '"' .. escaped .. '"'
end

-- The views of the match, one after the other.
function protocol.views()
  local turn = 0
  return function()
    local line = io.read()
    if not line then
      return nil
    end
    turn = turn + 1
    local message = read_json(line)
    local planets, expeditions = {}, {}
    for i, p in ipairs(message.planets) do
      planets[i] = { name = p.name, x = p.x, y = p.y, owner = p.owner or 0, ships = p.ship_count }
    end
    for i, e in ipairs(message.expeditions) do
      expeditions[i] = {
        id = e.id,
        origin = e.origin,
        destination = e.destination,
        owner = e.owner,
        ships = e.ship_count,
        turns_remaining = e.turns_remaining,
      }
    end
    return { turn = turn, planets = planets, expeditions = expeditions }
  end
end

-- Sends the answer to the last view.
function protocol.answer(moves)
  local listed = {}
  for i, move in ipairs(moves) do
    listed[i] = string.format('{"origin":%s,"destination":%s,"ship_count":%d}',
      quoted(move.origin), quoted(move.destination), move.ships)
  end
  print('{"moves":[' .. table.concat(listed, ",") .. "]}")
  io.flush()
end

return protocol
