# A starter bot for Underworld: farms first, then warriors, then the nearest castle. Change it!
#
#     skirmish play underworld --map duel --watch . house:random
#
# Each turn, think gets a view. Cells are pairs [x, y]:
#     view.turn                   the number of the turn, from 1
#     view.columns, view.rows     the size of the board
#     view.players, view.me       how many players there are, and your number, from 0
#     view.money                  what you can spend
#     view.things                 what you see: a hash from cells to things with owner,
#                                 kind ("C" castle, "B" barracks, "F" farm, "W" warrior, "#" wall)
#                                 and hitpoints
# and returns any number of commands:
#     Command.new("build", [1, 0], "F")   a farm or barracks, within distance 2 of your buildings
#     Command.new("spawn", [0, 1], "E")   the barracks at [0, 1] spawns a warrior to the east
#     Command.new("move", [1, 1], "S")    the warrior moves south; it strikes automatically
require "set"
require_relative "protocol"

# The lines to change first: how many farms to build, and how many warriors before they attack.
FARMS = 3
ARMY = 4
FARM_COST = 1000
WARRIOR_COST = 500
REACH = 4 # range of warriors and of building: distance 2, squared
STEPS = { "N" => [0, -1], "S" => [0, 1], "E" => [1, 0], "W" => [-1, 0] }.freeze

# The squared distance.
def apart(a, b)
  (a[0] - b[0])**2 + (a[1] - b[1])**2
end

# The adjacent cells, by the letter of the direction.
def neighbours(view, (x, y))
  STEPS.transform_values { |dx, dy| [x + dx, y + dy] }
       .select { |_, (nx, ny)| nx.between?(0, view.columns - 1) && ny.between?(0, view.rows - 1) }
end

# The steps to the goal from every cell that can reach it.
def distances(view, goal, closed)
  far, queue = { goal => 0 }, [goal]
  while (at = queue.shift)
    neighbours(view, at).each_value do |to|
      next if far.key?(to) || closed.include?(to)

      far[to] = far[at] + 1
      queue << to
    end
  end
  far
end

# The commands of this turn. The whole strategy is here.
def think(view)
  money = view.money
  cells = lambda do |kind, mine|
    view.things.select { |_, thing| thing.kind == kind && (thing.owner == view.me) == mine }.keys
  end

  castle, barracks, farms, warriors = %w[C B F W].map { |kind| cells[kind, true] }
  home = castle.first
  across = [view.columns - 1 - home[0], view.rows - 1 - home[1]] # if we see no enemy castle
  goal = cells["C", false].min_by { |at| apart(at, home) } || across
  buildings = castle + barracks + farms
  threats = cells["W", false]
  # Only walls and our own buildings block the way: we destroy those of the enemies.
  far = distances(view, goal, (cells["#", false] + buildings).to_set)
  taken = view.things.keys.to_set
  near_home = ->(at) { buildings.any? { |building| apart(at, building) <= REACH } }
  # The free neighbour that is nearest to the goal, as direction and cell.
  next_step = lambda do |at|
    free = neighbours(view, at).select { |_, to| far.key?(to) && !taken.include?(to) }
    free.min_by { |_, to| far[to] }
  end
  commands = []

  # Warriors in front move first and make room for the next. The index keeps ties in order.
  army = warriors.select { |at| far.key?(at) }.sort_by.with_index { |at, i| [far[at], i] }
  army.each do |at|
    fights = threats.any? { |threat| apart(at, threat) <= REACH }
    waits = warriors.size < ARMY && !near_home[at]
    letter, to = next_step[at]
    next if !to || far[to] >= far[at] || fights || waits

    taken.delete(at)
    taken << to
    commands << Command.new("move", at, letter)
  end
  if farms.size < FARMS && money >= FARM_COST
    # The cells around barracks are left free for warriors.
    doors = barracks.flat_map { |at| neighbours(view, at).values }
    board = (0...view.rows).flat_map { |y| (0...view.columns).map { |x| [x, y] } }
    sites = board.select { |at| near_home[at] && !taken.include?(at) && !doors.include?(at) }
    if (site = sites.min_by { |at| apart(at, home) })
      taken << site
      money -= FARM_COST
      commands << Command.new("build", site, "F")
    end
  end
  barracks.each do |at|
    letter, to = next_step[at]
    next if !to || money < WARRIOR_COST

    taken << to
    money -= WARRIOR_COST
    commands << Command.new("spawn", at, letter)
  end
  commands
end

# The main loop: answer every view until the match ends.
Protocol.each_view do |view|
  # Debug output: "skirmish play --stderr" and replays show standard error.
  warn "I am player #{view.me} of #{view.players}" if view.turn == 1
  Protocol.answer(think(view))
end
