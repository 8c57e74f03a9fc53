/* A match in progress stays under 1 MiB, apart from pipes and the replay's buffer. Usage:
   memory_test GAME BOT BOT... */
#include "../counting.h"
#include "match/match.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1 << 20 };

static size_t highest;

static void on_turn(void *context, const Board *board, const PlayerTurn *turns) {
    (void)context;
    (void)board;
    (void)turns;
    highest = counting_live > highest ? counting_live : highest;
}

int main(int count, char **arguments) {
    static BotSpec bots[GAME_PLAYERS_MAX];
    uint32_t players = (uint32_t)count - 2;
    Error error = {0};
    const Game *game = game_find(slice_of(arguments[1]), NULL);
    GameFile none = {0};
    for (uint32_t i = 0; i < players; i++)
        bots[i] = (BotSpec){
            .name = arguments[i + 2], .text = arguments[i + 2], .program = arguments[i + 2]};
    MatchWatcher watcher = {.turn = on_turn};
    MatchOptions options = {
        .setup = game->setup(&none, &none, players, &error),
        .seed = 1,
        .bots = bots,
        .config = &none,
        .map = &none,
        .watcher = &watcher,
    };
    Verdict verdict;
    if (!options.setup || match_play(&options, &verdict, &error) != MATCH_PLAYED) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("%s: at most %zu bytes of %d in %u turns\n", game->name, highest, MOST, verdict.turns);
    bool good = highest > 0 && highest < MOST && verdict.player[0].status == STATUS_OK;
    verdict_free(&verdict);
    return good ? 0 : 1;
}
