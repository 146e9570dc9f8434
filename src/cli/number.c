/* number.c - numbers from texts, and the shortest decimal digits of a double, exactly.
 *
 * A double is m * 2^-s with m < 2^53.  Its nearest decimal with k digits behind the point is
 *
 *     d = round(m * 10^k / 2^s)
 *
 * and reads back as the same double when |d * 2^s - m * 10^k| < 10^k / 2, that is, when it lies within
 * half a unit of m's last place (a quarter below a power of two, where the neighbour is closer).  All of
 * it fits 128 bits for magnitudes of 2^-9 .. 2^49, where means of images live:
 *
 *     17 digits: d < 10^17 < 2^57 and s <= 52 + 9 = 61, so d * 2^s < 2^118;
 *     k <= 17 + 2 = 19, 10^19 < 2^64, so m * 10^k < 2^117.
 *
 * 15 digits are tried first (every decimal of 15 digits survives the way through a double, so with its
 * final zeros dropped that is the shortest if it reads back at all), then 16, then 17, which always do.
 * Other magnitudes try one digit after the other through printf and strtod. */
#include "number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample_type.h"

/* ---- from texts ----------------------------------------------------------------------------------- */

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
    return numbers_of(text, 0, may_have, 0, value, 1) == 1;
}

int numbers_of(const char *text, char between, unsigned first_may_have, unsigned may_have, double *value, int most)
{
    for (int i = 0; i < most; i++) {
        const size_t n = number_bytes(text, i == 0 ? first_may_have : may_have);
        if (n == 0 || (text[n] && text[n] != between)) return 0;
        value[i] = strtod(text, NULL);
        if (!isfinite(value[i])) return 0;
        if (!text[n]) return i + 1;
        text += n + 1;
    }
    return 0;
}

/* ---- to texts ------------------------------------------------------------------------------------- */

typedef unsigned __int128 wide;

static const uint64_t power_of_ten[20] = {
    1ull,
    10ull,
    100ull,
    1000ull,
    10000ull,
    100000ull,
    1000000ull,
    10000000ull,
    100000000ull,
    1000000000ull,
    10000000000ull,
    100000000000ull,
    1000000000000ull,
    10000000000000ull,
    100000000000000ull,
    1000000000000000ull,
    10000000000000000ull,
    100000000000000000ull,
    1000000000000000000ull,
    10000000000000000000ull,
};

/* d with k digits behind the point, final zeros dropped. */
static size_t put_decimal(char *to, uint64_t d, int k)
{
    char digits[24];
    int n = 0;
    size_t used = 0;
    while (k > 0 && d % 10 == 0) {
        d /= 10;
        k--;
    }
    do digits[n++] = (char)('0' + d % 10);
    while ((d /= 10) > 0 || n <= k);
    while (n > 0) {
        if (n == k) to[used++] = '.';
        to[used++] = digits[--n];
    }
    return used;
}

static size_t put_by_printf(char *to, double value)
{
    int n = 0;
    for (int digits = 1; digits <= 17; digits++) {
        n = snprintf(to, REAL_TEXT_BYTES, "%.*g", digits, value);
        if (strtod(to, NULL) == value) break;
    }
    return (size_t)n;
}

size_t real_text(char to[REAL_TEXT_BYTES], double value)
{
    size_t sign = 0;
    if (isnan(value)) {
        memcpy(to, "nan", 3);
        return 3;
    }
    double size = fabs(value);
    if (value == 0) {
        *to = '0';
        return 1;
    }
    if (!(size >= 0x1p-9 && size < 0x1p49)) return put_by_printf(to, value);
    if (value < 0) to[sign++] = '-';

    int exponent, s;
    uint64_t m = (uint64_t)ldexp(frexp(size, &exponent), 53);
    s = 53 - exponent;
    int whole = 1; /* digits before the point; at most 0 for sizes below 0.1 */
    while (whole < 15 && size >= (double)power_of_ten[whole]) whole++;
    for (double low = 1; whole <= 1 && whole > -2 && size < low; low /= 10) whole--;

    for (int digits = 15;; digits++) {
        int k = digits - whole > 19 ? 19 : digits - whole;
        wide exact = (wide)m * power_of_ten[k];
        uint64_t d = (uint64_t)((exact + ((wide)1 << (s - 1))) >> s);
        wide shown = (wide)d << s;
        wide off = shown > exact ? shown - exact : exact - shown;
        bool close = shown < exact && m == (uint64_t)1 << 52;
        if (digits >= 17 || off * (close ? 4 : 2) < power_of_ten[k]) return sign + put_decimal(to + sign, d, k);
    }
}

size_t sample_text(char to[REAL_TEXT_BYTES], sat_type type, double value)
{
    const bool half = type == SAT_F16;
    const float sample = half ? f16_value(f16_bits((float)value)) : (float)value;
    if (isinf(sample) && half) return real_text(to, (double)sample);
    if ((type != SAT_F32 && !half) || !isfinite(sample)) return real_text(to, value);
    for (int digits = 1;; digits++) {
        char text[REAL_TEXT_BYTES];
        snprintf(text, sizeof text, "%.*g", digits, (double)sample);
        const float shown = strtof(text, NULL);
        if (digits == 9 || shown == sample) return real_text(to, strtod(text, NULL));
    }
}
