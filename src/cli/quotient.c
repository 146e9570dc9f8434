#include "quotient.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Long division, bit by bit, to 55 bits or to the end.  A lowest bit that says whether anything is left rounds as all
 * that it stands for. */
double quotient_of(u128 a, u128 b)
{
    u128 q = a / b, rest = a % b;
    int exponent = 0;
    for (; rest != 0 && q >> 54 == 0; exponent--) {
        rest <<= 1;
        q = q << 1 | (rest >= b);
        if (rest >= b) rest -= b;
    }
    bool left = rest != 0;
    for (; q >> 63 != 0; exponent++) {
        left = left || (q & 1);
        q >>= 1;
    }
    return ldexp((double)((uint64_t)q | left), exponent);
}
