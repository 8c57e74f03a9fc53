// A small JSON reader for views. You need not change this file.
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A JSON value: a map, a list, a string, a number, a boolean or null. */
record Json(Object value) {
    static Json parse(String line) {
        return new Reader(line).read();
    }

    /** A member of an object; null if there is none. */
    Json get(String name) {
        return (Json) ((Map<?, ?>) value).get(name);
    }

    List<Json> list() {
        return ((List<?>) value).stream().map(Json.class::cast).toList();
    }

    String text() {
        return (String) value;
    }

    int integer() {
        return ((Double) value).intValue();
    }

    private static class Reader {
        private final String line;
        private int at = 0;

        Reader(String line) {
            this.line = line;
        }

        Json read() {
            return new Json(switch (peek()) {
                case '{' -> object();
                case '[' -> array();
                case '"' -> string();
                default -> word();
            });
        }

        /** The next character that is not a space. */
        private char peek() {
            while (Character.isWhitespace(line.charAt(at))) {
                at++;
            }
            return line.charAt(at);
        }

        private void skip(char sign) {
            if (peek() == sign) {
                at++;
            }
        }

        private Map<String, Json> object() {
            var members = new HashMap<String, Json>();
            skip('{');
            while (peek() != '}') {
                skip(',');
                String name = string();
                skip(':');
                members.put(name, read());
            }
            skip('}');
            return members;
        }

        private List<Json> array() {
            var items = new ArrayList<Json>();
            skip('[');
            while (peek() != ']') {
                skip(',');
                items.add(read());
            }
            skip(']');
            return items;
        }

        private String string() {
            var text = new StringBuilder();
            skip('"');
            while (line.charAt(at) != '"') {
                char next = line.charAt(at++);
                text.append(next == '\\' ? escaped() : next);
            }
            at++;
            return text.toString();
        }

        private char escaped() {
            char letter = line.charAt(at++);
            if (letter == 'u') {
                at += 4;
                return (char) Integer.parseInt(line.substring(at - 4, at), 16);
            }
            int known = "bfnrt".indexOf(letter);
            return known < 0 ? letter : "\b\f\n\r\t".charAt(known);
        }

        private Object word() {
            int start = at;
            while (at < line.length() && ",]} \t\r".indexOf(line.charAt(at)) < 0) {
                at++;
            }
            String word = line.substring(start, at);
            return switch (word) {
                case "null" -> null;
                case "true", "false" -> Boolean.valueOf(word);
                default -> Double.valueOf(word);
            };
        }
    }
}
