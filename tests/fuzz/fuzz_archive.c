/* Archives and drafts: any bytes are either unpacked or rejected with an error. What is unpacked is
   plain files within the limits, and detecting its language does not fail.

   The first byte says what the rest is: 0 zip, 1 tar, 2 tar.gz, 3 a draft in Java. */
#include "arena/bots/archive.h"
#include "arena/bots/bots.h"
#include "arena/bots/directory_tree.h"
#include "arena/bots/languages.h"
#include "fuzz.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES_MAX = 1 << 20 };

static uint64_t bytes_there;
static uint32_t entries_there;

static int look(const char *path, const struct stat *about, int kind, struct FTW *place) {
    (void)kind;
    entries_there++;
    bytes_there += S_ISREG(about->st_mode) ? (uint64_t)about->st_size : 0;
    if (!S_ISREG(about->st_mode) && !S_ISDIR(about->st_mode))
        fuzz_broken("%s is neither a file nor a directory", path);
    if (place->level && about->st_mode & (S_ISUID | S_ISGID | S_ISVTX))
        fuzz_broken("%s has rights that it should not have", path);
    if (place->level > ARCHIVE_DEPTH_MAX)
        fuzz_broken("%s is too deep", path);
    return 0;
}

/* Unpacks an archive that was accepted. */
static void unpack(const char *name, Slice bytes) {
    Error error = {0};
    char *top = tree_make_new("/tmp", "skirmish-fuzz-", &error);
    if (!top)
        fuzz_broken("%s", error.text);
    int directory = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (archive_unpack(name, bytes, BYTES_MAX, directory, &error)) {
        bytes_there = 0;
        entries_there = 0;
        nftw(top, look, 20, FTW_PHYS);
        if (bytes_there > BYTES_MAX || entries_there > ARCHIVE_FILES_MAX * (ARCHIVE_DEPTH_MAX + 1))
            fuzz_broken("%llu bytes in %u files came out", (unsigned long long)bytes_there,
                        entries_there);
        BotSpec spec = {.directory = strdup(top)};
        if (!language_fill_spec(&spec, &error) && !error.text[0])
            fuzz_broken("no language, and no reason");
        bot_spec_free(&spec);
    } else if (!error.text[0]) {
        /* Only a name that is both a file and a directory fails here and not earlier. */
        fuzz_broken("refused without a reason");
    }
    close(directory);
    if (!tree_remove(top))
        fuzz_broken("%s could not be removed", top);
    free(top);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"bot.zip", "bot.tar", "bot.tar.gz"};
    if (!size)
        return 0;
    Slice rest = {(const char *)data + 1, size - 1};
    Error error = {0};
    if (data[0] % 4 == 3) {
        char name[LANGUAGE_FILE_SIZE];
        language_file_name(language_find("java"), rest, NULL, name);
        if (!archive_name_check(slice_of(name), &error))
            fuzz_broken("a draft would be called \"%s\": %s", name, error.text);
        return 0;
    }
    const char *name = names[data[0] % 4];
    if (archive_unpack(name, rest, BYTES_MAX, -1, &error))
        unpack(name, rest);
    else if (!error.text[0])
        fuzz_broken("refused without a reason");
    return 0;
}
