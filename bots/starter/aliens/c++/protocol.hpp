// How a bot for Aliens talks to the referee. You need not change this file.
// See protocol.cpp for examples of a view and an answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

struct Move {
    int from; // a square with one of your units
    int to;   // an adjacent square
};

struct Player {
    char letter;
    int energy; // for units that will appear at the spawn
    int spawn;
    bool spawn_destroyed;
};

struct View {
    int turn;
    int rows, cols;
    std::string grid;
    Player me, enemy;
};

// The next view; nothing when the match is over.
std::optional<View> read_view();

// Sends the answer to the last view.
void send_answer(const std::vector<Move> &moves);
