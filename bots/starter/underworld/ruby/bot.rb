# A starter bot for Underworld: farms first, then warriors, then the nearest castle. Change it!
#
#     skirmish play underworld --map duel --watch . house:random
#
# The referee sends "Who are you?" and the bot must answer "crayfish". Then, once, comes a line
#     10 10 2 0                 columns, rows, players, your number
# and then a view in every turn:
#     money 3000
#     0 0 0 C 10000             x, y, owner, kind, hitpoints
#     0 1 0 B 1500              C castle, B barracks, F farm, W warrior, # wall
#     end
# The answer is any number of commands, followed by "end":
#     build 1 0 F               a farm or barracks, within distance 2 of your buildings
#     spawn 0 1 E               the barracks at (0, 1) spawns a warrior to the east
#     move 1 1 S                the warrior at (1, 1) moves south; it strikes automatically

# The line to change first: how many farms to build, and how many warriors before they attack.
FARMS, ARMY = 3, 4
FARM_COST, WARRIOR_COST = 1000, 500
REACH = 4 # range of warriors and of building: distance 2, squared
STEPS = { "N" => [0, -1], "S" => [0, 1], "E" => [1, 0], "W" => [-1, 0] }.freeze

Thing = Struct.new(:at, :owner, :kind) # `at` is a cell, [x, y]

# The distance, squared.
def apart(a, b)
  (a[0] - b[0])**2 + (a[1] - b[1])**2
end

# The adjacent cells, by the letter of the direction.
def beside(at)
  around = STEPS.transform_values { |dx, dy| [at[0] + dx, at[1] + dy] }
  around.select { |_, (x, y)| x.between?(0, $size_x - 1) && y.between?(0, $size_y - 1) }
end

# The steps to the goal from every cell that can reach it.
def ways_to(goal, closed)
  far, queue = { goal => 0 }, [goal]
  until queue.empty?
    at = queue.shift
    beside(at).each_value do |to|
      next if far.key?(to) || closed.key?(to)

      far[to] = far[at] + 1
      queue << to
    end
  end
  far
end

# The commands of this turn. The whole strategy is here.
def think(money, things)
  mine, others = things.partition { |thing| thing.owner == $me }
  mine = mine.group_by(&:kind).transform_values { |list| list.map(&:at) }
  others = others.group_by(&:kind).transform_values { |list| list.map(&:at) }
  [mine, others].each { |kinds| kinds.default = [] }
  home = mine["C"][0]
  across = [$size_x - 1 - home[0], $size_y - 1 - home[1]] # where to look if we see no castle
  goal = others["C"].min_by { |at| apart(at, home) } || across
  buildings = mine["C"] + mine["B"] + mine["F"]
  closed = (others["#"] + buildings).to_h { |at| [at, true] } # we destroy enemy buildings
  far = ways_to(goal, closed)
  taken = things.to_h { |thing| [thing.at, true] }
  near_home = ->(at) { buildings.any? { |building| apart(at, building) <= REACH } }
  # The free neighbour that is nearest to the goal, as direction and cell.
  next_step = lambda do |at|
    free = beside(at).select { |_, to| !taken.key?(to) && far.key?(to) }
    free.min_by { |_, to| far[to] }
  end
  commands = []

  # Warriors in front move first and make room for the next.
  army = mine["W"].select { |at| far.key?(at) }.sort_by.with_index { |at, i| [far[at], i] }
  army.each do |at|
    fights = others["W"].any? { |threat| apart(at, threat) <= REACH }
    waits = mine["W"].size < ARMY && !near_home[at]
    letter, to = next_step[at]
    next if !to || far[to] >= far[at] || fights || waits

    taken.delete(at)
    taken[to] = true
    commands << "move #{at.join(' ')} #{letter}"
  end
  if mine["F"].size < FARMS && money >= FARM_COST
    doors = mine["B"].flat_map { |at| beside(at).values } # left free for warriors
    cells = [*0...$size_y].product([*0...$size_x]).map(&:reverse)
    cells.select! { |at| !taken.key?(at) && !doors.include?(at) && near_home[at] }
    if (cell = cells.min_by { |at| apart(at, home) })
      taken[cell] = true
      money -= FARM_COST
      commands << "build #{cell.join(' ')} F"
    end
  end
  mine["B"].each do |at|
    letter, to = next_step[at]
    next if !to || money < WARRIOR_COST

    taken[to] = true
    money -= WARRIOR_COST
    commands << "spawn #{at.join(' ')} #{letter}"
  end
  commands
end

# The main loop: read a view, print an answer, until the input ends with the match.
$stdout.sync = true
$stdin.gets
puts "crayfish"
$size_x, $size_y, players, $me = ($stdin.gets || exit).split.map(&:to_i)
# Debug output: "skirmish play --stderr" and replays show standard error.
warn "I am player #{$me} of #{players}"
money, things = 0, []
while (line = $stdin.gets) && line != "gg\n"
  x, y, owner, kind = line.split
  case x
  when "money" then money, things = y.to_i, []
  when "end" then puts think(money, things), "end"
  else things << Thing.new([x.to_i, y.to_i], owner.to_i, kind)
  end
end
