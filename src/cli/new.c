/* skirmish new: creates the project of a new bot from a starter bot. */
#include "arena/bots/bots.h"
#include "base/memory.h"
#include "base/nearest_name.h"
#include "base/path.h"
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LANGUAGES_MAX = 63 };

static const char help[] =
    "Create a project with a working bot.\n"
    "\n"
    "Usage: skirmish new GAME [DIRECTORY] [options]\n"
    "       skirmish new\n"
    "\n"
    "The project has a bot to change, its bot.json, a README.md with the next steps, and\n"
    "a test that replays a recorded match to the bot and compares its answers. DIRECTORY must be\n"
    "new or empty; the default is GAME-bot. Without arguments, in a terminal, the command asks.\n"
    "\n"
    "  --language NAME       programming language (default: python); `skirmish new GAME\n"
    "                        --language list` lists those with a starter bot for the game\n"
    "\n"
    "Exit status: 0 created, 1 failure, 2 invalid usage.\n"
    "\n"
    "Examples\n"
    "  skirmish new aliens\n"
    "  skirmish new planetwars armada --language rust\n";

typedef struct New {
    const Game *game;
    char *starters;  /* the folder with the starters of the game */
    char *directory; /* directory of the project */
    char *language;  /* language, as named in the folder */
    char *name;      /* name of the bot */
    /* languages with a starter for the game */
    char *languages[LANGUAGES_MAX + 1];
    uint32_t language_count;
} New;

/* ---- starters ---- */

/* Possible folders of the starters: next to the program in the build directory, or in an
   installation. */
static const char *const places[] = {"starter", "../share/skirmish/starter"};

static bool find_starters(New *project, Error *error) {
    struct dirent **entries = NULL;
    int count = -1;
    for (size_t i = 0; i < sizeof places / sizeof *places && count < 0; i++) {
        char *all = path_of_program_file(places[i]);
        free(project->starters);
        project->starters = path_join(all, project->game->name);
        free(all);
        count = scandir(project->starters, &entries, NULL, alphasort);
    }
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.' && project->language_count < LANGUAGES_MAX)
            project->languages[project->language_count++] = xstrdup(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return project->language_count ||
           error_set(error, "no starter bots for %s are installed", project->game->name);
}

/* A language may also be given by its file extension: "js", "cpp". */
static bool has_ending(const char *language, const char *typed) {
    const Language *known = language_find(slice_of(language), NULL);
    Slice rest = slice_of(known ? known->endings : "");
    Slice ending;
    while (slice_word(&rest, &ending))
        if (ending.length == strlen(typed) + 1 &&
            memcmp(ending.at + 1, typed, ending.length - 1) == 0)
            return true;
    return false;
}

static bool choose_language(New *project, const char *typed, Error *error) {
    for (uint32_t i = 0; i < project->language_count && !project->language; i++)
        if (strcmp(project->languages[i], typed) == 0 || has_ending(project->languages[i], typed))
            project->language = xstrdup(project->languages[i]);
    return project->language || unknown_name("language", slice_of(typed),
                                             (const char *const *)project->languages, error);
}

/* ---- files ---- */

static bool is_new_or_empty(const char *directory, Error *error) {
    struct dirent **entries = NULL;
    int count = scandir(directory, &entries, NULL, NULL);
    if (count < 0 && errno == ENOENT)
        return true;
    if (count < 0)
        return error_set(error, "cannot create %.300s: %s", directory, strerror(errno));
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return count <= 2 ||
           error_set(error, "%.300s is not empty; choose another directory", directory);
}

static bool make_directory(const char *path, Error *error) {
    return mkdir(path, 0755) == 0 || errno == EEXIST ||
           error_set(error, "cannot create %.300s: %s", path, strerror(errno));
}

static bool write_new_file(const char *directory, const char *name, Slice text, mode_t mode,
                           Error *error) {
    char *path = path_join(directory, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    size_t done = 0;
    bool good = fd >= 0;
    while (good && done < text.length) {
        ssize_t written = write(fd, text.at + done, text.length - done);
        good = written >= 0;
        done += written > 0 ? (size_t)written : 0;
    }
    if (!good)
        error_set(error, "cannot write %.300s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    free(path);
    return good;
}

/* The bot.json of a starter, with the name of this bot and its game. */
static void rename_bot(Buffer *text, const char *name, const char *game) {
    static const char before[] = "\"starter\"";
    const char *at = memmem(text->data, text->length, before, sizeof before - 1);
    Buffer changed = {0};
    JsonOut out = {.to = &changed};
    if (!at)
        return;
    size_t head = (size_t)(at - text->data);
    buffer_add(&changed, text->data, head);
    json_out_text(&out, NULL, name);
    buffer_format(&changed, ", \"game\": \"%s\"", game);
    buffer_add(&changed, at + sizeof before - 1, text->length - head - (sizeof before - 1));
    buffer_free(text);
    *text = changed;
}

static bool copy_tree(const New *project, const char *from, const char *to, Error *error);

static bool copy_entry(const New *project, const char *from, const char *to, const char *name,
                       Error *error) {
    char *source = path_join(from, name);
    char *target = path_join(to, name);
    struct stat about;
    Buffer text = {0};
    bool good = stat(source, &about) == 0 ||
                error_set(error, "cannot read %.300s: %s", source, strerror(errno));
    if (good && S_ISDIR(about.st_mode)) {
        good = copy_tree(project, source, target, error);
    } else if (good) {
        good = load_file(source, &text, error);
        if (good && strcmp(name, "bot.json") == 0)
            rename_bot(&text, project->name, project->game->name);
        good = good && write_new_file(to, name, (Slice){text.data, text.length}, 0644, error);
    }
    buffer_free(&text);
    free(target);
    free(source);
    return good;
}

static bool copy_tree(const New *project, const char *from, const char *to, Error *error) {
    struct dirent **entries = NULL;
    int count = scandir(from, &entries, NULL, alphasort);
    if (count < 0)
        return error_set(error, "cannot read %.300s: %s", from, strerror(errno));
    bool good = make_directory(to, error);
    for (int i = 0; i < count; i++) {
        if (good && entries[i]->d_name[0] != '.')
            good = copy_entry(project, from, to, entries[i]->d_name, error);
        free(entries[i]);
    }
    free(entries);
    return good;
}

/* ---- files of a project besides the starter ---- */

static const char ignored[] = "# Build products.\n"
                              "/bot\n"
                              "/build/\n"
                              "/target/\n"
                              "__pycache__/\n"
                              "node_modules/\n"
                              "*.class\n"
                              "*.hi\n"
                              "*.o\n";

static void write_readme(const New *project, const char *title, Buffer *to) {
    const char *game = project->game->name;
    buffer_format(to, "# %s\n\nA bot for %s in %s, made from a starter bot of Skirmish.\n\n",
                  project->name, project->game->title, title);
    buffer_text(to, "    skirmish dev .                             # play after each save, and\n"
                    "                                               # watch it in the browser\n");
    buffer_format(to, "    skirmish play %s --watch . house:random    # watch it in the terminal\n",
                  game);
    buffer_format(to, "    skirmish play %s --log --stderr . house:random\n", game);
    buffer_text(to, "    ./test.sh                                  # are its answers the same?\n");
    buffer_text(to,
                "    skirmish check .                           # does it follow the protocol?\n");
    buffer_text(to, "    skirmish submit . --activate               # upload it to an arena\n\n");
    buffer_text(
        to, "The strategy is the function `think`; the comment above it explains views and\n"
            "answers. The protocol module reads and prints them. `bot.json` says how to build\n"
            "and run the bot.\n\n"
            "`test.sh` replays `test.skr`, a recorded match, to the bot and shows the turns in\n"
            "which it now answers differently. After an intended change, record a new one:\n"
            "`./test.sh record`.\n\n");
    buffer_format(to,
                  "- The rules: `skirmish games %s` lists maps and configuration; the pages of an\n"
                  "  arena and `docs/rules/%s.md` explain the game.\n",
                  game, game);
    buffer_text(to, "- See the recorded match in the browser: `skirmish replay view test.skr`\n");
    buffer_format(to,
                  "- Is a change better? Keep the old version and compare:\n"
                  "  `skirmish compare ../old . --game %s`\n",
                  game);
}

static void write_test(const New *project, Buffer *to) {
    buffer_format(to,
                  "#!/bin/sh\n"
                  "# Replays a recorded match to the bot: are its answers still the same?\n"
                  "# After an intended change, `./test.sh record` plays and records a new match.\n"
                  "cd \"$(dirname \"$0\")\" || exit\n"
                  "if [ \"$1\" = record ]; then\n"
                  "    exec skirmish play %s --seed 1 --replay test.skr . house:random\n"
                  "fi\n"
                  "exec skirmish feed test.skr .\n",
                  project->game->name);
}

static bool write_project(const New *project, Error *error) {
    const Language *language = language_find(slice_of(project->language), NULL);
    char *starter = path_join(project->starters, project->language);
    Buffer readme = {0};
    Buffer test = {0};
    write_readme(project, language ? language->title : project->language, &readme);
    write_test(project, &test);
    bool good =
        copy_tree(project, starter, project->directory, error) &&
        write_new_file(project->directory, "README.md", (Slice){readme.data, readme.length}, 0644,
                       error) &&
        write_new_file(project->directory, ".gitignore", slice_of(ignored), 0644, error) &&
        write_new_file(project->directory, "test.sh", (Slice){test.data, test.length}, 0755, error);
    buffer_free(&test);
    buffer_free(&readme);
    free(starter);
    return good;
}

/* Plays the match of the test with the new bot, which also builds it. */
static bool record(const New *project) {
    char *game = xstrdup(project->game->name);
    char *arguments[] = {(char[]){"play"},         game,
                         (char[]){"--seed"},       (char[]){"1"},
                         (char[]){"--replay"},     (char[]){"test.skr"},
                         (char[]){"--quiet"},      (char[]){"."},
                         (char[]){"house:random"}, NULL};
    optind = 0; /* restarts getopt_long */
    bool good = chdir(project->directory) == 0 && command_play.run(9, arguments) == STATUS_DONE;
    free(game);
    return good;
}

/* ---- questions ---- */

static bool ask_language(New *project, Error *error) {
    char typed[64];
    prompt_list("Languages", (const char *const *)project->languages);
    for (;;) {
        if (!prompt_or("Language", "python", typed, sizeof typed, error))
            return false;
        if (choose_language(project, typed, error))
            return true;
        print_error("%s", error->text);
    }
}

/* GAME-bot */
static char *standard_directory(const New *project) {
    return xasprintf("%s-bot", project->game->name);
}

static bool ask_directory(New *project, Error *error) {
    char typed[PATH_MAX];
    char *standard = standard_directory(project);
    bool good;
    do
        good = prompt_or("Directory", standard, typed, sizeof typed, error);
    while (good && !is_new_or_empty(typed, error) && (print_error("%s", error->text), true));
    project->directory = good ? xstrdup(typed) : NULL;
    free(standard);
    return good;
}

/* ---- the command ---- */

/* The last part of the directory's path. */
static char *name_of(const char *directory) {
    Slice path = slice_of(directory);
    while (path.length > 1 && path.at[path.length - 1] == '/')
        path.length--;
    char *trimmed = slice_copy(path);
    const char *slash = strrchr(trimmed, '/');
    char *name = xstrdup(slash && slash[1] ? slash + 1 : trimmed);
    free(trimmed);
    return name;
}

static int create(New *project) {
    Error error;
    const Language *language = language_find(slice_of(project->language), NULL);
    project->name = name_of(project->directory);
    if (!make_directory(project->directory, &error) || !write_project(project, &error)) {
        print_error("%s", error.text);
        return STATUS_FAILURE;
    }
    bool installed = !language || language_is_installed(language);
    if (!installed)
        print_error("%s is not installed (missing: %s); on Debian, run apt-get install %s",
                    language->title, language->needs, language->packages);
    bool recorded = installed && record(project);
    print("Created %s, a bot for %s in %s.\n", project->directory, project->game->title,
          language ? language->title : project->language);
    print("\nNext:\n  cd %s\n", project->directory);
    if (!recorded)
        print("  ./test.sh record                           # record the match for its test\n");
    print("  skirmish dev .                             # play after each save\n");
    print("  skirmish play %s --watch . house:random\n", project->game->name);
    return STATUS_DONE;
}

static int list_languages(const New *project) {
    for (uint32_t i = 0; i < project->language_count; i++)
        print("%s\n", project->languages[i]);
    return STATUS_DONE;
}

static int run_new(New *project, int count, char **arguments, const char *language) {
    Error error;
    bool asks = count == 0 && !language && isatty(STDIN_FILENO);
    if (!asks && count == 0)
        return usage_error(&command_new, "GAME is required; `skirmish games` lists all games");
    if (!(project->game = asks ? prompt_game(&error) : game_find(slice_of(arguments[0]), &error)) ||
        !find_starters(project, &error)) {
        print_error("%s", error.text);
        return STATUS_USAGE;
    }
    if (language && strcmp(language, "list") == 0)
        return list_languages(project);
    if (!asks)
        project->directory = count > 1 ? xstrdup(arguments[1]) : standard_directory(project);
    if (!(asks ? ask_language(project, &error) && ask_directory(project, &error)
               : choose_language(project, language ? language : "python", &error) &&
                     is_new_or_empty(project->directory, &error))) {
        print_error("%s", error.text);
        return interrupt_seen ? STATUS_INTERRUPTED : STATUS_USAGE;
    }
    return create(project);
}

static int run(int count, char **arguments) {
    static const struct option options[] = {
        {"language", required_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    New project = {0};
    const char *language = NULL;
    int status = STATUS_DONE;
    int option;
    while ((option = next_option(&command_new, count, arguments, options, &status)) != 0) {
        if (option < 0)
            return status;
        language = optarg;
    }
    if (count - optind > 2)
        return unexpected_argument(&command_new, arguments[optind + 2]);
    status = run_new(&project, count - optind, arguments + optind, language);
    for (uint32_t i = 0; i < project.language_count; i++)
        free(project.languages[i]);
    free(project.starters);
    free(project.directory);
    free(project.language);
    free(project.name);
    return status;
}

const Command command_new = {"new", help, run};
