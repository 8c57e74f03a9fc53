// A Capture the flag brain: reads the map once, then every soldier walks at random and throws at
// the first living enemy.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

public class Brain {
    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Random random = new Random(7);
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine())
            continue; // team and map
        List<String> soldiers = new ArrayList<>();
        String target = null;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            if (words[0].equals("Soldier"))
                soldiers.add(words[1] + (words[4].equals("0") ? " ready" : " waits"));
            if (words[0].equals("Enemy") && words[4].equals("True") && target == null)
                target = "(" + words[2] + "," + words[3] + ")";
            if (!line.isEmpty())
                continue;
            StringBuilder answer = new StringBuilder();
            for (String soldier : soldiers) {
                String[] parts = soldier.split(" ");
                answer.append(parts[0]).append(' ').append("ULDRS".charAt(random.nextInt(5)));
                if (parts[1].equals("ready") && target != null)
                    answer.append(' ').append(target);
                answer.append('\n');
            }
            System.out.print(answer.append('\n'));
            System.out.flush();
            soldiers.clear();
            target = null;
        }
    }
}
