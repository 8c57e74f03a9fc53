# How a bot for Capture the flag talks to the referee. You need not change this file.
#
# The input starts with the team's letter, the map and an empty line. Then a view per round:
#     0 0                            our points, theirs
#     Flag 1 5                       where our flag is
#     Soldier X 2 7 8 True No        name, x, y, cooldown, alive, the flag it carries
#     Grenade 10 7 2                 ours: x, y, rounds left
#     EnemyFlag 13 9
#     Enemy L 11 8 True No           name, x, y, alive, flag
#     (an empty line)
# An answer is a line per order and an empty line:
#     X D (10,7)

# The name of the soldier; U, D, L, R or S; the square to throw a grenade at, or nil.
Order = Struct.new(:name, :step, :target)
Soldier = Struct.new(:name, :at, :cooldown, :alive, :carries_flag)
Enemy = Struct.new(:name, :at, :alive, :carries_flag)
Grenade = Struct.new(:at, :countdown)
View = Struct.new(:turn, :map, :base, :spawn, :points, :enemy_points, :flag, :enemy_flag,
                  :soldiers, :grenades, :enemies, keyword_init: true)

module Protocol
  class << self
    # Yields the views of the match, one after the other.
    def each_view
      team, *map = read_block
      return unless team

      base, spawn = find(map, team.downcase), find(map, team)
      turn = 0
      while (block = read_block)
        yield View.new(turn: turn += 1, map: map, base: base, spawn: spawn, **parse(block))
      end
    end

    # Sends the answer to the last view.
    def answer(orders)
      orders.each do |order|
        target = order.target && " (#{order.target.join(',')})"
        puts "#{order.name} #{order.step}#{target}"
      end
      puts
      $stdout.flush
    end

    private

    # The lines up to an empty line; nil at the end of the input.
    def read_block
      block = []
      while (line = $stdin.gets)
        return block if line.strip.empty?

        block << line.strip
      end
    end

    def find(map, tile)
      y = map.index { |row| row.include?(tile) }
      [map[y].index(tile), y]
    end

    def parse(block)
      score, *lines = block.map(&:split)
      things = lines.group_by(&:shift) # the first word of a line is its kind; the others remain
      things.default = []
      {
        points: score[0].to_i,
        enemy_points: score[1].to_i,
        flag: things["Flag"][0].first(2).map(&:to_i),
        enemy_flag: things["EnemyFlag"][0].first(2).map(&:to_i),
        soldiers: things["Soldier"].map do |name, x, y, cooldown, alive, flag|
          Soldier.new(name, [x.to_i, y.to_i], cooldown.to_i, alive == "True", flag != "No")
        end,
        grenades: things["Grenade"].map { |x, y, left| Grenade.new([x.to_i, y.to_i], left.to_i) },
        enemies: things["Enemy"].map do |name, x, y, alive, flag|
          Enemy.new(name, [x.to_i, y.to_i], alive == "True", flag != "No")
        end
      }
    end
  end
end
