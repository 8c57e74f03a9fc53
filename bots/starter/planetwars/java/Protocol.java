// How a bot for Planet Wars talks to the referee. You need not change this file.
//
// A view is one line of JSON. The bot is always player 1 in it; neutral planets have owner null:
//     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
//      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
//                      "owner":2,"turns_remaining":11}, ...]}
// An answer is also one line of JSON. Without moves: {"moves":[]}
//     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

class Protocol {
    record Move(String origin, String destination, int ships) {}

    /** The owner is 1 for you and 0 for nobody. */
    record Planet(String name, double x, double y, int owner, int ships) {}

    record Expedition(
            int id, String origin, String destination, int owner, int ships, int turnsRemaining) {}

    record View(int turn, List<Planet> planets, List<Expedition> expeditions) {}

    private static final BufferedReader INPUT =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    private static int turn = 0;

    /** The next view of the match; null when the match has ended. */
    static View nextView() throws IOException {
        String line = INPUT.readLine();
        if (line == null) {
            return null;
        }
        Json message = Json.parse(line);
        return new View(
                ++turn,
                message.get("planets").list().stream().map(Protocol::planet).toList(),
                message.get("expeditions").list().stream().map(Protocol::expedition).toList());
    }

    /** Sends the answer to the last view. */
    static void answer(List<Move> moves) {
        String listed = moves.stream()
                .map(move -> "{\"origin\":%s,\"destination\":%s,\"ship_count\":%d}".formatted(
                        quoted(move.origin()), quoted(move.destination()), move.ships()))
                .collect(Collectors.joining(","));
        System.out.println("{\"moves\":[" + listed + "]}");
        System.out.flush();
    }

    /** A string in JSON. */
    private static String quoted(String text) {
        return text.chars()
                .mapToObj(c -> c < ' ' || c > '~' || c == '"' || c == '\\'
                        ? "\\u%04x".formatted(c)
                        : String.valueOf((char) c))
                .collect(Collectors.joining("", "\"", "\""));
    }

    private static Planet planet(Json entry) {
        Json owner = entry.get("owner");
        return new Planet(
                entry.get("name").text(), (Double) entry.get("x").value(),
                (Double) entry.get("y").value(), owner.value() == null ? 0 : owner.integer(),
                entry.get("ship_count").integer());
    }

    private static Expedition expedition(Json entry) {
        return new Expedition(
                entry.get("id").integer(), entry.get("origin").text(),
                entry.get("destination").text(), entry.get("owner").integer(),
                entry.get("ship_count").integer(), entry.get("turns_remaining").integer());
    }
}
