// How a bot for Footsoldiers talks to the referee. You need not change this file.
// See protocol.cpp for examples of a view and the answers.
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

inline bool operator<(Square a, Square b) { // for std::map and std::set
    return std::tie(a.x, a.y) < std::tie(b.x, b.y);
}

struct Player {
    std::string team;
    long long money;
    Square base;
    int health;
};

struct Thing {
    std::string type;
    Square at;
    std::string team; // empty: a rock
    int health;       // 0: not a soldier
    std::optional<Square> destination;
    std::string direction;
};

struct View {
    int turn, turns_remaining;
    Player me, enemy;
    std::vector<Thing> map;
};

using Command = std::string;
const Command NO_OP = "No-op";
Command build(const std::string &type, Square at, Square destination, const std::string &direction);
Command move(Square soldier, Square destination);
Command turn(Square soldier, const std::string &direction);

// The next view; nothing when the match is over.
std::optional<View> read_view();

// Sends the answer to the last view.
void send_answer(const Command &command);
