/* Allocation that aborts instead of returning NULL. */
#include "base/memory.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Runs `ask` in a child; returns how the child ended and what it printed to standard error. */
static int status_of(void (*ask)(void), char *said, size_t size) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        dup2(ends[1], STDERR_FILENO);
        ask();
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t count = 1; count > 0 && length < size - 1; length += (size_t)count)
        count = read(ends[0], said + length, size - 1 - length);
    said[length] = '\0';
    close(ends[0]);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void ask_for_an_overflowing_product(void) {
    volatile size_t count = SIZE_MAX / 2; /* the compiler rejects the constant */
    free(xreallocarray(NULL, count, 4));
}

static void running_out_of_memory_aborts_with_one_message(void **unused) {
    (void)unused;
    char said[200];
    int status = status_of(ask_for_an_overflowing_product, said, sizeof said);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_string_equal(said, "skirmish: out of memory\n");
}

static void a_size_of_zero_gives_a_block(void **unused) {
    (void)unused;
    void *blocks[] = {xmalloc(0), xcalloc(0, 8), xcalloc(8, 0), xreallocarray(NULL, 0, 8)};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        assert_non_null(blocks[i]);
        free(blocks[i]);
    }
}

static void growing_keeps_the_content(void **unused) {
    (void)unused;
    char *text = xstrdup("skirmish");
    text = xreallocarray(text, 1000, 1);
    assert_string_equal(text, "skirmish");
    free(text);
}

static void formatted_text_can_be_of_any_length(void **unused) {
    (void)unused;
    char *text = xasprintf("%s-%0200d", "bot", 7);
    assert_int_equal(strlen(text), 204);
    assert_memory_equal(text, "bot-000", 7);
    assert_string_equal(text + 202, "07");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_out_of_memory_aborts_with_one_message),
        cmocka_unit_test(a_size_of_zero_gives_a_block),
        cmocka_unit_test(growing_keeps_the_content),
        cmocka_unit_test(formatted_text_can_be_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
