/* See archive_child.h. */
#include "arena/bots/archive_child.h"

#include "arena/bots/archive.h"
#include "arena/bots/bots.h"
#include "base/buffer.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
# define MEMORY_MAX RLIM_INFINITY /* sanitizers reserve a large part of the address space */
#elif defined(__has_feature)
# if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#  define MEMORY_MAX RLIM_INFINITY
# endif
#endif
#ifndef MEMORY_MAX
# define MEMORY_MAX ((rlim_t)1 << 30) /* bytes */
#endif

enum { CPU_SECONDS = 5 };

/* ---- reading ---- */

typedef struct Reading {
    struct archive *archive;
    ArchivePut put;
    void *context;
} Reading;

static bool put(const Reading *reading, ArchiveKind kind, const char *text) {
    return reading->put(reading->context, kind, slice_of(text ? text : ""));
}

static bool damaged(const Reading *reading) {
    put(reading, ARCHIVE_DAMAGED, archive_error_string(reading->archive));
    return false;
}

static bool put_entry(const Reading *reading, struct archive_entry *entry) {
    const char *name = archive_entry_pathname(entry);
    mode_t type = archive_entry_filetype(entry);
    ArchiveKind kind = ARCHIVE_OTHER;
    if (!name)
        kind = ARCHIVE_NAMELESS;
    else if (archive_entry_is_encrypted(entry))
        kind = ARCHIVE_ENCRYPTED;
    else if (archive_entry_hardlink(entry) || archive_entry_symlink(entry) || type == AE_IFLNK)
        kind = ARCHIVE_LINK;
    else if (type == AE_IFDIR)
        kind = ARCHIVE_DIRECTORY;
    else if (type == AE_IFREG)
        kind = archive_entry_perm(entry) & 0111 ? ARCHIVE_PROGRAM : ARCHIVE_FILE;
    return put(reading, kind, name);
}

static bool put_content(const Reading *reading) {
    char block[ARCHIVE_MESSAGE_MAX];
    for (;;) {
        la_ssize_t got = archive_read_data(reading->archive, block, sizeof block);
        if (got < 0)
            return damaged(reading);
        if (got == 0)
            return true;
        if (!reading->put(reading->context, ARCHIVE_DATA, (Slice){block, (size_t)got}))
            return false;
    }
}

static void read_entries(const Reading *reading) {
    for (;;) {
        struct archive_entry *entry = NULL;
        int result = archive_read_next_header(reading->archive, &entry);
        if (result == ARCHIVE_EOF)
            put(reading, ARCHIVE_END, NULL);
        else if (result != ARCHIVE_OK && result != ARCHIVE_WARN)
            damaged(reading);
        else if (put_entry(reading, entry) && put_content(reading))
            continue;
        return;
    }
}

void archive_read(const char *file_name, Slice bytes, ArchivePut put_message, void *context) {
    Reading reading = {.archive = archive_read_new(), .put = put_message, .context = context};
    if (!reading.archive)
        abort();
    /* Only the format given by the name: every other parser would add attack surface. For a zip,
       the central directory counts. */
    if (archive_is_zip(file_name))
        archive_read_support_format_zip_seekable(reading.archive);
    else
        archive_read_support_format_tar(reading.archive);
    if (archive_is_gzip(file_name))
        archive_read_support_filter_gzip(reading.archive);
    if (archive_read_open_memory(reading.archive, bytes.at, bytes.length) == ARCHIVE_OK)
        read_entries(&reading);
    else
        damaged(&reading);
    archive_read_free(reading.archive);
}

/* ---- the process ---- */

static bool limit(__rlimit_resource_t resource, rlim_t most) {
    return setrlimit(resource, &(struct rlimit){most, most}) == 0;
}

/* Only what an allocator and the exit of a process need. */
static int add_rules(scmp_filter_ctx rules) {
    static const int plain[] = {
        SCMP_SYS(brk),        SCMP_SYS(munmap),        SCMP_SYS(mremap),
        SCMP_SYS(madvise),    SCMP_SYS(futex),         SCMP_SYS(exit),
        SCMP_SYS(exit_group), SCMP_SYS(clock_gettime), SCMP_SYS(rt_sigreturn),
    };
    int failure = 0;
    for (size_t i = 0; i < sizeof plain / sizeof *plain && !failure; i++)
        failure = seccomp_rule_add(rules, SCMP_ACT_ALLOW, plain[i], 0);
    if (!failure)
        failure = seccomp_rule_add(rules, SCMP_ACT_ALLOW, SCMP_SYS(write), 1,
                                   SCMP_A0(SCMP_CMP_EQ, STDOUT_FILENO, 0));
    if (!failure) /* memory, but no code and no files */
        failure = seccomp_rule_add(rules, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2,
                                   SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0),
                                   SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, MAP_ANONYMOUS));
    if (!failure)
        failure = seccomp_rule_add(rules, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
                                   SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    return failure;
}

bool archive_confine(Error *error) {
    bool limited = limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 0) &&
                   limit(RLIMIT_AS, MEMORY_MAX) &&
                   setrlimit(RLIMIT_CPU, &(struct rlimit){CPU_SECONDS, CPU_SECONDS + 1}) == 0;
    if (!limited || close_range(STDERR_FILENO, ~0U, 0) != 0 || prctl(PR_SET_DUMPABLE, 0) != 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return error_set(error, "cannot restrict the process that unpacks archives: %s",
                         strerror(errno));
    scmp_filter_ctx rules = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int failure = rules ? add_rules(rules) : -ENOMEM;
    if (!failure)
        failure = seccomp_load(rules);
    if (rules)
        seccomp_release(rules);
    return failure == 0 ||
           error_set(error, "cannot restrict the process that unpacks archives: seccomp: %s",
                     strerror(-failure));
}

static bool write_bytes(const void *bytes, size_t length) {
    const char *at = bytes;
    while (length) {
        ssize_t written = write(STDOUT_FILENO, at, length);
        if (written < 0 && errno != EINTR)
            return false;
        at += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

static bool write_message(void *unused, ArchiveKind kind, Slice bytes) {
    size_t length = bytes.length < ARCHIVE_MESSAGE_MAX ? bytes.length : ARCHIVE_MESSAGE_MAX;
    ArchiveHead head = {.kind = kind, .length = (uint32_t)length};
    (void)unused;
    return write_bytes(&head, sizeof head) && write_bytes(bytes.at, length);
}

void archive_child_run(const char *file_name) {
    Buffer bytes = {0};
    Error error = {0};
    ssize_t got;
    while ((got = read(STDIN_FILENO, buffer_reserve(&bytes, 65536), 65536)) > 0)
        bytes.length += (size_t)got;
    if (got < 0)
        error_set(&error, "cannot read it: %s", strerror(errno));
    if (got == 0 && archive_is(file_name) && archive_confine(&error))
        archive_read(file_name, (Slice){bytes.data, bytes.length}, write_message, NULL);
    else
        write_message(NULL, ARCHIVE_UNREAD, slice_of(error.text));
    _exit(0);
}
