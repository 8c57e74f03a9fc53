/* Macros for JSON Schemas, written once. NOUN_SCHEMA is the schema of a value, SCHEMA_NOUN(name) a
   member of an object. Objects are closed: they allow no other members. */
#ifndef HTTP_SCHEMAS_H
#define HTTP_SCHEMAS_H

/* ---- values ---- */

#define TEXT_SCHEMA "{\"type\":\"string\"}"
#define TEXT_OR_NULL_SCHEMA "{\"type\":[\"string\",\"null\"]}"
#define INTEGER_SCHEMA "{\"type\":\"integer\"}"
#define INTEGER_OR_NULL_SCHEMA "{\"type\":[\"integer\",\"null\"]}"
#define COUNT_SCHEMA "{\"type\":\"integer\",\"minimum\":0}"
#define NUMBER_SCHEMA "{\"type\":\"number\"}"
#define NUMBER_OR_NULL_SCHEMA "{\"type\":[\"number\",\"null\"]}"
#define BOOL_SCHEMA "{\"type\":\"boolean\"}"
#define TIME_SCHEMA "{\"type\":\"string\",\"format\":\"date-time\"}"
#define TIME_OR_NULL_SCHEMA "{\"type\":[\"string\",\"null\"],\"format\":\"date-time\"}"

/* `items` is a schema. */
#define ARRAY_SCHEMA(items) "{\"type\":\"array\",\"items\":" items "}"

/* Another schema of the document. */
#define REF_SCHEMA(name) "{\"$ref\":\"#/components/schemas/" name "\"}"

#define OR_NULL_SCHEMA(name) "{\"anyOf\":[" REF_SCHEMA(name) ",{\"type\":\"null\"}]}"

/* `required` is a list such as "\"name\",\"role\""; `members` are members, separated by ",". */
#define SCHEMA_OBJECT(required, members)                                       \
 "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[" required \
 "],\"properties\":{" members "}}"

/* A page of a list. */
#define SCHEMA_LIST(of)    \
 SCHEMA_OBJECT(            \
     "\"items\",\"next\"", \
     SCHEMA_MEMBER("items", ARRAY_SCHEMA(REF_SCHEMA(of))) "," SCHEMA_TEXT_OR_NULL("next"))

/* ---- members ---- */

#define SCHEMA_MEMBER(name, schema) "\"" name "\":" schema
#define SCHEMA_TEXT(name) SCHEMA_MEMBER(name, TEXT_SCHEMA)
#define SCHEMA_SHORT(name, least, most) \
 SCHEMA_MEMBER(name, "{\"type\":\"string\",\"minLength\":" least ",\"maxLength\":" most "}")
#define SCHEMA_TEXT_OR_NULL(name) SCHEMA_MEMBER(name, TEXT_OR_NULL_SCHEMA)
#define SCHEMA_NUMBER(name) SCHEMA_MEMBER(name, INTEGER_SCHEMA)
#define SCHEMA_RANGE(name, least, most) \
 SCHEMA_MEMBER(name, "{\"type\":\"integer\",\"minimum\":" least ",\"maximum\":" most "}")
#define SCHEMA_BOOL(name) SCHEMA_MEMBER(name, BOOL_SCHEMA)
#define SCHEMA_TIME(name) SCHEMA_MEMBER(name, TIME_SCHEMA)
#define SCHEMA_TIME_OR_NULL(name) SCHEMA_MEMBER(name, TIME_OR_NULL_SCHEMA)
#define SCHEMA_CHOICE(name, list) SCHEMA_MEMBER(name, ENUM_SCHEMA(list))

/* ---- lists of names ----

   A list of names is written once, as a macro:

     #define COLOURS(name, between) name("red") between name("green")

   and used as an array of strings that ends with NULL, as the choices of a Parameter, and as a
   schema. */

#define NAME_PLAIN(text) text
#define NAME_QUOTED(text) "\"" text "\""
#define NAME_COMMA ,
#define NAME_ARRAY(list) \
 { list(NAME_PLAIN, NAME_COMMA), NULL }
#define NAME_CHOICES(list) list(NAME_PLAIN, " ")
#define ENUM_SCHEMA(list) "{\"type\":\"string\",\"enum\":[" list(NAME_QUOTED, ",") "]}"

#endif
