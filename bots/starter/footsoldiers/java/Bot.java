// A starter bot for Footsoldiers: it builds soldiers and guides them to the enemy. Change it!
//
//     skirmish play footsoldiers --watch . house:random
//
// Each turn, think() gets a view. Squares have x() and y():
//     view.turn(), view.turnsRemaining()   this turn, from 1; turns to play, including this one
//     view.me(), view.enemy()              the players: team ("player1"), money, base, health
//     view.map()                           everything on the field, each with type, at, team;
//                                          type is "Base", "Rock", "Scout", "Assassin" or "Tank";
//                                          soldiers also have health, destination, direction
// and returns one command; `at` is where the soldier is, or where to build it:
//     Protocol.build("Scout", at, destination, "Right")   with its attack direction
//     Protocol.move(at, destination)                      sets a new destination
//     Protocol.turn(at, "Left")                           sets a new attack direction
//     Protocol.NO_OP
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

public class Bot {
    // The line to change first: what to build, in this order, over and over.
    static final List<String> PLAN = List.of("Scout", "Assassin", "Scout");
    static final Map<String, Integer> COST = Map.of("Scout", 10, "Assassin", 11, "Tank", 12);
    static final int NEAR = 5; // maximum distance from the base to build
    static final int UNREACHABLE = 9999;

    /** Steps to the enemy's base from every square; computed in the first turn. */
    static final Map<Protocol.Square, Integer> far = new HashMap<>();
    static int built = 0;

    /** The command of this turn. The whole strategy is here. */
    static String think(Protocol.View view) {
        if (far.isEmpty()) {
            measure(view);
        }
        var me = view.me();
        String kind = PLAN.get(built % PLAN.size());
        var sites = sites(view);
        if (me.money() >= COST.get(kind) && !sites.isEmpty()) {
            built++;
            var at = nearest(sites);
            String look = me.base().x() < view.enemy().base().x() ? "Right" : "Left";
            return Protocol.build(kind, at, waypoint(at), look);
        }
        for (var thing : view.map()) { // nothing to build: guide a soldier that has arrived
            var at = thing.at();
            if (thing.isSoldier() && thing.team().equals(me.team()) && far.containsKey(at)) {
                var to = waypoint(at);
                if (at.equals(thing.destination()) && !at.equals(to)) {
                    return Protocol.move(at, to);
                }
            }
        }
        return Protocol.NO_OP;
    }

    /** Fills `far`: from the enemy's base outwards, around rocks, also one square off the map. */
    static void measure(Protocol.View view) {
        var rocks = view.map().stream()
                .filter(thing -> thing.type().equals("Rock"))
                .map(Protocol.Thing::at)
                .collect(Collectors.toSet());
        int width = 2 + view.map().stream().mapToInt(thing -> thing.at().x()).max().orElse(0);
        int height = 2 + view.map().stream().mapToInt(thing -> thing.at().y()).max().orElse(0);
        far.put(view.enemy().base(), 0);
        var queue = new ArrayDeque<>(List.of(view.enemy().base()));
        while (!queue.isEmpty()) {
            var at = queue.remove();
            for (var to : around(at)) {
                boolean inside = to.x() >= 0 && to.x() < width && to.y() >= 0 && to.y() < height;
                if (inside && !far.containsKey(to) && !rocks.contains(to)) {
                    far.put(to, far.get(at) + 1);
                    queue.add(to);
                }
            }
        }
    }

    /** The free squares near our base. */
    static List<Protocol.Square> sites(Protocol.View view) {
        var home = view.me().base();
        var taken = view.map().stream().map(Protocol.Thing::at).collect(Collectors.toSet());
        var free = new ArrayList<Protocol.Square>();
        for (int x = home.x() - NEAR; x <= home.x() + NEAR; x++) {
            for (int y = home.y() - NEAR; y <= home.y() + NEAR; y++) {
                var at = new Protocol.Square(x, y);
                if (apart(at, home) <= NEAR && far.containsKey(at) && !taken.contains(at)) {
                    free.add(at);
                }
            }
        }
        return free;
    }

    /** How far a soldier can go without a detour: it gets stuck behind rocks. */
    static Protocol.Square waypoint(Protocol.Square start) {
        var here = start;
        for (int steps = 0; far.get(here) > 0; steps++) {
            var to = nearest(around(here));
            if (apart(to, start) <= steps) {
                break;
            }
            here = to;
        }
        return here;
    }

    /** The square with the fewest steps to go; on a tie, the first one. */
    static Protocol.Square nearest(Collection<Protocol.Square> squares) {
        return Collections.min(
                squares, Comparator.comparingInt(at -> far.getOrDefault(at, UNREACHABLE)));
    }

    static List<Protocol.Square> around(Protocol.Square at) {
        return List.of(
                new Protocol.Square(at.x() + 1, at.y()), new Protocol.Square(at.x(), at.y() + 1),
                new Protocol.Square(at.x(), at.y() - 1), new Protocol.Square(at.x() - 1, at.y()));
    }

    static int apart(Protocol.Square a, Protocol.Square b) {
        return Math.abs(a.x() - b.x()) + Math.abs(a.y() - b.y());
    }

    /** The main loop: answer every view until the match ends. */
    public static void main(String[] arguments) throws IOException {
        Protocol.View view;
        while ((view = Protocol.nextView()) != null) {
            if (view.turn() == 1) { // debug output: "skirmish play --stderr" and replays show it
                System.err.println("building " + String.join(" ", PLAN));
            }
            Protocol.answer(think(view));
        }
    }
}
