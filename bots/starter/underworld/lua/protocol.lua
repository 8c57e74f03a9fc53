-- How a bot for Underworld talks to the referee. You need not change this file.
--
-- The referee sends "Who are you?" and the bot must answer "crayfish". It then sends one line
--     10 10 2 0                 columns, rows, players, your number
-- and then a view in every turn:
--     money 3000
--     0 0 0 C 10000             x, y, owner, kind, hitpoints
--     0 1 0 B 1500
--     end
-- After the last turn, it sends the line "gg" instead of a view. An answer is any number of
-- commands, followed by "end":
--     build 1 0 F
--     spawn 0 1 E
--     move 1 1 S
local protocol = {}

-- The views of the match, one after the other.
function protocol.views()
  io.read()
  print("crayfish")
  io.flush()
  local columns, rows, players, me = io.read("n", "n", "n", "n")
  local turn = 0
  return function()
    local view = { columns = columns, rows = rows, players = players, me = me, things = {} }
    for line in io.lines() do
      local word = line:match("%S+")
      if word == "gg" then
        return nil
      elseif word == "money" then
        turn = turn + 1
        view.turn, view.money = turn, tonumber(line:match("%d+"))
      elseif word == "end" then
        return view
      end
      local x, y, owner, kind, hitpoints = line:match("^(%d+) (%d+) (%S+) (%S) (%d+)")
      if kind then
        view.things[#view.things + 1] = {
          cell = tonumber(y) * columns + tonumber(x),
          owner = tonumber(owner),
          kind = kind,
          hitpoints = tonumber(hitpoints),
        }
      end
    end
  end
end

-- Sends the answer to a view.
function protocol.answer(commands, view)
  for _, command in ipairs(commands) do
    local x, y = command.cell % view.columns, command.cell // view.columns
    print(string.format("%s %d %d %s", command.verb, x, y, command.what))
  end
  print("end")
  io.flush()
end

return protocol
