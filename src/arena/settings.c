/* See settings.h. */
#include "arena/settings.h"

#include "base/nearest_name.h"
#include "http/schemas.h"

#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

const char *const registration_names[] = NAME_ARRAY(REGISTRATION_NAMES);

#define REGISTRATION "registration"
#define VISITORS "visitors"
#define LADDER "ladder"

/* Held from reading or writing the store until the setting is changed here. Otherwise a newer value
   could be replaced by an older one that was read in between. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

Registration arena_registration(const Arena *arena) {
    return (Registration)atomic_load(&arena->settings.registration);
}

bool arena_visitors(const Arena *arena) {
    return atomic_load(&arena->settings.visitors);
}

bool arena_ladder_on(const Arena *arena) {
    return atomic_load(&arena->settings.ladder);
}

/* Reads a stored setting; leaves `value` empty if it was never set. False if the store failed. */
static bool read_stored(Arena *arena, const char *name, Buffer *value, Error *error) {
    buffer_clear(value);
    StoreResult result = store_setting_get(arena->store, name, value, error);
    return result == STORE_OK || result == STORE_NOT_FOUND;
}

static bool read_switch(Arena *arena, const char *name, bool *on, Buffer *value, Error *error) {
    if (!read_stored(arena, name, value, error))
        return false;
    if (value->length)
        *on = strcmp(buffer_string(value), "on") == 0;
    return true;
}

bool settings_load(Arena *arena, Error *error) {
    uint32_t registration = arena->options.registration;
    bool visitors = !arena->options.no_visitors;
    bool ladder = !arena->options.no_ladder;
    Buffer value = {0};
    pthread_mutex_lock(&lock);
    bool good = read_stored(arena, REGISTRATION, &value, error);
    /* If nothing is stored, the option's value remains. */
    find_name("value", (Slice){value.data, value.length}, registration_names, &registration, NULL);
    good = good && read_switch(arena, VISITORS, &visitors, &value, error) &&
           read_switch(arena, LADDER, &ladder, &value, error);
    buffer_free(&value);
    /* After a failure nothing changes: otherwise a closed arena could open while its database
       fails. */
    if (good) {
        atomic_store(&arena->settings.registration, registration);
        atomic_store(&arena->settings.visitors, visitors);
        atomic_store(&arena->settings.ladder, ladder);
    }
    pthread_mutex_unlock(&lock);
    return good;
}

bool settings_load_secret(Arena *arena, Error *error) {
    unsigned char chance[(SECRET_HEX_SIZE - 1) / 2];
    char *secret = arena->settings.secret;
    Buffer stored = {0};
    randombytes_buf(chance, sizeof chance);
    sodium_bin2hex(secret, SECRET_HEX_SIZE, chance, sizeof chance);
    if (!arena->options.store)
        return true;
    bool good =
        store_setting_default(arena->store, SETTING_MATCH_SECRET, secret, error) == STORE_OK &&
        store_setting_get(arena->store, SETTING_MATCH_SECRET, &stored, error) == STORE_OK;
    if (good)
        snprintf(secret, SECRET_HEX_SIZE, "%s", buffer_string(&stored));
    buffer_free(&stored);
    return good;
}

StoreResult settings_set_registration(Arena *arena, Registration registration, Error *error) {
    pthread_mutex_lock(&lock);
    StoreResult result =
        store_setting_set(arena->store, REGISTRATION, registration_names[registration], error);
    if (result == STORE_OK)
        atomic_store(&arena->settings.registration, registration);
    pthread_mutex_unlock(&lock);
    if (result == STORE_OK)
        store_news_send(arena->store, NEWS_SETTINGS, 0);
    return result;
}

static StoreResult set_switch(Arena *arena, const char *name, atomic_bool *setting, bool on,
                              Error *error) {
    pthread_mutex_lock(&lock);
    StoreResult result = store_setting_set(arena->store, name, on ? "on" : "off", error);
    if (result == STORE_OK)
        atomic_store(setting, on);
    pthread_mutex_unlock(&lock);
    if (result == STORE_OK)
        store_news_send(arena->store, NEWS_SETTINGS, 0);
    return result;
}

StoreResult settings_set_visitors(Arena *arena, bool on, Error *error) {
    return set_switch(arena, VISITORS, &arena->settings.visitors, on, error);
}

StoreResult settings_set_ladder(Arena *arena, bool on, Error *error) {
    return set_switch(arena, LADDER, &arena->settings.ladder, on, error);
}
