// How a bot for Aliens talks to the referee. You need not change this file.
//
// A view is one line of JSON:
//     {"player":"a","state":{"rows":20,"cols":20,
//      "p1":{"food":1,"spawn":21},"p2":{"food":1,"spawn":378,"spawnDisabled":true},
//      "grid":"....a..*....b...","maxTurns":100,"turnsElapsed":0}}
// An answer is a JSON array:
//     [{"from":21,"to":22},{"from":40,"to":60}]
#include "protocol.hpp"

#include "json.hpp"

#include <iostream>
#include <utility>

static Player read_player(char letter, const Json &entry) {
    return {letter, static_cast<int>(entry["food"].integer()),
            static_cast<int>(entry["spawn"].integer()), entry["spawnDisabled"].is_true()};
}

std::optional<View> read_view() {
    std::string line;
    if (!std::getline(std::cin, line))
        return std::nullopt;
    Json message(line);
    const Json &state = message["state"];
    View view;
    view.turn = state["turnsElapsed"].integer() + 1;
    view.rows = state["rows"].integer();
    view.cols = state["cols"].integer();
    view.grid = state["grid"].string();
    view.me = read_player('a', state["p1"]);
    view.enemy = read_player('b', state["p2"]);
    if (message["player"].string() == "b")
        std::swap(view.me, view.enemy);
    return view;
}

void send_answer(const std::vector<Move> &moves) {
    const char *separator = "";
    std::cout << "[";
    for (const Move &move : moves) {
        std::cout << separator << "{\"from\":" << move.from << ",\"to\":" << move.to << "}";
        separator = ",";
    }
    std::cout << "]" << std::endl; // endl also flushes, so the answer does not wait in a buffer
}
