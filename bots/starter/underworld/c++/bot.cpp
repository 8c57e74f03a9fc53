// A starter bot for Underworld: farms first, then warriors, then the nearest castle. Change it!
//
//     skirmish play underworld --map duel --watch . house:random
//
// Each turn, think() gets a view. A Cell has x and y:
//     view.turn                   the number of the turn, from 1
//     view.columns, view.rows     the size of the board
//     view.players, view.me       how many players there are, and your number, from 0
//     view.money                  what you can spend
//     view.things                 what you see: each has at (a cell), owner, hitpoints and kind
//                                 ('C' castle, 'B' barracks, 'F' farm, 'W' warrior, '#' wall)
// and returns any number of commands:
//     {"build", {1, 0}, 'F'}      a farm or barracks, within distance 2 of your buildings
//     {"spawn", {0, 1}, 'E'}      the barracks at (0, 1) spawns a warrior to the east
//     {"move", {1, 1}, 'S'}       the warrior at (1, 1) moves south; it strikes automatically
#include "protocol.hpp"

#include <algorithm>
#include <iostream>
#include <map>
#include <queue>
#include <set>

// The line to change first: how many farms to build, and how many warriors before they attack.
constexpr size_t FARMS = 3, ARMY = 4;
constexpr int FARM_COST = 1000, WARRIOR_COST = 500;
constexpr int REACH = 4; // range of warriors and of building: distance 2, squared

struct Step {
    char direction;
    Cell to;
};
using Cells = std::vector<Cell>;
using Distances = std::map<Cell, int>;

// The cells of all things of one kind, either ours or those of others.
static Cells find(const View &view, char kind, bool mine) {
    Cells cells;
    for (const Thing &thing : view.things)
        if (thing.kind == kind && (thing.owner == view.me) == mine)
            cells.push_back(thing.at);
    return cells;
}

// The squared distance.
static int apart(Cell a, Cell b) {
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

static bool is_near(Cell at, const Cells &cells) {
    return std::any_of(cells.begin(), cells.end(),
                       [&](Cell cell) { return apart(at, cell) <= REACH; });
}

// The nearest of several cells; on a tie, the first one.
static Cell nearest(const Cells &cells, Cell to) {
    return *std::min_element(cells.begin(), cells.end(),
                             [&](Cell a, Cell b) { return apart(a, to) < apart(b, to); });
}

static std::vector<Step> neighbours(const View &view, Cell at) {
    std::vector<Step> list;
    for (const Step &step : {Step{'N', {at.x, at.y - 1}}, Step{'S', {at.x, at.y + 1}},
                             Step{'E', {at.x + 1, at.y}}, Step{'W', {at.x - 1, at.y}}})
        if (step.to.x >= 0 && step.to.x < view.columns && step.to.y >= 0 && step.to.y < view.rows)
            list.push_back(step);
    return list;
}

// The steps to the goal from every cell that can reach it.
static Distances distances(const View &view, Cell goal, const std::set<Cell> &closed) {
    Distances far = {{goal, 0}};
    std::queue<Cell> queue({goal});
    while (!queue.empty()) {
        Cell at = queue.front();
        queue.pop();
        for (const Step &step : neighbours(view, at))
            if (!far.count(step.to) && !closed.count(step.to)) {
                far[step.to] = far[at] + 1;
                queue.push(step.to);
            }
    }
    return far;
}

// The commands of this turn. The whole strategy is here.
static std::vector<Command> think(const View &view) {
    Cells barracks = find(view, 'B', true), farms = find(view, 'F', true);
    Cells warriors = find(view, 'W', true), threats = find(view, 'W', false);
    Cells buildings = find(view, 'C', true);
    Cell home = buildings.at(0);
    buildings.insert(buildings.end(), barracks.begin(), barracks.end());
    buildings.insert(buildings.end(), farms.begin(), farms.end());
    Cells castles = find(view, 'C', false);
    if (castles.empty()) // we see no enemy castle: go to the opposite side
        castles.push_back({view.columns - 1 - home.x, view.rows - 1 - home.y});
    Cell goal = nearest(castles, home);
    // Only walls and our own buildings block the way: we destroy those of the enemies.
    Cells walls = find(view, '#', false);
    std::set<Cell> closed(walls.begin(), walls.end());
    closed.insert(buildings.begin(), buildings.end());
    Distances far = distances(view, goal, closed);
    std::set<Cell> taken;
    for (const Thing &thing : view.things)
        taken.insert(thing.at);
    long long money = view.money;
    std::vector<Command> commands;

    // The free neighbour that is nearest to the goal, if there is one.
    auto next_step = [&](Cell at) {
        std::optional<Step> best;
        for (const Step &step : neighbours(view, at))
            if (!taken.count(step.to) && far.count(step.to) &&
                (!best || far[step.to] < far[best->to]))
                best = step;
        return best;
    };

    // Warriors in front move first and make room for the next.
    Cells army;
    for (Cell at : warriors)
        if (far.count(at))
            army.push_back(at);
    std::stable_sort(army.begin(), army.end(), [&](Cell a, Cell b) { return far[a] < far[b]; });
    for (Cell at : army) {
        bool fights = is_near(at, threats);
        bool waits = warriors.size() < ARMY && !is_near(at, buildings);
        auto step = next_step(at);
        if (step && far[step->to] < far[at] && !fights && !waits) {
            taken.erase(at);
            taken.insert(step->to);
            commands.push_back({"move", at, step->direction});
        }
    }
    if (farms.size() < FARMS && money >= FARM_COST) {
        std::set<Cell> doors; // the cells around barracks are left free for warriors
        for (Cell at : barracks)
            for (const Step &step : neighbours(view, at))
                doors.insert(step.to);
        Cells sites;
        for (int y = 0; y < view.rows; y++)
            for (int x = 0; x < view.columns; x++)
                if (!taken.count({x, y}) && !doors.count({x, y}) && is_near({x, y}, buildings))
                    sites.push_back({x, y});
        if (!sites.empty()) {
            Cell site = nearest(sites, home);
            taken.insert(site);
            money -= FARM_COST;
            commands.push_back({"build", site, 'F'});
        }
    }
    for (Cell at : barracks) {
        auto step = next_step(at);
        if (step && money >= WARRIOR_COST) {
            taken.insert(step->to);
            money -= WARRIOR_COST;
            commands.push_back({"spawn", at, step->direction});
        }
    }
    return commands;
}

// The main loop: answer every view until the match ends.
int main() {
    while (auto view = read_view()) {
        if (view->turn == 1) // debug output: "skirmish play --stderr" and replays show it
            std::cerr << "I am player " << view->me << " of " << view->players << std::endl;
        send_answer(think(*view));
    }
}
