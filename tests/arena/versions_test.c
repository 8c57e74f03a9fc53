/* Versions and drafts without HTTP: from a file in the store to a program in the sandbox, in every
   installed language; which file is run; and the directories that are created and deleted. */
#include "arena/bots/archive.h"
#include "arena/bots/bots.h"
#include "arena/bots/directory_tree.h"
#include "arena/bots/languages.h"
#include "base/clock.h"
#include "base/path.h"
#include "bots/bot_build.h"
#include "bots/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static Arena arena;
static Sandbox *sandbox;
static uint64_t bot;
static char data[64];

static int set_up(void **state) {
    Error error;
    uint64_t owner;
    (void)state;
    snprintf(data, sizeof data, "/tmp/skirmish-versions-XXXXXX");
    if (!mkdtemp(data))
        return -1;
    arena = (Arena){
        .options = {
            .data = data, .upload_max = 1 << 20, .unpacked_max = 1 << 20, .disk_max = 1 << 30}};
    arena.store = store_open(&(StoreOptions){.directory = data, .relaxed = true}, &error);
    StoreNewAccount account = {.name = "ann", .password = "none"};
    assert_non_null(arena.store);
    assert_int_equal(store_account_add(arena.store, &account, &owner, &error), STORE_OK);
    assert_int_equal(store_bot_add(arena.store, owner, "aliens", "striker", &bot, &error),
                     STORE_OK);
    return 0;
}

static int tear_down(void **state) {
    Error error;
    (void)state;
    bool closed = store_close(arena.store, &error);
    return closed && tree_remove(data) ? 0 : -1;
}

static uint64_t add_version(const char *file_name, Slice bytes) {
    Error error = {0};
    char language[STORE_GAME_SIZE];
    uint64_t id = 0;
    StoreNewVersion version = {
        .bot = bot, .language = language, .file_name = file_name, .size = 1, .spec = ""};
    if (!versions_check(&arena, file_name, bytes, language, &error))
        fail_msg("%s: %s", file_name, error.text);
    assert_int_equal(store_file_put(arena.store, bytes, &version.source, &error), STORE_OK);
    assert_int_equal(store_version_add(arena.store, &version, &id, &error), STORE_OK);
    return id;
}

/* Starts the bot, sends it a line, and appends what it answers within a minute to `said`. */
static void ask(const BotSpec *spec, const char *line, Buffer *said) {
    Error error = {0};
    Process process;
    ProcessStart start = {.command = spec->command,
                          .program = spec->program,
                          .directory = spec->directory,
                          .sandbox = sandbox,
                          .limits = sandbox_standard_limits};
    if (!process_start(&process, &start, &error))
        fail_msg("%s", error.text);
    assert_int_equal(write(process.in, line, strlen(line)), strlen(line));
    int64_t deadline = clock_now() + 60000 * CLOCK_MS;
    while (!(said->length && memchr(said->data, '\n', said->length)) && clock_now() < deadline) {
        struct pollfd end = {process.out, POLLIN, 0};
        poll(&end, 1, 1000);
        ssize_t got = read(process.out, buffer_reserve(said, 4096), 4096);
        said->length += got > 0 ? (size_t)got : 0;
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            break;
    }
    process_end(&process);
    process_sweep(NULL);
}

static void assert_says(const BotSpec *spec, const char *line, const char *wanted) {
    Buffer said = {0};
    ask(spec, line, &said);
    assert_string_equal(buffer_string(&said), wanted);
    buffer_free(&said);
}

/* ---- languages ---- */

/* Programs that answer each line with "got " and the line. */
static const struct {
    const char *language;
    const char *file_name;
    const char *source;
} echoes[] = {
    {"python", "bot.py", "while True: print('got', input())\n"},
    {"javascript", "bot.js",
     "require('readline').createInterface({input: process.stdin})"
     ".on('line', l => console.log('got ' + l));\n"},
    {"ruby", "bot.rb", "$stdout.sync = true\nwhile l = gets\n  puts 'got ' + l\nend\n"},
    {"java", "bot.java",
     "// public class Wrong\nimport java.util.*;\nclass Helper { }\n"
     "/* { */ public final class Brain {\n public static void main(String[] a) {\n"
     "  Scanner s = new Scanner(System.in);\n"
     "  while (s.hasNextLine()) System.out.println(\"got \" + s.nextLine());\n } }\n"},
    {"c", "bot.c",
     "#include <stdio.h>\n#include <math.h>\n"
     "int main(void) { char l[99]; while (fgets(l, 99, stdin)) { printf(\"got %s\", l); "
     "fflush(stdout); } return (int)sqrt(0.0); }\n"},
    {"c++", "bot.cpp",
     "#include <iostream>\nint main() { std::string l; while (std::getline(std::cin, l)) "
     "std::cout << \"got \" << l << std::endl; }\n"},
    {"go", "bot.go",
     "package main\nimport (\"bufio\"; \"fmt\"; \"os\")\nfunc main() { "
     "s := bufio.NewScanner(os.Stdin); for s.Scan() { fmt.Println(\"got \" + s.Text()) } }\n"},
    {"lua", "bot.lua", "for l in io.lines() do print('got ' .. l) io.flush() end\n"},
    {"perl", "bot.pl", "$| = 1; while (<STDIN>) { print \"got $_\"; }\n"},
    {"rust", "bot.rs",
     "fn main() { for l in std::io::stdin().lines() { println!(\"got {}\", l.unwrap()); } }\n"},
    {"haskell", "bot.hs",
     "import System.IO\nmain :: IO ()\nmain = do\n  hSetBuffering stdout LineBuffering\n"
     "  interact (unlines . map (\"got \" ++) . lines)\n"},
    {"lisp", "bot.lisp",
     "(loop for l = (read-line *standard-input* nil) while l\n"
     "      do (format t \"got ~a~%\" l) (finish-output))\n"},
};

static void a_version_in_each_language_is_built_and_runs(void **state) {
    (void)state;
    uint32_t tried = 0;
    for (size_t i = 0; i < sizeof echoes / sizeof *echoes; i++) {
        const Language *language = language_find(slice_of(echoes[i].language), NULL);
        assert_non_null(language);
        assert_ptr_equal(language_of_file(echoes[i].file_name), language);
        if (!language_is_installed(language)) {
            print_message("%s is not here\n", language->title);
            continue;
        }
        Error error = {0};
        BotSpec spec;
        bool built;
        uint64_t id = add_version(echoes[i].file_name, slice_of(echoes[i].source));
        if (!versions_prepare(&arena, id, &spec, &built, &error))
            fail_msg("%s", error.text);
        assert_string_equal(spec.name, "striker");
        assert_int_equal(built, language->build == NULL);
        if (!built && !bot_build(&spec, sandbox, NULL, NULL, &error))
            fail_msg("%s", error.text);
        assert_true(versions_mark_built(&arena, id, (BuildSize){0}, &error));
        assert_says(&spec, "hello\n", "got hello\n");
        bot_spec_free(&spec);
        assert_true(versions_prepare(&arena, id, &spec, &built, &error));
        assert_true(built);
        bot_spec_free(&spec);
        tried++;
    }
    assert_true(tried >= 4);
}

static void drafts_run_in_each_language_and_leave_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof echoes / sizeof *echoes; i++) {
        const Language *language = language_find(slice_of(echoes[i].language), NULL);
        if (!language_is_installed(language))
            continue;
        Error error = {0};
        BotSpec spec;
        if (!versions_prepare_draft(&arena, "match-1_0", language->name, slice_of(echoes[i].source),
                                    &spec, &error) ||
            !bot_build(&spec, sandbox, NULL, NULL, &error))
            fail_msg("%s: %s", language->name, error.text);
        assert_says(&spec, "hello\n", "got hello\n");
        bot_spec_free(&spec);
    }
    char *path = path_join(data, "drafts/match-1_0");
    assert_int_equal(access(path, F_OK), 0);
    versions_drop_draft(&arena, "match-1_0");
    assert_int_not_equal(access(path, F_OK), 0);
    free(path);
}

static void invalid_drafts_are_rejected(void **state) {
    (void)state;
    static const char *const keys[] = {"", "..", "a/b", "a.b"};
    Error error;
    BotSpec spec;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        assert_false(
            versions_prepare_draft(&arena, keys[i], "python", slice_of("x"), &spec, &error));
        bot_spec_free(&spec);
        versions_drop_draft(&arena, keys[i]);
    }
    assert_false(versions_prepare_draft(&arena, "a", "cobol", slice_of("x"), &spec, &error));
    bot_spec_free(&spec);
    assert_non_null(strstr(error.text, "cobol"));
    Buffer large = {0};
    buffer_reserve(&large, 2 << 20);
    memset(large.data, '#', 2 << 20);
    assert_false(
        versions_prepare_draft(&arena, "a", "python", (Slice){large.data, 2 << 20}, &spec, &error));
    bot_spec_free(&spec);
    buffer_free(&large);
}

static void a_java_file_is_named_after_its_class(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"class First {} class Second {}", "First.java"},
        {"class First {} public class Second {}", "Second.java"},
        {"import a.b;\npublic interface Shape {}\nclass Third {}", "Third.java"},
        {"/* class No */ // class No\nclass Yes { class Inner {} public static class More {} }",
         "Yes.java"},
        {"class A { String s = \"} public class No {\"; char c = '{'; } public class B {}",
         "B.java"},
        {"nothing", "main.java"},
        {"", "main.java"},
        {"class", "main.java"},
        {"/*", "main.java"},
        {"\"\\", "main.java"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[LANGUAGE_FILE_SIZE];
        language_file_name(language_find(slice_of("java"), NULL), slice_of(cases[i][0]), NULL,
                           name);
        assert_string_equal(name, cases[i][1]);
    }
    char name[LANGUAGE_FILE_SIZE];
    language_file_name(language_find(slice_of("java"), NULL), slice_of(""), "Own.java", name);
    assert_string_equal(name, "Own.java");
}

/* ---- directories ---- */

static char *version_file(uint64_t id, const char *name) {
    char inside[128];
    snprintf(inside, sizeof inside, "versions/%u/%s", (unsigned)id, name);
    return path_join(data, inside);
}

static void a_deleted_directory_is_unpacked_again_and_must_be_built(void **state) {
    (void)state;
    Error error = {0};
    BotSpec spec;
    bool built;
    uint64_t id = add_version("bot.c", slice_of("int main(void) { return 0; }"));
    assert_true(versions_prepare(&arena, id, &spec, &built, &error));
    assert_false(built);
    bot_spec_free(&spec);
    assert_true(versions_mark_built(&arena, id, (BuildSize){0}, &error));
    assert_true(versions_prepare(&arena, id, &spec, &built, &error));
    assert_true(built);
    bot_spec_free(&spec);
    char *path = version_file(id, ".");
    path[strlen(path) - 2] = '\0';
    assert_true(tree_remove(path));
    assert_true(versions_prepare(&arena, id, &spec, &built, &error));
    assert_false(built);
    bot_spec_free(&spec);
    free(path);
}

/* Unpacks a version and marks it as built; `active` makes it the bot's active version. */
static uint64_t add_built(const char *source, bool active) {
    Error error = {0};
    BotSpec spec;
    bool built;
    uint64_t id = add_version("bot.c", slice_of(source));
    assert_true(versions_prepare(&arena, id, &spec, &built, &error));
    bot_spec_free(&spec);
    assert_true(versions_mark_built(&arena, id, (BuildSize){0}, &error));
    StoreJob job;
    uint32_t count = 1;
    StoreBuildResult result = {.good = true, .activate = active};
    assert_int_equal(store_queue_lease(arena.store, JOB_BUILD, "test", 60000, &job, &count, &error),
                     STORE_OK);
    assert_int_equal(job.subject, id);
    assert_int_equal(store_queue_finish_build(arena.store, job.id, job.attempt, &result, &error),
                     STORE_OK);
    return id;
}

static bool is_unpacked(uint64_t id) {
    char *path = version_file(id, "files/bot.c");
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

static void a_start_keeps_active_versions_and_deletes_incomplete_ones(void **state) {
    (void)state;
    Error error = {0};
    BotSpec spec;
    bool built;
    uint64_t old = add_built("int main(void) { return 1; }", true);
    uint64_t active = add_built("int main(void) { return 2; }", true);
    uint64_t half = add_version("bot.c", slice_of("int main(void) { return 3; }"));
    assert_true(versions_prepare(&arena, half, &spec, &built, &error));
    bot_spec_free(&spec);
    assert_true(is_unpacked(old) && is_unpacked(active) && is_unpacked(half));
    versions_remove_orphans(&arena);
    assert_true(is_unpacked(old) && is_unpacked(active) && is_unpacked(half));
    if (!versions_start(&arena, &error))
        fail_msg("%s", error.text);
    assert_false(is_unpacked(old));
    assert_true(is_unpacked(active));
    assert_false(is_unpacked(half));
}

static void deleting_an_owner_deletes_the_unpacked_versions(void **state) {
    (void)state;
    Error error = {0};
    BotSpec spec;
    bool built;
    StoreBot row;
    uint64_t id = add_built("int main(void) { return 1; }", true);
    assert_int_equal(store_bot_get(arena.store, bot, &row, &error), STORE_OK);
    assert_int_equal(store_account_delete(arena.store, row.owner, &error), STORE_OK);
    versions_remove_orphans(&arena);
    assert_false(is_unpacked(id));
    assert_false(versions_prepare(&arena, id, &spec, &built, &error));
    assert_non_null(strstr(error.text, "was deleted"));
    bot_spec_free(&spec);
}

static void an_unknown_version_is_an_error(void **state) {
    (void)state;
    Error error = {0};
    BotSpec spec;
    bool built;
    assert_false(versions_prepare(&arena, 99, &spec, &built, &error));
    bot_spec_free(&spec);
    assert_string_equal(error.text, "unknown version 99");
}

/* A build could leave such a directory. */
static void a_directory_of_any_depth_and_content_can_be_deleted(void **state) {
    (void)state;
    enum { DEEP = 3000 };
    char *top = path_join(data, "deep");
    char *outside = path_join(data, "outside");
    assert_int_equal(mkdir(top, 0700), 0);
    close(open(outside, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    int at = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < DEEP; i++) {
        assert_int_equal(mkdirat(at, ".up-1", 0700), 0);
        assert_int_equal(symlinkat(outside, at, "link"), 0);
        assert_int_equal(symlinkat("..", at, "up"), 0);
        close(openat(at, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0));
        int next = openat(at, ".up-1", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (i % 100 == 0)
            fchmod(at, 0);
        close(at);
        at = next;
    }
    close(at);
    assert_true(tree_remove(top));
    assert_int_not_equal(access(top, F_OK), 0);
    assert_int_equal(access(outside, F_OK), 0);
    assert_true(tree_remove(top));
    free(top);
    free(outside);
}

/* ---- the start check ---- */

static void a_long_build_log_keeps_its_beginning_and_end(void **state) {
    (void)state;
    Error error = {0};
    BotSpec spec;
    assert_true(versions_prepare_draft(&arena, "noise", "python", slice_of("pass"), &spec, &error));
    Buffer said = {0};
    free(spec.build);
    spec.build = strdup("echo first; echo second >&2; echo $PWD/main.py; exit 3");
    assert_false(bot_build(&spec, sandbox, NULL, &said, &error));
    Buffer shown = {0};
    versions_hide_paths(&arena, (Slice){said.data, said.length}, &shown);
    assert_non_null(strstr(buffer_string(&shown), "first\n"));
    assert_non_null(strstr(buffer_string(&shown), "second\n"));
    assert_non_null(strstr(buffer_string(&shown), "\nmain.py\n"));
    assert_non_null(strstr(buffer_string(&shown), "\nThe build exited with status 3.\n"));

    buffer_clear(&said);
    free(spec.build);
    spec.build = strdup("seq -f 'line %06.0f' 1 100000"); /* twelve bytes each */
    assert_true(bot_build(&spec, sandbox, NULL, &said, &error));
    assert_in_range(said.length, BUILD_OUTPUT_MAX, BUILD_OUTPUT_MAX + 100);
    assert_memory_equal(said.data, "line 000001\n", 12);
    assert_memory_equal(said.data + said.length - 12, "line 100000\n", 12);
    char cut[80];
    snprintf(cut, sizeof cut, "\n[%d bytes omitted]\n", 1200000 - BUILD_OUTPUT_MAX);
    assert_non_null(strstr(buffer_string(&said), cut));
    buffer_free(&shown);
    buffer_free(&said);
    bot_spec_free(&spec);
    versions_drop_draft(&arena, "noise");
}

static void texts_do_not_reveal_the_arenas_directories(void **state) {
    (void)state;
    char *real = realpath(data, NULL);
    static const struct {
        const char *suffix;
        const char *shown;
    } cases[] = {
        {"/versions/17/files/main.py:3", "main.py:3"},
        {"/drafts/12-0/main.c", "main.c"},
        {"/versions/17/files", "."},
        {"/versions/17/files: gone", ".: gone"},
        {"/versions/x/files/", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Buffer text = {0};
        Buffer shown = {0};
        buffer_format(&text, "in \"%s%s\" and %s%s", real, cases[i].suffix, real, cases[i].suffix);
        Buffer wanted = {0};
        buffer_format(&wanted, "in \"%s\" and %s", cases[i].shown, cases[i].shown);
        versions_hide_paths(&arena, (Slice){text.data, text.length}, &shown);
        assert_string_equal(buffer_string(&shown), buffer_string(&wanted));
        buffer_free(&text);
        buffer_free(&shown);
        buffer_free(&wanted);
    }
    Buffer same = {0};
    Buffer shown = {0};
    buffer_format(&same, "%s/files %s%s2/versions/", real, "/versions/17/files ", real);
    versions_hide_paths(&arena, (Slice){same.data, same.length}, &shown);
    assert_string_equal(buffer_string(&shown), buffer_string(&same));
    buffer_free(&same);
    buffer_free(&shown);
    free(real);
}

int main(void) {
    Error error;
    /* An ordinary user may have no memory limit, and then no strict sandbox. */
    sandbox = sandbox_new(geteuid() == 0 ? SANDBOX_STRICT : SANDBOX_BEST_EFFORT, &error);
    if (!sandbox) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
#define IN_AN_ARENA(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_AN_ARENA(a_version_in_each_language_is_built_and_runs),
        IN_AN_ARENA(drafts_run_in_each_language_and_leave_nothing),
        IN_AN_ARENA(invalid_drafts_are_rejected),
        IN_AN_ARENA(a_long_build_log_keeps_its_beginning_and_end),
        IN_AN_ARENA(texts_do_not_reveal_the_arenas_directories),
        cmocka_unit_test(a_java_file_is_named_after_its_class),
        IN_AN_ARENA(a_deleted_directory_is_unpacked_again_and_must_be_built),
        IN_AN_ARENA(a_start_keeps_active_versions_and_deletes_incomplete_ones),
        IN_AN_ARENA(deleting_an_owner_deletes_the_unpacked_versions),
        IN_AN_ARENA(an_unknown_version_is_an_error),
        IN_AN_ARENA(a_directory_of_any_depth_and_content_can_be_deleted),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sandbox_free(sandbox);
    return failed;
}
