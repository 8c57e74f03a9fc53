# An Aliens bot: every unit takes a random step.
require "json"
$stdout.sync = true
srand(2)
while (line = $stdin.gets)
  view = JSON.parse(line)
  cols = view["state"]["cols"]
  moves = []
  view["state"]["grid"].each_char.with_index do |square, i|
    moves << { from: i, to: i + [1, -1, cols, -cols].sample } if square == view["player"]
  end
  puts JSON.generate(moves)
end
