/* The languages of bots: how each is built and run, and which of several files is the main file. */
#include "arena/bots/languages.h"

#include "arena/bots/archive.h"
#include "base/nearest_name.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* The JVM sees the machine's memory instead of the bot's limit, and SBCL has its own limit, so
   their heap sizes are set here. Go needs a place for its cache, in the sandbox's /tmp. GHC and its
   programs must not start a timer (-V0): a bot's timers would interrupt other bots. */
const Language languages_all[] = {
    {"python", "Python", ".py", NULL, "exec python3 -u %s", "python3", "python3",
     "exec python3 -I -c 'import %s'"},
    {"javascript", "JavaScript", ".js .mjs .cjs", NULL, "exec node %s", "node", "nodejs",
     "exec node -e 'require(\"%s\")'"},
    {"ruby", "Ruby", ".rb", NULL, "exec ruby %s", "ruby", "ruby", "exec ruby -e 'require \"%s\"'"},
    {"java", "Java", ".java", "javac -J-Xmx512m -d . %a",
     "exec java -Xmx160m -Xshare:auto -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp . %c",
     "java javac", "default-jdk-headless", NULL},
    {"c", "C", ".c", "gcc -std=gnu17 -O2 -o bot %a -lm", "exec ./bot", "gcc", "gcc libc6-dev",
     NULL},
    {"c++", "C++", ".cpp .cc .cxx", "g++ -std=gnu++17 -O2 -o bot %a", "exec ./bot", "g++", "g++",
     NULL},
    {"go", "Go", ".go", "GOCACHE=${TMPDIR:-/tmp}/go-cache GOFLAGS=-mod=mod go build -o bot %a",
     "exec ./bot", "go", "golang-go", NULL},
    {"rust", "Rust", ".rs", "rustc --edition 2021 -O -o bot %s", "exec ./bot", "rustc cargo",
     "rustc cargo", NULL},
    {"lua", "Lua", ".lua", NULL, "exec lua5.4 %s", "lua5.4", "lua5.4",
     "exec lua5.4 -e 'require \"%s\"'"},
    {"perl", "Perl", ".pl", NULL, "exec perl %s", "perl", "perl", "exec perl -e 'use %s'"},
    {"haskell", "Haskell", ".hs",
     "ghc +RTS -V0 -RTS -v0 -O -threaded -with-rtsopts=-V0 -outputdir ${TMPDIR:-/tmp} -o bot %s",
     "exec ./bot", "ghc", "ghc", NULL},
    {"lisp", "Common Lisp", ".lisp .lsp", NULL, "exec sbcl --dynamic-space-size 160MB --script %s",
     "sbcl", "sbcl", NULL},
    {0},
};

/* ---- finding a language ---- */

/* Whether the program is installed where the sandbox looks for programs. */
static bool program_is_installed(Slice program) {
    static const char *const places[] = {"/usr/local/bin", "/usr/bin", "/bin"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%.*s", places[i], SLICE_ARGS(program));
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

bool language_is_installed(const Language *language) {
    Slice rest = slice_of(language->needs);
    Slice program;
    while (slice_word(&rest, &program))
        if (!program_is_installed(program))
            return false;
    return true;
}

const Language *language_find(Slice name, Error *error) {
    const char *names[sizeof languages_all / sizeof *languages_all];
    uint32_t index = 0;
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        names[i] = languages_all[i].name;
    return find_name("language", name, names, &index, error) ? &languages_all[index] : NULL;
}

static bool has_ending(const char *name, Slice ending) {
    size_t length = strlen(name);
    return length > ending.length &&
           strncasecmp(name + length - ending.length, ending.at, ending.length) == 0;
}

const Language *language_of_file(const char *name) {
    for (const Language *language = languages_all; language->name; language++) {
        Slice rest = slice_of(language->endings);
        Slice ending;
        while (slice_word(&rest, &ending))
            if (has_ending(name, ending))
                return language;
    }
    return NULL;
}

/* The language of the first program or file that a command names. */
static const Language *language_of_command(const char *command) {
    Slice rest = slice_of(command ? command : "");
    Slice word;
    const Language *found = NULL;
    while (!found && slice_word(&rest, &word)) {
        char *text = slice_copy(word);
        const char *slash = strrchr(text, '/');
        for (const Language *one = languages_all; one->name && !found; one++) {
            Slice programs = slice_of(one->needs);
            Slice program;
            while (!found && slice_word(&programs, &program))
                if (slice_equals(program, slash ? slash + 1 : text))
                    found = one;
        }
        if (!found)
            found = language_of_file(text);
        free(text);
    }
    return found;
}

const char *language_of_own_commands(const BotSpec *spec) {
    const Language *found = language_of_command(spec->build);
    if (!found)
        found = language_of_command(spec->command);
    return found ? found->name : LANGUAGE_OWN;
}

/* ---- Java: a file is named after its class ---- */

_Static_assert(LANGUAGE_FILE_SIZE == ARCHIVE_NAME_MAX + 1, "a file name fits");

typedef struct JavaScan {
    Slice rest;
    uint32_t depth; /* of braces */
} JavaScan;

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static void skip_bytes(Slice *rest, size_t count) {
    size_t taken = count < rest->length ? count : rest->length;
    *rest = (Slice){rest->at + taken, rest->length - taken};
}

static void skip_past(Slice *rest, const char *end) {
    const char *found = memmem(rest->at, rest->length, end, strlen(end));
    skip_bytes(rest, found ? (size_t)(found - rest->at) + strlen(end) : rest->length);
}

static void skip_quoted(Slice *rest) {
    char quote = rest->at[0];
    size_t at = 1;
    while (at < rest->length && rest->at[at] != quote && rest->at[at] != '\n')
        at += rest->at[at] == '\\' ? 2 : 1;
    skip_bytes(rest, at + 1);
}

/* The next word outside comments, strings and braces, or the ";" or "}" that ends a declaration. */
static bool java_next(JavaScan *scan, Slice *word) {
    while (scan->rest.length) {
        Slice *rest = &scan->rest;
        size_t length = 0;
        while (length < rest->length && is_word(rest->at[length]))
            length++;
        *word = (Slice){rest->at, length ? length : 1};
        if (slice_skip(rest, "//")) {
            skip_past(rest, "\n");
        } else if (slice_skip(rest, "/*")) {
            skip_past(rest, "*/");
        } else if (*rest->at == '"' || *rest->at == '\'') {
            skip_quoted(rest);
        } else {
            char sign = *rest->at;
            skip_bytes(rest, word->length);
            scan->depth += sign == '{';
            if (sign == '}' && scan->depth)
                scan->depth--;
            if (!scan->depth && (length || sign == ';' || sign == '}'))
                return true;
        }
    }
    return false;
}

/* The name of the public class, or of the first class if none is public. */
static bool java_class(Slice source, char name[LANGUAGE_FILE_SIZE]) {
    JavaScan scan = {.rest = source};
    Slice word;
    bool is_public = false;
    bool is_class = false;
    name[0] = '\0';
    while (java_next(&scan, &word)) {
        if (is_class && word.length <= LANGUAGE_FILE_SIZE - sizeof ".java" &&
            (is_public || !name[0]) && is_word(*word.at)) {
            memcpy(name, word.at, word.length);
            name[word.length] = '\0';
            if (is_public)
                return true;
        }
        is_class = slice_equals(word, "class");
        if (slice_equals(word, "public"))
            is_public = true;
        else if (slice_equals(word, ";") || slice_equals(word, "}"))
            is_public = false;
    }
    return name[0] != '\0';
}

void language_file_name(const Language *language, Slice source, const char *given,
                        char name[LANGUAGE_FILE_SIZE]) {
    Slice endings = slice_of(language->endings);
    Slice ending = {NULL, 0};
    slice_word(&endings, &ending);
    if (strcmp(language->name, "java") == 0 && java_class(source, name))
        memcpy(name + strlen(name), ".java", sizeof ".java"); /* java_class leaves room */
    else if (given)
        snprintf(name, LANGUAGE_FILE_SIZE, "%s", given);
    else
        snprintf(name, LANGUAGE_FILE_SIZE, "%s%.*s", "main", SLICE_ARGS(ending));
}

/* ---- the files in a directory ---- */

typedef struct Sources {
    struct dirent **entries; /* source files, sorted by name */
    int count;
} Sources;

static int is_source(const struct dirent *entry) {
    return language_of_file(entry->d_name) != NULL;
}

static bool is_file(const char *directory, const char *name) {
    struct stat about;
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool plain =
        fd >= 0 && fstatat(fd, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode);
    if (fd >= 0)
        close(fd);
    return plain;
}

static bool sources_find(Sources *sources, const char *directory, Error *error) {
    sources->entries = NULL;
    sources->count = scandir(directory, &sources->entries, is_source, alphasort);
    if (sources->count < 0)
        return error_set(error, "cannot read the bot's directory: %s", strerror(errno));
    int kept = 0;
    for (int i = 0; i < sources->count; i++)
        if (is_file(directory, sources->entries[i]->d_name))
            sources->entries[kept++] = sources->entries[i];
        else
            free(sources->entries[i]);
    sources->count = kept;
    return true;
}

static void sources_free(Sources *sources) {
    for (int i = 0; i < sources->count; i++)
        free(sources->entries[i]);
    free(sources->entries);
}

static size_t stem_length(const char *name) {
    return (size_t)(strrchr(name, '.') - name);
}

/* The only source file; or the one named main; or any, if the language compiles all files together
   (%a) and the command does not name the one to run (%c). */
static const char *choose_main(const Sources *sources, Error *error) {
    const char *called_main = NULL;
    bool together = true;
    if (sources->count == 0) {
        error_set(error, "no bot.json and no source file at the top level; add one of them");
        return NULL;
    }
    const Language *first = language_of_file(sources->entries[0]->d_name);
    for (int i = 0; i < sources->count; i++) {
        const char *name = sources->entries[i]->d_name;
        together = together && language_of_file(name) == first;
        if (stem_length(name) != 4 || strncasecmp(name, "main", 4) != 0)
            continue;
        if (called_main) {
            error_set(error,
                      "both %s and %s could be the main file; add a bot.json that says what to run",
                      called_main, name);
            return NULL;
        }
        called_main = name;
    }
    if (called_main)
        return called_main;
    together = together && first->build && strstr(first->build, "%a") && !strstr(first->run, "%c");
    if (sources->count == 1 || together)
        return sources->entries[0]->d_name;
    error_set(error, "%d source files and none is named main; rename one, or add a bot.json",
              sources->count);
    return NULL;
}

/* ---- commands ---- */

/* Quotes a name for the shell; the prefix "./" prevents its interpretation as an option. */
static void quote(Buffer *to, const char *prefix, Slice name) {
    buffer_format(to, "'%s", prefix);
    for (size_t i = 0; i < name.length; i++)
        if (name.at[i] == '\'')
            buffer_text(to, "'\\''");
        else
            buffer_char(to, name.at[i]);
    buffer_char(to, '\'');
}

static char *write_command(const char *pattern, const Language *language, const char *main,
                           const Sources *sources) {
    Buffer text = {0};
    for (const char *at = pattern; *at; at++) {
        if (*at != '%') {
            buffer_char(&text, *at);
            continue;
        }
        at++;
        if (*at == 's')
            quote(&text, "./", slice_of(main));
        else if (*at == 'c')
            quote(&text, "", (Slice){main, stem_length(main)});
        for (int i = 0; *at == 'a' && i < sources->count; i++)
            if (language_of_file(sources->entries[i]->d_name) == language) {
                quote(&text, "./", slice_of(sources->entries[i]->d_name));
                buffer_char(&text, ' ');
            }
    }
    buffer_string(&text);
    return text.data;
}

const Language *language_fill_spec(BotSpec *spec, Error *error) {
    Sources sources;
    const Language *language = NULL;
    const char *main =
        sources_find(&sources, spec->directory, error) ? choose_main(&sources, error) : NULL;
    if (main) {
        language = language_of_file(main);
        if (!language_is_installed(language)) {
            error_set(error, "%s is not installed on this arena (missing: %s); ask its operator",
                      language->title, language->needs);
            language = NULL;
        } else {
            spec->command = write_command(language->run, language, main, &sources);
            spec->build =
                language->build ? write_command(language->build, language, main, &sources) : NULL;
        }
    }
    sources_free(&sources);
    return language;
}
