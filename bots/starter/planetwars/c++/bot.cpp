// A starter bot for Planet Wars: every planet takes the nearest planet that it can. Change it!
//
//     skirmish play planetwars --watch . house:random
//
// Each turn, think() gets a view:
//     view.turn          the number of the turn, from 1
//     view.planets       each has name, x, y, owner (1: you, 2 and more: enemies, 0: nobody), ships
//     view.expeditions   fleets under way: id, origin and destination (names of planets), owner,
//                        ships, turns_remaining
// and returns the moves, each a fleet from one of your planets to another planet:
//     {{"protos", "extos", 6}}
#include "protocol.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

// The line to change first: how many ships a planet keeps at home, and by how many ships its
// fleets outnumber their targets.
constexpr int GARRISON = 0, SPARE = 1;

// The travel time in turns.
static int turns(const Planet &a, const Planet &b) {
    double dx = a.x - b.x, dy = a.y - b.y;
    return std::max(1, static_cast<int>(std::ceil(std::sqrt(dx * dx + dy * dy))));
}

// The moves of this turn. The whole strategy is here.
static std::vector<Move> think(const View &view) {
    std::vector<Planet> mine, others;
    for (const Planet &planet : view.planets)
        (planet.owner == 1 ? mine : others).push_back(planet);

    std::map<std::string, long long> ours;   // our ships under way to each planet
    std::map<std::string, long long> theirs; // and those of the enemies
    for (const Expedition &expedition : view.expeditions)
        (expedition.owner == 1 ? ours : theirs)[expedition.destination] += expedition.ships;

    std::vector<Move> moves;
    for (const Planet &origin : mine) {
        // A planet under attack keeps the ships it needs.
        long long ships = origin.ships - GARRISON - theirs[origin.name];
        std::vector<Planet> targets = others;
        std::stable_sort(targets.begin(), targets.end(), [&](const Planet &a, const Planet &b) {
            return turns(origin, a) < turns(origin, b);
        });
        for (const Planet &target : targets) {
            // An enemy planet builds a ship per turn until we arrive; a neutral one builds none.
            int built = target.owner ? turns(origin, target) : 0;
            long long needed =
                target.ships + built + theirs[target.name] + SPARE - ours[target.name];
            if (needed > 0 && needed <= ships) {
                ships -= needed;
                ours[target.name] += needed;
                moves.push_back({origin.name, target.name, needed});
            }
        }
    }
    return moves;
}

// The main loop: answer every view until the match ends.
int main() {
    while (auto view = read_view()) {
        if (view->turn == 1) // debug output: "skirmish play --stderr" and replays show it
            std::cerr << "planets on this map: " << view->planets.size() << std::endl;
        send_answer(think(*view));
    }
}
