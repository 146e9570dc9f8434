#include "number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char DIGITS[] = "0123456789";

static size_t sign_bytes(const char *text)
{
    return *text == '-' || *text == '+';
}

/* "e-5" behind a number, or nothing. */
static size_t exponent_bytes(const char *text)
{
    if (*text != 'e' && *text != 'E') return 0;
    const size_t before = 1 + sign_bytes(text + 1), digits = strspn(text + before, DIGITS);
    return digits > 0 ? before + digits : 0;
}

size_t number_bytes(const char *text, unsigned may_have)
{
    const size_t sign = may_have & NUMBER_SIGN ? sign_bytes(text) : 0;
    size_t digits = strspn(text + sign, DIGITS), n = sign + digits;
    if (may_have & NUMBER_REAL && text[n] == '.') {
        const size_t fraction = strspn(text + n + 1, DIGITS);
        digits += fraction;
        n += 1 + fraction;
    }
    if (digits == 0) return 0;
    return may_have & NUMBER_REAL ? n + exponent_bytes(text + n) : n;
}

bool number_of(const char *text, unsigned may_have, double *value)
{
    const size_t n = number_bytes(text, may_have);
    if (n == 0 || text[n]) return false;
    *value = strtod(text, NULL);
    return isfinite(*value);
}
