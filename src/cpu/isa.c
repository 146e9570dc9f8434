/* isa.c - which instruction set to use. */
#include <string.h>

#include "isa.h"
#include "override.h"

static const sat_isa *const isas[] = {
#if defined(__x86_64__)
    &sat_isa_avx512,
    &sat_isa_avx2,
#endif
    &sat_isa_portable,
};
enum { ISAS = sizeof isas / sizeof *isas };

const sat_isa *sat_isa_in_use(const char **why)
{
    const char *forced = sat_override("SAT_ISA");
    for (size_t i = 0; i < ISAS; i++) {
        if (forced && *forced && strcmp(forced, isas[i]->name) != 0) continue;
        if (sat_processor_has(isas[i]->set)) {
            *why = isas[i]->name;
            return isas[i];
        }
    }
    *why = forced && *forced
               ? "the set that SAT_ISA names (portable, avx2, avx512) is unknown, not of this processor, or "
                 "hidden by SAT_ISA_MOST"
               : "SAT_ISA_MOST is not the name of an instruction set (portable, avx2, avx512)";
    return NULL;
}
