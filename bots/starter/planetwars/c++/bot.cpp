// A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
//
//     skirmish play planetwars --watch . house:random
//
// A view is one line of JSON. You are always player 1 in it, and neutral planets have
// the owner null:
//     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
//      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
//                      "owner":2,"turns_remaining":11}, ...]}
// The answer is also one line of JSON. Without moves: {"moves":[]}
//     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <vector>

// The line to change first: how many ships a planet keeps at home, and by how many ships its
// fleets outnumber their targets.
constexpr long long garrison = 0, spare = 1;

struct Planet {
    long long ships;
    double x, y;
    std::string owner; // "1": us, "null": neutral
    std::string name;
};

struct View {
    std::vector<Planet> planets;
    std::map<std::string, long long> ours, theirs; // ships under way to each planet
};

// The travel time in turns.
int turns(const Planet &a, const Planet &b) {
    double dx = a.x - b.x, dy = a.y - b.y;
    return std::max(1, static_cast<int>(std::ceil(std::sqrt(dx * dx + dy * dy))));
}

// Prints the moves of this turn. The whole strategy is here.
void think(View view) {
    std::vector<Planet> others;
    for (const Planet &planet : view.planets)
        if (planet.owner != "1")
            others.push_back(planet);
    const char *comma = "";
    std::cout << "{\"moves\":[";
    for (const Planet &origin : view.planets) {
        if (origin.owner != "1")
            continue;
        // A planet under attack keeps the ships it needs.
        long long ships = origin.ships - garrison - view.theirs[origin.name];
        auto nearest = others;
        std::stable_sort(nearest.begin(), nearest.end(), [&](const Planet &a, const Planet &b) {
            return turns(origin, a) < turns(origin, b);
        });
        for (const Planet &target : nearest) {
            // An enemy planet builds a ship per turn until we arrive; a neutral one none.
            int built = target.owner == "null" ? 0 : turns(origin, target);
            long long there = target.ships + built + view.theirs[target.name];
            long long needed = there + spare - view.ours[target.name];
            if (needed <= 0 || needed > ships)
                continue;
            ships -= needed;
            view.ours[target.name] += needed;
            std::cout << comma << "{\"origin\":\"" << origin.name << "\",\"destination\":\""
                      << target.name << "\",\"ship_count\":" << needed << "}";
            comma = ",";
        }
    }
    std::cout << "]}" << std::endl; // endl flushes the answer; otherwise it would not be sent
}

// Good enough as a JSON reader for these simple views.
View read_view(const std::string &line) {
    const std::string text = "\"((?:[^\"\\\\]|\\\\.)*)\"";
    static const std::regex planet("\\{\"ship_count\":(\\d+),\"x\":([^,]+),\"y\":([^,]+),\"owner\":"
                                   "(\\w+),\"name\":" +
                                   text);
    static const std::regex expedition("\"ship_count\":(\\d+),\"origin\":" + text +
                                       ",\"destination\":" + text + ",\"owner\":(\\d+)");
    View view;
    const std::sregex_iterator end;
    for (std::sregex_iterator m(line.begin(), line.end(), planet); m != end; ++m)
        view.planets.push_back(
            {std::stoll((*m)[1]), std::stod((*m)[2]), std::stod((*m)[3]), (*m)[4], (*m)[5]});
    for (std::sregex_iterator m(line.begin(), line.end(), expedition); m != end; ++m)
        ((*m)[4] == "1" ? view.ours : view.theirs)[(*m)[3]] += std::stoll((*m)[1]);
    return view;
}

// The main loop: read a view, print an answer, until the input ends with the match.
int main() {
    bool first = true;
    for (std::string line; std::getline(std::cin, line); first = false) {
        View view = read_view(line);
        if (first) // debug output: "skirmish play --stderr" and replays show it
            std::cerr << "planets on this map: " << view.planets.size() << std::endl;
        think(view);
    }
}
