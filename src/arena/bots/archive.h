/* What people upload, put into a directory: one source file, or an archive (zip, tar, tar.gz) of
   plain files and directories.

   An archive is a stranger's word, so nothing of it is taken on trust. Names are plain ASCII,
   relative, without ".." and of bounded length and depth; links, devices and whatever else is no
   file or directory are refused, and so are two files whose names differ in case only; how much
   comes out is counted while it comes out, not read from the archive. Files are made new (O_EXCL,
   never through a link) beneath a descriptor, with no more rights than reading and perhaps
   executing. libarchive takes the formats apart. */
#ifndef ARENA_BOTS_ARCHIVE_H
#define ARENA_BOTS_ARCHIVE_H

#include "base/error.h"
#include "base/slice.h"

#include <stdint.h>

enum {
    ARCHIVE_FILES_MAX = 1000, /* with directories */
    ARCHIVE_DEPTH_MAX = 10,
    ARCHIVE_NAME_MAX = 90,        /* bytes of a name */
    ARCHIVE_PATH_MAX = 240,       /* bytes of a whole path */
    ARCHIVE_RATIO_MAX = 200,      /* bytes out for each byte in, */
    ARCHIVE_RATIO_FROM = 1 << 20, /* once so many are out */
};

/* Whether the name's ending is an archive's: .zip .tar .tar.gz .tgz, in any case. */
bool archive_is(const char *file_name);

/* Whether this may be the name of one file or directory. The sentence begins with "the name". */
bool archive_name_check(Slice name, Error *error);

/* Puts what is in the archive into the directory, at most `bytes_max` bytes. With the directory -1
   it is only checked. On failure some of it may be there: the caller throws the directory away. The
   sentence is for whoever made the archive. */
bool archive_unpack(const char *file_name, Slice bytes, uint64_t bytes_max, int directory,
                    Error *error);

/* Makes one file in the directory. */
bool archive_write_file(int directory, const char *name, Slice bytes, Error *error);

#endif
