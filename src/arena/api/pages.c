/* The web interface. See api.h. */
#include "arena/api/api.h"

#include "arena/api/match_preview.h"
#include "arena/api/routes.h"
#include "arena/disk.h"
#include "base/memory.h"
#include "base/path.h"
#include "http/problem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILES_MAX = 1000,
    DEPTH_MAX = 8,
    BYTES_MAX = 64 << 20,         /* of all files: they are held in memory */
    PATH_SIZE = REQUEST_REST_MAX, /* the longest path of a request */
    HASH_LETTERS = 8
};

/* Nothing from other sites, no inline scripts or styles. The attribute `style` is allowed: charts
   and boards use it for positions, and it loads nothing. */
#define POLICY                                                       \
 "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; "        \
 "style-src 'self'; style-src-attr 'unsafe-inline'; "                \
 "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; " \
 "worker-src 'self' blob:; manifest-src 'self'; form-action 'self'; base-uri 'none'; "
const char pages_policy[] = POLICY "frame-ancestors 'none'";

/* Pages below /embed/ are for embedding in other sites. They use no session and are read-only, so
   clickjacking is harmless. */
static const char embed_policy[] = POLICY "frame-ancestors *";

static const char missing_page[] =
    "<!doctype html>\n"
    "<html lang=\"en\">\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<title>Skirmish</title>\n"
    "<h1>Skirmish</h1>\n"
    "<p>The arena is running, but its web pages are not built. Run\n"
    "<code>tools/build-web</code>, then restart the arena.</p>\n"
    "<p>The API works without them: see\n"
    "<a href=\"/api/v1/openapi.json\">/api/v1/openapi.json</a>.</p>\n"
    "</html>\n";

static const char index_name[] = "index.html";
static const char assets[] = "assets/";
static const char brotli_ending[] = ".br";

typedef struct File {
    char *path; /* without a leading slash */
    Body *body;
    CacheRule cache;
} File;

struct Pages {
    File *files; /* sorted by path */
    uint32_t count;
    size_t bytes;
    Body *index; /* with its own reference */
    Buffer head; /* index.html up to where elements can be added to its head ... */
    Buffer rest; /* ... and from there on */
    bool missing;
};

void pages_free(Pages *pages) {
    if (!pages)
        return;
    for (uint32_t i = 0; i < pages->count; i++) {
        free(pages->files[i].path);
        body_release(pages->files[i].body);
    }
    body_release(pages->index);
    buffer_free(&pages->head);
    buffer_free(&pages->rest);
    free(pages->files);
    free(pages);
}

bool pages_missing(const Pages *pages) {
    return pages->missing;
}

/* ---- names ---- */

static const struct {
    const char *ending;
    ContentType type;
} endings[] = {
    {"html", TYPE_HTML}, {"js", TYPE_SCRIPT},  {"css", TYPE_STYLE},
    {"svg", TYPE_SVG},   {"png", TYPE_PNG},    {"ico", TYPE_ICON},
    {"wasm", TYPE_WASM}, {"woff2", TYPE_FONT}, {"webmanifest", TYPE_MANIFEST},
    {"json", TYPE_JSON}, {"txt", TYPE_TEXT},
};
enum { ENDINGS = sizeof endings / sizeof *endings };

static bool find_type(const char *path, ContentType *type, Error *error) {
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    Buffer known = {0};
    for (uint32_t i = 0; i < ENDINGS; i++) {
        if (dot && strcmp(dot + 1, endings[i].ending) == 0) {
            *type = endings[i].type;
            buffer_free(&known);
            return true;
        }
        buffer_format(&known, " .%s", endings[i].ending);
    }
    error_set(error, "%.200s: unknown file type; supported types:%s", path, buffer_string(&known));
    buffer_free(&known);
    return false;
}

/* Whether an asset is named NAME-HASH.EXTENSION, so that its content never changes. Eight
   lower-case letters do not count as a hash, because they could be a word. */
static bool has_hash(const char *path) {
    const char *dot = strrchr(path, '.');
    const char *from = dot - HASH_LETTERS;
    bool mixed = false;
    if (strncmp(path, assets, strlen(assets)) != 0 || dot - path <= HASH_LETTERS || from[-1] != '-')
        return false;
    for (; from < dot; from++) {
        bool big = (*from >= 'A' && *from <= 'Z') || (*from >= '0' && *from <= '9');
        mixed = mixed || big;
        if (!big && !(*from >= 'a' && *from <= 'z') && *from != '-' && *from != '_')
            return false;
    }
    return mixed;
}

/* ---- reading ---- */

static bool read_bytes(Pages *pages, int file, const char *path, Buffer *bytes, Error *error) {
    enum { PIECE = 1 << 16 };
    ssize_t got = 0;
    do {
        got = read(file, buffer_reserve(bytes, PIECE), PIECE);
        if (got < 0 && errno != EINTR)
            return error_set(error, "cannot read %.200s: %s", path, strerror(errno));
        size_t more = got > 0 ? (size_t)got : 0;
        bytes->length += more;
        pages->bytes += more;
        if (pages->bytes > BYTES_MAX)
            return error_set(error, "%.200s: the files have more than %d bytes in total", path,
                             BYTES_MAX);
    } while (got);
    return true;
}

/* Reads a file and adds it to the pages. Closes the file. */
static bool read_file(Pages *pages, int file, const char *path, Error *error) {
    ContentType type = TYPE_BYTES;
    Buffer bytes = {0};
    bool good = find_type(path, &type, error);
    if (good && pages->count == FILES_MAX)
        good = error_set(error, "%.200s: more than %d files", path, FILES_MAX);
    good = good && read_bytes(pages, file, path, &bytes, error);
    close(file);
    if (good && strcmp(path, index_name) == 0) {
        const char *end = strstr(buffer_string(&bytes), "</head>");
        size_t before = end ? (size_t)(end - bytes.data) : 0;
        buffer_add(&pages->head, bytes.data, before);
        buffer_add(&pages->rest, bytes.data + before, bytes.length - before);
    }
    if (good) {
        char *copy = xstrdup(path);
        pages->files[pages->count++] = (File){.path = copy,
                                              .body = body_new(type, &bytes),
                                              .cache = has_hash(path) ? CACHE_FOREVER : CACHE_ASK};
    }
    buffer_free(&bytes);
    return good;
}

/* Adds the Brotli form of the last file, if the directory has one: NAME.br. */
static bool read_brotli(Pages *pages, int directory, const char *name, Error *error) {
    char packed[PATH_SIZE];
    Buffer bytes = {0};
    snprintf(packed, sizeof packed, "%s%s", name, brotli_ending);
    int file = openat(directory, packed, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT ||
               error_set(error, "cannot read %.200s: %s", packed, strerror(errno));
    bool good = read_bytes(pages, file, packed, &bytes, error);
    close(file);
    if (good)
        body_add_brotli(pages->files[pages->count - 1].body, &bytes);
    buffer_free(&bytes);
    return good;
}

/* Whether the file is the Brotli form of another one in the directory. */
static bool is_brotli_form(int directory, const char *name) {
    char plain[PATH_SIZE];
    size_t length = strlen(name);
    size_t ending = strlen(brotli_ending);
    if (length <= ending || length >= sizeof plain ||
        strcmp(name + length - ending, brotli_ending) != 0)
        return false;
    snprintf(plain, sizeof plain, "%.*s", (int)(length - ending), name);
    return faccessat(directory, plain, F_OK, 0) == 0;
}

static bool read_directory(Pages *pages, int directory, const char *path, uint32_t depth,
                           Error *error);

/* Reads an entry of an open directory. Never blocks, as opening a pipe would. */
static bool read_entry(Pages *pages, int directory, const char *name, const char *path,
                       uint32_t depth, Error *error) {
    struct stat about;
    int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 && errno == ELOOP)
        return error_set(error, "%.200s is a symbolic link; only regular files are allowed", path);
    if (file < 0 || fstat(file, &about) != 0) {
        error_set(error, "cannot read %.200s: %s", path, strerror(errno));
        if (file >= 0)
            close(file);
        return false;
    }
    if (S_ISREG(about.st_mode))
        return read_file(pages, file, path, error) && read_brotli(pages, directory, name, error);
    if (S_ISDIR(about.st_mode))
        return read_directory(pages, file, path, depth, error);
    close(file);
    return error_set(error, "%.200s is neither a file nor a directory", path);
}

/* Reads a directory and everything in it. Closes the directory. */
static bool read_directory(Pages *pages, int directory, const char *path, uint32_t depth,
                           Error *error) {
    DIR *list = depth < DEPTH_MAX ? fdopendir(directory) : NULL;
    if (!list) {
        error_set(error, "%.200s: directories are nested more than %d deep", path, DEPTH_MAX);
        close(directory);
        return false;
    }
    bool good = true;
    const struct dirent *entry = NULL;
    while (good && (entry = readdir(list))) {
        char below[PATH_SIZE];
        if (entry->d_name[0] == '.' || is_brotli_form(dirfd(list), entry->d_name))
            continue;
        int length = snprintf(below, sizeof below, "%s%s%s", path, *path ? "/" : "", entry->d_name);
        good = (length > 0 && length < PATH_SIZE) ||
               error_set(error, "%.200s...: path longer than %d bytes", below, PATH_SIZE);
        good = good && read_entry(pages, dirfd(list), entry->d_name, below, depth + 1, error);
    }
    closedir(list);
    return good;
}

static int compare_files(const void *one, const void *other) {
    return strcmp(((const File *)one)->path, ((const File *)other)->path);
}

static const File *find_file(const Pages *pages, const char *path) {
    char copy[PATH_SIZE];
    snprintf(copy, sizeof copy, "%s", path);
    const File wanted = {.path = copy};
    return bsearch(&wanted, pages->files, pages->count, sizeof *pages->files, compare_files);
}

static bool read_all(Pages *pages, const char *directory, Error *error) {
    /* The directory itself may be a link: the operator chose it. */
    int root = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return error_set(error, "cannot open the directory: %s", strerror(errno));
    if (!read_directory(pages, root, "", 0, error))
        return false;
    qsort(pages->files, pages->count, sizeof *pages->files, compare_files);
    const File *index = find_file(pages, index_name);
    if (!index)
        return error_set(error, "no %s; run tools/build-web", index_name);
    pages->index = body_hold(index->body);
    return true;
}

Pages *pages_read(const char *directory, Error *error) {
    static const char *const defaults[] = {"web", "../share/skirmish/web"};
    char *found = NULL;
    /* The directory alone is not enough: Meson creates an empty one with that name. */
    for (int i = 0; i < 2 && !directory; i++) {
        char *place = path_of_program_file(defaults[i]);
        char *index = path_join(place, index_name);
        if (access(index, F_OK) == 0)
            directory = found = place;
        else
            free(place);
        free(index);
    }
    Pages *pages = xcalloc(1, sizeof *pages);
    File *files = xcalloc(FILES_MAX, sizeof *files);
    pages->files = files;
    if (!directory) {
        Buffer text = {0};
        buffer_text(&text, missing_page);
        pages->index = body_new(TYPE_HTML, &text);
        pages->missing = true;
    } else if (!read_all(pages, directory, error)) {
        error_prefix(error, "web files in %.200s", directory);
        pages_free(pages);
        pages = NULL;
    }
    free(found);
    return pages;
}

/* ---- the routes ---- */

/* Adds the notice that the banner of every page shows, see web/src/app/App.svelte. */
static void add_notice(const Arena *arena, Buffer *to) {
    if (disk_is_low(arena))
        buffer_format(to, "<meta name=\"arena-notice\" content=\"%s.\">\n", disk_low_notice);
}

void pages_answer(const Pages *pages, Slice elements, Response *response) {
    if (!elements.length || !pages->head.length) {
        response_share(response, pages->index);
        return;
    }
    response->type = TYPE_HTML;
    buffer_add(&response->bytes, pages->head.data, pages->head.length);
    buffer_add(&response->bytes, elements.at, elements.length);
    buffer_add(&response->bytes, pages->rest.data, pages->rest.length);
    response_tag(response);
}

bool pages_answer_file(const Pages *pages, Slice path, Response *response) {
    char copy[PATH_SIZE];
    snprintf(copy, sizeof copy, "%.*s", (int)path.length, path.at);
    const File *file = path.length < sizeof copy ? find_file(pages, copy) : NULL;
    if (!file)
        return false;
    response->cache = file->cache;
    response_share(response, file->body);
    return true;
}

static Outcome handle_home(Request *request, Response *response) {
    Buffer notice = {0};
    add_notice(arena_of(request), &notice);
    pages_answer(arena_of(request)->pages, (Slice){notice.data, notice.length}, response);
    buffer_free(&notice);
    return OUTCOME_ANSWERED;
}

static Outcome handle_embed(Request *request, Response *response) {
    response->policy = embed_policy;
    response->framed = true;
    return handle_home(request, response);
}

/* The page of a match, with its link preview for other sites. */
static Outcome handle_match_page(Request *request, Response *response) {
    StoreMatches matches = {0};
    Error error;
    int64_t id = 0;
    if (slice_int(request_path(request, "path"), &id) && id > 0 &&
        store_match_get(arena_of(request)->store, (uint64_t)id, &matches, &error) == STORE_OK) {
        Buffer elements = {0};
        match_preview_tags(request, &matches.rows[0], &elements);
        add_notice(arena_of(request), &elements);
        pages_answer(arena_of(request)->pages, (Slice){elements.data, elements.length}, response);
        buffer_free(&elements);
    } else {
        handle_home(request, response);
    }
    store_matches_free(&matches);
    return OUTCOME_ANSWERED;
}

static Outcome handle_page(Request *request, Response *response) {
    Slice asked = request_path(request, "path");
    if (pages_answer_file(arena_of(request)->pages, asked, response))
        return OUTCOME_ANSWERED;
    return slice_skip(&asked, assets) ? problem(request, response, 404, "File not found.")
                                      : handle_home(request, response);
}

/* No rate limits for files: they come from memory, and a page with missing parts would be broken.
   The pages read the query themselves. */
static const Route routes[] = {
    {.method = METHOD_GET,
     .pattern = "/",
     .name = "home",
     .handle = handle_home,
     .any_query = true},
    {.method = METHOD_GET,
     .pattern = "/matches",
     .name = "matches_page",
     .handle = handle_home,
     .any_query = true},
    {.method = METHOD_GET,
     .pattern = "/matches/{path...}",
     .name = "match_page",
     .handle = handle_match_page,
     .rate = RATE_READ,
     .parameters = {{.name = "path", .maximum = REQUEST_REST_MAX}},
     .any_query = true},
    {.method = METHOD_GET,
     .pattern = "/embed/{path...}",
     .name = "embed",
     .handle = handle_embed,
     .parameters = {{.name = "path", .maximum = REQUEST_REST_MAX}},
     .any_query = true},
    {.method = METHOD_GET,
     .pattern = "/{path...}",
     .name = "page",
     .handle = handle_page,
     .parameters = {{.name = "path", .maximum = REQUEST_REST_MAX}},
     .any_query = true},
};

const ApiGroup api_pages = {.routes = routes, .route_count = sizeof routes / sizeof *routes};
