// How a bot for Capture the flag talks to the referee. You need not change this file.
//
// The input starts with the team's letter, the map and an empty line. Then a view per round:
//     0 0                            our points, theirs
//     Flag 1 5                       where our flag is
//     Soldier X 2 7 8 True No        name, x, y, cooldown, alive, the flag it carries
//     Grenade 10 7 2                 ours: x, y, rounds left
//     EnemyFlag 13 9
//     Enemy L 11 8 True No           name, x, y, alive, flag
//     (an empty line)
// An answer is a line per order and an empty line:
//     X D (10,7)
#include "protocol.hpp"

#include <cctype>
#include <iostream>
#include <sstream>

// Reads the lines up to the next empty line. False: the input has ended.
static bool read_block(std::vector<std::string> &block) {
    block.clear();
    for (std::string line; std::getline(std::cin, line);) {
        if (line.find_first_not_of(" \t\r") == std::string::npos)
            return true;
        block.push_back(line);
    }
    return false;
}

static Square find(const std::vector<std::string> &map, char tile) {
    for (size_t y = 0; y < map.size(); y++)
        if (size_t x = map[y].find(tile); x != std::string::npos)
            return {static_cast<int>(x), static_cast<int>(y)};
    return {0, 0};
}

static std::istream &operator>>(std::istream &words, Square &square) {
    return words >> square.x >> square.y;
}

// Reads a line of a view; lines that begin with another word are skipped.
static void read_thing(const std::string &line, View &view) {
    std::istringstream words(line);
    std::string kind, name, alive, flag;
    Square at;
    int number;
    words >> kind;
    if (kind == "Flag") {
        words >> view.flag;
    } else if (kind == "EnemyFlag") {
        words >> view.enemy_flag;
    } else if (kind == "Soldier") {
        words >> name >> at >> number >> alive >> flag;
        view.soldiers.push_back({name, at, number, alive == "True", flag != "No"});
    } else if (kind == "Enemy") {
        words >> name >> at >> alive >> flag;
        view.enemies.push_back({name, at, alive == "True", flag != "No"});
    } else if (kind == "Grenade") {
        words >> at >> number;
        view.grenades.push_back({at, number});
    }
}

// Reads the team's letter and the map.
static bool read_start(View &view) {
    std::vector<std::string> block;
    if (!read_block(block))
        return false;
    char team = block[0][0];
    for (size_t i = 1; i < block.size(); i++)
        view.map.push_back(block[i].substr(0, block[i].find_first_of(" \t\r")));
    view.base = find(view.map, static_cast<char>(std::tolower(team)));
    view.spawn = find(view.map, team);
    return true;
}

std::optional<View> read_view() {
    static View start; // what does not change
    std::vector<std::string> block;
    if (start.turn == 0 && !read_start(start))
        return std::nullopt;
    if (!read_block(block))
        return std::nullopt;
    start.turn++;
    View view = start;
    std::istringstream(block[0]) >> view.points >> view.enemy_points;
    for (size_t i = 1; i < block.size(); i++)
        read_thing(block[i], view);
    return view;
}

void send_answer(const std::vector<Order> &orders) {
    for (const Order &order : orders) {
        std::cout << order.name << " " << order.step;
        if (order.target)
            std::cout << " (" << order.target->x << "," << order.target->y << ")";
        std::cout << "\n";
    }
    std::cout << std::endl; // endl also flushes, so the answer does not wait in a buffer
}
