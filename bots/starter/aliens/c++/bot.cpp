// A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
//
//     skirmish play aliens --watch . house:random
//
// Each turn, the bot reads one view, a line of JSON:
//     {"player":"a","state":{"rows":20,"cols":20,"grid":"....a..*....b...", ...}}
// The grid has one character per square, row by row: "." empty, "*" energy, "a", "b" units.
// The answer is a JSON array of moves. Units without a move stay:
//     [{"from":21,"to":22},{"from":40,"to":60}]
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <vector>

// The line to change first: attack when we have this many times as many units as the enemy.
constexpr size_t courage = 2;

struct View {
    char me;
    int rows, cols, enemy_spawn;
    std::string grid;

    int steps(int a, int b) const {
        return std::abs(a / cols - b / cols) + std::abs(a % cols - b % cols);
    }

    std::vector<int> squares(char what) const {
        std::vector<int> list;
        for (int square = 0; square < rows * cols; square++)
            if (grid[square] == what)
                list.push_back(square);
        return list;
    }

    std::vector<int> beside(int square) const {
        std::vector<int> list;
        if (square >= cols)
            list.push_back(square - cols);
        if (square < (rows - 1) * cols)
            list.push_back(square + cols);
        if (square % cols > 0)
            list.push_back(square - 1);
        if (square % cols < cols - 1)
            list.push_back(square + 1);
        return list;
    }
};

// Prints the moves of this turn. The whole strategy is here.
void think(const View &view) {
    auto units = view.squares(view.me);
    auto enemies = view.squares(view.me == 'a' ? 'b' : 'a');
    bool attack = units.size() >= courage * enemies.size();
    auto goals = attack ? enemies : view.squares('*');
    if (attack)
        goals.push_back(view.enemy_spawn);
    std::set<int> taken(units.begin(), units.end()); // our units that meet on a square die
    const char *comma = "";
    std::cout << "[";
    for (int unit : units) {
        auto nearest = std::min_element(goals.begin(), goals.end(), [&](int a, int b) {
            return view.steps(unit, a) < view.steps(unit, b);
        });
        int goal = view.rows / 2 * view.cols + view.cols / 2;
        if (nearest != goals.end()) {
            goal = *nearest;
            if (!attack)
                goals.erase(nearest); // no other unit goes for this energy
        }
        // The cost of a square: distance to the goal, or an enemy too close.
        auto cost = [&](int square) {
            bool danger = !attack && std::any_of(enemies.begin(), enemies.end(), [&](int enemy) {
                return view.steps(square, enemy) <= 2;
            });
            return view.steps(square, goal) + (danger ? 1000 : 0);
        };
        int to = unit;
        for (int square : view.beside(unit))
            // Energy is gathered from an adjacent square; moving onto it destroys it.
            if (!taken.count(square) && view.grid[square] != '*' && cost(square) < cost(to))
                to = square;
        if (to == unit)
            continue;
        taken.erase(unit);
        taken.insert(to);
        std::cout << comma << "{\"from\":" << unit << ",\"to\":" << to << "}";
        comma = ",";
    }
    std::cout << "]" << std::endl; // endl flushes the answer; otherwise it would not be sent
}

// The value after a name. Good enough as a JSON reader for these simple views.
std::string after(const std::string &text, const std::string &name) {
    return text.substr(text.find(name) + name.size());
}

// The main loop: read a view, print an answer, until the input ends with the match.
int main() {
    bool first = true;
    for (std::string line; std::getline(std::cin, line); first = false) {
        View view;
        view.me = after(line, "\"player\":\"")[0];
        view.rows = std::stoi(after(line, "\"rows\":"));
        view.cols = std::stoi(after(line, "\"cols\":"));
        view.grid = after(line, "\"grid\":\"");
        auto enemy = after(line, view.me == 'a' ? "\"p2\":" : "\"p1\":");
        view.enemy_spawn = std::stoi(after(enemy, "\"spawn\":"));
        if (first) // debug output: "skirmish play --stderr" and replays show it
            std::cerr << "I am player " << view.me << std::endl;
        think(view);
    }
}
