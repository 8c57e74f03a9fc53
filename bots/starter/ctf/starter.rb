# A starter bot for Capture the flag: some fetch the flag, others guard. Change it!
#
#     skirmish play ctf --watch "ruby starter.rb" house:random
#
# First come the team's letter, the map and an empty line. Then for every round a view:
#     0 0                            our points, theirs
#     Flag 1 5                       where our flag is
#     Soldier X 2 7 8 True No        name, x, y, cooldown, alive, the flag in its hand
#     Grenade 10 7 2                 of ours: x, y, rounds left (theirs are not told)
#     EnemyFlag 13 9
#     Enemy L 11 8 True No           name, x, y, alive, flag
#     (an empty line)
# The answer is a line for each soldier, with a square to throw at if you like, and an empty line:
#     X D (10,7)                     U, D, L, R: a step; S: stay

# The line to change first: how many soldiers stay at our flag. The others fetch the enemy's.
GUARDS = 1
RANGE = 10 # of a grenade, by the standard rules
STEPS = { "S" => [0, 0], "U" => [0, -1], "D" => [0, 1], "L" => [-1, 0], "R" => [1, 0] }.freeze

# The words of each line up to the empty one. The end of the input is the end of the match.
def read_block
  block = []
  while (line = $stdin.gets)
    return block if line.strip.empty?

    block << line.split
  end
  exit
end

def apart(a, b)
  (a[0] - b[0]).abs + (a[1] - b[1]).abs
end

# How many steps it is to the goal, from every square that leads there.
def ways_to(tiles, goal)
  far, queue = { goal => 0 }, [goal]
  until queue.empty?
    x, y = queue.shift
    STEPS.each_value do |dx, dy|
      to = [x + dx, y + dy]
      next if !tiles.key?(to) || far.key?(to)

      far[to] = far[[x, y]] + 1
      queue << to
    end
  end
  far
end

# The orders of this round. All that the bot knows about playing well is in here.
def think(view, tiles, base, spawn)
  things = view.group_by(&:first)
  flag, prize = %w[Flag EnemyFlag].map { |kind| things[kind][0][1, 2].map(&:to_i) }
  enemies = things["Enemy"].select { |w| w[4] == "True" }.map { |w| w[2, 2].map(&:to_i) }
  blasts = (things["Grenade"] || []).select { |w| w[3] == "1" }.map { |w| w[1, 2].map(&:to_i) }
  things["Soldier"].each_with_index.map do |(_, name, x, y, cooldown, alive, hand), number|
    at = alive == "True" ? [x.to_i, y.to_i] : spawn # the dead are back there first
    goal = number < GUARDS ? flag : prize
    # On the base, the next order captures the flag.
    goal = base if at != base && (hand != "No" || at == prize)
    far = ways_to(tiles, goal)
    letter, = STEPS.min_by do |_, (dx, dy)|
      to = [at[0] + dx, at[1] + dy]
      # Our own grenades kill us too.
      blast = blasts.any? { |bx, by| (to[0] - bx).abs <= 1 && (to[1] - by).abs <= 1 }
      far.fetch(to, 9999) + (blast ? 1000 : 0)
    end
    order = "#{name} #{letter}"
    # A grenade kills all in the 3 x 3 squares around it, but only three rounds later.
    target = enemies.select { |e| apart(e, at).between?(4, RANGE) }.min_by { |e| apart(e, at) }
    order += " (#{target.join(',')})" if alive == "True" && cooldown == "0" && target
    order
  end
end

# The talk with the referee: a view in, an answer out, until the input ends with the match.
$stdout.sync = true
(team,), *rows = read_block
tiles = {}
rows.each_with_index do |(row), y|
  row.each_char.with_index { |tile, x| tiles[[x, y]] = tile if tile != "#" }
end
# Standard error is yours: "skirmish play --stderr" and replays show it.
warn "I am team #{team}"
base, spawn = tiles.key(team.downcase), tiles.key(team)
loop { puts think(read_block, tiles, base, spawn), "" }
