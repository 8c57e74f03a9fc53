# A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
#
#     skirmish play planetwars --watch . house:random
#
# Each turn, think gets a view:
#     view.turn          the number of the turn, from 1
#     view.planets       each has name, x, y, owner (1: you, 2 and more: enemies, 0: nobody), ships
#     view.expeditions   fleets under way: id, origin and destination (names of planets), owner,
#                        ships, turns_remaining
# and returns the moves, each a fleet from one of your planets to another planet:
#     [Move.new("protos", "extos", 6)]
require_relative "protocol"

# The lines to change first: how many ships a planet keeps at home, and by how many ships its
# fleets outnumber their targets.
GARRISON = 0
SPARE = 1

# The travel time in turns.
def turns(a, b)
  dx, dy = a.x - b.x, a.y - b.y
  [1, Math.sqrt(dx * dx + dy * dy).ceil].max
end

# The moves of this turn. The whole strategy is here.
def think(view)
  mine, others = view.planets.partition { |planet| planet.owner == 1 }

  ours = Hash.new(0) # our ships under way to each planet
  theirs = Hash.new(0) # and those of the enemies
  view.expeditions.each do |expedition|
    side = expedition.owner == 1 ? ours : theirs
    side[expedition.destination] += expedition.ships
  end

  moves = []
  mine.each do |origin|
    # A planet under attack keeps the ships it needs.
    ships = origin.ships - GARRISON - theirs[origin.name]
    # The index keeps equal elements in order.
    nearest = others.sort_by.with_index { |planet, i| [turns(origin, planet), i] }
    nearest.each do |target|
      # An enemy planet builds a ship per turn until we arrive; a neutral one builds none.
      built = target.owner.zero? ? 0 : turns(origin, target)
      needed = target.ships + built + theirs[target.name] + SPARE - ours[target.name]
      next unless needed.between?(1, ships)

      ships -= needed
      ours[target.name] += needed
      moves << Move.new(origin.name, target.name, needed)
    end
  end
  moves
end

# The main loop: answer every view until the match ends.
Protocol.each_view do |view|
  # Debug output: "skirmish play --stderr" and replays show standard error.
  warn "planets on this map: #{view.planets.size}" if view.turn == 1
  Protocol.answer(think(view))
end
