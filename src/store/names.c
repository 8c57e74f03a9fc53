/* Names of accounts and bots: see accounts.h. */
#include "store/internal.h"

#include "base/utf8.h"

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
    static const char kept[] = DELETED_PREFIX;
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

void store_name_look(Slice name, char look[STORE_NAME_SIZE]) {
    store_name_key(name, look);
    for (char *c = look; *c; c++)
        *c = (char)(*c == '0' ? 'o' : *c == '1' || *c == 'i' ? 'l' : *c);
}

/* Alphabets with letters that look alike. IMITATED are characters that only imitate letters. */
typedef enum Alphabet { ALPHABET_NONE, LATIN, GREEK, CYRILLIC, IMITATED } Alphabet;

static Alphabet alphabet_of(uint32_t code) {
    static const struct {
        uint32_t first, last;
        Alphabet alphabet;
    } ranges[] = {{'A', 'Z', LATIN},
                  {'a', 'z', LATIN},
                  {0xc0, 0x24f, LATIN},
                  {0x250, 0x2af, IMITATED}, /* phonetic symbols */
                  {0x370, 0x3ff, GREEK},
                  {0x400, 0x52f, CYRILLIC},
                  {0x1d00, 0x1dbf, IMITATED},
                  {0x1e00, 0x1eff, LATIN},
                  {0x1f00, 0x1fff, GREEK},
                  {0x2100, 0x214f, IMITATED},   /* letterlike symbols */
                  {0xe000, 0xf8ff, IMITATED},   /* private use */
                  {0xff01, 0xff5e, IMITATED},   /* fullwidth forms */
                  {0x1d400, 0x1d7ff, IMITATED}, /* mathematical letters */
                  {0xe0000, 0x10ffff, IMITATED}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return ranges[i].alphabet;
    return ALPHABET_NONE;
}

bool store_text_check(const char *what, Slice text, Error *error) {
    if (!utf8_is_line(text))
        return error_set(error, "%s contains a control character or an invisible one", what);
    Slice rest = text;
    Alphabet word = ALPHABET_NONE;
    while (rest.length) {
        uint32_t code = utf8_next(&rest);
        Alphabet alphabet = alphabet_of(code);
        if (alphabet == IMITATED || code == 0xfffd)
            return error_set(error, "%s contains a character that is not allowed, U+%04X", what,
                             (unsigned)code);
        if (code < 0x80 && alphabet == ALPHABET_NONE)
            word = ALPHABET_NONE; /* a space or punctuation ends a word */
        else if (alphabet != ALPHABET_NONE && word != ALPHABET_NONE && word != alphabet)
            return error_set(error, "%s mixes the letters of two alphabets in one word", what);
        else if (alphabet != ALPHABET_NONE)
            word = alphabet;
    }
    return true;
}

void search_pattern(Slice text, char pattern[SEARCH_SIZE]) {
    /* The key has '-' for '_', so it contains none of LIKE's special characters. Characters that no
       name can have are replaced by one that matches none. */
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
