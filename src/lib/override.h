/* override.h - settings that tests take from the environment.
 *
 * SAT_ISA = portable, avx2 or avx512 chooses the instruction set of the CPU backends. If the processor does not have
 * it, these backends are unavailable. SAT_ISA_MOST takes the same names and hides the sets above the one that it names,
 * as on a lesser machine (processor.h). SAT_STREAM = always or never decides whether results are written past the
 * caches, instead of their size.
 *
 * The installed library reads none of them: its override.c always returns NULL. The unit tests, build/tests/sat and
 * build/tests/libsat.so are linked with tests/override.c, which reads the environment, and SAT_WITHOUT (path.h), too.
 */
#ifndef SAT_OVERRIDE_H
#define SAT_OVERRIDE_H

const char *sat_override(const char *name); /* the value of that setting, or NULL */

#endif
