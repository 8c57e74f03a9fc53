/* Archives and drafts: any bytes are either unpacked or rejected with an error. What is unpacked is
   plain files within the limits, and detecting its language does not fail.

   The first byte says what the rest is: 0 zip, 1 tar, 2 tar.gz, 3 a draft in Java, 4 the messages
   of the process that reads archives, which may have been taken over. */
#include "arena/bots/archive.h"
#include "arena/bots/archive_child.h"
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

typedef struct Messages {
    ArchiveSource source;
    Buffer bytes;
    size_t at;
} Messages;

static ssize_t read_messages(ArchiveSource *source, void *to, size_t length) {
    Messages *messages = (Messages *)source;
    size_t left = messages->bytes.length - messages->at;
    size_t count = length < left ? length : left;
    if (count)
        memcpy(to, messages->bytes.data + messages->at, count);
    messages->at += count;
    return (ssize_t)count;
}

/* Keeps a message; returns false once there are too many bytes. Such an archive is a bomb, which is
   rejected before all of it is read. */
static bool keep_message(void *context, ArchiveKind kind, Slice bytes) {
    Buffer *to = context;
    ArchiveHead head = {.kind = kind, .length = (uint32_t)bytes.length};
    if (bytes.length > ARCHIVE_MESSAGE_MAX)
        head.length = ARCHIVE_MESSAGE_MAX;
    buffer_add(to, &head, sizeof head);
    buffer_add(to, bytes.at, head.length);
    return to->length < 4 * BYTES_MAX;
}

static bool take(Messages *messages, size_t size, int directory, Error *error) {
    messages->source = (ArchiveSource){.read = read_messages};
    messages->at = 0;
    return archive_take(&messages->source, size, BYTES_MAX, directory, error);
}

/* Unpacks an archive that was accepted. */
static void unpack(Messages *messages, size_t size) {
    Error error = {0};
    char *top = tree_make_new("/tmp", "skirmish-fuzz-", &error);
    if (!top)
        fuzz_broken("%s", error.text);
    int directory = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (take(messages, size, directory, &error)) {
        bytes_there = 0;
        entries_there = 0;
        nftw(top, look, 20, FTW_PHYS);
        if (bytes_there > BYTES_MAX || entries_there > ARCHIVE_FILES_MAX * (ARCHIVE_DEPTH_MAX + 1))
            fuzz_broken("unpacked %llu bytes in %u files, more than the limits allow",
                        (unsigned long long)bytes_there, entries_there);
        BotSpec spec = {.directory = strdup(top)};
        if (!language_fill_spec(&spec, &error) && !error.text[0])
            fuzz_broken("the language is unknown, but there is no error message");
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
    if (data[0] % 5 == 3) {
        char name[LANGUAGE_FILE_SIZE];
        language_file_name(language_find(slice_of("java"), NULL), rest, NULL, name);
        if (!archive_name_check(slice_of(name), &error))
            fuzz_broken("a draft would be called \"%s\": %s", name, error.text);
        return 0;
    }
    Messages messages = {0};
    if (data[0] % 5 == 4)
        buffer_add(&messages.bytes, rest.at, rest.length);
    else
        archive_read(names[data[0] % 5], rest, keep_message, &messages.bytes);
    if (take(&messages, rest.length, -1, &error))
        unpack(&messages, rest.length);
    else if (!error.text[0])
        fuzz_broken("refused without a reason");
    buffer_free(&messages.bytes);
    return 0;
}
