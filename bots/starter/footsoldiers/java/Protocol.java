// How a bot for Footsoldiers talks to the referee. You need not change this file.
//
// The bot prints "Ready". Then each view is one line of JSON:
//     {"you":"player1","turns-remaining":99,
//      "map":[{"type":"Base","position":{"x":1,"y":3},"team":"player1"},
//             {"type":"Rock","position":{"x":4,"y":0}},
//             {"type":"Scout","position":{"x":6,"y":1},"health":9,"team":"player1",
//              "destination":{"x":9,"y":1},"attack-direction":"Right"}, ...],
//      "player1":{"team":"player1","money":13,"base":{"x":1,"y":3},"health":40},"player2":{...}}
// An answer is one line with one command:
//     Build Scout (2, 3) (65, 3) Right
//     Move (6, 1) to (9, 5)
//     Change attack direction (6, 1) to Left
//     No-op
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.List;

class Protocol {
    record Square(int x, int y) {
        @Override
        public String toString() {
            return "(" + x + ", " + y + ")";
        }
    }

    record Player(String team, int money, Square base, int health) {}

    /** Rocks have no team. Only soldiers have health (else 0), destination and direction. */
    record Thing(
            String type, Square at, String team, int health, Square destination, String direction) {
        boolean isSoldier() {
            return destination != null;
        }
    }

    record View(int turn, int turnsRemaining, Player me, Player enemy, List<Thing> map) {}

    static final String NO_OP = "No-op";

    static String build(String kind, Square at, Square destination, String direction) {
        return "Build " + kind + " " + at + " " + destination + " " + direction;
    }

    static String move(Square soldier, Square destination) {
        return "Move " + soldier + " to " + destination;
    }

    static String turn(Square soldier, String direction) {
        return "Change attack direction " + soldier + " to " + direction;
    }

    private static final BufferedReader INPUT =
            new BufferedReader(new InputStreamReader(System.in));
    private static int turn = 0;

    /** The next view of the match; null when the match has ended. */
    static View nextView() throws IOException {
        if (turn == 0) {
            answer("Ready");
        }
        String line = INPUT.readLine();
        if (line == null) {
            return null;
        }
        Json message = Json.parse(line);
        boolean first = message.get("you").text().equals("player1");
        return new View(
                ++turn,
                message.get("turns-remaining").integer(),
                player(message.get(first ? "player1" : "player2")),
                player(message.get(first ? "player2" : "player1")),
                message.get("map").list().stream().map(Protocol::thing).toList());
    }

    /** Sends the answer to the last view. */
    static void answer(String command) {
        System.out.println(command);
        System.out.flush();
    }

    private static Square square(Json position) {
        return position == null
                ? null
                : new Square(position.get("x").integer(), position.get("y").integer());
    }

    private static Player player(Json entry) {
        return new Player(
                entry.get("team").text(), entry.get("money").integer(), square(entry.get("base")),
                entry.get("health").integer());
    }

    private static Thing thing(Json entry) {
        Json team = entry.get("team");
        Json health = entry.get("health");
        Json direction = entry.get("attack-direction");
        return new Thing(
                entry.get("type").text(), square(entry.get("position")),
                team == null ? null : team.text(), health == null ? 0 : health.integer(),
                square(entry.get("destination")), direction == null ? null : direction.text());
    }
}
