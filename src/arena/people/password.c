/* See password.h. */
#include "arena/people/password.h"

#include "store/accounts.h"

#include <sodium.h>
#include <string.h>

_Static_assert(PASSWORD_HASH_SIZE == crypto_pwhash_STRBYTES,
               "libsodium's hashes have another size");

enum { PASSES = 2, MEMORY = 19 << 20 };

static char nobodys[PASSWORD_HASH_SIZE];

bool password_prepare(Error *error) {
    if (sodium_init() < 0)
        return error_set(error, "libsodium cannot be used");
    char secret[SECRET_TEXT_SIZE];
    secret_draw(secret);
    return password_hash(slice_of(secret), nobodys, error);
}

bool password_check(Slice password, const char *name, Error *error) {
    if (password.length < PASSWORD_LEAST || password.length > PASSWORD_MOST)
        return error_set(error, "a password has %d to %d bytes; this one has %zu", PASSWORD_LEAST,
                         PASSWORD_MOST, password.length);
    char as_key[STORE_NAME_SIZE];
    char key[STORE_NAME_SIZE];
    store_name_key(password, as_key);
    store_name_key(slice_of(name), key);
    if (password.length == strlen(name) && strcmp(as_key, key) == 0)
        return error_set(error, "the password must not be the name");
    return true;
}

bool password_hash(Slice password, char hash[PASSWORD_HASH_SIZE], Error *error) {
    return crypto_pwhash_str(hash, password.at, password.length, PASSES, MEMORY) == 0 ||
           error_set(error, "there is not enough memory for a password");
}

bool password_fits(Slice password, const char *hash) {
    bool somebodys = hash[0] != '\0';
    bool fits =
        crypto_pwhash_str_verify(somebodys ? hash : nobodys, password.at, password.length) == 0;
    return fits && somebodys;
}

bool password_is_old(const char *hash) {
    return crypto_pwhash_str_needs_rehash(hash, PASSES, MEMORY) != 0;
}

void secret_draw(char text[SECRET_TEXT_SIZE]) {
    unsigned char bytes[32];
    randombytes_buf(bytes, sizeof bytes);
    sodium_bin2base64(text, SECRET_TEXT_SIZE, bytes, sizeof bytes,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

void password_draw(char text[PASSWORD_DRAWN_SIZE]) {
    static const char letters[] = "abcdefghijkmnpqrstuvwxyz23456789";
    for (int i = 0; i < PASSWORD_DRAWN_SIZE - 1; i++)
        text[i] = letters[randombytes_uniform(sizeof letters - 1)];
    text[PASSWORD_DRAWN_SIZE - 1] = '\0';
}
