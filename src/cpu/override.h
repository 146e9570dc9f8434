/* override.h - settings of the cpu backends that tests take from the environment.
 *
 * SAT_ISA = portable, avx2 or avx512 is the instruction set to use; one that the machine lacks makes the backends
 * unavailable.  SAT_STREAM = always or never decides whether results are written past the caches, instead of their
 * size. The library reads neither: override.c has no value for them.  Programs of tests, build/tests/sat among them,
 * are linked with tests/override.c in its place, which also knows SAT_WITHOUT (src/lib/path.h). */
#ifndef SAT_CPU_OVERRIDE_H
#define SAT_CPU_OVERRIDE_H

const char *sat_override(const char *name); /* the value of that setting; NULL = none */

#endif
