/* A small JSON reader for views. You need not change this file.

   It reads one value after the other. To read an object or an array:
       while ((name = json_member()))     // the name of the next member; NULL: no more
           ...                            // read or skip its value
       while (json_element())             // false: no more
           ...                            // read or skip the element
   On unexpected input, the program ends with an error message. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>

void json_begin(char *text); /* the text to read, which is modified */
const char *json_member(void);
bool json_element(void);
const char *json_string(void); /* as written in the text; escapes such as \" remain */
long long json_integer(void);
double json_number(void);
bool json_word(const char *word); /* reads "true", "false" or "null" if it comes next */
void json_skip(void);             /* any value */

#endif
