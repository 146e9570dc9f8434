#include "gauss_options.h"

#include <stdio.h>
#include <string.h>

#include "number.h"

/* "A,B": a standard deviation, and another or an amount, which may be negative. */
static bool parse_pair(const char *text, double *a, unsigned b_may_have, double *b)
{
    char first[64];
    const size_t n = strcspn(text, ",");
    if (text[n] != ',' || n >= sizeof first) return false;
    snprintf(first, sizeof first, "%.*s", (int)n, text);
    return number_of(first, NUMBER_REAL, a) && number_of(text + n + 1, b_may_have, b);
}

static bool is_sigma(double sigma)
{
    return sigma > 0 && sigma <= SAT_GAUSS_SIGMA_MAX;
}

bool gauss_option(gauss_choice *g, options *o, int c)
{
    static const char range[] = "in pixels, above 0 and up to 16384";
    switch (c) {
    case OPT_GAUSS:
        *g = (gauss_choice){.name = "--gauss", .mode = SAT_GAUSS_BLUR};
        if (!number_of(optarg, NUMBER_REAL, &g->sigma) || !is_sigma(g->sigma))
            options_wrong(o, "the standard deviation %s", range);
        return true;
    case OPT_UNSHARP:
        *g = (gauss_choice){.name = "--unsharp", .mode = SAT_GAUSS_UNSHARP};
        if (!parse_pair(optarg, &g->sigma, NUMBER_SIGN | NUMBER_REAL, &g->amount) || !is_sigma(g->sigma))
            options_wrong(o, "S,A, the blur's standard deviation %s, and the amount", range);
        return true;
    case OPT_DOG:
        *g = (gauss_choice){.name = "--dog", .mode = SAT_GAUSS_DOG};
        if (!parse_pair(optarg, &g->sigma, NUMBER_REAL, &g->sigma2) || !is_sigma(g->sigma) || !is_sigma(g->sigma2))
            options_wrong(o, "A,B, two standard deviations %s", range);
        return true;
    default: return false;
    }
}
