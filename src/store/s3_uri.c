/* See s3_uri.h. */
#include "store/s3_uri.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORM "s3://BUCKET/PREFIX?endpoint=https://HOST&region=NAME"

/* ---- the URI ---- */

/* Copies printable characters and decodes escapes such as %41; false if they do not fit. */
static bool decode(Slice from, char *to, size_t size) {
    size_t length = 0;
    for (size_t i = 0; i < from.length; i++) {
        char c = from.at[i];
        if (c == '%') {
            int high = from.length - i < 3 ? -1 : hex_digit_value(from.at[i + 1]);
            int low = high < 0 ? -1 : hex_digit_value(from.at[i + 2]);
            if (low < 0)
                return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        if (c <= ' ' || c >= 0x7f || length + 1 >= size)
            return false;
        to[length++] = c;
    }
    to[length] = '\0';
    return true;
}

/* Takes the text before `stop`, and `stop` itself, from the front of `rest`. */
static Slice take_until(Slice *rest, char stop) {
    const char *end = rest->length ? memchr(rest->at, stop, rest->length) : NULL;
    Slice taken = {rest->at, end ? (size_t)(end - rest->at) : rest->length};
    size_t used = taken.length + (end ? 1 : 0);
    *rest = (Slice){rest->at + used, rest->length - used};
    return taken;
}

static bool has_only(const char *text, const char *others) {
    for (; *text; text++)
        if (!((*text >= 'a' && *text <= 'z') || (*text >= '0' && *text <= '9') ||
              strchr(others, *text)))
            return false;
    return true;
}

static bool take_endpoint(Slice value, S3Uri *uri, Error *error) {
    if (!decode(value, uri->endpoint, sizeof uri->endpoint))
        return error_set(error, "the endpoint of a bucket is too long or has invalid characters");
    size_t length = strlen(uri->endpoint);
    while (length && uri->endpoint[length - 1] == '/')
        uri->endpoint[--length] = '\0';
    const char *host = strstr(uri->endpoint, "://");
    bool good = host && (strncmp(uri->endpoint, "https://", 8) == 0 ||
                         strncmp(uri->endpoint, "http://", 7) == 0);
    /* A user name or password in a URL would be a secret in the wrong place. */
    return (good && host[3] && !strpbrk(host + 3, "/@?#")) ||
           error_set(error, "the endpoint of a bucket is not a URL of a host; use the form "
                            "endpoint=https://HOST:PORT");
}

static bool take_option(Slice option, S3Uri *uri, Error *error) {
    Slice value = option;
    Slice name = take_until(&value, '=');
    int64_t seconds;
    if (slice_equals(name, "endpoint"))
        return take_endpoint(value, uri, error);
    if (slice_equals(name, "region"))
        return (value.length && decode(value, uri->region, sizeof uri->region) &&
                has_only(uri->region, "-")) ||
               error_set(error, "\"%.*s\" is not the name of a region", SLICE_ARGS(value));
    if (slice_equals(name, "timeout")) {
        if (!slice_int(value, &seconds) || seconds < 1 || seconds > 3600)
            return error_set(error,
                             "the timeout of a bucket must be a number of seconds from 1 to 3600");
        uri->timeout = (uint32_t)seconds;
        return true;
    }
    return error_set(error, "unknown option \"%.*s\" of a bucket; known: endpoint, region, timeout",
                     SLICE_ARGS(name));
}

/* Normalizes the prefix: "/arena//files/" becomes "arena/files/". */
static bool take_prefix(Slice path, S3Uri *uri) {
    char text[S3_TEXT_SIZE - 1];
    if (!decode(path, text, sizeof text))
        return false;
    size_t length = 0;
    for (const char *at = text; *at;) {
        size_t part = strcspn(at, "/");
        if (part) {
            memcpy(uri->prefix + length, at, part);
            length += part;
            uri->prefix[length++] = '/';
        }
        at += part + (at[part] == '/');
    }
    uri->prefix[length] = '\0';
    for (char *at = text; *at; at++)
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at | 0x20);
    return has_only(text, "-_./") && !strstr(uri->prefix, "./");
}

/* Whether an invalid bucket may contain keys, as in s3://KEY:SECRET@BUCKET, so that the message
   must not quote it. A secret may contain a slash. */
static bool may_have_keys(Slice bucket) {
    bool found = false;
    for (size_t i = 0; i < bucket.length; i++)
        found |= strchr(":@%", bucket.at[i]) != NULL;
    return found;
}

bool s3_uri_parse(const char *text, S3Uri *uri, Error *error) {
    *uri = (S3Uri){.timeout = S3_TIMEOUT};
    Slice options = slice_of(text);
    if (!slice_skip(&options, "s3://"))
        return error_set(error, "invalid name of a bucket; use the form " FORM);
    Slice path = take_until(&options, '?');
    Slice bucket = take_until(&path, '/');
    bool good = decode(bucket, uri->bucket, sizeof uri->bucket) && strlen(uri->bucket) >= 3 &&
                has_only(uri->bucket, "-.") && !strstr(uri->bucket, "..");
    if (!good && may_have_keys(bucket))
        return error_set(error, "the URI of a bucket has no credentials; set AWS_ACCESS_KEY_ID and "
                                "AWS_SECRET_ACCESS_KEY instead, and use the form " FORM);
    if (!good)
        return error_set(error, "\"%.*s\" is not the name of a bucket; use the form " FORM,
                         SLICE_ARGS(bucket));
    if (!take_prefix(path, uri))
        return error_set(error, "the prefix of a bucket can have only letters, digits and "
                                "\"-_./\", at most 250 in total");
    while (options.length)
        if (!take_option(take_until(&options, '&'), uri, error))
            return false;
    return true;
}

/* Amazon expects the bucket in the host name, which is impossible if the bucket's name has a dot:
   certificates would not match. */
void s3_uri_base(const S3Uri *uri, Buffer *to) {
    const char *region = uri->region[0] ? uri->region : "us-east-1";
    if (uri->endpoint[0])
        buffer_format(to, "%s/%s", uri->endpoint, uri->bucket);
    else if (strchr(uri->bucket, '.'))
        buffer_format(to, "https://s3.%s.amazonaws.com/%s", region, uri->bucket);
    else
        buffer_format(to, "https://%s.s3.%s.amazonaws.com", uri->bucket, region);
}

/* ---- answers ---- */

/* Finds the next "<NAME>...</NAME>" in `rest` and sets `content` to the text between the tags.
   Removes everything up to the end tag from `rest`. The elements that matter here have no
   attributes. */
static bool next_element(Slice *rest, const char *name, Slice *content) {
    char open[64];
    char close[64];
    snprintf(open, sizeof open, "<%s>", name);
    snprintf(close, sizeof close, "</%s>", name);
    const char *begin = rest->length ? memmem(rest->at, rest->length, open, strlen(open)) : NULL;
    if (!begin)
        return false;
    begin += strlen(open);
    const char *end =
        memmem(begin, rest->length - (size_t)(begin - rest->at), close, strlen(close));
    if (!end)
        return false;
    *content = (Slice){begin, (size_t)(end - begin)};
    const char *after = end + strlen(close);
    *rest = (Slice){after, rest->length - (size_t)(after - rest->at)};
    return true;
}

/* Decodes an entity such as "&amp;" or "&#34;". Keys of this store have only ASCII characters. */
static size_t decode_entity(Slice at, char *to) {
    static const struct {
        const char *text;
        char c;
    } entities[] = {
        {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
        Slice rest = at;
        if (slice_skip(&rest, entities[i].text)) {
            *to = entities[i].c;
            return at.length - rest.length;
        }
    }
    Slice rest = at;
    unsigned value = 0;
    if (!slice_skip(&rest, "&#"))
        return 0;
    bool hex = slice_skip(&rest, "x");
    while (rest.length && hex_digit_value(*rest.at) >= 0 && value < 128) {
        value = value * (hex ? 16 : 10) + (unsigned)hex_digit_value(*rest.at);
        rest = (Slice){rest.at + 1, rest.length - 1};
    }
    if (value < 1 || value > 127 || !slice_skip(&rest, ";"))
        return 0;
    *to = (char)value;
    return at.length - rest.length;
}

static void decode_text(Slice text, Buffer *to) {
    for (size_t i = 0; i < text.length; i++) {
        char c = text.at[i];
        size_t used = c == '&' ? decode_entity((Slice){text.at + i, text.length - i}, &c) : 0;
        buffer_char(to, c);
        i += used ? used - 1 : 0;
    }
}

bool s3_xml_text(Slice xml, const char *element, Buffer *to) {
    Slice content;
    if (!next_element(&xml, element, &content))
        return false;
    decode_text(content, to);
    return true;
}

bool s3_list_parse(Slice xml, void (*take)(void *context, const char *key), void *context,
                   Buffer *next) {
    Buffer text = {0};
    Slice rest = xml;
    Slice object;
    bool good = xml.length && memmem(xml.at, xml.length, "<ListBucketResult", 17) &&
                s3_xml_text(xml, "IsTruncated", &text);
    bool more = good && strcmp(buffer_string(&text), "true") == 0;
    while (good && next_element(&rest, "Contents", &object)) {
        buffer_clear(&text);
        good = s3_xml_text(object, "Key", &text) && !memchr(text.data, '\0', text.length);
        if (good)
            take(context, buffer_string(&text));
    }
    if (good && more)
        good = s3_xml_text(xml, "NextContinuationToken", next) && next->length;
    buffer_free(&text);
    return good;
}
