/* See s3_credentials.h. */
#include "store/s3_credentials.h"

#include "base/path.h"
#include "base/slice.h"

#include <errno.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the environment ---- */

static S3Credentials of_environment;

/* Copies a variable and removes it. Also erases its text, because `ps` and /proc show the
   environment that a program was started with. */
static void take_variable(const char *name, char *to, size_t size) {
    char *value = getenv(name);
    if (!value)
        return;
    snprintf(to, size, "%s", value);
    sodium_memzero(value, strlen(value));
    unsetenv(name);
}

static void take_environment(void) {
    take_variable("AWS_ACCESS_KEY_ID", of_environment.key, sizeof of_environment.key);
    take_variable("AWS_SECRET_ACCESS_KEY", of_environment.secret, sizeof of_environment.secret);
    take_variable("AWS_SESSION_TOKEN", of_environment.token, sizeof of_environment.token);
}

/* ---- the file ---- */

static char *default_path(void) {
    const char *home = getenv("HOME");
    return path_join(home ? home : "/", ".aws/credentials");
}

/* Reads a line of the file: "name = value", or the start of a section, "[name]". */
static void take_line(Slice line, const char *profile, bool *inside, S3Credentials *to) {
    const struct {
        const char *name;
        char *to;
        size_t size;
    } members[] = {{"aws_access_key_id", to->key, sizeof to->key},
                   {"aws_secret_access_key", to->secret, sizeof to->secret},
                   {"aws_session_token", to->token, sizeof to->token}};
    line = slice_trim(line);
    const char *equals = line.length ? memchr(line.at, '=', line.length) : NULL;
    if (line.length > 1 && line.at[0] == '[') {
        *inside = line.at[line.length - 1] == ']' &&
                  slice_equals(slice_trim((Slice){line.at + 1, line.length - 2}), profile);
        return;
    }
    if (!*inside || !equals)
        return;
    Slice name = slice_trim((Slice){line.at, (size_t)(equals - line.at)});
    Slice value = slice_trim((Slice){equals + 1, line.length - (size_t)(equals + 1 - line.at)});
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (slice_equals(name, members[i].name) && value.length < members[i].size)
            snprintf(members[i].to, members[i].size, "%.*s", (int)value.length, value.at);
}

static bool read_file(S3Credentials *credentials, Error *error) {
    const char *named = getenv("AWS_SHARED_CREDENTIALS_FILE");
    const char *profile = getenv("AWS_PROFILE");
    char *home = default_path();
    const char *path = named ? named : home;
    FILE *file = fopen(path, "re");
    bool inside = false;
    char line[S3_TOKEN_SIZE + 64];
    while (file && fgets(line, sizeof line, file))
        take_line(slice_of(line), profile ? profile : "default", &inside, credentials);
    bool good = true;
    if (!file && (named || errno != ENOENT))
        good = error_set(error, "cannot read the credentials in %s: %s", path, strerror(errno));
    else if (!credentials->key[0] || !credentials->secret[0])
        good = error_set(error,
                         "no credentials for the bucket; set AWS_ACCESS_KEY_ID and "
                         "AWS_SECRET_ACCESS_KEY, or write them to %s",
                         path);
    sodium_memzero(line, sizeof line);
    if (file)
        fclose(file);
    free(home);
    return good;
}

bool s3_credentials_read(S3Credentials *credentials, Error *error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, take_environment);
    *credentials = of_environment;
    if (credentials->key[0] && credentials->secret[0])
        return true;
    *credentials = (S3Credentials){0};
    return read_file(credentials, error);
}
