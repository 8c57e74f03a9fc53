/* See message.h. */
#include "league/message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LENGTH_BYTES = 4, RECEIVE_BYTES = 64 << 10 };

/* ---- fields ---- */

void message_put_uint(Buffer *to, uint64_t value) {
    buffer_varint(to, value);
}

/* Zigzag encoding: numbers near zero take few bytes, whatever their sign. */
void message_put_int(Buffer *to, int64_t value) {
    buffer_varint(to, value < 0 ? ~((uint64_t)value << 1) : (uint64_t)value << 1);
}

void message_put_slice(Buffer *to, Slice bytes) {
    buffer_varint(to, bytes.length);
    buffer_add(to, bytes.at, bytes.length);
}

void message_put_text(Buffer *to, const char *text) {
    buffer_char(to, text != NULL);
    if (text)
        message_put_slice(to, slice_of(text));
}

uint64_t message_uint(MessageReader *reader) {
    uint64_t value = 0;
    for (unsigned shift = 0; reader->good && reader->rest.length && shift < 64; shift += 7) {
        uint64_t byte = (unsigned char)*reader->rest.at;
        reader->rest.at++;
        reader->rest.length--;
        if (shift == 63 && byte > 1)
            break;
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    reader->good = false;
    return 0;
}

int64_t message_int(MessageReader *reader) {
    uint64_t value = message_uint(reader);
    return (int64_t)(value & 1 ? ~(value >> 1) : value >> 1);
}

Slice message_slice(MessageReader *reader) {
    uint64_t length = message_uint(reader);
    if (!reader->good || length > reader->rest.length) {
        reader->good = false;
        return (Slice){0};
    }
    Slice bytes = {reader->rest.at, (size_t)length};
    reader->rest.at += length;
    reader->rest.length -= (size_t)length;
    return bytes;
}

char *message_text(MessageReader *reader) {
    if (!message_uint(reader))
        return NULL;
    Slice bytes = message_slice(reader);
    if (!reader->good)
        return NULL;
    return slice_copy(bytes);
}

/* ---- messages ---- */

typedef union Control {
    char room[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
} Control;

bool message_send(int socket, Slice message, int fd) {
    uint32_t length = (uint32_t)message.length;
    struct iovec pieces[2] = {{&length, LENGTH_BYTES}, {NULL, message.length}};
    memcpy(&pieces[1].iov_base, &message.at, sizeof message.at);
    Control control = {.room = {0}};
    struct msghdr header = {.msg_iov = pieces, .msg_iovlen = 2};
    if (fd >= 0) {
        header.msg_control = control.room;
        header.msg_controllen = sizeof control.room;
        struct cmsghdr *with = CMSG_FIRSTHDR(&header);
        with->cmsg_level = SOL_SOCKET;
        with->cmsg_type = SCM_RIGHTS;
        with->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(with), &fd, sizeof fd);
    }
    while (header.msg_iovlen) {
        ssize_t sent = sendmsg(socket, &header, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        header.msg_control = NULL;
        header.msg_controllen = 0;
        for (size_t left = (size_t)sent; header.msg_iovlen && left >= header.msg_iov->iov_len;) {
            left -= header.msg_iov->iov_len;
            header.msg_iov++;
            header.msg_iovlen--;
            sent = (ssize_t)left;
        }
        if (header.msg_iovlen) {
            header.msg_iov->iov_base = (char *)header.msg_iov->iov_base + sent;
            header.msg_iov->iov_len -= (size_t)sent;
        }
    }
    return true;
}

/* Reads `count` bytes; the first may carry a descriptor. */
static bool read_whole(int socket, void *to, size_t count, int *fd) {
    while (count) {
        Control control;
        struct iovec piece = {to, count};
        struct msghdr header = {
            .msg_iov = &piece,
            .msg_iovlen = 1,
            .msg_control = control.room,
            .msg_controllen = sizeof control.room,
        };
        ssize_t got = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        struct cmsghdr *with = CMSG_FIRSTHDR(&header);
        if (with && with->cmsg_level == SOL_SOCKET && with->cmsg_type == SCM_RIGHTS)
            memcpy(fd, CMSG_DATA(with), sizeof *fd);
        to = (char *)to + got;
        count -= (size_t)got;
    }
    return true;
}

bool message_read(int socket, Buffer *message, int *fd) {
    uint32_t length = 0;
    *fd = -1;
    buffer_clear(message);
    bool good = read_whole(socket, &length, LENGTH_BYTES, fd) && length <= MESSAGE_MAX &&
                read_whole(socket, buffer_reserve(message, length), length, fd);
    if (good)
        message->length = length;
    else if (*fd >= 0)
        close(*fd);
    return good;
}

bool message_receive(int socket, Buffer *in) {
    ssize_t got = recv(socket, buffer_reserve(in, RECEIVE_BYTES), RECEIVE_BYTES, MSG_DONTWAIT);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    in->length += (size_t)got;
    return got > 0;
}

bool message_next(const Buffer *in, Slice *message, bool *broken) {
    uint32_t length = 0;
    *broken = false;
    if (in->length < LENGTH_BYTES)
        return false;
    memcpy(&length, in->data, LENGTH_BYTES);
    *broken = length > MESSAGE_MAX;
    if (*broken || in->length - LENGTH_BYTES < length)
        return false;
    *message = (Slice){in->data + LENGTH_BYTES, length};
    return true;
}

void message_drop(Buffer *in) {
    uint32_t length = 0;
    memcpy(&length, in->data, LENGTH_BYTES);
    buffer_drop(in, LENGTH_BYTES + (size_t)length);
}
