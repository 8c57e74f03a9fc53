// How a bot for Planet Wars talks to the referee. You need not change this file.
// See protocol.cpp for examples of a view and an answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

// Names of planets are as in the JSON: quotes and some other characters are escaped.

struct Move {
    std::string origin;
    std::string destination;
    long long ships;
};

struct Planet {
    std::string name;
    double x, y;
    int owner; // 1: you; 0: nobody
    long long ships;
};

struct Expedition {
    long long id;
    std::string origin;
    std::string destination;
    int owner;
    long long ships;
    int turns_remaining;
};

struct View {
    int turn;
    std::vector<Planet> planets;
    std::vector<Expedition> expeditions;
};

// The next view; nothing when the match is over.
std::optional<View> read_view();

// Sends the answer to the last view.
void send_answer(const std::vector<Move> &moves);
