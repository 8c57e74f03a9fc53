/* The smallest possible bot: gives the same answer to every view, with one read and one write if
   the pipe allows it. So the cost of a turn is that of the referee, not of the bot.

   Usage: trivial_bot VIEW_END HELLO ANSWER

   A view is complete when the input read so far ends with VIEW_END. HELLO, unless empty, is printed
   before the first view. In all three, \n, \r, \t and \\ stand for these characters. Exits at the
   end of its input. */
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 16 };

/* Resolves the escapes in place and returns the length. */
static size_t unescape(char *text) {
    static const char names[] = "nrt\\";
    static const char values[] = "\n\r\t\\";
    char *to = text;
    for (const char *from = text; *from; from++) {
        const char *name = from[0] == '\\' && from[1] ? strchr(names, from[1]) : NULL;
        *to++ = name ? values[name - names] : *from;
        from += name != NULL;
    }
    return (size_t)(to - text);
}

static void say(const char *text, size_t length) {
    while (length) {
        ssize_t written = write(STDOUT_FILENO, text, length);
        if (written <= 0)
            _exit(0);
        text += written;
        length -= (size_t)written;
    }
}

int main(int count, char **arguments) {
    static char view[ROOM];
    if (count != 4)
        return 2;
    char *end = arguments[1];
    size_t end_length = unescape(end);
    size_t hello_length = unescape(arguments[2]);
    size_t answer_length = unescape(arguments[3]);
    if (end_length == 0 || end_length > ROOM / 2)
        return 2;
    say(arguments[2], hello_length);
    size_t used = 0;
    for (;;) {
        ssize_t got = read(STDIN_FILENO, view + used, ROOM - used);
        if (got <= 0)
            return 0;
        used += (size_t)got;
        if (used >= end_length && memcmp(view + used - end_length, end, end_length) == 0) {
            say(arguments[3], answer_length);
            used = 0;
        } else if (used > ROOM / 2) {
            /* Only the end of a view matters. */
            memmove(view, view + used - end_length, end_length);
            used = end_length;
        }
    }
}
