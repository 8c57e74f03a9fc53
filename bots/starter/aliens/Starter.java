// A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
//
//     javac Starter.java
//     skirmish play aliens --watch "java -Xmx160m -cp . Starter" house:random
//
// A view is one line of JSON, a match one view after the other:
//     {"player":"a","state":{"rows":20,"cols":20,"grid":"....a..*....b...", ...}}
// The grid has a character a square, row after row: "." nothing, "*" energy, "a" and "b" units.
// The answer is a JSON array of moves. A unit that is not in it stays where it is:
//     [{"from":21,"to":22},{"from":40,"to":60}]
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;

public class Starter {
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

    // The square with the smallest cost, of equal ones the first; or else `none`.
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

    // The moves of this turn. All that the bot knows about playing well is in here.
    static String think(char me, int enemySpawn) {
        List<Integer> units = squares(me);
        List<Integer> enemies = squares(me == 'a' ? 'b' : 'a');
        boolean attack = units.size() >= COURAGE * enemies.size();
        List<Integer> goals = attack ? new ArrayList<>(enemies) : squares('*');
        if (attack) goals.add(enemySpawn);
        Set<Integer> taken = new HashSet<>(units); // two of ours that meet on a square both die
        List<String> moves = new ArrayList<>();
        for (int unit : units) {
            int centre = rows / 2 * cols + cols / 2;
            int goal = best(goals, square -> steps(unit, square), centre);
            // No other unit of ours goes for this energy.
            if (!attack) goals.remove(Integer.valueOf(goal));
            // How bad it is to be there: far from the goal, or too near to an enemy.
            ToIntFunction<Integer> cost = square -> {
                boolean danger = !attack && enemies.stream().anyMatch(e -> steps(square, e) <= 2);
                return steps(square, goal) + (danger ? 1000 : 0);
            };
            List<Integer> free = new ArrayList<>(List.of(unit));
            for (int to : beside(unit))
                // Energy is gathered from the square beside it; whoever steps on it destroys it.
                if (!taken.contains(to) && grid.charAt(to) != '*') free.add(to);
            int to = best(free, cost, unit);
            if (to == unit) continue;
            taken.remove(unit);
            taken.add(to);
            moves.add("{\"from\":" + unit + ",\"to\":" + to + "}");
        }
        return "[" + String.join(",", moves) + "]";
    }

    // What stands behind a name, up to the next sign. Enough for views as regular as these.
    static String after(String text, String name) {
        return text.substring(text.indexOf(name) + name.length()).split("[\",}]", 2)[0];
    }

    // The talk with the referee: a view in, an answer out, until the input ends with the match.
    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        boolean first = true;
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            char me = after(line, "\"player\":\"").charAt(0);
            rows = Integer.parseInt(after(line, "\"rows\":"));
            cols = Integer.parseInt(after(line, "\"cols\":"));
            grid = after(line, "\"grid\":\"");
            String enemy = line.substring(line.indexOf(me == 'a' ? "\"p2\":" : "\"p1\":"));
            // Standard error is yours: "skirmish play --stderr" and replays show it.
            if (first) System.err.println("I am player " + me);
            first = false;
            System.out.println(think(me, Integer.parseInt(after(enemy, "\"spawn\":"))));
        }
    }
}
