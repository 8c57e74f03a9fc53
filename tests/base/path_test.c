/* File paths. */
#include "base/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void a_slash_joins_directory_and_name(void **unused) {
    (void)unused;
    char *path = path_join("data", "files/ab");
    assert_string_equal(path, "data/files/ab");
    free(path);
}

static void a_path_is_below_itself_and_its_directories(void **unused) {
    (void)unused;
    assert_true(path_is_below("/usr", "/usr"));
    assert_true(path_is_below("/usr/lib", "/usr"));
    assert_false(path_is_below("/usrlib", "/usr"));
    assert_false(path_is_below("/us", "/usr"));
}

static void program_files_are_found_next_to_the_executable(void **unused) {
    (void)unused;
    char *path = path_of_program_file("path_test");
    assert_int_equal(access(path, X_OK), 0);
    assert_int_equal(path[0], '/');
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slash_joins_directory_and_name),
        cmocka_unit_test(a_path_is_below_itself_and_its_directories),
        cmocka_unit_test(program_files_are_found_next_to_the_executable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
