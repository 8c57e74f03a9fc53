# A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
#
#     skirmish play aliens --watch . house:random
#
# Each turn, think gets a view:
#     view.turn              the number of the turn, from 1
#     view.rows, view.cols   the size of the grid; squares are numbered row by row from 0
#     view.grid              a character per square: "." empty, "*" energy, "a" and "b" units
#     view.me, view.enemy    the players: letter, energy, spawn (a square), spawn_destroyed
# and returns the moves, from a square to an adjacent one. Units without a move stay:
#     [Move.new(21, 22), Move.new(40, 60)]
require "set"
require_relative "protocol"

# The line to change first: attack when we have this many times as many units as the enemy.
COURAGE = 2

# The moves of this turn. The whole strategy is here.
def think(view)
  rows, cols, grid = view.rows, view.cols, view.grid

  squares = ->(what) { (0...rows * cols).select { |square| grid[square] == what } }
  steps = ->(a, b) { (a / cols - b / cols).abs + (a % cols - b % cols).abs }
  neighbours = lambda do |square|
    row, col = square.divmod(cols)
    around = [[row - 1, col], [row + 1, col], [row, col - 1], [row, col + 1]]
    around.select { |r, c| r.between?(0, rows - 1) && c.between?(0, cols - 1) }
          .map { |r, c| r * cols + c }
  end

  units, enemies, energy = squares[view.me.letter], squares[view.enemy.letter], squares["*"]
  attack = units.size >= COURAGE * enemies.size
  goals = attack ? [*enemies, view.enemy.spawn] : energy
  centre = rows / 2 * cols + cols / 2
  taken = units.to_set # squares of our units; if two meet on a square, both die
  claimed = Set.new # energy that one of our units is already going for
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
    free = neighbours[unit].reject { |to| taken.include?(to) || grid[to] == "*" }
    to = [unit, *free].min_by(&cost)
    next if to == unit

    taken.delete(unit)
    taken << to
    moves << Move.new(unit, to)
  end
  moves
end

# The main loop: answer every view until the match ends.
Protocol.each_view do |view|
  # Debug output: "skirmish play --stderr" and replays show standard error.
  warn "I am player #{view.me.letter}" if view.turn == 1
  Protocol.answer(think(view))
end
