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
local read_json = require("json")

local protocol = {}

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
