// A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
//
//     skirmish play planetwars --watch . house:random
//
// Each turn, think() gets a view:
//     view.turn()          the number of the turn, from 1
//     view.planets()       each has name, x, y, owner (1: you, 2 and more: enemies, 0: nobody),
//                          ships
//     view.expeditions()   fleets under way: id, origin and destination (names of planets), owner,
//                          ships, turnsRemaining
// and returns the moves, each a fleet from one of your planets to another planet:
//     List.of(new Protocol.Move("protos", "extos", 6))
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;

public class Bot {
    // The lines to change first: how many ships a planet keeps at home, and by how many ships its
    // fleets outnumber their targets.
    static final int GARRISON = 0;
    static final int SPARE = 1;

    /** The moves of this turn. The whole strategy is here. */
    static List<Protocol.Move> think(Protocol.View view) {
        var mine = view.planets().stream().filter(planet -> planet.owner() == 1).toList();
        var others = view.planets().stream().filter(planet -> planet.owner() != 1).toList();

        var ours = new HashMap<String, Integer>(); // our ships under way to each planet
        var theirs = new HashMap<String, Integer>(); // and those of the enemies
        for (var planet : view.planets()) {
            ours.put(planet.name(), 0);
            theirs.put(planet.name(), 0);
        }
        for (var expedition : view.expeditions()) {
            var side = expedition.owner() == 1 ? ours : theirs;
            side.merge(expedition.destination(), expedition.ships(), Integer::sum);
        }

        var moves = new ArrayList<Protocol.Move>();
        for (var origin : mine) {
            // A planet under attack keeps the ships it needs.
            int ships = origin.ships() - GARRISON - theirs.get(origin.name());
            var nearest = new ArrayList<>(others);
            nearest.sort(Comparator.comparingInt(planet -> turns(origin, planet)));
            for (var target : nearest) {
                String name = target.name();
                // An enemy planet builds a ship per turn until we arrive; a neutral one none.
                int built = target.owner() == 0 ? 0 : turns(origin, target);
                int needed = target.ships() + built + theirs.get(name) + SPARE - ours.get(name);
                if (needed > 0 && needed <= ships) {
                    ships -= needed;
                    ours.merge(name, needed, Integer::sum);
                    moves.add(new Protocol.Move(origin.name(), name, needed));
                }
            }
        }
        return moves;
    }

    /** The travel time in turns. */
    static int turns(Protocol.Planet a, Protocol.Planet b) {
        double dx = a.x() - b.x();
        double dy = a.y() - b.y();
        return Math.max(1, (int) Math.ceil(Math.sqrt(dx * dx + dy * dy)));
    }

    /** The main loop: answer every view until the match ends. */
    public static void main(String[] arguments) throws IOException {
        Protocol.View view;
        while ((view = Protocol.nextView()) != null) {
            if (view.turn() == 1) { // debug output: "skirmish play --stderr" and replays show it
                System.err.println("planets on this map: " + view.planets().size());
            }
            Protocol.answer(think(view));
        }
    }
}
