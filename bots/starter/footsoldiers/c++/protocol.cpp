// How a bot for Footsoldiers talks to the referee. You need not change this file.
//
// The bot prints "Ready". Then each view is one line of JSON:
//     {"you":"player1","turns-remaining":99,
//      "map":[{"type":"Base","position":{"x":1,"y":3},"team":"player1"},
//             {"type":"Rock","position":{"x":4,"y":0}},
//             {"type":"Scout","position":{"x":6,"y":1},"health":9,"team":"player1",
//              "destination":{"x":9,"y":1},"attack-direction":"Right"}, ...],
//      "player1":{"team":"player1","money":13,"base":{"x":1,"y":3},"health":40},"player2":{...}}
// An answer is one line with one command:
//     Build Scout (2, 3) (65, 3) Right
//     Move (6, 1) to (9, 5)
//     Change attack direction (6, 1) to Left
//     No-op
#include "protocol.hpp"

#include "json.hpp"

#include <iostream>
#include <utility>

static Square read_square(const Json &entry) {
    return {static_cast<int>(entry["x"].integer()), static_cast<int>(entry["y"].integer())};
}

static Player read_player(const Json &entry) {
    Player player;
    player.team = entry["team"].string();
    player.money = entry["money"].integer();
    player.base = read_square(entry["base"]);
    player.health = entry["health"].integer();
    return player;
}

static Thing read_thing(const Json &entry) {
    Thing thing;
    thing.type = entry["type"].string();
    thing.at = read_square(entry["position"]);
    thing.team = entry["team"].is_null() ? "" : entry["team"].string();
    thing.health = entry["health"].is_null() ? 0 : entry["health"].integer();
    if (!entry["destination"].is_null())
        thing.destination = read_square(entry["destination"]);
    thing.direction = entry["attack-direction"].string();
    return thing;
}

std::optional<View> read_view() {
    static int number = 0; // of the turn
    std::string line;
    if (number == 0)
        std::cout << "Ready" << std::endl; // endl also flushes, so it does not wait in a buffer
    if (!std::getline(std::cin, line))
        return std::nullopt;
    Json message(line);
    View view;
    view.turn = ++number;
    view.turns_remaining = message["turns-remaining"].integer();
    view.me = read_player(message["player1"]);
    view.enemy = read_player(message["player2"]);
    if (message["you"].string() == "player2")
        std::swap(view.me, view.enemy);
    for (const Json &entry : message["map"].elements())
        view.map.push_back(read_thing(entry));
    return view;
}

static std::string text(Square square) {
    return "(" + std::to_string(square.x) + ", " + std::to_string(square.y) + ")";
}

Command build(const std::string &type, Square at, Square destination,
              const std::string &direction) {
    return "Build " + type + " " + text(at) + " " + text(destination) + " " + direction;
}

Command move(Square soldier, Square destination) {
    return "Move " + text(soldier) + " to " + text(destination);
}

Command turn(Square soldier, const std::string &direction) {
    return "Change attack direction " + text(soldier) + " to " + direction;
}

void send_answer(const Command &command) {
    std::cout << command << std::endl;
}
