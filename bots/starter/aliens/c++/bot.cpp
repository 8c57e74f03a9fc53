// A starter bot for Aliens: it gathers energy, and attacks when it is strong. Change it!
//
//     skirmish play aliens --watch . house:random
//
// Each turn, think() gets a view:
//     view.turn              the number of the turn, from 1
//     view.rows, view.cols   the size of the grid; squares are numbered row by row from 0
//     view.grid              a character per square: '.' empty, '*' energy, 'a' and 'b' units
//     view.me, view.enemy    the players: letter, energy, spawn (a square), spawn_destroyed
// and returns the moves, from a square to an adjacent one. Units without a move stay:
//     {{21, 22}, {40, 60}}
#include "protocol.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>

// The line to change first: attack when we have this many times as many units as the enemy.
constexpr size_t COURAGE = 2;

static std::vector<int> squares(const View &view, char what) {
    std::vector<int> list;
    for (int square = 0; square < view.rows * view.cols; square++)
        if (view.grid[square] == what)
            list.push_back(square);
    return list;
}

static int steps(const View &view, int a, int b) {
    return std::abs(a / view.cols - b / view.cols) + std::abs(a % view.cols - b % view.cols);
}

static std::vector<int> neighbours(const View &view, int square) {
    int row = square / view.cols, col = square % view.cols;
    std::vector<int> list;
    if (row > 0)
        list.push_back(square - view.cols);
    if (row < view.rows - 1)
        list.push_back(square + view.cols);
    if (col > 0)
        list.push_back(square - 1);
    if (col < view.cols - 1)
        list.push_back(square + 1);
    return list;
}

// The square with the smallest cost; on a tie, the first one.
template <typename Cost> static int best(const std::vector<int> &list, Cost cost) {
    return *std::min_element(list.begin(), list.end(),
                             [&](int a, int b) { return cost(a) < cost(b); });
}

// The moves of this turn. The whole strategy is here.
static std::vector<Move> think(const View &view) {
    auto units = squares(view, view.me.letter);
    auto enemies = squares(view, view.enemy.letter);
    bool attack = units.size() >= COURAGE * enemies.size();
    auto goals = attack ? enemies : squares(view, '*');
    if (attack)
        goals.push_back(view.enemy.spawn);
    std::set<int> taken(units.begin(), units.end()); // if two units meet on a square, both die
    std::set<int> claimed; // energy that one of our units is already going for
    std::vector<Move> moves;
    for (int unit : units) {
        std::vector<int> wanted;
        for (int goal : goals)
            if (!claimed.count(goal))
                wanted.push_back(goal);
        if (wanted.empty())
            wanted.push_back(view.rows / 2 * view.cols + view.cols / 2);
        int goal = best(wanted, [&](int square) { return steps(view, unit, square); });
        if (!attack)
            claimed.insert(goal);

        // The cost of a square: distance to the goal, or an enemy too close.
        auto cost = [&](int square) {
            bool danger = !attack && std::any_of(enemies.begin(), enemies.end(), [&](int enemy) {
                return steps(view, square, enemy) <= 2;
            });
            return steps(view, square, goal) + (danger ? 1000 : 0);
        };

        // Energy is gathered from an adjacent square; moving onto it destroys it.
        std::vector<int> options = {unit};
        for (int to : neighbours(view, unit))
            if (!taken.count(to) && view.grid[to] != '*')
                options.push_back(to);
        int to = best(options, cost);
        if (to != unit) {
            taken.erase(unit);
            taken.insert(to);
            moves.push_back({unit, to});
        }
    }
    return moves;
}

// The main loop: answer every view until the match ends.
int main() {
    while (auto view = read_view()) {
        if (view->turn == 1) // debug output: "skirmish play --stderr" and replays show it
            std::cerr << "I am player " << view->me.letter << std::endl;
        send_answer(think(*view));
    }
}
