// How a bot for Capture the flag talks to the referee. You need not change this file.
// See protocol.cpp for examples of a view and an answer.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

struct Square {
    int x, y;
};

inline bool operator==(Square a, Square b) {
    return a.x == b.x && a.y == b.y;
}

inline bool operator!=(Square a, Square b) {
    return !(a == b);
}

inline bool operator<(Square a, Square b) { // for std::map
    return std::tie(a.x, a.y) < std::tie(b.x, b.y);
}

struct Order {
    std::string name;             // of the soldier
    char step;                    // U, D, L, R or S
    std::optional<Square> target; // the square to throw a grenade at
};

struct Soldier {
    std::string name;
    Square at;
    int cooldown;
    bool alive;
    bool carries_flag;
};

struct Enemy {
    std::string name;
    Square at;
    bool alive;
    bool carries_flag;
};

struct Grenade {
    Square at;
    int countdown;
};

struct View {
    int turn = 0;
    std::vector<std::string> map;
    Square base, spawn;
    int points, enemy_points;
    Square flag, enemy_flag;
    std::vector<Soldier> soldiers;
    std::vector<Grenade> grenades;
    std::vector<Enemy> enemies;
};

// The next view; nothing when the match is over.
std::optional<View> read_view();

// Sends the answer to the last view.
void send_answer(const std::vector<Order> &orders);
