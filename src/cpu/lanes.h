/* lanes.h - lists of a vector's lanes: LANES_16(M, a, L) is M(0, a, L), M(1, a, L), ... M(15, a, L). */
#ifndef SAT_CPU_LANES_H
#define SAT_CPU_LANES_H

#define LANES_2(M, a, L)          LANES_FROM_2(M, 0, a, L)
#define LANES_4(M, a, L)          LANES_FROM_4(M, 0, a, L)
#define LANES_8(M, a, L)          LANES_FROM_8(M, 0, a, L)
#define LANES_16(M, a, L)         LANES_FROM_16(M, 0, a, L)
#define LANES_32(M, a, L)         LANES_FROM_16(M, 0, a, L), LANES_FROM_16(M, 16, a, L)
#define LANES_FROM_2(M, i, a, L)  M((i), a, L), M((i) + 1, a, L)
#define LANES_FROM_4(M, i, a, L)  LANES_FROM_2(M, i, a, L), LANES_FROM_2(M, (i) + 2, a, L)
#define LANES_FROM_8(M, i, a, L)  LANES_FROM_4(M, i, a, L), LANES_FROM_4(M, (i) + 4, a, L)
#define LANES_FROM_16(M, i, a, L) LANES_FROM_8(M, i, a, L), LANES_FROM_8(M, (i) + 8, a, L)

#endif
