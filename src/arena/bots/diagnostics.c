/* See bots.h. Each line is matched against a table of patterns. The reader keeps what it needs from
   earlier lines, because the message of a traceback comes before or after its frames. */
#include "arena/bots/bots.h"

#include <string.h>

enum { MESSAGE_MAX = 400, FILE_MAX_LENGTH = 200 };

/* ---- patterns of lines ---- */

typedef enum PatternKind {
    PATTERN_COMPLETE, /* complete: file, line, message */
    /* The innermost frame of a traceback, with the message. If its file is a library's, the frames
       after it count. */
    PATTERN_RAISED,
    PATTERN_FRAME,      /* a frame after the message, the innermost first */
    PATTERN_AT,         /* the same; the message is the line before the first frame */
    PATTERN_LAST_FRAME, /* a frame before the message, the innermost last */
    PATTERN_PLACE,      /* a place whose message follows some lines later */
    PATTERN_ARROW,      /* a place whose message is the line before */
    PATTERN_FILE,       /* only the file; an earlier or later line has the line number */
    PATTERN_LINE,       /* only the line number */
} PatternKind;

/* %f is a file, %l a line, %c a column, %m the message up to the end, %q a quoted name and the
   message after it, %p the message before, %b the message up to what follows, %w a word without
   spaces, %x anything up to what follows, %e a full stop or a comma and the rest. Other characters
   match themselves. A pattern must match the whole line, without leading whitespace. */
static const struct {
    const char *text;
    PatternKind kind;
} patterns[] = {
    {"File \"%f\", line %l, in %x", PATTERN_LAST_FRAME}, /* Python */
    {"File \"%f\", line %l", PATTERN_LAST_FRAME},
    {"from %f:%l:in %x", PATTERN_FRAME},      /* Ruby */
    {"%f:%l:in %q", PATTERN_RAISED},          /* Ruby */
    {"%f:%l:%c: %m", PATTERN_COMPLETE},       /* gcc, g++, go, ghc */
    {"%f:%l: %m", PATTERN_COMPLETE},          /* javac; syntax errors of Ruby and Lua */
    {"%w: %f:%l: %m", PATTERN_COMPLETE},      /* Lua, after the name of its program */
    {"at %w(%f:%l)", PATTERN_AT},             /* Java */
    {"at %x (%f:%l:%c)", PATTERN_AT},         /* node */
    {"at %f:%l:%c", PATTERN_AT},              /* node */
    {"at %x", PATTERN_AT},                    /* Java and node: not a file of the bot */
    {"%f:%l +%x", PATTERN_FRAME},             /* Go */
    {"%f:%l", PATTERN_PLACE},                 /* node; an inlined frame of Go */
    {"%p at %f line %l%e", PATTERN_COMPLETE}, /* Perl */
    {"--> %f:%l:%c", PATTERN_ARROW},          /* rustc */
    {"thread %x panicked at '%b', %f:%l:%c", PATTERN_COMPLETE}, /* Rust */
    {"thread %x panicked at %f:%l:%c:", PATTERN_LAST_FRAME},    /* Rust, from version 1.73 */
    {"%f:(%l,%c)-(%w): %m", PATTERN_COMPLETE},                  /* ghc */
    {"%w: %f:(%l,%c)-(%w): %m", PATTERN_COMPLETE}, /* Haskell, after the name of the program */
    {"%w: %f:%l:%c: %m", PATTERN_COMPLETE},
    {"%x, called at %f:%l:%c in %x", PATTERN_AT},
    {"Line: %l, %x", PATTERN_LINE}, /* SBCL */
    {"Stream: #<%x for \"file %f\" %x", PATTERN_FILE},
    {"%b on #<%x for \"file %f\" %x", PATTERN_FILE}, /* the end of a file */
    {"(in form starting at line: %l, %x", PATTERN_LINE},
};

/* Whether the file is a source file: other text can look like FILE:LINE too. */
static bool is_source(Slice file) {
    static const char *const endings[] = {".c",  ".h",  ".cc",   ".cpp", ".cxx", ".hpp", ".hh",
                                          ".go", ".py", ".js",   ".mjs", ".cjs", ".rb",  ".lua",
                                          ".pl", ".pm", ".java", ".rs",  ".hs",  ".lisp"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(endings[i]);
        if (file.length > length && memcmp(file.at + file.length - length, endings[i], length) == 0)
            return true;
    }
    return false;
}

/* Whether the path is relative to the bot's directory. */
static bool is_own(Slice file) {
    return file.length && file.at[0] != '/' && file.at[0] != '<';
}

static void step(Slice *rest, size_t count) {
    rest->at += count;
    rest->length -= count;
}

static bool take_number(Slice *rest, uint32_t *value) {
    size_t count = 0;
    uint32_t number = 0;
    while (count < rest->length && count < 9 && rest->at[count] >= '0' && rest->at[count] <= '9')
        number = number * 10 + (uint32_t)(rest->at[count++] - '0');
    step(rest, count);
    *value = number;
    return number > 0;
}

/* The name of a source file, up to `end`; without whitespace unless it is quoted. */
static bool take_file(Slice *rest, char end, Slice *file) {
    size_t count = 0;
    slice_skip(rest, "file://"); /* node, in modules */
    while (count < rest->length && count < FILE_MAX_LENGTH && rest->at[count] != end &&
           (end == '"' || (rest->at[count] != ' ' && rest->at[count] != '\t')))
        count++;
    if (count == rest->length || rest->at[count] != end)
        return false;
    *file = (Slice){rest->at, count};
    step(rest, count);
    slice_skip(file, "./"); /* a prefix that go prints */
    return is_source(*file);
}

static bool find(Slice in, const char *text, size_t *at) {
    const char *found = in.length ? memmem(in.at, in.length, text, strlen(text)) : NULL;
    *at = found ? (size_t)(found - in.at) : 0;
    return found != NULL;
}

/* Ruby: `method': message */
static bool take_quoted(Slice *rest, Slice *message) {
    size_t at;
    if (!find(*rest, "': ", &at))
        return false;
    step(rest, at + 3);
    *message = *rest;
    step(rest, rest->length);
    return true;
}

/* Perl: the message before the last " at FILE line N". */
static bool take_before(Slice *rest, Slice *message) {
    size_t at = rest->length;
    size_t line;
    static const char separator[] = " at ";
    if (!find(*rest, " line ", &line))
        return false;
    for (size_t i = 0; i + sizeof separator - 1 <= line; i++)
        if (memcmp(rest->at + i, separator, sizeof separator - 1) == 0)
            at = i;
    if (at == rest->length || !at)
        return false;
    *message = (Slice){rest->at, at};
    step(rest, at);
    return true;
}

/* Anything up to the last occurrence of `text`; everything if `text` is empty. */
static bool take_anything(Slice *rest, Slice text) {
    size_t count = rest->length;
    if (text.length) {
        if (rest->length < text.length)
            return false;
        count = rest->length - text.length;
        while (count && memcmp(rest->at + count, text.at, text.length) != 0)
            count--;
    }
    step(rest, count);
    return count > 0;
}

/* The message: anything up to the last occurrence of `text`. */
static bool take_message(Slice *rest, Slice text, Slice *message) {
    const char *start = rest->at;
    if (!take_anything(rest, text))
        return false;
    *message = (Slice){start, (size_t)(rest->at - start)};
    return true;
}

/* A column. GHC may print a range, whose start counts. */
static bool take_column(Slice *rest, uint32_t *value) {
    uint32_t end;
    if (!take_number(rest, value))
        return false;
    return !slice_skip(rest, "-") || take_number(rest, &end);
}

/* A word up to `end`, without spaces and slashes: in Java's frames, library classes have a
   slash. */
static bool take_word(Slice *rest, char end) {
    size_t count = 0;
    while (count < rest->length && rest->at[count] != end && rest->at[count] != ' ' &&
           rest->at[count] != '/')
        count++;
    step(rest, count);
    return count > 0;
}

/* One part of a pattern. `after` is the text between it and the next part. */
static bool take_part(char part, Slice after, Slice *rest, Diagnostic *to) {
    char next = after.length ? after.at[0] : '\0';
    switch (part) {
    case 'f':
        return take_file(rest, next, &to->file);
    case 'l':
        return take_number(rest, &to->line);
    case 'c':
        return take_column(rest, &to->column);
    case 'q':
        return take_quoted(rest, &to->message);
    case 'b':
        return take_message(rest, after, &to->message);
    case 'p':
        return take_before(rest, &to->message);
    case 'e':
        if (!rest->length || (rest->at[0] != '.' && rest->at[0] != ','))
            return false;
        step(rest, rest->length);
        return true;
    case 'm':
        to->message = *rest;
        step(rest, rest->length);
        return true;
    case 'w':
        return take_word(rest, next);
    default: /* 'x' */
        return take_anything(rest, after);
    }
}

static bool fits(const char *pattern, Slice rest, Diagnostic *to) {
    *to = (Diagnostic){0};
    for (const char *at = pattern; *at; at++) {
        if (*at != '%') {
            if (!rest.length || *rest.at != *at)
                return false;
            step(&rest, 1);
            continue;
        }
        at++;
        if (!take_part(*at, (Slice){at + 1, strcspn(at + 1, "%")}, &rest, to))
            return false;
    }
    return rest.length == 0;
}

/* ---- the reader ---- */

typedef struct DiagnosticReader {
    Diagnostic *found;
    uint32_t count;
    Slice last_text; /* the last line that is neither empty nor a frame */
    Slice message;   /* waits for a frame if needs_frame */
    bool needs_frame;
    bool certain;     /* `message` is certain: text between frames does not replace it */
    bool in_frames;   /* the previous line was a frame */
    bool skips;       /* inside Lua's or Rust's traceback, which repeats the same places */
    Diagnostic frame; /* waits for its message */
    Diagnostic place; /* waits for its message */
    Diagnostic head;  /* of GHC; its message is the next line */
    Diagnostic half;  /* of SBCL: a file that waits for its line, or the other way round */
} DiagnosticReader;

static void emit(DiagnosticReader *reader, Diagnostic what) {
    if (reader->count == DIAGNOSTICS_MAX || !is_own(what.file))
        return;
    what.message = slice_trim(what.message);
    if (what.message.length > MESSAGE_MAX)
        what.message.length = MESSAGE_MAX;
    reader->found[reader->count++] = what;
}

static void take_frame(DiagnosticReader *reader, const Diagnostic *frame) {
    if (!reader->needs_frame)
        return;
    Diagnostic place = reader->place.line ? reader->place : *frame;
    if (!is_own(place.file))
        return;
    place.message = reader->message;
    if (frame->line == place.line && frame->column)
        place.column = frame->column;
    emit(reader, place);
    reader->place = (Diagnostic){0};
    reader->needs_frame = false;
}

static void take_at(DiagnosticReader *reader, const Diagnostic *frame) {
    if (!reader->in_frames) {
        reader->message = reader->last_text;
        reader->needs_frame = true;
        reader->certain = false;
    }
    reader->in_frames = true;
    take_frame(reader, frame);
}

/* GHC puts longer messages on the lines after the place. */
static bool ends_in_next_line(Slice message) {
    Slice rest = message;
    return slice_equals(message, "error:") ||
           (slice_skip(&rest, "warning: [") && rest.at[rest.length - 1] == ']');
}

static void take_complete(DiagnosticReader *reader, const Diagnostic *what) {
    Slice message = slice_trim(what->message);
    Slice rest = message;
    if (!message.length || slice_skip(&rest, "note:"))
        return;
    if (ends_in_next_line(message))
        reader->head = *what;
    else
        emit(reader, *what);
}

/* rustc: only the first place after an error or a warning is the place of that error. */
static void take_arrow(DiagnosticReader *reader, Diagnostic what) {
    Slice rest = reader->last_text;
    if (!slice_skip(&rest, "error") && !slice_skip(&rest, "warning"))
        return;
    what.message = reader->last_text;
    emit(reader, what);
}

static void take_half(DiagnosticReader *reader, PatternKind kind, const Diagnostic *what) {
    Diagnostic *half = &reader->half;
    if (kind == PATTERN_FILE)
        half->file = what->file;
    else
        half->line = what->line;
    if (what->message.length)
        half->message = what->message;
    else if (!half->message.length)
        half->message = reader->last_text;
    if (!half->file.length || !half->line)
        return;
    emit(reader, *half);
    *half = (Diagnostic){0};
}

static void take_match(DiagnosticReader *reader, PatternKind kind, const Diagnostic *what) {
    switch (kind) {
    case PATTERN_COMPLETE:
        take_complete(reader, what);
        break;
    case PATTERN_ARROW:
        take_arrow(reader, *what);
        break;
    case PATTERN_FILE:
    case PATTERN_LINE:
        take_half(reader, kind, what);
        break;
    case PATTERN_RAISED:
        reader->message = what->message;
        reader->needs_frame = reader->certain = true;
        take_frame(reader, what);
        break;
    case PATTERN_FRAME:
        take_frame(reader, what);
        break;
    case PATTERN_AT:
        take_at(reader, what);
        return;
    case PATTERN_LAST_FRAME:
        if (is_own(what->file))
            reader->frame = *what;
        break;
    case PATTERN_PLACE:
        if (reader->needs_frame && reader->certain)
            take_frame(reader, what);
        else if (is_own(what->file))
            reader->place = *what;
        break;
    }
    reader->in_frames = false;
}

/* A line that matches no pattern: it may be a message. */
static void take_text(DiagnosticReader *reader, Slice line, bool indented) {
    Slice text = slice_trim(line);
    Slice rest = text;
    if (reader->in_frames && !reader->certain)
        reader->needs_frame = false; /* none of the frames was the bot's */
    reader->in_frames = false;
    if (!text.length)
        return;
    if (reader->head.line) {
        slice_skip(&rest, "• ");
        reader->head.message = rest;
        emit(reader, reader->head);
        reader->head = (Diagnostic){0};
    } else if (slice_skip(&rest, "panic: ") || slice_skip(&rest, "fatal error: ")) { /* Go */
        reader->message = text;
        reader->needs_frame = reader->certain = true;
    } else if (slice_skip(&rest, "Node.js v")) { /* the last line of node's output */
        if (reader->place.line) {
            reader->place.message = reader->last_text;
            emit(reader, reader->place);
        }
        reader->place = (Diagnostic){0};
        return;
    } else if (reader->frame.line && !indented && !slice_skip(&rest, "Traceback ")) {
        reader->frame.message = text; /* Python */
        emit(reader, reader->frame);
        reader->frame = (Diagnostic){0};
    }
    if (text.at[0] != '(' && !slice_equals(text, "CallStack (from HasCallStack):"))
        reader->last_text = text;
}

static void take_line(DiagnosticReader *reader, Slice line) {
    bool indented = line.length && (line.at[0] == ' ' || line.at[0] == '\t');
    Slice text = slice_trim(line);
    Diagnostic what;
    if (reader->skips && indented)
        return;
    reader->skips =
        slice_equals(text, "stack traceback:") || slice_equals(text, "stack backtrace:");
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (fits(patterns[i].text, text, &what)) {
            take_match(reader, patterns[i].kind, &what);
            return;
        }
    take_text(reader, line, indented);
}

uint32_t diagnostics_find(Slice text, Diagnostic found[DIAGNOSTICS_MAX]) {
    DiagnosticReader reader = {.found = found};
    Slice line;
    while (reader.count < DIAGNOSTICS_MAX && slice_line(&text, &line))
        take_line(&reader, line);
    if (reader.place.line) {
        reader.place.message = reader.last_text;
        emit(&reader, reader.place);
    }
    return reader.count;
}

void diagnostics_write(JsonOut *out, const Slice *texts, uint32_t count) {
    Diagnostic found[DIAGNOSTICS_MAX];
    json_open(out, "diagnostics", '[');
    for (uint32_t text = 0; text < count; text++) {
        uint32_t some = diagnostics_find(texts[text], found);
        for (uint32_t i = 0; i < some; i++) {
            json_open(out, NULL, '{');
            json_out_string(out, "file", found[i].file);
            json_out_uint(out, "line", found[i].line);
            if (found[i].column)
                json_out_uint(out, "column", found[i].column);
            json_out_string(out, "message", found[i].message);
            json_close(out, '}');
        }
    }
    json_close(out, ']');
}
