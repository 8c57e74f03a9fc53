/* The JSON reader and the writer: what was read and written reads back the same, and the three ways
   to read a number agree. */
#include "fuzz.h"

#include <math.h>
#include <string.h>

static void write_node(const Json *json, uint32_t node, JsonOut *out, const char *key) {
    const JsonNode *it = &json->nodes[node];
    switch (it->kind) {
    case JSON_NULL:
        json_out_null(out, key);
        break;
    case JSON_FALSE:
    case JSON_TRUE:
        json_out_bool(out, key, it->kind == JSON_TRUE);
        break;
    case JSON_NUMBER:
        json_out_raw(out, key, it->text);
        break;
    case JSON_STRING:
        json_out_string(out, key, it->text);
        break;
    case JSON_ARRAY:
        json_open(out, key, '[');
        for (uint32_t i = node + 1; i < it->next; i = json->nodes[i].next)
            write_node(json, i, out, NULL);
        json_close(out, ']');
        break;
    case JSON_OBJECT:
        json_open(out, key, '{');
        for (uint32_t i = node + 1; i < it->next; i = json->nodes[i + 1].next) {
            /* A key is a Slice and may contain anything, even a zero byte: it is written as a
               value, and the colon by hand. */
            json_out_string(out, NULL, json->nodes[i].text);
            buffer_char(out->to, ':');
            out->comma = false;
            write_node(json, i + 1, out, NULL);
        }
        json_close(out, '}');
        break;
    }
}

static void check_number(const Json *json, uint32_t node) {
    uint64_t digits = 0;
    int64_t whole = 0;
    double number = 0;
    bool is_digits = json_uint64(json, node, &digits);
    bool is_whole = json_whole(json, node, &whole);
    bool is_number = json_number(json, node, &number);
    if (is_digits && digits <= INT64_MAX && (!is_whole || whole != (int64_t)digits))
        fuzz_broken("json_uint64 and json_whole disagree");
    /* Both round to nearest, so they also agree beyond 2^53. */
    if (is_whole && is_number && (double)whole != number)
        fuzz_broken("json_whole and json_number disagree");
    if (!is_whole && is_number && fabs(number) < 1e15 && fabs(number) > 1e-300 &&
        json->nodes[node].text.length < 15 && number == floor(number))
        fuzz_broken("json_whole missed a whole number");
}

static bool same_nodes(const Json *a, const Json *b) {
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const JsonNode *x = &a->nodes[i];
        const JsonNode *y = &b->nodes[i];
        if (x->kind != y->kind || x->next != y->next || x->count != y->count ||
            x->text.length != y->text.length ||
            (x->text.length && memcmp(x->text.at, y->text.at, x->text.length) != 0))
            return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Json json;
    static Json again;
    static Buffer text;
    Error error = {0};
    if (!json_parse(&json, (Slice){(const char *)data, size}, &error)) {
        if (strncmp(error.text, "line ", 5) != 0)
            fuzz_broken("refused without a line: \"%s\"", error.text);
        return 0;
    }
    for (uint32_t node = 0; node < json.count; node++) {
        check_number(&json, node);
        if (json_line(&json, node) < 1 || !json_kind_name(&json, node)[0])
            fuzz_broken("a node without a line or a name");
    }
    buffer_clear(&text);
    JsonOut out = {.to = &text};
    write_node(&json, 0, &out, NULL);
    if (!json_parse(&again, (Slice){text.data, text.length}, &error))
        fuzz_broken("the written JSON cannot be read back: %s", error.text);
    if (!same_nodes(&json, &again))
        fuzz_broken("the JSON changed when it was written and read back");
    return 0;
}
