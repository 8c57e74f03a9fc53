/* Where answers end: each kind of framing, both kinds of line ends, closed streams, and streams
   that arrive in portions. */
#include "base/framing.h"
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A stream with a bar after each answer. The text after the last bar is not an answer while the
   stream is open. */
static const struct {
    FramingKind kind;
    const char *stream;
} cases[] = {
    {FRAMING_LINE, "one\n|two\n|"},
    {FRAMING_LINE, "one\r\n|\n|\r\n|last"},
    {FRAMING_LINE, "a\rb\n|"},
    {FRAMING_LINE, ""},
    {FRAMING_BLANK_LINE, "a\nb\n\n|c\r\n\r\n|\n|"},
    {FRAMING_BLANK_LINE, "a\n \n\t\n\n|"},
    {FRAMING_BLANK_LINE, "a\nb"},
    {FRAMING_BLANK_LINE, "a\nb\n"},
    {FRAMING_END_LINE, "go\nend\n|end\r\n| end \n|"},
    {FRAMING_END_LINE, "endless\nthe end\nEND\nend\n|"},
    {FRAMING_END_LINE, "go\nen"},
    {FRAMING_JSON_ARRAY, "[]|[1,[2],{\"a\":[]}]|"},
    {FRAMING_JSON_ARRAY, " \t\r\n[]|\n[]|\n"},
    {FRAMING_JSON_ARRAY, "[\"]\",\"\\\"]\",\"\\\\\"]|[]|"},
    {FRAMING_JSON_ARRAY, "[\"[\",\"{\"]|"},
    {FRAMING_JSON_ARRAY, "[1"},
    {FRAMING_JSON_ARRAY, "[\"]"},
    {FRAMING_JSON_ARRAY, "[}|[]|"},
    {FRAMING_JSON_ARRAY, "{\"moves\":[]}\n|[]|"},
    {FRAMING_JSON_ARRAY, "units: 3\r\n|[]|\nnull\n|"},
    {FRAMING_JSON_ARRAY, "  \"[\"\n|"},
    {FRAMING_JSON_ARRAY, "][]\n|[]|"},
    {FRAMING_JSON_ARRAY, "null"},
};

/* What counts as an answer when the stream is closed: a last line may lack its newline. */
static const struct {
    FramingKind kind;
    const char *stream;
    size_t length;
} closed_cases[] = {
    {FRAMING_LINE, "last", 4},
    {FRAMING_LINE, "last\r", 5},
    {FRAMING_LINE, "", 0},
    {FRAMING_BLANK_LINE, "a\n\r", 3},
    {FRAMING_BLANK_LINE, "a\nb", 0},
    {FRAMING_BLANK_LINE, "a\n", 0},
    {FRAMING_END_LINE, "go\nend", 6},
    {FRAMING_END_LINE, "go\nend \r", 8},
    {FRAMING_END_LINE, "go\nending", 0},
    {FRAMING_JSON_ARRAY, "[1", 0},
    {FRAMING_JSON_ARRAY, " \n", 0},
    {FRAMING_JSON_ARRAY, " \nnull", 6},
};

/* Takes the bars out of a drawn stream; returns how many answers it has, with their ends in
   `ends`. */
static size_t undraw(const char *drawing, char *stream, size_t ends[16]) {
    size_t count = 0;
    size_t length = 0;
    for (; *drawing; drawing++) {
        if (*drawing == '|')
            ends[count++] = length;
        else
            stream[length++] = *drawing;
    }
    stream[length] = '\0';
    return count;
}

/* Feeds a stream in portions of up to `portion` bytes and expects the drawn answers. */
static void check_portions(size_t index, uint32_t portion, Random *random) {
    char stream[100];
    size_t ends[16];
    size_t expected = undraw(cases[index].stream, stream, ends);
    size_t length = strlen(stream);
    Framing framing = {.kind = cases[index].kind};
    size_t start = 0;
    size_t found = 0;
    for (size_t arrived = 0; arrived < length;) {
        arrived += portion > 1 ? 1 + random_below(random, portion) : 1;
        arrived = arrived < length ? arrived : length;
        size_t answer = 0;
        while ((answer = framing_find(&framing, stream + start, arrived - start, false)) > 0) {
            start += answer;
            if (found == expected || ends[found] != start)
                fail_msg("%s: answer %zu ends at %zu", cases[index].stream, found, start);
            found++;
            framing_reset(&framing);
        }
    }
    if (found != expected)
        fail_msg("%s: %zu answers", cases[index].stream, found);
}

static void every_kind_of_answer_ends_at_the_right_byte(void **unused) {
    (void)unused;
    Random random = random_seeded(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_portions(i, 1000000, &random);
}

static void single_bytes_give_the_same_answers_as_one_large_block(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_portions(i, 1, NULL);
}

static void blocks_of_any_size_give_the_same_answers(void **unused) {
    (void)unused;
    Random random = random_seeded(2);
    for (uint32_t round = 0; round < 200; round++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            check_portions(i, 2 + round % 9, &random);
}

static void at_the_end_of_the_output_a_line_without_a_newline_counts(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof closed_cases / sizeof *closed_cases; i++) {
        Framing framing = {.kind = closed_cases[i].kind};
        const char *stream = closed_cases[i].stream;
        assert_int_equal(framing_find(&framing, stream, strlen(stream), false), 0);
        size_t length = framing_find(&framing, stream, strlen(stream), true);
        if (length != closed_cases[i].length)
            fail_msg("%s: %zu", stream, length);
    }
}

static void every_byte_is_scanned_only_once(void **unused) {
    (void)unused;
    char stream[] = "[[[[1,2,3";
    Framing framing = {.kind = FRAMING_JSON_ARRAY};
    assert_int_equal(framing_find(&framing, stream, strlen(stream), false), 0);
    memset(stream, '}', 9); /* scanned bytes are not read again */
    assert_int_equal(framing_find(&framing, stream, strlen(stream), false), 0);
    assert_int_equal(framing.scanned, 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_answer_ends_at_the_right_byte),
        cmocka_unit_test(single_bytes_give_the_same_answers_as_one_large_block),
        cmocka_unit_test(blocks_of_any_size_give_the_same_answers),
        cmocka_unit_test(at_the_end_of_the_output_a_line_without_a_newline_counts),
        cmocka_unit_test(every_byte_is_scanned_only_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
