/* The log, also one that cannot be written, and the metrics. */
#include "base/json.h"
#include "http/log.h"
#include "http/metrics.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static Slice content(int fd, char *to, size_t size) {
    ssize_t length = pread(fd, to, size, 0);
    return (Slice){to, length > 0 ? (size_t)length : 0};
}

static void a_value_cannot_forge_a_field_or_a_line(void **state) {
    (void)state;
    static char text[4096];
    int fd = memfd_create("log", MFD_CLOEXEC);
    Log *log = log_new(fd, LOG_INFO);
    const LogField fields[] = {{.name = "name", .text = "a\"},\n{\"b\xff\x01"},
                               {.name = "count", .number = -5}};
    log_write(log, LOG_DEBUG, "unseen", NULL, 0);
    log_write(log, LOG_INFO, "seen", fields, 2);
    log_free(log);
    Slice rest = content(fd, text, sizeof text);
    Slice line;
    Json json = {0};
    assert_true(slice_line(&rest, &line));
    assert_true(json_parse(&json, line, NULL));
    uint32_t name = json_member(&json, 0, "name");
    assert_true(slice_equals(json.nodes[name].text, "a\"},\n{\"b\xef\xbf\xbd\x01"));
    assert_false(slice_line(&rest, &line));
    json_free(&json);
    close(fd);
}

static void information_is_buffered_and_a_warning_flushes(void **state) {
    (void)state;
    static char text[4096];
    int fd = memfd_create("log", MFD_CLOEXEC);
    Log *log = log_new(fd, LOG_INFO);
    log_write(log, LOG_INFO, "first", NULL, 0);
    assert_int_equal(content(fd, text, sizeof text).length, 0);
    log_write(log, LOG_WARNING, "second", NULL, 0);
    Slice written = content(fd, text, sizeof text);
    assert_non_null(memmem(written.at, written.length, "first", 5));
    assert_non_null(memmem(written.at, written.length, "second", 6));
    log_free(log);
    close(fd);
}

static void lines_that_cannot_be_written_are_counted(void **state) {
    (void)state;
    static char text[4096];
    int file = memfd_create("log", MFD_CLOEXEC);
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    Log *log = log_new(fd, LOG_INFO);
    for (int i = 0; i < 3; i++)
        log_write(log, LOG_ERROR, "lost", NULL, 0);
    assert_int_equal(dup2(file, fd), fd);
    log_write(log, LOG_ERROR, "found", NULL, 0);
    Slice written = content(file, text, sizeof text);
    /* The reports of lost lines were lost, too, and are counted. */
    assert_non_null(memmem(written.at, written.length, "\"log lines lost\",\"lines\":", 24));
    assert_non_null(memmem(written.at, written.length, "found", 5));
    log_free(log);
    close(fd);
    close(file);
}

static void metrics_of_the_same_name_are_grouped(void **state) {
    (void)state;
    Metrics *metrics = metrics_new();
    Metric *one = metrics_counter(metrics, "a_total", "A.", "kind", "x\"\n\\");
    metric_set(metrics_gauge(metrics, "b", "B.", NULL, NULL), -3);
    metric_add(metrics_counter(metrics, "a_total", "A.", "kind", "y"), 2);
    Metric *time = metrics_histogram(metrics, "t_seconds", "T.", NULL, NULL);
    metric_add(one, 1);
    metric_observe(time, 300000);
    metric_observe(time, 20000000000);
    Buffer text = {0};
    metrics_write(metrics, &text);
    const char *written = buffer_string(&text);
    assert_non_null(strstr(written, "# HELP a_total A.\n# TYPE a_total counter\n"
                                    "a_total{kind=\"x\\\" \\\\\"} 1\na_total{kind=\"y\"} 2\n"
                                    "# HELP b B.\n# TYPE b gauge\nb -3\n"));
    assert_non_null(strstr(written, "t_seconds_bucket{le=\"0.00025\"} 0\n"));
    assert_non_null(strstr(written, "t_seconds_bucket{le=\"0.0005\"} 1\n"));
    assert_non_null(strstr(written, "t_seconds_bucket{le=\"10\"} 1\n"));
    assert_non_null(strstr(written, "t_seconds_bucket{le=\"+Inf\"} 2\nt_seconds_sum 20.000300000\n"
                                    "t_seconds_count 2\n"));
    buffer_free(&text);
    metrics_free(metrics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_cannot_forge_a_field_or_a_line),
        cmocka_unit_test(information_is_buffered_and_a_warning_flushes),
        cmocka_unit_test(lines_that_cannot_be_written_are_counted),
        cmocka_unit_test(metrics_of_the_same_name_are_grouped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
