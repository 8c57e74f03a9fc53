# A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
#
#     skirmish play planetwars --watch "ruby starter.rb" house:random
#
# A view is one line of JSON. In it you are player 1, whatever your seat, and neutral planets are
# owned by null:
#     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
#      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
#                      "owner":2,"turns_remaining":11}, ...]}
# The answer is one line of JSON as well. No moves are fine: {"moves":[]}
#     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
require "json"

# The lines to change first: how many ships a planet keeps at home, and by how many ships its
# fleets outnumber what they attack.
GARRISON = 0
SPARE = 1

# How long ships are under way.
def turns(a, b)
  dx, dy = a["x"] - b["x"], a["y"] - b["y"]
  [1, Math.sqrt(dx * dx + dy * dy).ceil].max
end

# The moves of this turn. All that the bot knows about playing well is in here.
def think(view)
  mine, others = view["planets"].partition { |planet| planet["owner"] == 1 }

  ours, theirs = Hash.new(0), Hash.new(0) # ships under way to each planet
  view["expeditions"].each do |expedition|
    side = expedition["owner"] == 1 ? ours : theirs
    side[expedition["destination"]] += expedition["ship_count"]
  end

  moves = []
  mine.each do |origin|
    # Who is attacked keeps what it needs.
    ships = origin["ship_count"] - GARRISON - theirs[origin["name"]]
    nearest = others.sort_by.with_index { |planet, i| [turns(origin, planet), i] }
    nearest.each do |target|
      # An enemy's planet builds a ship a turn until we are there, a neutral one builds none.
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

# The talk with the referee: a view in, an answer out, until the input ends with the match.
$stdout.sync = true
first = true
while (line = $stdin.gets)
  view = JSON.parse(line)
  # Standard error is yours: "skirmish play --stderr" and replays show it.
  warn "planets on this map: #{view['planets'].size}" if first
  first = false
  puts JSON.generate({ moves: think(view) })
end
