/* number.h - how numbers are written: on the command line and in files of text in decimal digits, and nothing else. */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include "sat.h"

/* What may be beside the digits. */
enum { NUMBER_SIGN = 1 /* + or -, first */, NUMBER_REAL = 2 /* a fraction, and an exponent, which may have a sign */ };

/* The bytes of the number that the text begins with; 0: it begins with none. */
size_t number_bytes(const char *text, unsigned may_have);

/* The value of a text that is a number and nothing else, if it is finite; else false. */
bool number_of(const char *text, unsigned may_have, double *value);

/* Such numbers in a text of up to `most`, with `between` between them: how many, or 0 if one is none.  The first may
 * have one thing, the rest another. */
int numbers_of(const char *text, char between, unsigned first_may_have, unsigned may_have, double *value, int most);

enum { REAL_TEXT_BYTES = 32 };
/* The fewest digits that read back as the same double; "nan", "inf", "-inf"; no final 0.  Returns their number. */
size_t real_text(char to[REAL_TEXT_BYTES], double value);

/* The fewest digits that read back as the sample of that type: of f32 and f16 the one nearest to the value, which a
 * reader of f16 takes for an f32. */
size_t sample_text(char to[REAL_TEXT_BYTES], sat_type type, double value);

#endif
