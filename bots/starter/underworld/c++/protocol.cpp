// How a bot for Underworld talks to the referee. You need not change this file.
//
// The referee sends "Who are you?" and the bot must answer "crayfish". It then sends one line
//     10 10 2 0                 columns, rows, players, your number
// and then a view in every turn:
//     money 3000
//     0 0 0 C 10000             x, y, owner, kind, hitpoints
//     0 1 0 B 1500
//     end
// After the last turn, it sends the line "gg" instead of a view. An answer is any number of
// commands, followed by "end":
//     build 1 0 F
//     spawn 0 1 E
//     move 1 1 S
#include "protocol.hpp"

#include <iostream>
#include <sstream>

// Answers "Who are you?" and reads the line that is sent only once.
static bool read_start(View &view) {
    std::string line;
    if (!std::getline(std::cin, line))
        return false;
    std::cout << "crayfish" << std::endl;
    if (!std::getline(std::cin, line))
        return false;
    std::istringstream(line) >> view.columns >> view.rows >> view.players >> view.me;
    return true;
}

std::optional<View> read_view() {
    static View view;
    if (view.turn == 0 && !read_start(view))
        return std::nullopt;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string first;
        words >> first;
        if (first == "gg") {
            break;
        } else if (first == "money") {
            view.turn++;
            view.things.clear();
            words >> view.money;
        } else if (first == "end") {
            return view;
        } else {
            Thing thing;
            thing.at.x = std::stoi(first);
            words >> thing.at.y >> thing.owner >> thing.kind >> thing.hitpoints;
            view.things.push_back(thing);
        }
    }
    return std::nullopt;
}

void send_answer(const std::vector<Command> &commands) {
    for (const Command &command : commands)
        std::cout << command.verb << " " << command.at.x << " " << command.at.y << " "
                  << command.what << "\n";
    std::cout << "end" << std::endl; // endl also flushes, so the answer does not wait in a buffer
}
