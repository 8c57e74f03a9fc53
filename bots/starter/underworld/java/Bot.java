// A starter bot for Underworld: farms first, then warriors, then the nearest castle. Change it!
//
//     skirmish play underworld --map duel --watch . house:random
//
// Each turn, think() gets a view. Cells have x() and y():
//     view.turn()                       the number of the turn, from 1
//     view.columns(), view.rows()       the size of the board
//     view.players(), view.me()         how many players there are, and your number, from 0
//     view.money()                      what you can spend
//     view.things()                     what you see: a map from cells to things with owner, kind
//                                       ('C' castle, 'B' barracks, 'F' farm, 'W' warrior, '#' wall)
//                                       and hitpoints
// and returns any number of commands:
//     new Protocol.Command("build", cell, 'F')   a farm or barracks, within distance 2 of your
//                                                buildings
//     new Protocol.Command("spawn", cell, 'E')   the barracks spawns a warrior to the east
//     new Protocol.Command("move", cell, 'S')    the warrior moves south; it strikes automatically
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

public class Bot {
    // The lines to change first: how many farms to build, and how many warriors before they attack.
    static final int FARMS = 3;
    static final int ARMY = 4;
    static final int FARM_COST = 1000;
    static final int WARRIOR_COST = 500;
    static final int REACH = 4; // range of warriors and of building: distance 2, squared

    /** An adjacent cell, and the letter of its direction. */
    record Way(char letter, Protocol.Cell to) {}

    /** The commands of this turn. The whole strategy is here. */
    static List<Protocol.Command> think(Protocol.View view) {
        int money = view.money();
        var barracks = cells(view, 'B', true);
        var farms = cells(view, 'F', true);
        var warriors = cells(view, 'W', true);
        var threats = cells(view, 'W', false);
        var home = cells(view, 'C', true).get(0);
        var across =
                new Protocol.Cell(view.columns() - 1 - home.x(), view.rows() - 1 - home.y());
        var goal = cells(view, 'C', false).stream()
                .min(Comparator.comparingInt(cell -> apart(cell, home)))
                .orElse(across); // if we see no enemy castle
        var buildings = new ArrayList<>(List.of(home));
        buildings.addAll(barracks);
        buildings.addAll(farms);
        // Only walls and our own buildings block the way: we destroy those of the enemies.
        var closed = new HashSet<>(buildings);
        closed.addAll(cells(view, '#', false));
        var far = distances(view, goal, closed);
        var taken = new HashSet<>(view.things().keySet());
        var commands = new ArrayList<Protocol.Command>();

        // Warriors in front move first and make room for the next.
        var army = warriors.stream().filter(far::containsKey)
                .sorted(Comparator.comparing(far::get)).toList();
        for (var cell : army) {
            boolean fights = isNear(cell, threats);
            boolean waits = warriors.size() < ARMY && !isNear(cell, buildings);
            var step = nextStep(view, cell, far, taken);
            if (step.isPresent() && far.get(step.get().to()) < far.get(cell) && !fights && !waits) {
                taken.remove(cell);
                taken.add(step.get().to());
                commands.add(new Protocol.Command("move", cell, step.get().letter()));
            }
        }
        if (farms.size() < FARMS && money >= FARM_COST) {
            var closedSites = new HashSet<>(taken);
            for (var cell : barracks) { // the cells around them are left free for warriors
                neighbours(view, cell).forEach(way -> closedSites.add(way.to()));
            }
            var sites = new ArrayList<Protocol.Cell>();
            for (int y = 0; y < view.rows(); y++) {
                for (int x = 0; x < view.columns(); x++) {
                    var cell = new Protocol.Cell(x, y);
                    if (!closedSites.contains(cell) && isNear(cell, buildings)) {
                        sites.add(cell);
                    }
                }
            }
            var site = sites.stream().min(Comparator.comparingInt(cell -> apart(cell, home)));
            if (site.isPresent()) {
                taken.add(site.get());
                money -= FARM_COST;
                commands.add(new Protocol.Command("build", site.get(), 'F'));
            }
        }
        for (var cell : barracks) {
            var step = nextStep(view, cell, far, taken);
            if (step.isPresent() && money >= WARRIOR_COST) {
                taken.add(step.get().to());
                money -= WARRIOR_COST;
                commands.add(new Protocol.Command("spawn", cell, step.get().letter()));
            }
        }
        return commands;
    }

    static List<Protocol.Cell> cells(Protocol.View view, char kind, boolean mine) {
        var list = new ArrayList<Protocol.Cell>();
        view.things().forEach((cell, thing) -> {
            if (thing.kind() == kind && (thing.owner() == view.me()) == mine) {
                list.add(cell);
            }
        });
        return list;
    }

    /** The squared distance. */
    static int apart(Protocol.Cell a, Protocol.Cell b) {
        int dx = a.x() - b.x();
        int dy = a.y() - b.y();
        return dx * dx + dy * dy;
    }

    static boolean isNear(Protocol.Cell cell, List<Protocol.Cell> others) {
        return others.stream().anyMatch(other -> apart(cell, other) <= REACH);
    }

    /** The adjacent cells. */
    static List<Way> neighbours(Protocol.View view, Protocol.Cell at) {
        var around = List.of(
                new Way('N', new Protocol.Cell(at.x(), at.y() - 1)),
                new Way('S', new Protocol.Cell(at.x(), at.y() + 1)),
                new Way('E', new Protocol.Cell(at.x() + 1, at.y())),
                new Way('W', new Protocol.Cell(at.x() - 1, at.y())));
        return around.stream()
                .filter(way -> way.to().x() >= 0 && way.to().x() < view.columns())
                .filter(way -> way.to().y() >= 0 && way.to().y() < view.rows())
                .toList();
    }

    /** The steps to the goal from every cell that can reach it. */
    static Map<Protocol.Cell, Integer> distances(
            Protocol.View view, Protocol.Cell goal, Set<Protocol.Cell> closed) {
        var far = new HashMap<>(Map.of(goal, 0));
        var queue = new ArrayDeque<>(List.of(goal));
        while (!queue.isEmpty()) {
            var at = queue.remove();
            for (Way way : neighbours(view, at)) {
                if (!far.containsKey(way.to()) && !closed.contains(way.to())) {
                    far.put(way.to(), far.get(at) + 1);
                    queue.add(way.to());
                }
            }
        }
        return far;
    }

    /** The free neighbour that is nearest to the goal. */
    static Optional<Way> nextStep(
            Protocol.View view, Protocol.Cell cell, Map<Protocol.Cell, Integer> far,
            Set<Protocol.Cell> taken) {
        return neighbours(view, cell).stream()
                .filter(way -> far.containsKey(way.to()) && !taken.contains(way.to()))
                .min(Comparator.comparing(way -> far.get(way.to())));
    }

    /** The main loop: answer every view until the match ends. */
    public static void main(String[] arguments) throws IOException {
        Protocol.View view;
        while ((view = Protocol.nextView()) != null) {
            if (view.turn() == 1) { // debug output: "skirmish play --stderr" and replays show it
                System.err.println("I am player " + view.me() + " of " + view.players());
            }
            Protocol.answer(think(view));
        }
    }
}
