/* names.h - names in an error line, "padded, inclusive or exclusive", and the one that was meant by a misspelt word. */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct name_list {
    char text[1024];
    size_t used;
} name_list;

/* Adds a name, with `between` before it unless it is the first.  What does not fit is cut. */
__attribute__((format(printf, 3, 4))) void name_list_add(name_list *l, const char *between, const char *format, ...);

/* Can the word be a misspelling of the name, and is it nearer than *least?  Then *least becomes their distance.
 * Near is a third of the longer of the two: a letter of three to five, two of six to eight.  Case does not count.
 * To find the nearest of many, begin with *least = SIZE_MAX. */
bool nearer(const char *word, const char *name, size_t *least);

/* "; did you mean NAME?", where n characters are near a name of a list with commas between, the nearest; "" where they
 * are near none, or are one. */
enum { NEAREST_WORD = 32, NEAREST_TEXT = NEAREST_WORD + 32 };
const char *nearest_of(const char *list, const char *word, size_t n, char text[NEAREST_TEXT]);

/* The option, without its dashes, nearest to what other tools (OpenCV, SciPy, ImageMagick, vips, ffmpeg) call by that
 * word; NULL if there is none. */
const char *other_name_of(const char *word);

/* If the text begins with a dash that word processors insert instead of '-' (U+2010 to
 * U+2015, or the minus U+2212), returns its length in bytes, else 0. */
size_t dash_bytes(const char *text);

/* For `--box=3` and `-box`: a long option without its dashes and its value, cut to fit; returns word. */
const char *option_word(const char *argument, char word[NEAREST_WORD]);

#endif
