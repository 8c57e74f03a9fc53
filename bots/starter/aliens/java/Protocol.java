// How a bot for Aliens talks to the referee. You need not change this file.
//
// A view is one line of JSON:
//     {"player":"a","state":{"rows":20,"cols":20,
//      "p1":{"food":1,"spawn":21},"p2":{"food":1,"spawn":378,"spawnDisabled":true},
//      "grid":"....a..*....b...","maxTurns":100,"turnsElapsed":0}}
// An answer is a JSON array:
//     [{"from":21,"to":22},{"from":40,"to":60}]
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.List;
import java.util.stream.Collectors;

class Protocol {
    /** From a square with one of your units to an adjacent square. */
    record Move(int from, int to) {}

    /** Energy is for units that will appear at the spawn. */
    record Player(char letter, int energy, int spawn, boolean spawnDestroyed) {}

    record View(int turn, int rows, int cols, String grid, Player me, Player enemy) {}

    private static final BufferedReader INPUT =
            new BufferedReader(new InputStreamReader(System.in));

    /** The next view of the match; null when the match has ended. */
    static View nextView() throws IOException {
        String line = INPUT.readLine();
        if (line == null) {
            return null;
        }
        Json message = Json.parse(line);
        Json state = message.get("state");
        Player a = player('a', state.get("p1"));
        Player b = player('b', state.get("p2"));
        boolean first = message.get("player").text().equals("a");
        return new View(
                state.get("turnsElapsed").integer() + 1,
                state.get("rows").integer(),
                state.get("cols").integer(),
                state.get("grid").text(),
                first ? a : b,
                first ? b : a);
    }

    /** Sends the answer to the last view. */
    static void answer(List<Move> moves) {
        String listed = moves.stream()
                .map(move -> "{\"from\":%d,\"to\":%d}".formatted(move.from(), move.to()))
                .collect(Collectors.joining(","));
        System.out.println("[" + listed + "]");
        System.out.flush();
    }

    private static Player player(char letter, Json entry) {
        Json disabled = entry.get("spawnDisabled");
        boolean destroyed = disabled != null && disabled.value().equals(true);
        return new Player(
                letter, entry.get("food").integer(), entry.get("spawn").integer(), destroyed);
    }
}
