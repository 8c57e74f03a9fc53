// How a bot for Planet Wars talks to the referee. You need not change this file.
//
// A view is one line of JSON. The bot is always player 1 in it; neutral planets have the owner
// null:
//     {"planets":[{"ship_count":6,"x":-6.0,"y":0.0,"owner":1,"name":"protos"}, ...],
//      "expeditions":[{"id":0,"ship_count":4,"origin":"tetartos","destination":"protos",
//                      "owner":2,"turns_remaining":11}, ...]}
// An answer is also one line of JSON. Without moves: {"moves":[]}
//     {"moves":[{"origin":"protos","destination":"extos","ship_count":6}]}
#include "protocol.hpp"

#include "json.hpp"

#include <iostream>

static Planet read_planet(const Json &entry) {
    Planet planet;
    planet.name = entry["name"].string();
    planet.x = entry["x"].number();
    planet.y = entry["y"].number();
    planet.owner = entry["owner"].is_null() ? 0 : entry["owner"].integer();
    planet.ships = entry["ship_count"].integer();
    return planet;
}

static Expedition read_expedition(const Json &entry) {
    Expedition expedition;
    expedition.id = entry["id"].integer();
    expedition.origin = entry["origin"].string();
    expedition.destination = entry["destination"].string();
    expedition.owner = entry["owner"].integer();
    expedition.ships = entry["ship_count"].integer();
    expedition.turns_remaining = entry["turns_remaining"].integer();
    return expedition;
}

std::optional<View> read_view() {
    static int turn = 0;
    std::string line;
    if (!std::getline(std::cin, line))
        return std::nullopt;
    Json message(line);
    View view;
    view.turn = ++turn;
    for (const Json &entry : message["planets"].elements())
        view.planets.push_back(read_planet(entry));
    for (const Json &entry : message["expeditions"].elements())
        view.expeditions.push_back(read_expedition(entry));
    return view;
}

void send_answer(const std::vector<Move> &moves) {
    const char *separator = "";
    std::cout << "{\"moves\":[";
    for (const Move &move : moves) {
        std::cout << separator << "{\"origin\":\"" << move.origin << "\",\"destination\":\""
                  << move.destination << "\",\"ship_count\":" << move.ships << "}";
        separator = ",";
    }
    std::cout << "]}" << std::endl; // endl also flushes, so the answer does not wait in a buffer
}
