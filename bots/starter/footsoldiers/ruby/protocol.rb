# How a bot for Footsoldiers talks to the referee. You need not change this file.
#
# The bot prints "Ready". Then each view is one line of JSON:
#     {"you":"player1","turns-remaining":99,
#      "map":[{"type":"Base","position":{"x":1,"y":3},"team":"player1"},
#             {"type":"Rock","position":{"x":4,"y":0}},
#             {"type":"Scout","position":{"x":6,"y":1},"health":9,"team":"player1",
#              "destination":{"x":9,"y":1},"attack-direction":"Right"}, ...],
#      "player1":{"team":"player1","money":13,"base":{"x":1,"y":3},"health":40},"player2":{...}}
# An answer is one line with one command:
#     Build Scout (2, 3) (65, 3) Right
#     Move (6, 1) to (9, 5)
#     Change attack direction (6, 1) to Left
#     No-op
require "json"

Player = Struct.new(:team, :money, :base, :health)
# Rocks have no team, and only soldiers have health, destination and direction: nil.
Thing = Struct.new(:type, :at, :team, :health, :destination, :direction)
View = Struct.new(:turn, :turns_remaining, :me, :enemy, :map)

# The commands as they are sent.
module Command
  def self.build(kind, at, destination, direction)
    "Build #{kind} #{text(at)} #{text(destination)} #{direction}"
  end

  def self.move(soldier, destination)
    "Move #{text(soldier)} to #{text(destination)}"
  end

  def self.turn(soldier, direction)
    "Change attack direction #{text(soldier)} to #{direction}"
  end

  def self.no_op
    "No-op"
  end

  def self.text((x, y))
    "(#{x}, #{y})"
  end
  private_class_method :text
end

module Protocol
  class << self
    # Yields the views of the match, one after the other.
    def each_view
      answer("Ready")
      $stdin.each_line.with_index(1) do |line, turn|
        message = JSON.parse(line)
        players = [player(message["player1"]), player(message["player2"])]
        players.reverse! if message["you"] == "player2"
        things = message["map"].map { |entry| thing(entry) }
        yield View.new(turn, message["turns-remaining"], *players, things)
      end
    end

    # Sends the answer to the last view.
    def answer(command)
      puts command
      $stdout.flush
    end

    private

    def square(position)
      position&.values_at("x", "y")
    end

    def player(entry)
      Player.new(entry["team"], entry["money"], square(entry["base"]), entry["health"])
    end

    def thing(entry)
      Thing.new(entry["type"], square(entry["position"]), entry["team"], entry["health"],
                square(entry["destination"]), entry["attack-direction"])
    end
  end
end
