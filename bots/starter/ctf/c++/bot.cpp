// A starter bot for Capture the flag: some fetch the flag, others guard. Change it!
//
//     skirmish play ctf --watch . house:random
//
// Each round, think() gets a view. A Square has x and y:
//     view.turn                         the number of the round, from 1
//     view.map                          the rows of the map; '#' is an obstacle
//     view.base, view.spawn             where your flag belongs, and where your soldiers start
//     view.points, view.enemy_points    the score
//     view.flag, view.enemy_flag        where the flags are now
//     view.soldiers                     yours: name, at, cooldown, alive, carries_flag
//     view.grenades                     yours: at, countdown (enemy grenades are hidden)
//     view.enemies                      name, at, alive, carries_flag
// and returns orders: a step (U, D, L, R, or S to stay) and perhaps a square to throw at:
//     {{"X", 'D', Square{10, 7}}, {"Y", 'S', std::nullopt}}
#include "protocol.hpp"

#include <cstdlib>
#include <iostream>
#include <map>
#include <queue>

// The line to change first: how many soldiers stay at our flag. The others fetch the enemy's.
constexpr size_t GUARDS = 1;
constexpr int RANGE = 10; // the default range of grenades
constexpr int UNREACHABLE = 9999;

struct Step {
    char letter;
    int dx, dy;
};
constexpr Step STEPS[] = {{'S', 0, 0}, {'U', 0, -1}, {'D', 0, 1}, {'L', -1, 0}, {'R', 1, 0}};

using Distances = std::map<Square, int>;

static int apart(Square a, Square b) {
    return std::abs(a.x - b.x) + std::abs(a.y - b.y);
}

static bool is_open(const View &view, Square at) {
    int rows = static_cast<int>(view.map.size()), columns = static_cast<int>(view.map[0].size());
    return at.x >= 0 && at.x < columns && at.y >= 0 && at.y < rows && view.map[at.y][at.x] != '#';
}

// The steps to the goal from every square that can reach it.
static Distances distances(const View &view, Square goal) {
    Distances far = {{goal, 0}};
    std::queue<Square> queue({goal});
    while (!queue.empty()) {
        Square at = queue.front();
        queue.pop();
        for (const Step &step : STEPS) {
            Square to = {at.x + step.dx, at.y + step.dy};
            if (is_open(view, to) && !far.count(to)) {
                far[to] = far[at] + 1;
                queue.push(to);
            }
        }
    }
    return far;
}

// The cost of a square: steps to the goal, and our own grenades, which kill us too.
static int cost(const View &view, const Distances &far, Square at) {
    auto found = far.find(at);
    int steps = found == far.end() ? UNREACHABLE : found->second;
    for (const Grenade &grenade : view.grenades) {
        int dx = std::abs(at.x - grenade.at.x), dy = std::abs(at.y - grenade.at.y);
        if (grenade.countdown == 1 && dx <= 1 && dy <= 1)
            return steps + 1000;
    }
    return steps;
}

// The nearest enemy in range, if there is one. A grenade kills everyone in the 3 x 3 squares
// around it, three rounds later.
static std::optional<Square> find_target(const View &view, Square from) {
    std::optional<Square> best;
    for (const Enemy &enemy : view.enemies) {
        int distance = apart(enemy.at, from);
        bool is_target = enemy.alive && distance > 3 && distance <= RANGE;
        if (is_target && (!best || distance < apart(*best, from)))
            best = enemy.at;
    }
    return best;
}

// The orders of this round. The whole strategy is here.
static std::vector<Order> think(const View &view) {
    Distances to_base = distances(view, view.base);
    Distances to_flag = distances(view, view.flag);
    Distances to_enemy_flag = distances(view, view.enemy_flag);
    std::vector<Order> orders;
    for (const Soldier &soldier : view.soldiers) {
        Square at = soldier.alive ? soldier.at : view.spawn; // the dead respawn first
        const Distances *far = orders.size() < GUARDS ? &to_flag : &to_enemy_flag;
        // On the base, the next order captures the flag.
        if (at != view.base && (soldier.carries_flag || at == view.enemy_flag))
            far = &to_base;
        Order order = {soldier.name, 'S', std::nullopt};
        int best = UNREACHABLE;
        for (const Step &step : STEPS) {
            int price = cost(view, *far, {at.x + step.dx, at.y + step.dy});
            if (price < best) {
                best = price;
                order.step = step.letter;
            }
        }
        if (soldier.alive && soldier.cooldown == 0)
            order.target = find_target(view, at);
        orders.push_back(order);
    }
    return orders;
}

// The main loop: answer every view until the match ends.
int main() {
    while (auto view = read_view()) {
        if (view->turn == 1) // debug output: "skirmish play --stderr" and replays show it
            std::cerr << "I have " << view->soldiers.size() << " soldiers" << std::endl;
        send_answer(think(*view));
    }
}
