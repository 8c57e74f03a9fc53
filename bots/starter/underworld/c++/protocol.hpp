// How a bot for Underworld talks to the referee. You need not change this file.
// See protocol.cpp for examples of a view and an answer.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

struct Cell {
    int x, y;
};

inline bool operator<(Cell a, Cell b) { // for std::map and std::set
    return std::tie(a.y, a.x) < std::tie(b.y, b.x);
}

struct Command {
    std::string verb; // build, spawn or move
    Cell at;
    char what; // the building, or the direction
};

struct Thing {
    Cell at;
    int owner;
    char kind;
    int hitpoints;
};

struct View {
    int turn = 0;
    int columns, rows;
    int players, me;
    long long money;
    std::vector<Thing> things;
};

// The next view; nothing when the match is over.
std::optional<View> read_view();

// Sends the answer to the last view.
void send_answer(const std::vector<Command> &commands);
