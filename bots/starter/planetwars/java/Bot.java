// A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
//
//     javac Bot.java
//     skirmish play planetwars --watch . house:random
//
// A view is one line of JSON. You are always player 1 in it, and neutral planets have
// the owner null:
//     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
//      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
//                      "owner":2,"turns_remaining":11}, ...]}
// The answer is also one line of JSON. Without moves: {"moves":[]}
//     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public class Bot {
    // The line to change first: how many ships a planet keeps at home, and by how many ships its
    // fleets outnumber their targets.
    static final long GARRISON = 0, SPARE = 1;

    record Planet(long ships, double x, double y, String owner, String name) {
        // The travel time in turns.
        int turns(Planet to) {
            double dx = x - to.x, dy = y - to.y;
            return Math.max(1, (int) Math.ceil(Math.sqrt(dx * dx + dy * dy)));
        }
    }

    // The moves of this turn. The whole strategy is here. `ours` and
    // `theirs` are ships under way to each planet.
    static String think(List<Planet> planets, Map<String, Long> ours, Map<String, Long> theirs) {
        List<Planet> mine = planets.stream().filter(p -> p.owner.equals("1")).toList();
        List<Planet> others = planets.stream().filter(p -> !p.owner.equals("1")).toList();
        List<String> moves = new ArrayList<>();
        for (Planet origin : mine) {
            // A planet under attack keeps the ships it needs.
            long ships = origin.ships - GARRISON - theirs.getOrDefault(origin.name, 0L);
            List<Planet> nearest = new ArrayList<>(others);
            nearest.sort(Comparator.comparingInt(origin::turns));
            for (Planet target : nearest) {
                // An enemy planet builds a ship per turn until we arrive; a neutral one none.
                int built = target.owner.equals("null") ? 0 : origin.turns(target);
                long there = target.ships + built + theirs.getOrDefault(target.name, 0L);
                long needed = there + SPARE - ours.getOrDefault(target.name, 0L);
                if (needed <= 0 || needed > ships) continue;
                ships -= needed;
                ours.merge(target.name, needed, Long::sum);
                moves.add("{\"origin\":\"" + origin.name + "\",\"destination\":\"" + target.name
                        + "\",\"ship_count\":" + needed + "}");
            }
        }
        return "{\"moves\":[" + String.join(",", moves) + "]}";
    }

    // Good enough as a JSON reader for these simple views.
    static final String TEXT = "\"((?:[^\"\\\\]|\\\\.)*)\"";
    static final Pattern PLANET = Pattern.compile("\\{\"ship_count\":(\\d+),\"x\":([^,]+),"
            + "\"y\":([^,]+),\"owner\":(\\w+),\"name\":" + TEXT);
    static final Pattern EXPEDITION = Pattern.compile("\"ship_count\":(\\d+),\"origin\":" + TEXT
            + ",\"destination\":" + TEXT + ",\"owner\":(\\d+)");

    // The main loop: read a view, print an answer, until the input ends with the match.
    public static void main(String[] arguments) throws IOException {
        var utf8 = StandardCharsets.UTF_8;
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, utf8));
        PrintStream output = new PrintStream(System.out, true, utf8);
        boolean first = true;
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            List<Planet> planets = new ArrayList<>();
            for (Matcher m = PLANET.matcher(line); m.find();)
                planets.add(new Planet(Long.parseLong(m.group(1)), Double.parseDouble(m.group(2)),
                        Double.parseDouble(m.group(3)), m.group(4), m.group(5)));
            Map<String, Long> ours = new HashMap<>();
            Map<String, Long> theirs = new HashMap<>();
            for (Matcher m = EXPEDITION.matcher(line); m.find();)
                (m.group(4).equals("1") ? ours : theirs)
                        .merge(m.group(3), Long.parseLong(m.group(1)), Long::sum);
            // Debug output: "skirmish play --stderr" and replays show standard error.
            if (first) System.err.println("planets on this map: " + planets.size());
            first = false;
            output.println(think(planets, ours, theirs));
        }
    }
}
