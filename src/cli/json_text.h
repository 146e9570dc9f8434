/* json_text.h - reads JSON (RFC 8259) of one line: values that are checked, and found to be where they end. */
#ifndef CLI_JSON_TEXT_H
#define CLI_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum json_kind { JSON_NUMBER, JSON_STRING, JSON_NULL, JSON_WORD, JSON_NESTED } json_kind;

/* A value as it stands in the line, which stays the caller's.  A string without its quotes, and with its escapes. */
typedef struct json_value {
    json_kind
        kind; /* WORD: true or false; NESTED: an object or an array, which holds at most 64 others in each other */
    const char *text;
    size_t n;
} json_value;

/* The next character that is no blank, which *at then stands at; 0 at the end. */
char json_peek(const char **at, const char *end);

/* The next value; *at moves behind it.  False if there is none, or it is no JSON: *at stands where that shows. */
bool json_take(const char **at, const char *end, json_value *value);

/* Writes a string's bytes, its escapes as UTF-8, and returns their number, at most value->n.  A surrogate without its
 * other half becomes U+FFFD. */
size_t json_string(char *to, const json_value *value);

#endif
