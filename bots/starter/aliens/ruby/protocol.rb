# How a bot for Aliens talks to the referee. You need not change this file.
#
# A view is one line of JSON:
#     {"player":"a","state":{"rows":20,"cols":20,
#      "p1":{"food":1,"spawn":21},"p2":{"food":1,"spawn":378,"spawnDisabled":true},
#      "grid":"....a..*....b...","maxTurns":100,"turnsElapsed":0}}
# An answer is a JSON array:
#     [{"from":21,"to":22},{"from":40,"to":60}]
require "json"

# From a square with one of your units to an adjacent square.
Move = Struct.new(:from, :to)
# Energy is for units that will appear at the spawn.
Player = Struct.new(:letter, :energy, :spawn, :spawn_destroyed)
View = Struct.new(:turn, :rows, :cols, :grid, :me, :enemy)

module Protocol
  # Yields the views of the match, one after the other.
  def self.each_view
    $stdin.each_line do |line|
      message = JSON.parse(line)
      state = message["state"]
      players = [player("a", state["p1"]), player("b", state["p2"])]
      players.reverse! if message["player"] == "b"
      yield View.new(state["turnsElapsed"] + 1, *state.values_at("rows", "cols", "grid"), *players)
    end
  end

  # Sends the answer to the last view.
  def self.answer(moves)
    puts JSON.generate(moves.map(&:to_h))
    $stdout.flush
  end

  def self.player(letter, entry)
    Player.new(letter, entry["food"], entry["spawn"], entry.fetch("spawnDisabled", false))
  end
  private_class_method :player
end
