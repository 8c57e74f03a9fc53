# A starter bot for Footsoldiers: it builds soldiers and guides them to the enemy. Change it!
#
#     skirmish play footsoldiers --watch . house:random
#
# Each turn, think gets a view. Squares are pairs [x, y]:
#     view.turn, view.turns_remaining   this turn, from 1; turns to play, including this one
#     view.me, view.enemy               the players: team ("player1"), money, base, health
#     view.map                          everything on the field, each with type, at, team;
#                                       type is "Base", "Rock", "Scout", "Assassin" or "Tank";
#                                       soldiers also have health, destination, direction
# and returns one command:
#     Command.build("Scout", [2, 3], [65, 3], "Right")   place, destination, attack direction
#     Command.move([6, 1], [9, 5])                       where the soldier is, its new destination
#     Command.turn([6, 1], "Left")                       where the soldier is, its new direction
#     Command.no_op
require_relative "protocol"

# The line to change first: what to build, in this order, over and over.
PLAN = %w[Scout Assassin Scout].freeze
COST = { "Scout" => 10, "Assassin" => 11, "Tank" => 12 }.freeze
NEAR = 5 # maximum distance from the base to build
UNREACHABLE = 9999

# Keeps what it computed in earlier turns.
class Strategy
  def initialize
    @far = nil # steps to the enemy's base from every square; computed in the first turn
    @built = 0
  end

  # The command of this turn. The whole strategy is here.
  def think(view)
    @far ||= measure(view)
    kind = PLAN[@built % PLAN.size]
    if view.me.money >= COST[kind]
      taken = view.map.map(&:at)
      free = near(view.me.base).select { |at| @far.key?(at) && !taken.include?(at) }
      unless free.empty?
        @built += 1
        at = free.min_by { |square| @far[square] }
        look = view.me.base[0] < view.enemy.base[0] ? "Right" : "Left"
        return Command.build(kind, at, waypoint(at), look)
      end
    end
    view.map.each do |thing| # nothing to build: guide a soldier that has arrived
      next unless thing.health && thing.team == view.me.team && @far.key?(thing.at)

      to = waypoint(thing.at)
      return Command.move(thing.at, to) if thing.at == thing.destination && thing.at != to
    end
    Command.no_op
  end

  private

  def apart(a, b)
    (a[0] - b[0]).abs + (a[1] - b[1]).abs
  end

  def around((x, y))
    [[x + 1, y], [x, y + 1], [x, y - 1], [x - 1, y]]
  end

  # The squares where a soldier can be built.
  def near(home)
    offsets = (-NEAR..NEAR).to_a
    squares = offsets.product(offsets).map { |dx, dy| [home[0] + dx, home[1] + dy] }
    squares.select { |at| apart(at, home) <= NEAR }
  end

  # Computes `far`: from the enemy's base outwards, around the rocks, also one square off the map.
  def measure(view)
    rocks = view.map.select { |thing| thing.type == "Rock" }.to_h { |rock| [rock.at, true] }
    width, height = [0, 1].map { |axis| 2 + view.map.map { |thing| thing.at[axis] }.max }
    far, queue = { view.enemy.base => 0 }, [view.enemy.base]
    while (at = queue.shift)
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
  def waypoint(start)
    here, steps = start, 0
    while @far[here].positive?
      to = around(here).min_by { |at| @far.fetch(at, UNREACHABLE) }
      break if apart(to, start) <= steps

      here, steps = to, steps + 1
    end
    here
  end
end

# The main loop: answer every view until the match ends.
strategy = Strategy.new
Protocol.each_view do |view|
  # Debug output: "skirmish play --stderr" and replays show standard error.
  warn "building #{PLAN.join(' ')}" if view.turn == 1
  Protocol.answer(strategy.think(view))
end
