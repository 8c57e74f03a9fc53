/* Names of accounts and bots: see accounts.h. */
#include "store/internal.h"

#include <string.h>

enum { SHORTEST = 2 };

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_allowed(char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

bool store_name_check(const char *what, Slice name, Error *error) {
    if (name.length < SHORTEST || name.length >= STORE_NAME_SIZE)
        return error_set(error, "the name of %s must have %d to %d characters, not %zu", what,
                         SHORTEST, STORE_NAME_SIZE - 1, name.length);
    for (size_t i = 0; i < name.length; i++)
        if (!is_allowed(name.at[i]))
            return error_set(
                error,
                "the name of %s can contain only letters from a to z, digits, '-' and '_'; "
                "character %zu is not allowed",
                what, i + 1);
    if (!is_letter(name.at[0]))
        return error_set(error, "the name of %s must start with a letter", what);
    static const char kept[] = "deleted-";
    char key[STORE_NAME_SIZE];
    store_name_key(name, key);
    if (strncmp(key, kept, sizeof kept - 1) == 0)
        return error_set(error, "names that start with \"%s\" are reserved", kept);
    return true;
}

void store_name_key(Slice name, char key[STORE_NAME_SIZE]) {
    size_t length = name.length < STORE_NAME_SIZE ? name.length : STORE_NAME_SIZE - 1;
    for (size_t i = 0; i < length; i++) {
        char c = name.at[i];
        key[i] = (char)(c == '_' ? '-' : c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    key[length] = '\0';
}

void search_pattern(Slice text, char pattern[SEARCH_SIZE]) {
    /* With '_' replaced by '-', the key has no special characters of LIKE; what no name has becomes
       one that none has either. */
    char key[STORE_NAME_SIZE];
    size_t length = text.length < STORE_NAME_SIZE ? text.length : 0;
    store_name_key(text, key);
    pattern[0] = '%';
    for (size_t i = 0; i < length; i++)
        pattern[1 + i] = (char)(is_allowed(key[i]) ? key[i] : ' ');
    if (text.length && !length)
        pattern[1 + length++] = ' ';
    pattern[1 + length] = '%';
    pattern[2 + length] = '\0';
}
