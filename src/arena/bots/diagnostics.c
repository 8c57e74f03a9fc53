/* See diagnostics.h. A line is held against a table of shapes; what a shape does not tell by itself
   (the message of a traceback stands before or behind its frames) the reader remembers. */
#include "arena/bots/diagnostics.h"

#include <string.h>

enum { MESSAGE_MAX = 400, FILE_MAX_LENGTH = 200 };

/* ---- shapes of lines ---- */

typedef enum ShapeKind {
    SHAPE_WHOLE, /* tells all: file, line, message */
    /* the same, of a traceback's innermost frame: whose file may be a library's, then the frames
       behind it count */
    SHAPE_RAISED,
    SHAPE_FRAME, /* of a traceback whose message came before, the innermost frame first */
    SHAPE_AT,    /* the same, where the message is the line in front of the first frame */
    SHAPE_LATER, /* of a traceback whose message comes behind it, the innermost frame last */
    SHAPE_HEAD,  /* a place whose message follows some lines on */
} ShapeKind;

/* In a shape %f is a file, %l a line, %c a column, %m the message up to the end, %q the same behind
   a quoted name, %w a word without blanks, %x anything up to what follows. The rest stands for
   itself; what is left of the line at the end of the shape must be nothing, unless the shape ends
   in %m, %q or %x. Blanks in front of a line are not looked at. */
static const struct {
    const char *text;
    ShapeKind kind;
} shapes[] = {
    {"File \"%f\", line %l, in %x", SHAPE_LATER}, /* Python */
    {"File \"%f\", line %l", SHAPE_LATER},
    {"from %f:%l:in %x", SHAPE_FRAME}, /* Ruby */
    {"%f:%l:in %q", SHAPE_RAISED},     /* Ruby */
    {"%f:%l:%c: %m", SHAPE_WHOLE},     /* gcc, g++, go */
    {"%f:%l: %m", SHAPE_WHOLE},        /* javac, Ruby's and Lua's syntax */
    {"%w: %f:%l: %m", SHAPE_WHOLE},    /* Lua, by the name of its program */
    {"at %w(%f:%l)", SHAPE_AT},        /* Java */
    {"at %x (%f:%l:%c)", SHAPE_AT},    /* node */
    {"at %f:%l:%c", SHAPE_AT},         /* node */
    {"at %x", SHAPE_AT},               /* of neither's own files */
    {"%f:%l +%x", SHAPE_FRAME},        /* Go */
    {"%f:%l", SHAPE_HEAD},             /* node; a frame of Go's that was inlined */
    {"%p at %f line %l%e",
     SHAPE_WHOLE}, /* Perl: %p the message in front, %e a full stop or a comma and more */
};

/* Of a language that bots can be written in: whatever else looks like FILE:LINE is none. */
static bool is_source(Slice file) {
    static const char *const endings[] = {".c",  ".h",   ".cc", ".cpp", ".cxx", ".hpp",
                                          ".hh", ".go",  ".py", ".js",  ".mjs", ".cjs",
                                          ".rb", ".lua", ".pl", ".pm",  ".java"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(endings[i]);
        if (file.length > length && memcmp(file.at + file.length - length, endings[i], length) == 0)
            return true;
    }
    return false;
}

/* Named from the bot's directory. */
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

/* A name of a source file, up to `end`; without blanks, unless it stands in quotes. */
static bool take_file(Slice *rest, char end, Slice *file) {
    size_t count = 0;
    while (count < rest->length && count < FILE_MAX_LENGTH && rest->at[count] != end &&
           (end == '"' || (rest->at[count] != ' ' && rest->at[count] != '\t')))
        count++;
    if (count == rest->length || rest->at[count] != end)
        return false;
    *file = (Slice){rest->at, count};
    step(rest, count);
    slice_skip(file, "./"); /* go says so */
    return is_source(*file);
}

static bool find(Slice in, const char *text, size_t *at) {
    const char *found = in.length ? memmem(in.at, in.length, text, strlen(text)) : NULL;
    *at = found ? (size_t)(found - in.at) : 0;
    return found != NULL;
}

/* What Ruby writes behind the name of a method: `name': message */
static bool take_quoted(Slice *rest, Slice *message) {
    size_t at;
    if (!find(*rest, "': ", &at))
        return false;
    step(rest, at + 3);
    *message = *rest;
    step(rest, rest->length);
    return true;
}

/* Perl's message stands in front of the last " at FILE line N". */
static bool take_before(Slice *rest, Slice *message) {
    size_t at = rest->length;
    size_t line;
    static const char mark[] = " at ";
    if (!find(*rest, " line ", &line))
        return false;
    for (size_t i = 0; i + sizeof mark - 1 <= line; i++)
        if (memcmp(rest->at + i, mark, sizeof mark - 1) == 0)
            at = i;
    if (at == rest->length || !at)
        return false;
    *message = (Slice){rest->at, at};
    step(rest, at);
    return true;
}

/* Anything up to the last place where `text` stands; all, if there is none. */
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

/* A word up to `end`: no blanks, and no slash, which in Java's frames a library has in front of its
   classes. */
static bool take_word(Slice *rest, char end) {
    size_t count = 0;
    while (count < rest->length && rest->at[count] != end && rest->at[count] != ' ' &&
           rest->at[count] != '/')
        count++;
    step(rest, count);
    return count > 0;
}

/* One part of a shape; `behind` is what stands between it and the next. */
static bool take_part(char part, Slice behind, Slice *rest, Diagnostic *to) {
    char next = behind.length ? behind.at[0] : '\0';
    switch (part) {
    case 'f':
        return take_file(rest, next, &to->file);
    case 'l':
        return take_number(rest, &to->line);
    case 'c':
        return take_number(rest, &to->column);
    case 'q':
        return take_quoted(rest, &to->message);
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
        return take_anything(rest, behind);
    }
}

static bool fits(const char *shape, Slice rest, Diagnostic *to) {
    *to = (Diagnostic){0};
    for (const char *at = shape; *at; at++) {
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

typedef struct Reader {
    Diagnostic *found;
    uint32_t count;
    Slice last;     /* the last line that is no frame and not empty */
    Slice said;     /* the message that frames are waited for */
    bool waits;     /* for a frame to `said` */
    bool told;      /* `said` was marked as a message, so words between the frames change nothing */
    bool in_frames; /* the line before was one */
    bool skips;     /* Lua's traceback, which names the same places again */
    Diagnostic later; /* a frame that waits for its message */
    Diagnostic head;  /* a place that does */
} Reader;

static void emit(Reader *reader, Diagnostic what) {
    if (reader->count == DIAGNOSTICS_MAX || !is_own(what.file))
        return;
    what.message = slice_trim(what.message);
    if (what.message.length > MESSAGE_MAX)
        what.message.length = MESSAGE_MAX;
    reader->found[reader->count++] = what;
}

static void take_frame(Reader *reader, const Diagnostic *frame) {
    if (!reader->waits)
        return;
    Diagnostic place = reader->head.line ? reader->head : *frame;
    if (!is_own(place.file))
        return;
    place.message = reader->said;
    if (frame->line == place.line && frame->column)
        place.column = frame->column;
    emit(reader, place);
    reader->head = (Diagnostic){0};
    reader->waits = false;
}

static void take_at(Reader *reader, const Diagnostic *frame) {
    if (!reader->in_frames) {
        reader->said = reader->last;
        reader->waits = true;
        reader->told = false;
    }
    reader->in_frames = true;
    take_frame(reader, frame);
}

static void take_shape(Reader *reader, ShapeKind kind, const Diagnostic *what) {
    Slice message = what->message;
    switch (kind) {
    case SHAPE_WHOLE:
        if (!slice_skip(&message, "note:") && slice_trim(message).length)
            emit(reader, *what);
        break;
    case SHAPE_RAISED:
        reader->said = what->message;
        reader->waits = reader->told = true;
        take_frame(reader, what);
        break;
    case SHAPE_FRAME:
        take_frame(reader, what);
        break;
    case SHAPE_AT:
        take_at(reader, what);
        return;
    case SHAPE_LATER:
        if (is_own(what->file))
            reader->later = *what;
        break;
    case SHAPE_HEAD:
        if (reader->waits && reader->told)
            take_frame(reader, what);
        else if (is_own(what->file))
            reader->head = *what;
        break;
    }
    reader->in_frames = false;
}

/* A line that is of no shape: words, which may be the message of something. */
static void take_words(Reader *reader, Slice line, bool indented) {
    Slice text = slice_trim(line);
    Slice rest = text;
    if (reader->in_frames && !reader->told)
        reader->waits = false; /* none of them was the bot's */
    reader->in_frames = false;
    if (!text.length)
        return;
    if (slice_skip(&rest, "panic: ") || slice_skip(&rest, "fatal error: ")) { /* Go */
        reader->said = text;
        reader->waits = reader->told = true;
    } else if (slice_skip(&rest, "Node.js v")) { /* the end of what node says */
        if (reader->head.line) {
            reader->head.message = reader->last;
            emit(reader, reader->head);
        }
        reader->head = (Diagnostic){0};
        return;
    } else if (reader->later.line && !indented && !slice_skip(&rest, "Traceback ")) {
        reader->later.message = text; /* Python */
        emit(reader, reader->later);
        reader->later = (Diagnostic){0};
    }
    if (text.at[0] != '(')
        reader->last = text;
}

static void take_line(Reader *reader, Slice line) {
    bool indented = line.length && (line.at[0] == ' ' || line.at[0] == '\t');
    Slice text = slice_trim(line);
    Diagnostic what;
    if (reader->skips && indented)
        return;
    reader->skips = slice_equals(text, "stack traceback:");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (fits(shapes[i].text, text, &what)) {
            take_shape(reader, shapes[i].kind, &what);
            return;
        }
    take_words(reader, line, indented);
}

uint32_t diagnostics_find(Slice text, Diagnostic found[DIAGNOSTICS_MAX]) {
    Reader reader = {.found = found};
    Slice line;
    while (reader.count < DIAGNOSTICS_MAX && slice_line(&text, &line))
        take_line(&reader, line);
    if (reader.head.line) {
        reader.head.message = reader.last;
        emit(&reader, reader.head);
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
