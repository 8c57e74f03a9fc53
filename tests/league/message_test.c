/* Messages between dispatcher and runner arrive unchanged, complete or not at all. */
#include "league/job.h"
#include "league/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static Slice whole(const Buffer *buffer) {
    return (Slice){buffer->data, buffer->length};
}

static void numbers_of_every_size_and_sign_survive_a_round_trip(void **unused) {
    (void)unused;
    static const int64_t numbers[] = {0,   1,    -1,      63,        -64,      64,
                                      127, -128, 1 << 20, INT64_MAX, INT64_MIN};
    Buffer text = {0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        message_put_int(&text, numbers[i]);
        message_put_uint(&text, (uint64_t)numbers[i]);
    }
    MessageReader reader = {whole(&text), true};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_true(message_int(&reader) == numbers[i]);
        assert_true(message_uint(&reader) == (uint64_t)numbers[i]);
    }
    assert_true(reader.good && reader.rest.length == 0);
    buffer_free(&text);
}

static void a_number_that_is_too_long_is_rejected(void **unused) {
    (void)unused;
    MessageReader reader = {slice_of("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), true};
    assert_true(message_uint(&reader) == 0);
    assert_false(reader.good);
}

static void null_text_differs_from_empty_text(void **unused) {
    (void)unused;
    Buffer text = {0};
    message_put_text(&text, NULL);
    message_put_text(&text, "");
    message_put_text(&text, "word");
    MessageReader reader = {whole(&text), true};
    assert_null(message_text(&reader));
    char *empty = message_text(&reader);
    char *word = message_text(&reader);
    assert_string_equal(empty, "");
    assert_string_equal(word, "word");
    free(empty);
    free(word);
    buffer_free(&text);
}

static BotSpec odd_bot(void) {
    return (BotSpec){.kind = BOT_UNIX,
                     .name = strdup("\xff name"),
                     .text = strdup("unix:\n"),
                     .directory = strdup(""),
                     .path = strdup("/a b")};
}

static Job odd_job(const BotSpec *bots) {
    static const char map[] = "a\0b";
    return (Job){
        .id = UINT64_MAX - 1,
        .game = games_all[0],
        .map = {"map", {map, sizeof map}},
        .seed = UINT64_MAX,
        .overrides =
            {.turn_ms = 7, .start_ms = 8, .ponder = true, .memory_most = 5, .limits = {1, 2, 3}},
        .players = 2,
        .bots = {&bots[0], &bots[1]},
        .person_ms = {0, 600000},
        .prelude = {map, sizeof map},
        .prelude_turns = 9,
        .variation = {.seed = UINT64_MAX, .passes = 1, .deviator = 2, .deviation_turns = 3},
    };
}

static void a_job_survives_a_round_trip(void **unused) {
    (void)unused;
    BotSpec bots[2] = {odd_bot(), odd_bot()};
    Job job = odd_job(bots);
    Buffer text = {0};
    JobCopy copy;
    job_encode(&job, &text);
    assert_true(job_decode(&copy, whole(&text)));
    assert_true(copy.job.id == job.id && copy.job.seed == job.seed && copy.job.game == job.game);
    assert_null(copy.job.config.name);
    assert_string_equal(copy.job.map.name, "map");
    assert_int_equal(copy.job.map.text.length, job.map.text.length);
    assert_memory_equal(copy.job.map.text.at, job.map.text.at, job.map.text.length);
    assert_memory_equal(&copy.job.overrides, &job.overrides, sizeof job.overrides);
    assert_int_equal(copy.bots[1].kind, BOT_UNIX);
    assert_string_equal(copy.bots[1].name, "\xff name");
    assert_string_equal(copy.bots[1].path, "/a b");
    assert_string_equal(copy.bots[1].directory, "");
    assert_null(copy.bots[1].command);
    assert_int_equal(copy.job.person_ms[1], 600000);
    assert_true(job_has_person(&copy.job));
    assert_int_equal(copy.job.prelude_turns, 9);
    assert_memory_equal(&copy.job.variation, &job.variation, sizeof job.variation);
    assert_int_equal(copy.job.prelude.length, job.prelude.length);
    assert_memory_equal(copy.job.prelude.at, job.prelude.at, job.prelude.length);
    job_free(&copy);
    for (int i = 0; i < 2; i++)
        bot_spec_free(&bots[i]);
    buffer_free(&text);
}

static void a_job_for_one_bot_carries_only_that(void **unused) {
    (void)unused;
    for (JobTask task = TASK_BUILD; task < TASKS; task++) {
        BotSpec bots[2] = {odd_bot(), {0}};
        Job job = odd_job(bots);
        job.task = task;
        job.try_turn = true;
        Buffer text = {0};
        JobCopy copy;
        job_encode(&job, &text);
        assert_true(job_decode(&copy, whole(&text)));
        assert_int_equal(copy.job.task, task);
        assert_true(copy.job.try_turn);
        assert_string_equal(copy.bots[0].name, "\xff name");
        assert_null(copy.bots[1].name);
        assert_int_equal(copy.job.players, 2);
        job_free(&copy);
        bot_spec_free(&bots[0]);
        buffer_free(&text);
    }
}

static void a_truncated_job_is_rejected(void **unused) {
    (void)unused;
    BotSpec bots[2] = {odd_bot(), odd_bot()};
    Job job = odd_job(bots);
    Buffer text = {0};
    job_encode(&job, &text);
    for (size_t length = 0; length < text.length; length++) {
        /* In its own allocation, so that a sanitizer reports reads beyond its end. */
        char *cut = malloc(length ? length : 1);
        memcpy(cut, text.data, length);
        JobCopy copy;
        assert_false(job_decode(&copy, (Slice){cut, length}));
        job_free(&copy);
        free(cut);
    }
    for (int i = 0; i < 2; i++)
        bot_spec_free(&bots[i]);
    buffer_free(&text);
}

static Record odd_record(void) {
    Record record = {.id = 5,
                     .kind = RECORD_BAD_BOT,
                     .wall = 99,
                     .built = true,
                     .left = {7, UINT64_MAX},
                     .check_errors = 3,
                     .check_warnings = 1};
    buffer_text(&record.build, "main.c:1:1: error");
    snprintf(record.error.text, sizeof record.error.text, "a sentence");
    record.verdict.players = 2;
    record.verdict.turns = 12;
    record.verdict.reason = "turn limit";
    record.verdict.scored = true;
    record.verdict.course = UINT64_MAX;
    for (uint32_t i = 0; i < 2; i++)
        record.verdict.player[i] = (PlayerVerdict){
            .name = strdup(i ? "b" : "a"),
            .status = i ? STATUS_NO_START : STATUS_OK,
            .rank = i + 1,
            .score = -5,
            .refused = UINT64_C(1) << 40,
            .timeouts = 3,
            .late = 4,
            .graces = 6,
            .restarts = 5,
            .wall_total = INT64_C(1) << 50,
            .wall_longest = 7,
            .cpu_total = 8,
            .cpu_longest = 9,
            .failure = "fell over",
        };
    return record;
}

static void a_record_survives_a_round_trip(void **unused) {
    (void)unused;
    Record record = odd_record();
    Record back;
    Buffer text = {0};
    record_encode(&record, &text);
    assert_true(record_decode(&back, whole(&text)));
    assert_true(back.id == 5 && back.kind == RECORD_BAD_BOT && back.wall == 99);
    assert_string_equal(back.error.text, "a sentence");
    assert_true(back.built && back.left.files == 7 && back.left.bytes == UINT64_MAX);
    assert_string_equal(buffer_string(&back.build), "main.c:1:1: error");
    assert_true(back.check_errors == 3 && back.check_warnings == 1);
    assert_string_equal(back.verdict.reason, "turn limit");
    assert_true(back.verdict.course == UINT64_MAX);
    assert_true(back.verdict.scored && back.verdict.turns == 12 && back.verdict.players == 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_string_equal(back.verdict.player[i].name, record.verdict.player[i].name);
        free(back.verdict.player[i].name);
        back.verdict.player[i].name = record.verdict.player[i].name;
        assert_memory_equal(&back.verdict.player[i], &record.verdict.player[i],
                            sizeof(PlayerVerdict));
        back.verdict.player[i].name = NULL;
    }
    record_free(&back);
    record_free(&record);
    buffer_free(&text);
}

static void a_truncated_record_is_rejected(void **unused) {
    (void)unused;
    Record record = odd_record();
    Buffer text = {0};
    record_encode(&record, &text);
    for (size_t length = 0; length < text.length; length++) {
        char *cut = malloc(length ? length : 1);
        memcpy(cut, text.data, length);
        Record back;
        assert_false(record_decode(&back, (Slice){cut, length}));
        record_free(&back);
        free(cut);
    }
    record_free(&record);
    buffer_free(&text);
}

static void each_message_has_its_own_descriptor(void **unused) {
    (void)unused;
    int ends[2];
    int pipes[2][2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pipe(pipes[i]), 0);
        assert_true(message_send(ends[0], slice_of(i ? "second" : "first"), pipes[i][1]));
        close(pipes[i][1]);
    }
    assert_true(message_send(ends[0], slice_of("third"), -1));
    close(ends[0]);
    Buffer message = {0};
    int fd = -1;
    for (int i = 0; i < 2; i++) {
        char letter = 0;
        assert_true(message_read(ends[1], &message, &fd));
        assert_string_equal(buffer_string(&message), i ? "second" : "first");
        assert_true(fd >= 0);
        assert_int_equal(write(fd, i ? "2" : "1", 1), 1);
        assert_int_equal(read(pipes[i][0], &letter, 1), 1);
        assert_int_equal(letter, i ? '2' : '1');
        close(fd);
        close(pipes[i][0]);
    }
    assert_true(message_read(ends[1], &message, &fd));
    assert_string_equal(buffer_string(&message), "third");
    assert_int_equal(fd, -1);
    assert_false(message_read(ends[1], &message, &fd));
    close(ends[1]);
    buffer_free(&message);
}

static void a_message_is_available_when_it_is_complete(void **unused) {
    (void)unused;
    int ends[2];
    Buffer in = {0};
    Slice message;
    bool broken;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    uint32_t length = 5;
    assert_int_equal(write(ends[0], &length, sizeof length), sizeof length);
    assert_int_equal(write(ends[0], "he", 2), 2);
    assert_true(message_receive(ends[1], &in));
    assert_false(message_next(&in, &message, &broken));
    assert_false(broken);
    assert_true(message_receive(ends[1], &in)); /* no data is not the end */
    assert_int_equal(write(ends[0], "llo", 3), 3);
    assert_true(message_receive(ends[1], &in));
    assert_true(message_next(&in, &message, &broken));
    assert_true(slice_equals(message, "hello"));
    message_drop(&in);
    assert_int_equal(in.length, 0);
    length = UINT32_MAX;
    assert_int_equal(write(ends[0], &length, sizeof length), sizeof length);
    assert_true(message_receive(ends[1], &in));
    assert_false(message_next(&in, &message, &broken));
    assert_true(broken);
    close(ends[0]);
    assert_false(message_receive(ends[1], &in));
    close(ends[1]);
    buffer_free(&in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_size_and_sign_survive_a_round_trip),
        cmocka_unit_test(a_number_that_is_too_long_is_rejected),
        cmocka_unit_test(null_text_differs_from_empty_text),
        cmocka_unit_test(a_job_survives_a_round_trip),
        cmocka_unit_test(a_job_for_one_bot_carries_only_that),
        cmocka_unit_test(a_truncated_job_is_rejected),
        cmocka_unit_test(a_record_survives_a_round_trip),
        cmocka_unit_test(a_truncated_record_is_rejected),
        cmocka_unit_test(each_message_has_its_own_descriptor),
        cmocka_unit_test(a_message_is_available_when_it_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
