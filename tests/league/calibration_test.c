/* The calibration: it measures something, and leaves its thread as it was. How exact it is depends
   on the machine, see docs/scale.md. */
#include "league/calibration.h"

#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void calibration_measures_a_speed_and_releases_the_cores(void **state) {
    (void)state;
    cpu_set_t before;
    cpu_set_t after;
    sigset_t signals;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    uint32_t speed = calibration_measure();
    assert_in_range(speed, 1, 10000);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
    pthread_sigmask(SIG_SETMASK, NULL, &signals);
    assert_false(sigismember(&signals, SIGTERM));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calibration_measures_a_speed_and_releases_the_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
