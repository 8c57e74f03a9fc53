# A starter bot for Footsoldiers: it builds soldiers and guides them to the enemy. Change it!
#
#     skirmish play footsoldiers --watch . house:random
#
# The bot prints "Ready". Then each view is one line of JSON:
#     {"you":"player1","turns-remaining":99,
#      "map":[{"type":"Base","position":{"x":1,"y":3},"team":"player1"},
#             {"type":"Rock","position":{"x":4,"y":0}},
#             {"type":"Scout","position":{"x":6,"y":1},"health":9,"team":"player1",
#              "destination":{"x":9,"y":1},"attack-direction":"Right"}, ...],
#      "player1":{"team":"player1","money":13,"base":{"x":1,"y":3},"health":40},"player2":{...}}
# and the answer is one line with one command:
#     Build Scout (2, 3) (65, 3) Right        place, destination, attack direction
#     Move (6, 1) to (9, 5)                   soldier, new destination
#     No-op
require "json"

# The line to change first: what to build, in this order, over and over.
PLAN = %w[Scout Assassin Scout].freeze
COST = { "Scout" => 10, "Assassin" => 11, "Tank" => 12 }.freeze
NEAR = 5 # maximum distance from the base to build

# A square is [x, y].
def square(position)
  [position["x"], position["y"]]
end

def around(at)
  x, y = at
  [[x + 1, y], [x, y + 1], [x, y - 1], [x - 1, y]]
end

def apart(a, b)
  (a[0] - b[0]).abs + (a[1] - b[1]).abs
end

# The steps to the goal from every square: around the rocks, also one square off the map.
def measure(view, goal)
  rocks = view["map"].select { |entry| entry["type"] == "Rock" }
  rocks = rocks.to_h { |entry| [square(entry["position"]), true] }
  width, height = %w[x y].map { |axis| 2 + view["map"].map { |e| e["position"][axis] }.max }
  far, queue = { goal => 0 }, [goal]
  until queue.empty?
    at = queue.shift
    around(at).each do |to|
      inside = to[0].between?(0, width - 1) && to[1].between?(0, height - 1)
      next if !inside || far.key?(to) || rocks.key?(to)

      far[to] = far[at] + 1
      queue << to
    end
  end
  far
end

# How far a soldier can go without a detour: it gets stuck behind rocks.
def waypoint(far, start)
  here, steps = start, 0
  while far[here].positive?
    to = around(here).min_by { |at| far.fetch(at, 9999) }
    break if apart(to, start) <= steps

    here, steps = to, steps + 1
  end
  here
end

# The command of this turn. The whole strategy is here.
def think(view)
  me, enemy = view["player1"], view["player2"]
  me, enemy = enemy, me if view["you"] == "player2"
  home, goal = square(me["base"]), square(enemy["base"])
  $far ||= measure(view, goal) # in the first turn: rocks do not move
  $built ||= 0
  kind = PLAN[$built % PLAN.size]
  if me["money"] >= COST[kind]
    taken = view["map"].to_h { |entry| [square(entry["position"]), true] }
    near_x, near_y = home.map { |at| [*at - NEAR..at + NEAR] }
    free = near_x.product(near_y).select { |at| apart(at, home) <= NEAR }
    free.select! { |at| $far.key?(at) && !taken.key?(at) }
    unless free.empty?
      $built += 1
      at = free.min_by { |candidate| $far[candidate] }
      look = home[0] < goal[0] ? "Right" : "Left"
      return "Build #{kind} (#{at.join(', ')}) (#{waypoint($far, at).join(', ')}) #{look}"
    end
  end
  view["map"].each do |entry| # nothing to build: guide a soldier that has arrived
    at = square(entry["position"])
    next if !entry["destination"] || entry["team"] != view["you"] || !$far.key?(at)

    to = waypoint($far, at)
    arrived = at == square(entry["destination"])
    return "Move (#{at.join(', ')}) to (#{to.join(', ')})" if arrived && at != to
  end
  "No-op"
end

# The main loop: read a view, print an answer, until the input ends with the match.
# Debug output: "skirmish play --stderr" and replays show standard error.
warn "building #{PLAN.join(' ')}"
$stdout.sync = true
puts "Ready"
while (line = $stdin.gets)
  puts think(JSON.parse(line))
end
