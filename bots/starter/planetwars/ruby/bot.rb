# A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
#
#     skirmish play planetwars --watch . house:random
#
# A view is one line of JSON. You are always player 1 in it, and neutral planets have
# the owner null:
#     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
#      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
#                      "owner":2,"turns_remaining":11}, ...]}
# The answer is also one line of JSON. Without moves: {"moves":[]}
#     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
require "json"

# The lines to change first: how many ships a planet keeps at home, and by how many ships its
# fleets outnumber their targets.
GARRISON = 0
SPARE = 1

# The travel time in turns.
def turns(a, b)
  dx, dy = a["x"] - b["x"], a["y"] - b["y"]
  [1, Math.sqrt(dx * dx + dy * dy).ceil].max
end

# The moves of this turn. The whole strategy is here.
def think(view)
  mine, others = view["planets"].partition { |planet| planet["owner"] == 1 }

  ours, theirs = Hash.new(0), Hash.new(0) # ships under way to each planet
  view["expeditions"].each do |expedition|
    side = expedition["owner"] == 1 ? ours : theirs
    side[expedition["destination"]] += expedition["ship_count"]
  end

  moves = []
  mine.each do |origin|
    # A planet under attack keeps the ships it needs.
    ships = origin["ship_count"] - GARRISON - theirs[origin["name"]]
    nearest = others.sort_by.with_index { |planet, i| [turns(origin, planet), i] }
    nearest.each do |target|
      # An enemy planet builds a ship per turn until we arrive; a neutral one builds none.
      built = target["owner"] ? turns(origin, target) : 0
      there = target["ship_count"] + built + theirs[target["name"]]
      needed = there + SPARE - ours[target["name"]]
      next unless needed.between?(1, ships)

      ships -= needed
      ours[target["name"]] += needed
      moves << { origin: origin["name"], destination: target["name"], ship_count: needed }
    end
  end
  moves
end

# The main loop: read a view, print an answer, until the input ends with the match.
$stdout.sync = true
first = true
while (line = $stdin.gets)
  view = JSON.parse(line)
  # Debug output: "skirmish play --stderr" and replays show standard error.
  warn "planets on this map: #{view['planets'].size}" if first
  first = false
  puts JSON.generate({ moves: think(view) })
end
