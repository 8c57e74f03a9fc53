-- How a bot for Planet Wars talks to the referee. You need not change this file.
--
-- A view is one line of JSON. The bot is always player 1 in it; neutral planets have owner null:
--     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
--      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
--                      "owner":2,"turns_remaining":11}, ...]}
-- An answer is also one line of JSON. Without moves: {"moves":[]}
--     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
local read_json = require("json")

local protocol = {}

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
