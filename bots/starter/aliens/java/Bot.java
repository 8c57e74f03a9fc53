// A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
//
//     skirmish play aliens --watch . house:random
//
// Each turn, think() gets a view:
//     view.turn()                the number of the turn, from 1
//     view.rows(), view.cols()   the size of the grid; squares are numbered row by row from 0
//     view.grid()                a character per square: '.' empty, '*' energy, 'a' and 'b' units
//     view.me(), view.enemy()    the players: letter, energy, spawn (a square), spawnDestroyed
// and returns the moves, from a square to an adjacent one. Units without a move stay:
//     List.of(new Protocol.Move(21, 22), new Protocol.Move(40, 60))
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.function.ToIntFunction;

public class Bot {
    // The line to change first: attack when we have this many times as many units as the enemy.
    static final int COURAGE = 2;

    /** The moves of this turn. The whole strategy is here. */
    static List<Protocol.Move> think(Protocol.View view) {
        List<Integer> units = squares(view, view.me().letter());
        List<Integer> enemies = squares(view, view.enemy().letter());
        boolean attack = units.size() >= COURAGE * enemies.size();
        var goals = new ArrayList<>(attack ? enemies : squares(view, '*'));
        if (attack) {
            goals.add(view.enemy().spawn());
        }
        int centre = view.rows() / 2 * view.cols() + view.cols() / 2;
        var taken = new HashSet<>(units); // squares of our units; if two meet, both die
        var claimed = new HashSet<Integer>(); // energy that one of our units is already going for
        var moves = new ArrayList<Protocol.Move>();
        for (int unit : units) {
            int goal = goals.stream()
                    .filter(square -> !claimed.contains(square))
                    .min(Comparator.comparingInt(square -> steps(view, unit, square)))
                    .orElse(centre);
            if (!attack) {
                claimed.add(goal);
            }

            // The cost of a square: distance to the goal, or an enemy too close.
            ToIntFunction<Integer> cost = square -> {
                boolean danger =
                        !attack && enemies.stream().anyMatch(e -> steps(view, square, e) <= 2);
                return steps(view, square, goal) + (danger ? 1000 : 0);
            };

            // Energy is gathered from an adjacent square; moving onto it destroys it.
            var free = new ArrayList<>(List.of(unit));
            for (int to : neighbours(view, unit)) {
                if (!taken.contains(to) && view.grid().charAt(to) != '*') {
                    free.add(to);
                }
            }
            int to = Collections.min(free, Comparator.comparingInt(cost));
            if (to != unit) {
                taken.remove(unit);
                taken.add(to);
                moves.add(new Protocol.Move(unit, to));
            }
        }
        return moves;
    }

    static List<Integer> squares(Protocol.View view, char what) {
        var list = new ArrayList<Integer>();
        for (int square = 0; square < view.rows() * view.cols(); square++) {
            if (view.grid().charAt(square) == what) {
                list.add(square);
            }
        }
        return list;
    }

    static int steps(Protocol.View view, int a, int b) {
        int cols = view.cols();
        return Math.abs(a / cols - b / cols) + Math.abs(a % cols - b % cols);
    }

    static List<Integer> neighbours(Protocol.View view, int square) {
        var list = new ArrayList<Integer>();
        int cols = view.cols();
        for (int to : List.of(square - cols, square + cols, square - 1, square + 1)) {
            if (to >= 0 && to < view.rows() * cols && steps(view, square, to) == 1) {
                list.add(to);
            }
        }
        return list;
    }

    /** The main loop: answer every view until the match ends. */
    public static void main(String[] arguments) throws IOException {
        Protocol.View view;
        while ((view = Protocol.nextView()) != null) {
            if (view.turn() == 1) { // debug output: "skirmish play --stderr" and replays show it
                System.err.println("I am player " + view.me().letter());
            }
            Protocol.answer(think(view));
        }
    }
}
