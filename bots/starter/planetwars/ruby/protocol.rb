# How a bot for Planet Wars talks to the referee. You need not change this file.
#
# A view is one line of JSON. The bot is always player 1 in it; neutral planets have the owner null:
#     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
#      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
#                      "owner":2,"turns_remaining":11}, ...]}
# An answer is also one line of JSON. Without moves: {"moves":[]}
#     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
require "json"

Move = Struct.new(:origin, :destination, :ships)
# The owner is 1 for you and 0 for nobody.
Planet = Struct.new(:name, :x, :y, :owner, :ships)
Expedition = Struct.new(:id, :origin, :destination, :owner, :ships, :turns_remaining)
View = Struct.new(:turn, :planets, :expeditions)

module Protocol
  # Yields the views of the match, one after the other.
  def self.each_view
    $stdin.set_encoding("UTF-8")
    $stdin.each_line.with_index(1) do |line, turn|
      message = JSON.parse(line)
      planets = message["planets"].map do |p|
        Planet.new(p["name"], p["x"], p["y"], p["owner"] || 0, p["ship_count"])
      end
      expeditions = message["expeditions"].map do |e|
        Expedition.new(e["id"], e["origin"], e["destination"], e["owner"], e["ship_count"],
                       e["turns_remaining"])
      end
      yield View.new(turn, planets, expeditions)
    end
  end

  # Sends the answer to the last view.
  def self.answer(moves)
    listed = moves.map do |move|
      { origin: move.origin, destination: move.destination, ship_count: move.ships }
    end
    puts JSON.generate(moves: listed)
    $stdout.flush
  end
end
