// A Footsoldiers bot: builds tanks and assassins alternately next to its base and sends them to the
// enemy's base.
#include <iostream>
#include <string>

int main() {
    std::cout << "Ready" << std::endl;
    std::string view;
    for (int turn = 0; std::getline(std::cin, view); turn++) {
        const bool first = view.find("\"you\":\"player1\"") != std::string::npos;
        std::cout << "Build " << (turn % 2 ? "Tank" : "Assassin") << " (" << (first ? 2 : 64)
                  << ", " << turn % 7 << ") (" << (first ? 65 : 1) << ", 3) "
                  << (first ? "Right" : "Left") << std::endl;
    }
}
