/* Untrusted input of the store: as a name, as a cursor, and as text for the database. */
#include "fuzz.h"
#include "sql/valid_text.h"
#include "store/store.h"

#include <string.h>

static void read_name(Slice input) {
    char key[STORE_NAME_SIZE];
    char again[STORE_NAME_SIZE];
    Error error = {0};
    if (!store_name_check("an account", input, &error)) {
        if (!error.text[0])
            fuzz_broken("a name was refused without a reason");
        return;
    }
    store_name_key(input, key);
    store_name_key(slice_of(key), again);
    if (strlen(key) != input.length || strcmp(key, again) != 0)
        fuzz_broken("the key of \"%s\" is not its own key", key);
    if (!store_name_check("an account", slice_of(key), NULL))
        fuzz_broken("\"%s\" is a key, but not a valid name", key);
}

static void read_cursor(Slice input) {
    StoreCursor cursor;
    StoreCursor back;
    if (!store_cursor_read(input, &cursor))
        return;
    char text[STORE_CURSOR_SIZE];
    store_cursor_write(cursor, text);
    if (!store_cursor_read(slice_of(text), &back) || cursor.key != back.key || cursor.id != back.id)
        fuzz_broken("the cursor %s is not the same when read again", text);
}

static void clean(Slice input) {
    Buffer cleaned = {0};
    valid_text_add(&cleaned, input);
    Slice text = {cleaned.data, cleaned.length};
    if (!valid_text_is(text))
        fuzz_broken("a text is not clean after cleaning");
    bool same = text.length == input.length &&
                (!text.length || memcmp(text.at, input.at, text.length) == 0);
    if (valid_text_is(input) != same)
        fuzz_broken("a clean text was changed, or an unclean one was not");
    buffer_free(&cleaned);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Slice input = {(const char *)data, size};
    read_name(input);
    read_cursor(input);
    clean(input);
    return 0;
}
