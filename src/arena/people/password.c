/* Password rules and hashes. See people.h. */
#include "arena/people/password.h"

#include "arena/people/people.h"

#include <sodium.h>
#include <string.h>

_Static_assert(PASSWORD_HASH_SIZE == crypto_pwhash_STRBYTES,
               "libsodium's hashes have another size");

enum { PASSES = 2, MEMORY = 19 << 20 };

static char dummy_hash[PASSWORD_HASH_SIZE];

bool password_prepare(Error *error) {
    if (sodium_init() < 0)
        return error_set(error, "cannot initialise libsodium");
    char secret[SECRET_TEXT_SIZE];
    secret_generate(secret);
    return password_hash(slice_of(secret), dummy_hash, error);
}

bool password_check(Slice password, const char *name, Error *error) {
    if (password.length < PASSWORD_MIN || password.length > PASSWORD_MAX)
        return error_set(error, "a password must have %d to %d bytes; this one has %zu",
                         PASSWORD_MIN, PASSWORD_MAX, password.length);
    char as_key[STORE_NAME_SIZE];
    char key[STORE_NAME_SIZE];
    store_name_key(password, as_key);
    store_name_key(slice_of(name), key);
    if (password.length == strlen(name) && strcmp(as_key, key) == 0)
        return error_set(error, "the password must differ from the name");
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
