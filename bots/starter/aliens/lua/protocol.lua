-- How a bot for Aliens talks to the referee. You need not change this file.
--
-- A view is one line of JSON:
--     {"player":"a","state":{"rows":20,"cols":20,
--      "p1":{"food":1,"spawn":21},"p2":{"food":1,"spawn":378,"spawnDisabled":true},
--      "grid":"....a..*....b...","maxTurns":100,"turnsElapsed":0}}
-- An answer is a JSON array:
--     [{"from":21,"to":22},{"from":40,"to":60}]
local read_json = require("json")

local protocol = {}

local function player(letter, entry)
  return {
    letter = letter,
    energy = entry.food, -- for units that will appear at the spawn
    spawn = entry.spawn,
    spawn_destroyed = entry.spawnDisabled or false,
  }
end

-- The views of the match, one after the other.
function protocol.views()
  return function()
    local line = io.read()
    if not line then
      return nil
    end
    local message = read_json(line)
    local state = message.state
    local me, enemy = player("a", state.p1), player("b", state.p2)
    if message.player == "b" then
      me, enemy = enemy, me
    end
    return {
      turn = state.turnsElapsed + 1,
      rows = state.rows,
      cols = state.cols,
      grid = state.grid,
      me = me,
      enemy = enemy,
    }
  end
end

-- Sends the answer to the last view.
function protocol.answer(moves)
  local listed = {}
  for i, move in ipairs(moves) do
    listed[i] = string.format('{"from":%d,"to":%d}', move.from, move.to)
  end
  print("[" .. table.concat(listed, ",") .. "]")
  io.flush()
end

return protocol
