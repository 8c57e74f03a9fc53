-- An Underworld bot: barracks spawn in all directions in turn, warriors walk to the middle.
io.stdout:setvbuf("line")
io.read("l") -- Who are you?
print("crayfish")
local size_x, size_y, _, me = io.read("l"):match("(%d+) (%d+) (%d+) (%d+)")
local turn = 0
for line in io.lines() do
  local x, y, owner, kind = line:match("^(%d+) (%d+) (-?%d+) (%S)")
  if line == "end" then
    turn = turn + 1
    print("end")
  elseif owner == me and kind == "B" then
    print(("spawn %d %d %s"):format(x, y, ("NESW"):sub(turn % 4 + 1, turn % 4 + 1)))
  elseif owner == me and kind == "W" then
    local east = x * 2 < size_x - 1
    local south = y * 2 < size_y - 1
    local direction = turn % 2 == 0 and (east and "E" or "W") or (south and "S" or "N")
    print(("move %d %d %s"):format(x, y, direction))
  end
end
