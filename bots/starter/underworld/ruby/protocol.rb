# How a bot for Underworld talks to the referee. You need not change this file.
#
# The referee sends "Who are you?" and the bot must answer "crayfish". It then sends one line
#     10 10 2 0                 columns, rows, players, your number
# and then a view in every turn:
#     money 3000
#     0 0 0 C 10000             x, y, owner, kind, hitpoints
#     0 1 0 B 1500
#     end
# After the last turn, it sends the line "gg" instead of a view. An answer is any number of
# commands, followed by "end":
#     build 1 0 F
#     spawn 0 1 E
#     move 1 1 S

# The verb is build, spawn or move; what is the building, or the direction.
Command = Struct.new(:verb, :at, :what)
Thing = Struct.new(:owner, :kind, :hitpoints)
View = Struct.new(:turn, :columns, :rows, :players, :me, :money, :things)

module Protocol
  # Yields the views of the match, one after the other.
  def self.each_view
    $stdin.gets
    puts "crayfish"
    $stdout.flush
    start = $stdin.gets.to_s.split.first(4).map(&:to_i)
    turn, money, things = 0, 0, {}
    $stdin.each_line do |line|
      words = line.split
      case words[0]
      when "gg"
        break
      when "money"
        turn, money, things = turn + 1, words[1].to_i, {}
      when "end"
        yield View.new(turn, *start, money, things)
      when /\A\d+\z/
        x, y, owner, kind, hitpoints = words
        things[[x.to_i, y.to_i]] = Thing.new(owner.to_i, kind, hitpoints.to_i)
      end
    end
  end

  # Sends the answer to the last view.
  def self.answer(commands)
    commands.each { |command| puts [command.verb, *command.at, command.what].join(" ") }
    puts "end"
    $stdout.flush
  end
end
