/* Macros for JSON Schemas. Objects are closed: they allow no other members. */
#ifndef HTTP_SCHEMAS_H
#define HTTP_SCHEMAS_H

/* `required` is a list such as "\"name\",\"role\""; `members` are the macros below, separated by
   "," strings. */
#define SCHEMA_OBJECT(required, members)                                       \
 "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[" required \
 "],\"properties\":{" members "}}"

#define SCHEMA_MEMBER(name, schema) "\"" name "\":" schema
#define SCHEMA_TEXT(name) SCHEMA_MEMBER(name, "{\"type\":\"string\"}")
#define SCHEMA_SHORT(name, least, most) \
 SCHEMA_MEMBER(name, "{\"type\":\"string\",\"minLength\":" least ",\"maxLength\":" most "}")
#define SCHEMA_TEXT_OR_NULL(name) SCHEMA_MEMBER(name, "{\"type\":[\"string\",\"null\"]}")
#define SCHEMA_NUMBER(name) SCHEMA_MEMBER(name, "{\"type\":\"integer\"}")
#define SCHEMA_RANGE(name, least, most) \
 SCHEMA_MEMBER(name, "{\"type\":\"integer\",\"minimum\":" least ",\"maximum\":" most "}")
#define SCHEMA_BOOL(name) SCHEMA_MEMBER(name, "{\"type\":\"boolean\"}")
#define SCHEMA_TIME(name) SCHEMA_MEMBER(name, "{\"type\":\"string\",\"format\":\"date-time\"}")
#define SCHEMA_TIME_OR_NULL(name) \
 SCHEMA_MEMBER(name, "{\"type\":[\"string\",\"null\"],\"format\":\"date-time\"}")
#define SCHEMA_CHOICE(name, words) SCHEMA_MEMBER(name, "{\"type\":\"string\",\"enum\":[" words "]}")

/* A page of a list. */
#define SCHEMA_LIST(of)                                                                           \
 SCHEMA_OBJECT("\"items\",\"next\"",                                                              \
               SCHEMA_MEMBER("items",                                                             \
                             "{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/" of \
                             "\"}}") "," SCHEMA_TEXT_OR_NULL("next"))

#endif
