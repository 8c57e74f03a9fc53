# A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
#
#     skirmish play aliens --watch . house:random
#
# Each turn, the bot reads one view, a line of JSON:
#     {"player":"a","state":{"rows":20,"cols":20,"grid":"....a..*....b...", ...}}
# The grid has one character per square, row by row: "." empty, "*" energy, "a", "b" units.
# The answer is a JSON array of moves. Units without a move stay:
#     [{"from":21,"to":22},{"from":40,"to":60}]
require "json"
require "set"

# The line to change first: attack when we have this many times as many units as the enemy.
COURAGE = 2

# The moves of this turn. The whole strategy is here.
def think(view)
  me, state = view["player"], view["state"]
  rows, cols, grid = state["rows"], state["cols"], state["grid"]
  enemy, enemy_spawn = me == "a" ? ["b", state["p2"]["spawn"]] : ["a", state["p1"]["spawn"]]

  squares = ->(what) { (0...rows * cols).select { |square| grid[square] == what } }
  steps = ->(a, b) { (a / cols - b / cols).abs + (a % cols - b % cols).abs }
  beside = lambda do |square|
    row, col = square.divmod(cols)
    around = [[row - 1, col], [row + 1, col], [row, col - 1], [row, col + 1]]
    around.select { |r, c| r.between?(0, rows - 1) && c.between?(0, cols - 1) }
          .map { |r, c| r * cols + c }
  end

  units, enemies, energy = squares[me], squares[enemy], squares["*"]
  attack = units.size >= COURAGE * enemies.size
  goals = attack ? enemies + [enemy_spawn] : energy
  centre = rows / 2 * cols + cols / 2
  taken = units.to_set # squares of our units; if two meet on a square, both die
  claimed = Set.new # energy that one of our units already goes for
  moves = []
  units.each do |unit|
    wanted = goals.reject { |goal| claimed.include?(goal) }
    goal = wanted.min_by { |square| steps[unit, square] } || centre
    claimed << goal unless attack

    # The cost of a square: distance to the goal, or an enemy too close.
    cost = lambda do |square|
      danger = !attack && enemies.any? { |e| steps[square, e] <= 2 }
      steps[square, goal] + (danger ? 1000 : 0)
    end

    # Energy is gathered from an adjacent square; moving onto it destroys it.
    free = beside[unit].reject { |to| taken.include?(to) || grid[to] == "*" }
    to = [unit, *free].min_by(&cost)
    next if to == unit

    taken.delete(unit)
    taken << to
    moves << { from: unit, to: to }
  end
  moves
end

# The main loop: read a view, print an answer, until the input ends with the match.
$stdout.sync = true
first = true
while (line = $stdin.gets)
  view = JSON.parse(line)
  # Debug output: "skirmish play --stderr" and replays show standard error.
  warn "I am player #{view['player']}" if first
  first = false
  puts JSON.generate(think(view))
end
