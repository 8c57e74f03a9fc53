// How a bot for Capture the flag talks to the referee. You need not change this file.
//
// The input starts with the team's letter, the map and an empty line. Then a view per round:
//     0 0                            our points, theirs
//     Flag 1 5                       where our flag is
//     Soldier X 2 7 8 True No        name, x, y, cooldown, alive, the flag it carries
//     Grenade 10 7 2                 ours: x, y, rounds left
//     EnemyFlag 13 9
//     Enemy L 11 8 True No           name, x, y, alive, flag
//     (an empty line)
// An answer is a line per order and an empty line:
//     X D (10,7)
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

class Protocol {
    record Square(int x, int y) {}

    /** The soldier's name; U, D, L, R or S; the square to throw a grenade at, or null. */
    record Order(String name, char step, Square target) {}

    record Soldier(String name, Square at, int cooldown, boolean alive, boolean carriesFlag) {}

    record Enemy(String name, Square at, boolean alive, boolean carriesFlag) {}

    record Grenade(Square at, int countdown) {}

    record View(
            int turn, List<String> map, Square base, Square spawn, int points, int enemyPoints,
            Square flag, Square enemyFlag, List<Soldier> soldiers, List<Grenade> grenades,
            List<Enemy> enemies) {}

    private static final BufferedReader INPUT =
            new BufferedReader(new InputStreamReader(System.in));
    private static String team;
    private static List<String> map;
    private static int turn = 0;

    /** The next view of the match; null when the match has ended. */
    static View nextView() throws IOException {
        if (turn == 0) {
            List<String> start = readBlock();
            if (start == null) {
                return null;
            }
            team = start.get(0);
            map = start.subList(1, start.size());
        }
        List<String> block = readBlock();
        return block == null ? null : view(block);
    }

    /** Sends the answer to the last view. */
    static void answer(List<Order> orders) {
        var text = new StringBuilder();
        for (Order order : orders) {
            text.append(order.name()).append(' ').append(order.step());
            if (order.target() != null) {
                text.append(" (%d,%d)".formatted(order.target().x(), order.target().y()));
            }
            text.append('\n');
        }
        System.out.println(text);
        System.out.flush();
    }

    /** The lines up to an empty line; null at the end of the input. */
    private static List<String> readBlock() throws IOException {
        var block = new ArrayList<String>();
        for (String line = INPUT.readLine(); line != null; line = INPUT.readLine()) {
            if (line.isBlank()) {
                return block;
            }
            block.add(line.strip());
        }
        return null;
    }

    private static View view(List<String> block) {
        Square flag = null;
        Square enemyFlag = null;
        var soldiers = new ArrayList<Soldier>();
        var grenades = new ArrayList<Grenade>();
        var enemies = new ArrayList<Enemy>();
        for (String line : block) {
            String[] words = line.split("\\s+");
            switch (words[0]) {
                case "Flag" -> flag = square(words, 1);
                case "EnemyFlag" -> enemyFlag = square(words, 1);
                case "Soldier" -> soldiers.add(new Soldier(
                        words[1], square(words, 2), Integer.parseInt(words[4]),
                        words[5].equals("True"), !words[6].equals("No")));
                case "Grenade" -> grenades.add(
                        new Grenade(square(words, 1), Integer.parseInt(words[3])));
                case "Enemy" -> enemies.add(new Enemy(
                        words[1], square(words, 2), words[4].equals("True"),
                        !words[5].equals("No")));
                default -> {} // the score, or something new
            }
        }
        Square score = square(block.get(0).split("\\s+"), 0);
        return new View(
                ++turn, map, find(team.toLowerCase()), find(team), score.x(), score.y(), flag,
                enemyFlag, soldiers, grenades, enemies);
    }

    /** Two consecutive numbers. */
    private static Square square(String[] words, int at) {
        return new Square(Integer.parseInt(words[at]), Integer.parseInt(words[at + 1]));
    }

    private static Square find(String tile) {
        for (int y = 0; y < map.size(); y++) {
            if (map.get(y).contains(tile)) {
                return new Square(map.get(y).indexOf(tile), y);
            }
        }
        throw new IllegalStateException("the map has no " + tile);
    }
}
