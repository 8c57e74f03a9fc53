/* Writes an upload into a directory: one source file, or an archive (zip, tar, tar.gz) of regular
   files and directories.

   Archives are untrusted. Names are ASCII, relative, without "..", and of bounded length and depth.
   Links, devices and two files whose names differ in case only are rejected. The unpacked size is
   counted while unpacking, not read from the archive. Every file is a new one (O_EXCL, never
   through a link) below a directory descriptor, readable and perhaps executable. libarchive reads
   the formats, in a process without rights (archive_child.h). */
#ifndef ARENA_BOTS_ARCHIVE_H
#define ARENA_BOTS_ARCHIVE_H

#include "base/error.h"
#include "base/slice.h"

#include <stdint.h>
#include <sys/types.h>

enum {
    ARCHIVE_FILES_MAX = 1000, /* directories included */
    ARCHIVE_DEPTH_MAX = 10,
    ARCHIVE_NAME_MAX = 90,        /* bytes */
    ARCHIVE_PATH_MAX = 240,       /* bytes */
    ARCHIVE_RATIO_MAX = 200,      /* unpacked size divided by archive size, ... */
    ARCHIVE_RATIO_FROM = 1 << 20, /* ... checked from this many unpacked bytes on */
};

/* Whether the name ends in .zip, .tar, .tar.gz or .tgz, in upper or lower case. */
bool archive_is(const char *file_name);

/* Whether the name is that of a zip, or of a gzipped tar; otherwise the archive is a plain tar. */
bool archive_is_zip(const char *file_name);
bool archive_is_gzip(const char *file_name);

/* Whether a single file or directory may have this name. */
bool archive_name_check(Slice name, Error *error);

/* Unpacks at most `bytes_max` bytes into the directory, or only checks the archive if the directory
   is -1. On failure the directory may contain a part of the archive, and the caller removes it. The
   error is for the owner of the archive. `program` is the program to run as `skirmish unpack`;
   NULL: this one. */
bool archive_unpack(const char *program, const char *file_name, Slice bytes, uint64_t bytes_max,
                    int directory, Error *error);

/* A source of the messages that archive_child.h describes. */
typedef struct ArchiveSource {
    ssize_t (*read)(struct ArchiveSource *source, void *to, size_t length); /* like read(2) */
    bool ended; /* out: it ended before the archive was complete */
} ArchiveSource;

/* The part of archive_unpack that checks everything: takes the messages and creates the files.
   `bytes_in` is the size of the archive. */
bool archive_take(ArchiveSource *source, uint64_t bytes_in, uint64_t bytes_max, int directory,
                  Error *error);

/* Creates one file in the directory. */
bool archive_write_file(int directory, const char *name, Slice bytes, Error *error);

#endif
