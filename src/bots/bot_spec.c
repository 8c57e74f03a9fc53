/* See bot_spec.h. */
#include "bots/bot_spec.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/nearest_name.h"
#include "base/path.h"
#include "base/utf8.h"
#include "bots/sandbox_view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    BOT_JSON_MAX = 1 << 20,
    HOUSE_BOTS_MAX = 32, /* the most house bots listed in an error */
};

/* ---- house:NAME ---- */

/* Where house bots are, in this order: the build directory, or an installation. */
static const char *const house_directories[] = {"bots", "../libexec/skirmish/bots"};

/* A house bot of a game is a file GAME-NAME. */
static void list_house(const char *relative, const char *game, Buffer *names) {
    char *directory = path_of_program_file(relative);
    struct dirent **entries = NULL;
    size_t prefix = strlen(game);
    int count = scandir(directory, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (strncmp(name, game, prefix) == 0 && name[prefix] == '-' && !strchr(name, '.'))
            buffer_format(names, " %s", name + prefix + 1);
        free(entries[i]);
    }
    free(entries);
    free(directory);
}

void bot_house_names(const char *game, Buffer *names) {
    size_t before = names->length;
    for (int i = 0; i < 2 && names->length == before; i++)
        list_house(house_directories[i], game, names);
}

static bool parse_house(BotSpec *spec, const char *name, const char *game, Error *error) {
    bool plain = *name && !strchr(name, '/') && !strchr(name, '.');
    for (int i = 0; plain && i < 2 && !spec->program; i++) {
        Buffer file = {0};
        buffer_format(&file, "%s/%s-%s", house_directories[i], game, name);
        spec->program = path_of_program_file(buffer_string(&file));
        buffer_free(&file);
        if (access(spec->program, X_OK) != 0) {
            free(spec->program);
            spec->program = NULL;
        }
    }
    spec->name = xstrdup(name);
    if (spec->program)
        return true;
    const char *names[HOUSE_BOTS_MAX + 1] = {NULL};
    Buffer list = {0};
    bot_house_names(game, &list);
    buffer_string(&list);
    char *rest = list.data;
    for (int i = 0; i < HOUSE_BOTS_MAX && (names[i] = strtok_r(i ? NULL : list.data, " ", &rest));)
        i++;
    unknown_name("house bot", slice_of(name), names, error);
    buffer_free(&list);
    return false;
}

/* ---- tcp:HOST:PORT and unix:PATH ---- */

static bool parse_tcp(BotSpec *spec, const char *address, Error *error) {
    const char *colon = strrchr(address, ':');
    int64_t port = 0;
    if (!colon || colon == address || !slice_int(slice_of(colon + 1), &port) || port < 1 ||
        port > 65535)
        return error_set(error, "bot \"%s\": expected tcp:HOST:PORT with a port from 1 to 65535",
                         spec->text);
    spec->kind = BOT_TCP;
    Slice host = {address, (size_t)(colon - address)};
    if (host.length > 2 && host.at[0] == '[' && host.at[host.length - 1] == ']')
        host = (Slice){host.at + 1, host.length - 2}; /* an IPv6 address in brackets */
    spec->host = slice_copy(host);
    spec->port = xstrdup(colon + 1);
    spec->name = xstrdup(spec->text);
    return true;
}

static bool parse_unix(BotSpec *spec, const char *path, Error *error) {
    if (!*path || strlen(path) > 100)
        return error_set(error, "bot \"%s\": expected unix:PATH with a path of 1 to 100 bytes",
                         spec->text);
    spec->kind = BOT_UNIX;
    spec->path = xstrdup(path);
    spec->name = xstrdup(spec->text);
    return true;
}

/* ---- a directory with a bot.json ---- */

static bool load(const char *path, Buffer *to, Error *error) {
    /* O_NONBLOCK: an uploaded bot.json may be a pipe that nobody ever writes to. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat about;
    if (fd >= 0 && (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))) {
        close(fd);
        return error_set(error, "%s is not a regular file", path);
    }
    if (fd < 0)
        return error_set(
            error, "cannot read %s: %s; a bot directory needs a bot.json with \"name\" and \"run\"",
            path, strerror(errno));
    ssize_t got = 0;
    do {
        got = read(fd, buffer_reserve(to, 4096), 4096);
        to->length += got > 0 ? (size_t)got : 0;
    } while (got > 0 && to->length < BOT_JSON_MAX);
    int reason = errno;
    close(fd);
    if (got < 0)
        return error_set(error, "cannot read %s: %s", path, strerror(reason));
    utf8_skip_mark(to);
    return got == 0 || error_set(error, "%s is larger than 1 MiB", path);
}

static bool read_bot_json(BotSpec *spec, const char *path, const Json *json, Error *error) {
    static const char *const known[] = {"name", "game", "build", "run", NULL};
    char **const values[] = {&spec->name, &spec->game, &spec->build, &spec->command};
    if (json->nodes[0].kind != JSON_OBJECT)
        return error_set(error, "%s: expected an object with \"name\", \"build\" and \"run\"",
                         path);
    for (uint32_t key = 1; key < json->nodes[0].next; key = json->nodes[key + 1].next) {
        Slice field = json->nodes[key].text;
        uint32_t index = 0;
        if (!find_name("field", field, known, &index, error))
            return error_prefix(error, "%s:%u", path, json_line(json, key));
        char **to = values[index];
        if (json->nodes[key + 1].kind != JSON_STRING || !json->nodes[key + 1].text.length)
            return error_set(error, "%s:%u: \"%.*s\" must be a non-empty string", path,
                             json_line(json, key), SLICE_ARGS(field));
        if (to == &spec->name && !utf8_is_line(json->nodes[key + 1].text))
            return error_set(error, "%s:%u: \"name\" must not contain control characters", path,
                             json_line(json, key));
        *to = slice_copy(json->nodes[key + 1].text);
    }
    if (!spec->command)
        return error_set(error, "%s: \"run\" is missing: the command that starts the bot", path);
    return true;
}

static bool parse_directory(BotSpec *spec, Error *error) {
    char *path = path_join(spec->text, "bot.json");
    Buffer text = {0};
    Json json = {0};
    bool good = load(path, &text, error);
    if (good && !json_parse(&json, (Slice){text.data, text.length}, error))
        good = error_prefix(error, "%s", path);
    good = good && read_bot_json(spec, path, &json, error);
    spec->directory = xstrdup(spec->text);
    if (good && !spec->name) {
        Slice last = slice_of(spec->text);
        while (last.length > 1 && last.at[last.length - 1] == '/')
            last.length--;
        char *trimmed = slice_copy(last);
        const char *slash = strrchr(trimmed, '/');
        spec->name = xstrdup(slash && slash[1] ? slash + 1 : trimmed);
        free(trimmed);
    }
    json_free(&json);
    buffer_free(&text);
    free(path);
    return good;
}

/* ---- a shell command ---- */

/* The first word of a command if it is a plain name, which can be looked up before anything
   runs. */
static char *plain_first_word(const char *command) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./";
    Slice rest = slice_trim(slice_of(command));
    size_t length = 0;
    while (length < rest.length && strchr(plain, rest.at[length]))
        length++;
    bool ends = length == rest.length || rest.at[length] == ' ' || rest.at[length] == '\t';
    return length && ends ? slice_copy((Slice){rest.at, length}) : NULL;
}

/* The command that runs a source file with this extension, for hints; "" for others. */
static const char *interpreter_of(const char *file) {
    static const char *const endings[][2] = {
        {".py", "python3 "}, {".js", "node "}, {".mjs", "node "}, {".rb", "ruby "},
        {".lua", "lua5.4 "}, {".pl", "perl "}, {".sh", "sh "},    {".java", "java "}};
    const char *ending = strrchr(file, '.');
    for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(ending, endings[i][0]) == 0)
            return endings[i][1];
    return "";
}

/* Whether the sandbox hides the interpreter of a script: a path, or what follows "env". */
static bool hides_interpreter(const Sandbox *sandbox, const char *file, const char *interpreter,
                              Slice rest, Error *error) {
    size_t length = strlen(interpreter);
    bool env = length > 4 && strcmp(interpreter + length - 4, "/env") == 0;
    Slice word = {"", 0};
    while (env && slice_word(&rest, &word) && word.at[0] == '-')
        continue;
    char *program = env ? slice_copy(word) : xstrdup(interpreter);
    char *what = xasprintf("the interpreter of %s", file);
    bool hidden = sandbox_hides_program(sandbox, program, what, error);
    free(what);
    free(program);
    return hidden;
}

/* Checks the interpreter line of a script, because the shell's message for a wrong one ("not
   found", for a file that exists) is misleading. The file is at `path` and is called `file` in
   messages. `sandbox` is NULL for uploaded files, which must not learn what is on this machine. */
static bool check_script(const char *path, const char *file, const Sandbox *sandbox, Error *error) {
    char head[256] = "";
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, head, sizeof head - 1) : 0;
    if (fd >= 0)
        close(fd);
    const char *by = interpreter_of(file);
    const char *end = strchr(head, '\n');
    if (got <= 0 || (strncmp(head, "#!", 2) != 0 && !*by))
        return true;
    if (strncmp(head, "#!", 2) != 0)
        return error_set(
            error,
            "%s has no interpreter line; begin it with one such as #!/usr/bin/env python3, or "
            "write \"%s%s\"",
            file, by, file);
    if (end && end[-1] == '\r')
        return error_set(
            error,
            "the interpreter line of %s ends in CRLF; save the file with LF line endings, or "
            "write \"%s%s\"",
            file, *by ? by : "INTERPRETER ", file);
    char *line = slice_copy((Slice){head + 2, strcspn(head + 2, "\n")});
    Slice rest = slice_of(line);
    Slice word = {"", 0};
    slice_word(&rest, &word);
    char *interpreter = slice_copy(word);
    /* Only in directories that every bot sees: an uploaded file must not learn what else is on this
       machine. */
    bool asked = !strstr(interpreter, "..") &&
                 (strncmp(interpreter, "/usr/", 5) == 0 || strncmp(interpreter, "/bin/", 5) == 0);
    bool good =
        (!asked || access(interpreter, X_OK) == 0 ||
         error_set(error, "the interpreter of %s, \"%s\", does not exist", file, interpreter)) &&
        !(sandbox && hides_interpreter(sandbox, file, interpreter, rest, error));
    free(interpreter);
    free(line);
    return good;
}

/* Whether the file at `path`, called `file` in messages, can be run. `sandbox` as in
   check_script. */
static bool check_file(const char *path, const char *file, const Sandbox *sandbox, Error *error) {
    struct stat about;
    if (stat(path, &about) != 0)
        return error_set(error, "no such file: %s", file);
    const char *by = interpreter_of(file);
    if (access(path, X_OK) != 0 || !S_ISREG(about.st_mode))
        return error_set(error,
                         "%s cannot be executed; chmod +x it, or name its interpreter: \"%s%s\"",
                         file, *by ? by : "INTERPRETER ", file);
    return check_script(path, file, sandbox, error);
}

/* The bot and the output of its build are untrusted: paths must not lead out of the directory, and
   links are not followed. */
bool bot_spec_check_run(const BotSpec *spec, Error *error) {
    char *word = spec->directory ? plain_first_word(spec->command) : NULL;
    bool good = true;
    if (word && strncmp(word, "./", 2) == 0 && !strchr(word + 2, '/') &&
        strcmp(word, "./..") != 0) {
        char *path = path_join(spec->directory, word + 2);
        struct stat about;
        bool link = lstat(path, &about) == 0 && !S_ISREG(about.st_mode);
        good = link || check_file(path, word, NULL, error) ||
               error_prefix(error, "bot %s", spec->name);
        free(path);
    }
    free(word);
    return good;
}

/* Explains a missing program, and suggests what may have been meant. */
static bool no_program(const char *bot, const char *word, const Sandbox *sandbox, Error *error) {
    const char *where = sandbox ? " of the sandbox (" SANDBOX_PATH ")" : "";
    char what[64];
    snprintf(what, sizeof what, "program \"%.40s\"", word);
    if (sandbox && sandbox_hides_program(sandbox, word, what, error))
        return error_prefix(error, "bot \"%s\"", bot);
    if (access(word, F_OK) == 0)
        return error_set(
            error,
            "bot \"%s\": program \"%s\" is not on the PATH%s; to run the file in this directory, "
            "write \"%s%s\"",
            bot, word, where, *interpreter_of(word) ? interpreter_of(word) : "./", word);
    return error_set(
        error,
        "bot \"%s\": program \"%s\" is not on the PATH%s; a house bot is house:NAME, a "
        "file in this directory ./NAME",
        bot, word, where);
}

/* `sandbox` is NULL if the bot sees all files. */
static bool parse_command(BotSpec *spec, const Sandbox *sandbox, Error *error) {
    if (!slice_trim(slice_of(spec->text)).length)
        return error_set(
            error, "empty bot; expected a shell command, a directory, house:NAME, tcp:HOST:PORT or "
                   "unix:PATH");
    spec->name = slice_copy(slice_trim(slice_of(spec->text)));
    spec->command = xstrdup(spec->text);
    char *word = plain_first_word(spec->text);
    bool found = true;
    bool builtin = false; /* of the shell: echo, cd, exec, ... */
    if (word && strchr(word, '/')) {
        found = (check_file(word, word, sandbox, error) &&
                 !(sandbox && sandbox_hides_word(sandbox, word, error))) ||
                error_prefix(error, "bot \"%s\"", spec->text);
    } else if (word) {
        /* The shell knows its own builtins and the PATH. */
        Buffer question = {0};
        buffer_format(
            &question,
            "%sp=$(command -v %s 2>/dev/null) || exit 1; case $p in /*) exit 0;; esac; exit 2",
            sandbox ? "PATH=" SANDBOX_PATH "; " : "", word);
        int answer = system(buffer_string(&question)); // NOLINT(cert-env33-c)
        found = WIFEXITED(answer) && WEXITSTATUS(answer) != 1;
        builtin = !WIFEXITED(answer) || WEXITSTATUS(answer) != 0;
        buffer_free(&question);
        if (!found)
            no_program(spec->text, word, sandbox, error);
    }
    /* A simple command replaces the shell, which saves starting, measuring and ending a process. */
    if (found && word && !strpbrk(spec->text, ";&|(){}\n#") && !builtin) {
        Buffer command = {0};
        buffer_format(&command, "exec %s", slice_trim(slice_of(spec->text)).at);
        buffer_string(&command);
        free(spec->command);
        spec->command = command.data;
    }
    free(word);
    return found;
}

bool bot_spec_parse(BotSpec *spec, const char *text, const char *game, const Sandbox *sandbox,
                    Error *error) {
    *spec = (BotSpec){.text = xstrdup(text)};
    struct stat about;
    Slice rest = slice_of(text);
    if (slice_skip(&rest, "house:"))
        return parse_house(spec, rest.at, game, error);
    if (slice_skip(&rest, "tcp:"))
        return parse_tcp(spec, rest.at, error);
    if (slice_skip(&rest, "unix:"))
        return parse_unix(spec, rest.at, error);
    if (stat(text, &about) == 0 && S_ISDIR(about.st_mode))
        return parse_directory(spec, error);
    bool files = sandbox && sandbox_has(sandbox, LAYER_FILES);
    return parse_command(spec, files ? sandbox : NULL, error);
}

void bot_spec_free(BotSpec *spec) {
    free(spec->name);
    free(spec->text);
    free(spec->command);
    free(spec->program);
    free(spec->directory);
    free(spec->game);
    free(spec->build);
    free(spec->host);
    free(spec->port);
    free(spec->path);
    *spec = (BotSpec){0};
}
