// How a bot for Underworld talks to the referee. You need not change this file.
//
// The referee sends "Who are you?" and the bot must answer "crayfish". It then sends one line
//     10 10 2 0                 columns, rows, players, your number
// and then a view in every turn:
//     money 3000
//     0 0 0 C 10000             x, y, owner, kind, hitpoints
//     0 1 0 B 1500
//     end
// After the last turn, it sends the line "gg" instead of a view. An answer is any number of
// commands, followed by "end":
//     build 1 0 F
//     spawn 0 1 E
//     move 1 1 S
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

class Protocol {
    record Cell(int x, int y) {}

    /** The verb is build, spawn or move; what is the building, or the direction. */
    record Command(String verb, Cell at, char what) {}

    record Thing(int owner, char kind, int hitpoints) {}

    /** The map of things keeps their order. */
    record View(
            int turn, int columns, int rows, int players, int me, int money,
            Map<Cell, Thing> things) {}

    private static final BufferedReader INPUT =
            new BufferedReader(new InputStreamReader(System.in));
    private static String[] start;
    private static int turn = 0;

    /** The next view of the match; null when the match has ended. */
    static View nextView() throws IOException {
        if (turn == 0) {
            INPUT.readLine();
            System.out.println("crayfish");
            System.out.flush();
            start = words();
        }
        int money = 0;
        var things = new LinkedHashMap<Cell, Thing>();
        for (String[] words = words(); words != null; words = words()) {
            switch (words[0]) {
                case "gg":
                    return null;
                case "money":
                    money = Integer.parseInt(words[1]);
                    break;
                case "end":
                    return new View(
                            ++turn, Integer.parseInt(start[0]), Integer.parseInt(start[1]),
                            Integer.parseInt(start[2]), Integer.parseInt(start[3]), money, things);
                default:
                    if (Character.isDigit(words[0].charAt(0))) {
                        things.put(
                                new Cell(Integer.parseInt(words[0]), Integer.parseInt(words[1])),
                                new Thing(
                                        Integer.parseInt(words[2]), words[3].charAt(0),
                                        Integer.parseInt(words[4])));
                    }
            }
        }
        return null;
    }

    /** Sends the answer to the last view. */
    static void answer(List<Command> commands) {
        var text = new StringBuilder();
        for (Command command : commands) {
            text.append("%s %d %d %s\n".formatted(
                    command.verb(), command.at().x(), command.at().y(), command.what()));
        }
        System.out.println(text + "end");
        System.out.flush();
    }

    /** The words of the next line; null at the end of the input. */
    private static String[] words() throws IOException {
        String line = INPUT.readLine();
        return line == null ? null : line.strip().split("\\s+");
    }
}
