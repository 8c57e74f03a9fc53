// A starter bot for Capture the flag: some fetch the flag, others guard. Change it!
//
//     skirmish play ctf --watch . house:random
//
// Each round, think() gets a view. Squares have x() and y():
//     view.turn()                          the number of the round, from 1
//     view.map()                           the rows of the map; '#' is an obstacle
//     view.base(), view.spawn()            where your flag belongs, and where your soldiers start
//     view.points(), view.enemyPoints()    the score
//     view.flag(), view.enemyFlag()        where the flags are now
//     view.soldiers()                      yours: name, at, cooldown, alive, carriesFlag
//     view.grenades()                      yours: at, countdown (enemy grenades are hidden)
//     view.enemies()                       name, at, alive, carriesFlag
// and returns orders: a step (U, D, L, R, or S to stay) and a square to throw at, or null:
//     List.of(new Protocol.Order("X", 'D', new Protocol.Square(10, 7)),
//             new Protocol.Order("Y", 'S', null))
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Bot {
    // The line to change first: how many soldiers stay at our flag. The others fetch the enemy's.
    static final int GUARDS = 1;
    static final int RANGE = 10; // the default range of grenades
    static final int UNREACHABLE = 9999;

    record Step(char letter, int dx, int dy) {
        Protocol.Square from(Protocol.Square at) {
            return new Protocol.Square(at.x() + dx, at.y() + dy);
        }
    }

    static final List<Step> STEPS = List.of(
            new Step('S', 0, 0), new Step('U', 0, -1), new Step('D', 0, 1), new Step('L', -1, 0),
            new Step('R', 1, 0));

    /** The orders of this round. The whole strategy is here. */
    static List<Protocol.Order> think(Protocol.View view) {
        var enemies = view.enemies().stream()
                .filter(Protocol.Enemy::alive).map(Protocol.Enemy::at).toList();
        var blasts = view.grenades().stream()
                .filter(grenade -> grenade.countdown() == 1).map(Protocol.Grenade::at).toList();
        var toBase = distances(view, view.base());
        var toFlag = distances(view, view.flag());
        var toEnemyFlag = distances(view, view.enemyFlag());
        var orders = new ArrayList<Protocol.Order>();
        for (var soldier : view.soldiers()) {
            var at = soldier.alive() ? soldier.at() : view.spawn(); // the dead respawn first
            var far = orders.size() < GUARDS ? toFlag : toEnemyFlag;
            boolean hasFlag = soldier.carriesFlag() || at.equals(view.enemyFlag());
            if (hasFlag && !at.equals(view.base())) {
                far = toBase; // on the base, the next order captures the flag
            }
            int best = UNREACHABLE;
            char letter = 'S';
            for (Step step : STEPS) {
                var to = step.from(at);
                int steps = far.getOrDefault(to, UNREACHABLE);
                if (blasts.stream().anyMatch(blast -> isHit(to, blast))) {
                    steps += 1000; // our own grenades kill us too
                }
                if (steps < best) {
                    best = steps;
                    letter = step.letter();
                }
            }
            // A grenade kills everyone in the 3 x 3 squares around it, three rounds later.
            var target = enemies.stream()
                    .filter(enemy -> soldier.alive() && soldier.cooldown() == 0)
                    .filter(enemy -> apart(enemy, at) > 3 && apart(enemy, at) <= RANGE)
                    .min(Comparator.comparingInt(enemy -> apart(enemy, at)))
                    .orElse(null);
            orders.add(new Protocol.Order(soldier.name(), letter, target));
        }
        return orders;
    }

    /** The steps to the goal from every square that can reach it. */
    static Map<Protocol.Square, Integer> distances(Protocol.View view, Protocol.Square goal) {
        var far = new HashMap<>(Map.of(goal, 0));
        var queue = new ArrayDeque<>(List.of(goal));
        while (!queue.isEmpty()) {
            var at = queue.remove();
            for (Step step : STEPS) {
                var to = step.from(at);
                if (isOpen(view.map(), to) && !far.containsKey(to)) {
                    far.put(to, far.get(at) + 1);
                    queue.add(to);
                }
            }
        }
        return far;
    }

    static boolean isOpen(List<String> map, Protocol.Square square) {
        int x = square.x();
        int y = square.y();
        boolean inside = y >= 0 && y < map.size() && x >= 0 && x < map.get(y).length();
        return inside && map.get(y).charAt(x) != '#';
    }

    static boolean isHit(Protocol.Square square, Protocol.Square blast) {
        return Math.abs(square.x() - blast.x()) <= 1 && Math.abs(square.y() - blast.y()) <= 1;
    }

    static int apart(Protocol.Square a, Protocol.Square b) {
        return Math.abs(a.x() - b.x()) + Math.abs(a.y() - b.y());
    }

    /** The main loop: answer every view until the match ends. */
    public static void main(String[] arguments) throws IOException {
        Protocol.View view;
        while ((view = Protocol.nextView()) != null) {
            if (view.turn() == 1) { // debug output: "skirmish play --stderr" and replays show it
                System.err.println("I have " + view.soldiers().size() + " soldiers");
            }
            Protocol.answer(think(view));
        }
    }
}
