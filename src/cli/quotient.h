/* quotient.h - quotients of exact integers of 128 bits. */
#ifndef CLI_QUOTIENT_H
#define CLI_QUOTIENT_H

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

/* a / b, rounded once to the nearest double, ties to even; 0 < b < 2^127. */
double quotient_of(u128 a, u128 b);

#endif
