// A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
//
//     javac Bot.java
//     skirmish play aliens --watch . house:random
//
// Each turn, the bot reads one view, a line of JSON:
//     {"player":"a","state":{"rows":20,"cols":20,"grid":"....a..*....b...", ...}}
// The grid has one character per square, row by row: "." empty, "*" energy, "a", "b" units.
// The answer is a JSON array of moves. Units without a move stay:
//     [{"from":21,"to":22},{"from":40,"to":60}]
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;

public class Bot {
    // The line to change first: attack when we have this many times as many units as the enemy.
    static final int COURAGE = 2;

    static int rows, cols;
    static String grid;

    static int steps(int a, int b) {
        return Math.abs(a / cols - b / cols) + Math.abs(a % cols - b % cols);
    }

    static List<Integer> squares(char what) {
        List<Integer> list = new ArrayList<>();
        for (int square = 0; square < rows * cols; square++)
            if (grid.charAt(square) == what) list.add(square);
        return list;
    }

    static List<Integer> beside(int square) {
        List<Integer> list = new ArrayList<>();
        if (square >= cols) list.add(square - cols);
        if (square < (rows - 1) * cols) list.add(square + cols);
        if (square % cols > 0) list.add(square - 1);
        if (square % cols < cols - 1) list.add(square + 1);
        return list;
    }

    // The square with the smallest cost, the first of equals; `none` if there is none.
    static int best(List<Integer> list, ToIntFunction<Integer> cost, int none) {
        int best = none;
        int least = Integer.MAX_VALUE;
        for (int square : list)
            if (cost.applyAsInt(square) < least) {
                best = square;
                least = cost.applyAsInt(square);
            }
        return best;
    }

    // The moves of this turn. The whole strategy is here.
    static String think(char me, int enemySpawn) {
        List<Integer> units = squares(me);
        List<Integer> enemies = squares(me == 'a' ? 'b' : 'a');
        boolean attack = units.size() >= COURAGE * enemies.size();
        List<Integer> goals = attack ? new ArrayList<>(enemies) : squares('*');
        if (attack) goals.add(enemySpawn);
        Set<Integer> taken = new HashSet<>(units); // our units that meet on a square die
        List<String> moves = new ArrayList<>();
        for (int unit : units) {
            int centre = rows / 2 * cols + cols / 2;
            int goal = best(goals, square -> steps(unit, square), centre);
            // No other unit goes for this energy.
            if (!attack) goals.remove(Integer.valueOf(goal));
            // The cost of a square: distance to the goal, or an enemy too close.
            ToIntFunction<Integer> cost = square -> {
                boolean danger = !attack && enemies.stream().anyMatch(e -> steps(square, e) <= 2);
                return steps(square, goal) + (danger ? 1000 : 0);
            };
            List<Integer> free = new ArrayList<>(List.of(unit));
            for (int to : beside(unit))
                // Energy is gathered from an adjacent square; moving onto it destroys it.
                if (!taken.contains(to) && grid.charAt(to) != '*') free.add(to);
            int to = best(free, cost, unit);
            if (to == unit) continue;
            taken.remove(unit);
            taken.add(to);
            moves.add("{\"from\":" + unit + ",\"to\":" + to + "}");
        }
        return "[" + String.join(",", moves) + "]";
    }

    // The value after a name, up to the next delimiter. Good enough for these simple views.
    static String after(String text, String name) {
        return text.substring(text.indexOf(name) + name.length()).split("[\",}]", 2)[0];
    }

    // The main loop: read a view, print an answer, until the input ends with the match.
    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        boolean first = true;
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            char me = after(line, "\"player\":\"").charAt(0);
            rows = Integer.parseInt(after(line, "\"rows\":"));
            cols = Integer.parseInt(after(line, "\"cols\":"));
            grid = after(line, "\"grid\":\"");
            String enemy = line.substring(line.indexOf(me == 'a' ? "\"p2\":" : "\"p1\":"));
            // Debug output: "skirmish play --stderr" and replays show standard error.
            if (first) System.err.println("I am player " + me);
            first = false;
            System.out.println(think(me, Integer.parseInt(after(enemy, "\"spawn\":"))));
        }
    }
}
