# A starter bot for Gems: it goes to the gem with the most points per step. Change it!
#
#     skirmish play gems --watch "ruby starter.rb" house:random
#
# A view is one line of JSON. "you" is your place in "players"; in "grid" a digit is a gem, and how
# many points it is worth:
#     {"you":1,"turn":0,"maxTurns":100,
#      "players":[{"row":0,"col":0,"points":0,"playing":true}, ...],
#      "grid":["...2",
#              "....",
#              "..1.",
#              "...."]}
# The answer is one word: up, down, left, right or stay.
require "json"

# The line to change first: how much a point is worth compared with a step.
GREED = 4

# The move of this turn. The whole strategy is here.
def think(view)
  me = view["players"][view["you"]]
  best, goal = nil, [me["row"], me["col"]]
  view["grid"].each_with_index do |line, row|
    line.each_char.with_index do |square, col|
      next if square == "."

      steps = (row - me["row"]).abs + (col - me["col"]).abs
      worth = GREED * square.to_i - steps
      best, goal = worth, [row, col] if best.nil? || worth > best
    end
  end
  row, col = goal
  return row < me["row"] ? "up" : "down" if row != me["row"]
  return col < me["col"] ? "left" : "right" if col != me["col"]

  "stay"
end

# The conversation with the referee: a view in, an answer out, until the match ends.
$stdout.sync = true
first = true
while (line = $stdin.gets)
  view = JSON.parse(line)
  # Debug output: "skirmish play --stderr" and replays show standard error.
  warn "players: #{view['players'].size}" if first
  first = false
  puts think(view)
end
