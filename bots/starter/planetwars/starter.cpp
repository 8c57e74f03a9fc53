// A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
//
//     g++ -std=c++17 -O2 -o starter starter.cpp
//     skirmish play planetwars --watch ./starter house:random
//
// A view is one line of JSON. In it you are player 1, whatever your seat, and neutral planets are
// owned by null:
//     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
//      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
//                      "owner":2,"turns_remaining":11}, ...]}
// The answer is one line of JSON as well. No moves are fine: {"moves":[]}
//     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <vector>

// The line to change first: how many ships a planet keeps at home, and by how many ships its
// fleets outnumber what they attack.
constexpr long long garrison = 0, spare = 1;

struct Planet {
    long long ships;
    double x, y;
    std::string owner; // "1" is us, "null" nobody
    std::string name;
};

struct View {
    std::vector<Planet> planets;
    std::map<std::string, long long> ours, theirs; // ships under way to each planet
};

// How long ships are under way.
int turns(const Planet &a, const Planet &b) {
    double dx = a.x - b.x, dy = a.y - b.y;
    return std::max(1, static_cast<int>(std::ceil(std::sqrt(dx * dx + dy * dy))));
}

// Prints the moves of this turn. All that the bot knows about playing well is in here.
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
        // Who is attacked keeps what it needs.
        long long ships = origin.ships - garrison - view.theirs[origin.name];
        auto nearest = others;
        std::stable_sort(nearest.begin(), nearest.end(), [&](const Planet &a, const Planet &b) {
            return turns(origin, a) < turns(origin, b);
        });
        for (const Planet &target : nearest) {
            // An enemy's planet builds a ship a turn until we are there, a neutral one none.
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
    std::cout << "]}" << std::endl; // endl flushes, or the referee never sees the answer
}

// Enough of a JSON reader for views as regular as these.
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

// The talk with the referee: a view in, an answer out, until the input ends with the match.
int main() {
    bool first = true;
    for (std::string line; std::getline(std::cin, line); first = false) {
        View view = read_view(line);
        if (first) // standard error is yours: "skirmish play --stderr" and replays show it
            std::cerr << "planets on this map: " << view.planets.size() << std::endl;
        think(view);
    }
}
