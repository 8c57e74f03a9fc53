/* Password rules and hashes. See people.h. */
#include "arena/people/password.h"

#include "arena/people/people.h"
#include "base/utf8.h"

#include <sodium.h>
#include <string.h>

_Static_assert(PASSWORD_HASH_SIZE == crypto_pwhash_STRBYTES,
               "the store and libsodium have the same size of hashes");

enum { PASSES = 2, MEMORY = 19 << 20, DIGITS_MIN = 14 };

static char dummy_hash[PASSWORD_HASH_SIZE];

bool password_prepare(Error *error) {
    if (sodium_init() < 0)
        return error_set(error, "cannot initialise libsodium");
    char secret[SECRET_TEXT_SIZE];
    secret_generate(secret);
    return password_hash(slice_of(secret), dummy_hash, error);
}

/* ---- passwords that are easy to guess ---- */

static char plain_case(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The letter that a digit or sign stands for, as in "p4ssw0rd"; upper case becomes lower case. */
static char plain_letter(char c) {
    static const char from[] = "0134578@$!|+_";
    static const char to[] = "oieastbasiit-";
    const char *found = c ? strchr(from, c) : NULL;
    return found ? to[found - from] : plain_case(c);
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether the password, without the digits and signs around it, is a common word, the name of the
   account, or a name of this program. */
static bool is_common_word(Slice password, const char *name) {
    char word[64] = " ";
    size_t length = 1;
    Slice inner = password;
    while (inner.length && !is_letter(inner.at[0]))
        inner = (Slice){inner.at + 1, inner.length - 1};
    while (inner.length && !is_letter(inner.at[inner.length - 1]))
        inner.length--;
    if (!inner.length || inner.length + 3 > sizeof word)
        return false;
    for (size_t i = 0; i < inner.length; i++)
        word[length++] = plain_letter(inner.at[i]);
    word[length] = '\0';
    char plain_name[STORE_NAME_SIZE] = "";
    for (size_t i = 0; name[i] && i + 1 < sizeof plain_name; i++)
        plain_name[i] = plain_letter(name[i]);
    if (strcmp(word + 1, plain_name) == 0 || strcmp(word + 1, "skirmish") == 0 ||
        strcmp(word + 1, "arena") == 0)
        return true;
    word[length] = ' ';
    word[length + 1] = '\0';
    return strstr(password_common_words, word) != NULL;
}

/* Whether the password repeats its first few characters: "aaaaaaaa", "abc1abc1abc1". */
static bool repeats(Slice password) {
    for (size_t period = 1; period <= 4 && period * 2 <= password.length; period++) {
        size_t i = period;
        while (i < password.length && password.at[i] == password.at[i - period])
            i++;
        if (i == password.length)
            return true;
    }
    return false;
}

/* Whether nearly all characters follow the one before in the alphabet or on the keyboard, in either
   direction: "abcdefgh", "87654321", "1qaz2wsx", "1q2w3e4r". */
static bool is_in_a_row(Slice password) {
    static const char *const rows[] = {"abcdefghijklmnopqrstuvwxyz",
                                       "01234567890",
                                       "qwertyuiop",
                                       "qwertzuiop",
                                       "asdfghjkl",
                                       "zxcvbnm",
                                       "yxcvbnm",
                                       "1qaz2wsx3edc4rfv5tgb6yhn",
                                       "1q2w3e4r5t6y7u8i9o0p",
                                       "q1w2e3r4t5y6u7i8o9p0",
                                       "zaq12wsxcde34rfv"};
    size_t steps = 0;
    for (size_t i = 1; i < password.length; i++) {
        char pair[3] = {plain_case(password.at[i - 1]), plain_case(password.at[i]), '\0'};
        char back[3] = {pair[1], pair[0], '\0'};
        bool found = pair[0] == pair[1];
        for (size_t row = 0; row < sizeof rows / sizeof *rows && !found; row++)
            found = strstr(rows[row], pair) || strstr(rows[row], back);
        steps += found;
    }
    return steps * 4 >= (password.length - 1) * 3;
}

static bool is_digits(Slice password) {
    for (size_t i = 0; i < password.length; i++)
        if (password.at[i] < '0' || password.at[i] > '9')
            return false;
    return true;
}

bool password_check(Slice password, const char *name, Error *error) {
    size_t characters = 0;
    for (Slice rest = password; rest.length; utf8_next(&rest))
        characters++;
    if (characters < PASSWORD_MIN || characters > PASSWORD_MAX)
        return error_set(error, "a password must have %d to %d characters; this one has %zu",
                         PASSWORD_MIN, PASSWORD_MAX, characters);
    char as_key[STORE_NAME_SIZE];
    char key[STORE_NAME_SIZE];
    store_name_key(password, as_key);
    store_name_key(slice_of(name), key);
    if (password.length == strlen(name) && strcmp(as_key, key) == 0)
        return error_set(error, "the password must differ from the name");
    if (is_common_word(password, name) || repeats(password) || is_in_a_row(password) ||
        (is_digits(password) && password.length < DIGITS_MIN))
        return error_set(error, "this password is easy to guess; choose one that others do not "
                                "use, such as a few random words");
    return true;
}

bool password_hash(Slice password, char hash[PASSWORD_HASH_SIZE], Error *error) {
    return crypto_pwhash_str(hash, password.at, password.length, PASSES, MEMORY) == 0 ||
           error_set(error, "not enough memory to hash a password");
}

bool password_matches(Slice password, const char *hash) {
    bool real = hash[0] != '\0';
    bool matches =
        crypto_pwhash_str_verify(real ? hash : dummy_hash, password.at, password.length) == 0;
    return matches && real;
}

bool password_needs_rehash(const char *hash) {
    return crypto_pwhash_str_needs_rehash(hash, PASSES, MEMORY) != 0;
}

void secret_generate(char text[SECRET_TEXT_SIZE]) {
    unsigned char bytes[32];
    randombytes_buf(bytes, sizeof bytes);
    sodium_bin2base64(text, SECRET_TEXT_SIZE, bytes, sizeof bytes,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

void password_generate(char text[PASSWORD_GENERATED_SIZE]) {
    static const char letters[] = "abcdefghijkmnpqrstuvwxyz23456789";
    for (int i = 0; i < PASSWORD_GENERATED_SIZE - 1; i++)
        text[i] = letters[randombytes_uniform(sizeof letters - 1)];
    text[PASSWORD_GENERATED_SIZE - 1] = '\0';
}
