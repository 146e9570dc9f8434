/* subject_filters.c - box filters: every backend gives the bytes that the reference gives. */
#include <stdlib.h>

#include "check.h"

typedef struct filter {
    sat_box_spec spec; /* backend NULL */
    content content;
    sat_view src, want; /* rows without gaps */
    uint64_t random;
} filter;

static bool filters(const target *t)
{
    return !t->scans && t->kind < SAT_CEILING;
}

static size_t cases(effort e)
{
    return e == FULL ? 240 : e == QUICK ? 6 : 24;
}

static void drop(void *made)
{
    filter *f = made;
    free(f->src.data);
    free(f->want.data);
    free(f);
}

static const char *some_border(uint64_t *random)
{
    sat_border_info info;
    size_t n = 0;
    while (sat_border_at(n, &info)) n++;
    sat_border_at(random64(random) % n, &info);
    return info.name;
}

static sat_view packed(const sat_box_spec *s)
{
    sat_view v = {.row_bytes = sat_row_bytes(s->width, s->channels, s->sample),
                  .width = s->width,
                  .height = s->height,
                  .channels = s->channels,
                  .type = s->sample};
    v.data = malloc(v.row_bytes * (size_t)v.height);
    if (v.data == NULL) fail("out of memory");
    return v;
}

static bool filtered(const sat_box_spec *spec, const sat_view *src, const sat_view *dst)
{
    sat_box *box;
    bool ok = is_status(sat_box_create(&box, spec), SAT_OK, "sat_box_create") &&
              is_status(sat_box_run(box, src, dst, NULL), SAT_OK, "sat_box_run");
    sat_box_destroy(&box);
    return ok;
}

/* Integers alone: float results may differ by their rounding. */
static void *make(uint64_t seed, size_t k, effort e)
{
    int64_t most = e == FULL ? 400 : 30;
    filter *f = calloc(1, sizeof *f);
    if (f == NULL) {
        fail("out of memory");
        return NULL;
    }
    f->spec = (sat_box_spec){.width = random_in(&seed, 1, most),
                             .height = random_in(&seed, 1, most),
                             .channels = (int)random_in(&seed, 1, 4),
                             .sample = k % 2 ? SAT_U16 : SAT_U8,
                             .window_width = random_in(&seed, 1, 40),
                             .window_height = random_in(&seed, 1, 40),
                             .border = some_border(&seed),
                             .border_value = {1, 2, 3, 4},
                             .threads = (int)random_in(&seed, 1, 3)};
    f->spec.weighted_alpha = f->spec.channels % 2 == 0 && random64(&seed) % 3 == 0;
    f->content = random64(&seed) % 4 == 0 ? LARGEST : RANDOM;
    f->src = packed(&f->spec);
    f->want = packed(&f->spec);
    f->random = seed;
    sat_box_spec spec = f->spec;
    spec.backend = reference();
    bool ok = f->src.data && f->want.data;
    if (ok)
        fill_samples(f->src.data, (size_t)(spec.width * spec.height * spec.channels), spec.sample, NULL, f->content,
                     &seed);
    if (ok && filtered(&spec, &f->src, &f->want)) return f;
    drop(f);
    return NULL;
}

static void run(void *made, const target *t)
{
    filter *f = made;
    uint64_t random = f->random;
    sat_box_spec spec = f->spec;
    area src, dst = {0};
    sat_view seen;
    spec.backend = t->name;
    if (area_open(&src, f->src, random_placement(&random)) && area_open(&dst, f->want, random_placement(&random)) &&
        area_fill(&src, 0xa5) && area_write(&src, &f->src) && area_fill(&dst, 0x5a) &&
        filtered(&spec, &src.view, &dst.view) && area_read(&dst, &seen) && area_clean(&dst, "result") &&
        area_clean(&src, "image"))
        same_bits(&seen, &f->want, "result");
    area_close(&src);
    area_close(&dst);
}

static void text(const void *made, char *line, size_t bytes)
{
    const filter *f = made;
    const sat_box_spec *s = &f->spec;
    snprintf(line, bytes, "%lldx%lldx%d %s, window %lldx%lld, %s%s, %s", (long long)s->width, (long long)s->height,
             s->channels, sat_type_name(s->sample), (long long)s->window_width, (long long)s->window_height, s->border,
             s->weighted_alpha ? ", alpha" : "", content_name(f->content));
}

const subject subject_filters = {"filters", filters, cases, make, run, drop, text};
