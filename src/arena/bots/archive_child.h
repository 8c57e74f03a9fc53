/* The process that reads archives. Archives are untrusted, and libarchive is a large parser, so it
   does not run in the server: this program is started again as `skirmish unpack NAME`, reads the
   archive from standard input, drops all rights, and only then parses. It can compute, and write
   messages to standard output; it cannot open files, sockets or processes. Its output is not
   trusted either: archive.c checks each message and creates the files. */
#ifndef ARENA_BOTS_ARCHIVE_CHILD_H
#define ARENA_BOTS_ARCHIVE_CHILD_H

#include "base/error.h"
#include "base/slice.h"

#include <stdint.h>

typedef enum ArchiveKind {
    ARCHIVE_FILE, /* each entry begins with one of the first five, and its name */
    ARCHIVE_PROGRAM,
    ARCHIVE_DIRECTORY,
    ARCHIVE_LINK,
    ARCHIVE_OTHER,     /* for example a device */
    ARCHIVE_NAMELESS,  /* an entry whose name is not ASCII */
    ARCHIVE_ENCRYPTED, /* an entry with a password */
    ARCHIVE_DATA,      /* a piece of the entry's content */
    ARCHIVE_END,
    ARCHIVE_DAMAGED, /* the last message, instead of ARCHIVE_END; the reason follows */
    ARCHIVE_UNREAD,  /* the same, but the arena failed, not the archive */
    ARCHIVE_KINDS
} ArchiveKind;

/* Each message is this head and `length` bytes. */
typedef struct ArchiveHead {
    uint32_t kind;
    uint32_t length;
} ArchiveHead;

enum { ARCHIVE_MESSAGE_MAX = 16384 };

/* Reads an archive and passes it to `put` as messages. Ends early if `put` returns false. */
typedef bool (*ArchivePut)(void *context, ArchiveKind kind, Slice bytes);
void archive_read(const char *file_name, Slice bytes, ArchivePut put, void *context);

/* Drops all rights of this process irrevocably: it can use memory, write to standard output and
   exit. False if the kernel does not allow that. */
bool archive_confine(Error *error);

#endif
