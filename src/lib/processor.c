/* processor.c - which sets of vector instructions this processor has. */
#include "processor.h"

#include <string.h>

#include "override.h"

static const char *const names[] = {
    [SAT_SET_PORTABLE] = "portable", [SAT_SET_AVX2] = "avx2", [SAT_SET_AVX512] = "avx512"};

static bool is_hidden(sat_set set)
{
    const char *most = sat_override("SAT_ISA_MOST");
    if (most == NULL || *most == 0) return false;
    for (size_t i = set; i < sizeof names / sizeof *names; i++)
        if (strcmp(most, names[i]) == 0) return false;
    return true;
}

bool sat_processor_has(sat_set set)
{
    if (is_hidden(set)) return false;
    switch (set) {
    case SAT_SET_PORTABLE: return true;
#if defined(__x86_64__)
    case SAT_SET_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
    case SAT_SET_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
#endif
    default: return false;
    }
}
