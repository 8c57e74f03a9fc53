# A starter bot for Capture the flag: some fetch the flag, others guard. Change it!
#
#     skirmish play ctf --watch . house:random
#
# Each round, think gets a view. Squares are pairs [x, y]:
#     view.turn                        the number of the round, from 1
#     view.map                         the rows of the map; "#" is an obstacle
#     view.base, view.spawn            where your flag belongs, and where your soldiers start
#     view.points, view.enemy_points   the score
#     view.flag, view.enemy_flag       where the flags are now
#     view.soldiers                    yours: name, at, cooldown, alive, carries_flag
#     view.grenades                    yours: at, countdown (enemy grenades are hidden)
#     view.enemies                     name, at, alive, carries_flag
# and returns orders: a step (U, D, L, R, or S to stay) and perhaps a square to throw at:
#     [Order.new("X", "D", [10, 7]), Order.new("Y", "S", nil)]
require_relative "protocol"

# The line to change first: how many soldiers stay at our flag. The others fetch the enemy's.
GUARDS = 1
RANGE = 10 # the default range of grenades
STEPS = { "S" => [0, 0], "U" => [0, -1], "D" => [0, 1], "L" => [-1, 0], "R" => [1, 0] }.freeze
UNREACHABLE = 9999

def apart(a, b)
  (a[0] - b[0]).abs + (a[1] - b[1]).abs
end

# The steps to the goal from every square that can reach it.
def distances(map, goal)
  far, queue = { goal => 0 }, [goal]
  while (at = queue.shift)
    STEPS.each_value do |dx, dy|
      x, y = at[0] + dx, at[1] + dy
      inside = y.between?(0, map.size - 1) && x.between?(0, map[y].size - 1)
      next if !inside || map[y][x] == "#" || far.key?([x, y])

      far[[x, y]] = far[at] + 1
      queue << [x, y]
    end
  end
  far
end

# The orders of this round. The whole strategy is here.
def think(view)
  enemies = view.enemies.select(&:alive).map(&:at)
  blasts = view.grenades.select { |grenade| grenade.countdown == 1 }.map(&:at)
  ways = [view.base, view.flag, view.enemy_flag].to_h { |goal| [goal, distances(view.map, goal)] }
  view.soldiers.each_with_index.map do |soldier, number|
    at = soldier.alive ? soldier.at : view.spawn # the dead respawn first
    goal = number < GUARDS ? view.flag : view.enemy_flag
    # On the base, the next order captures the flag.
    has_flag = soldier.carries_flag || at == view.enemy_flag
    goal = view.base if has_flag && at != view.base

    best, step = UNREACHABLE, "S"
    STEPS.each do |letter, (dx, dy)|
      x, y = at[0] + dx, at[1] + dy
      steps = ways[goal].fetch([x, y], UNREACHABLE)
      # Our own grenades kill us too.
      steps += 1000 if blasts.any? { |bx, by| (x - bx).abs <= 1 && (y - by).abs <= 1 }
      best, step = steps, letter if steps < best
    end

    # A grenade kills everyone in the 3 x 3 squares around it, three rounds later.
    targets = enemies.select { |enemy| apart(enemy, at).between?(4, RANGE) }
    ready = soldier.alive && soldier.cooldown.zero?
    Order.new(soldier.name, step, ready ? targets.min_by { |enemy| apart(enemy, at) } : nil)
  end
end

# The main loop: answer every view until the match ends.
Protocol.each_view do |view|
  # Debug output: "skirmish play --stderr" and replays show standard error.
  warn "I have #{view.soldiers.size} soldiers" if view.turn == 1
  Protocol.answer(think(view))
end
