# A starter bot for Capture the flag: some fetch the flag, others guard. Change it!
#
#     skirmish play ctf --watch . house:random
#
# The input starts with the team's letter, the map and an empty line. Then a view per round:
#     0 0                            our points, theirs
#     Flag 1 5                       where our flag is
#     Soldier X 2 7 8 True No        name, x, y, cooldown, alive, the flag it carries
#     Grenade 10 7 2                 ours: x, y, rounds left (enemy grenades are hidden)
#     EnemyFlag 13 9
#     Enemy L 11 8 True No           name, x, y, alive, flag
#     (an empty line)
# The answer is a line per soldier, optionally with a square to throw at, and an empty line:
#     X D (10,7)                     U, D, L, R: a step; S: stay

# The line to change first: how many soldiers stay at our flag. The others fetch the enemy's.
GUARDS = 1
RANGE = 10 # of grenades, by default
# The words of each line up to the empty one. The match is over when the input ends.
def read_block
  block = []
  while (line = $stdin.gets)
    return block if line.strip.empty?

    block << line.split
  end
  exit
end

# The map. Squares are numbered row by row. A wall around the map keeps steps on it.
class Board
  attr_reader :steps, :base, :spawn

  def initialize(team, rows)
    @width = rows[0].size + 1
    @tiles = ["#" * @width, *rows.map { |row| "#{row}#" }, "#" * @width].join
    @steps = { "S" => 0, "U" => -@width, "D" => @width, "L" => -1, "R" => 1 }
    @base, @spawn = @tiles.index(team.downcase), @tiles.index(team)
  end

  def square(x, y)
    (y.to_i + 1) * @width + x.to_i
  end

  def place(square)
    [square % @width, square / @width - 1]
  end

  # The distance in steps left, right, up and down.
  def apart(a, b)
    place(a).zip(place(b)).sum { |one, other| (one - other).abs }
  end

  # The steps to the goal from every square; 9999 if it cannot be reached.
  def ways_to(goal)
    far, queue = Array.new(@tiles.size, 9999), [goal]
    far[goal] = 0
    while (at = queue.shift)
      @steps.each_value do |step|
        next if @tiles[at + step] == "#" || far[at + step] < 9999

        far[at + step] = far[at] + 1
        queue << at + step
      end
    end
    far
  end
end

# The orders of this round. The whole strategy is here.
def think(view, board)
  things = view.group_by(&:first)
  things.default = []
  flag, prize = %w[Flag EnemyFlag].map { |kind| board.square(*things[kind][0][1, 2]) }
  enemies = things["Enemy"].select { |w| w[4] == "True" }.map { |w| board.square(*w[2, 2]) }
  blasts = things["Grenade"].select { |w| w[3] == "1" }.map { |w| w[1, 2].map(&:to_i) }
  to_base, to_flag, to_prize = [board.base, flag, prize].map { |goal| board.ways_to(goal) }
  things["Soldier"].each_with_index.map do |(_, name, x, y, cooldown, alive, hand), number|
    at = alive == "True" ? board.square(x, y) : board.spawn # the dead respawn first
    far = number < GUARDS ? to_flag : to_prize
    # On the base, the next order captures the flag.
    far = to_base if at != board.base && (hand != "No" || at == prize)
    letter, = board.steps.min_by do |_, step|
      to_x, to_y = board.place(at + step)
      # Our own grenades kill us too.
      blast = blasts.any? { |bx, by| (to_x - bx).abs <= 1 && (to_y - by).abs <= 1 }
      far[at + step] + (blast ? 1000 : 0)
    end
    order = "#{name} #{letter}"
    # A grenade kills everyone in the 3 x 3 squares around it, three rounds later.
    targets = enemies.select { |enemy| board.apart(enemy, at).between?(4, RANGE) }
    target = targets.min_by { |enemy| board.apart(enemy, at) }
    order += " (#{board.place(target).join(',')})" if alive == "True" && cooldown == "0" && target
    order
  end
end

# The main loop: read a view, print an answer, until the input ends with the match.
$stdout.sync = true
(team,), *rows = read_block
board = Board.new(team, rows.map(&:first))
# Debug output: "skirmish play --stderr" and replays show standard error.
warn "I am team #{team}"
loop { puts think(read_block, board), "" }
