// A starter bot for Footsoldiers: it builds soldiers and guides them to the enemy. Change it!
//
//     skirmish play footsoldiers --watch . house:random
//
// Each turn, think() gets a view. A Square has x and y:
//     view.turn, view.turns_remaining   this turn, from 1; turns to play, including this one
//     view.me, view.enemy               the players: team ("player1"), money, base, health
//     view.map                          everything on the field, each with type, at, team;
//                                       type is "Base", "Rock", "Scout", "Assassin" or "Tank";
//                                       soldiers also have health, destination, direction
// and returns one command:
//     build("Scout", {2, 3}, {65, 3}, "Right")      place, destination, attack direction
//     move({6, 1}, {9, 5})                          where the soldier is, its new destination
//     turn({6, 1}, "Left")                          where the soldier is, its new direction
//     NO_OP
#include "protocol.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <queue>
#include <set>

// The line to change first: what to build, in this order, over and over.
static const std::vector<std::string> PLAN = {"Scout", "Assassin", "Scout"};
static const std::map<std::string, int> COST = {{"Scout", 10}, {"Assassin", 11}, {"Tank", 12}};
constexpr int NEAR = 5; // maximum distance from the base to build
constexpr int UNREACHABLE = 9999;

// Steps to the enemy's base from every square that can reach it; computed in the first turn.
static std::map<Square, int> far;
static size_t built = 0;

static int apart(Square a, Square b) {
    return std::abs(a.x - b.x) + std::abs(a.y - b.y);
}

static std::vector<Square> around(Square at) {
    return {{at.x + 1, at.y}, {at.x, at.y + 1}, {at.x, at.y - 1}, {at.x - 1, at.y}};
}

static int steps(Square at) {
    auto found = far.find(at);
    return found == far.end() ? UNREACHABLE : found->second;
}

// The square that is nearest to the enemy's base; on a tie, the first one.
static Square best(const std::vector<Square> &squares) {
    return *std::min_element(squares.begin(), squares.end(),
                             [](Square a, Square b) { return steps(a) < steps(b); });
}

// Fills `far`: from the enemy's base outwards, around the rocks, and also one square off the map.
static void measure(const View &view) {
    std::set<Square> rocks;
    int width = 0, height = 0;
    for (const Thing &thing : view.map) {
        if (thing.type == "Rock")
            rocks.insert(thing.at);
        width = std::max(width, thing.at.x + 2);
        height = std::max(height, thing.at.y + 2);
    }
    far[view.enemy.base] = 0;
    std::queue<Square> queue({view.enemy.base});
    while (!queue.empty()) {
        Square at = queue.front();
        queue.pop();
        for (Square to : around(at)) {
            bool inside = to.x >= 0 && to.x < width && to.y >= 0 && to.y < height;
            if (inside && !far.count(to) && !rocks.count(to)) {
                far[to] = far[at] + 1;
                queue.push(to);
            }
        }
    }
}

// How far a soldier can go without a detour: it gets stuck behind rocks.
static Square waypoint(Square start) {
    Square here = start;
    for (int walked = 0; steps(here) > 0; walked++) {
        Square to = best(around(here));
        if (apart(to, start) <= walked)
            break;
        here = to;
    }
    return here;
}

// The free squares near our base.
static std::vector<Square> find_sites(const View &view) {
    std::set<Square> taken;
    for (const Thing &thing : view.map)
        taken.insert(thing.at);
    std::vector<Square> free;
    for (int dx = -NEAR; dx <= NEAR; dx++)
        for (int dy = -NEAR; dy <= NEAR; dy++) {
            Square at = {view.me.base.x + dx, view.me.base.y + dy};
            if (std::abs(dx) + std::abs(dy) <= NEAR && far.count(at) && !taken.count(at))
                free.push_back(at);
        }
    return free;
}

// The command of this turn. The whole strategy is here.
static Command think(const View &view) {
    if (far.empty())
        measure(view);
    const std::string &type = PLAN[built % PLAN.size()];
    if (view.me.money >= COST.at(type)) {
        auto free = find_sites(view);
        if (!free.empty()) {
            built++;
            Square at = best(free);
            std::string look = view.me.base.x < view.enemy.base.x ? "Right" : "Left";
            return build(type, at, waypoint(at), look);
        }
    }
    for (const Thing &thing : view.map) // nothing to build: guide a soldier that has arrived
        if (thing.health && thing.team == view.me.team && far.count(thing.at)) {
            Square to = waypoint(thing.at);
            if (thing.at == thing.destination && thing.at != to)
                return move(thing.at, to);
        }
    return NO_OP;
}

// The main loop: answer every view until the match ends.
int main() {
    while (auto view = read_view()) {
        if (view->turn == 1) { // debug output: "skirmish play --stderr" and replays show it
            std::cerr << "building";
            for (const std::string &type : PLAN)
                std::cerr << " " << type;
            std::cerr << std::endl;
        }
        send_answer(think(*view));
    }
}
