/* The runs of `skirmish dev`: one build of the bot and then one match per map, again whenever its
   files change. dev.c decides what is played. */
#ifndef CLI_DEV_RUN_H
#define CLI_DEV_RUN_H

#include "cli/dev_match.h"
#include "cli/file_watch.h"
#include "cli/local_viewer.h"
#include "league/dispatcher.h"

#include <termios.h>

enum { DEV_MATCHES_MAX = 64 };

typedef enum RunState { RUN_BUILDING, RUN_PLAYING, RUN_DONE, RUN_FAILED } RunState;

typedef struct Dev {
    /* Options */
    char *bot;
    const char *game_name;
    const char *config;
    char *against[GAME_PLAYERS_MAX];
    const char *maps[DEV_MATCHES_MAX];
    uint32_t against_count;
    uint32_t map_count;
    uint64_t seed;
    MatchOverrides overrides;
    SandboxMode sandbox_mode;
    LocalViewerOptions viewer_options;

    /* What lasts */
    const Game *game;
    uint32_t players;
    bool has_directory; /* the bot is one, rather than a command */
    Sandbox *sandbox;
    Dispatcher *dispatcher;
    LocalViewer *viewer;
    FileWatch *watch;
    int wake; /* an epoll set: files, keys, Ctrl-C */
    bool has_keys;
    struct termios terminal_before;
    BotSpec opponents[GAME_PLAYERS_MAX]; /* from 1 on */
    DevMatch matches[DEV_MATCHES_MAX];
    uint32_t match_count;
    uint32_t columns; /* width of the longest name */
    uint64_t next_job;

    /* The run */
    uint32_t run;
    RunState state;
    BotSpec mine;
    uint64_t build_job; /* 0: none */
    Buffer problem;
    Buffer log;
    int64_t changed_at; /* the first event since the last check; 0: none */
    int64_t look_at;
} Dev;

bool is_directory(const char *path);

/* Begins a run and prints `why`. Cancels the previous one. */
void dev_begin(Dev *dev, const char *why);

/* Handles records, changes of files and keys until q, Ctrl-C or a failure; returns the exit
   status. */
int dev_loop(Dev *dev);

#endif
