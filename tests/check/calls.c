/* calls.c - computes with the library's public calls what the command computes, and compares all bytes.
 *
 *     calls SAT FOLDER    the command, and a folder for its files; prints what differs, and fails if anything does */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sat_light.h"
#include "sat_query.h"
#include "sat_window.h"

enum { WIDTH = 67, HEIGHT = 45, RECTS = 40, REALS = 5 };

static const char *program, *folder;
static int failed;
static uint64_t seed = 20261125;

static uint64_t random64(void)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed;
}

static void die(const char *what)
{
    printf("%s: %s\n", what, sat_detail());
    exit(2);
}

static sat_view make_image(sat_type type, int channels)
{
    sat_view v = {.width = WIDTH, .height = HEIGHT, .channels = channels, .type = type};
    if (sat_view_alloc(&v) != SAT_OK) die("an image");
    const size_t n = (size_t)WIDTH * HEIGHT * (size_t)channels;
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = random64();
        const double real = (double)(int64_t)bits * 0x1p-50;
        switch (type) {
        case SAT_F32: ((float *)v.data)[i] = (float)real; break;
        case SAT_F64: ((double *)v.data)[i] = real; break;
        default: memcpy((char *)v.data + i * sat_type_bytes(type), &bits, sat_type_bytes(type));
        }
    }
    return v;
}

static const char *file(const char *name)
{
    static char path[8][4096];
    static int next;
    char *to = path[next++ % 8];
    snprintf(to, sizeof *path, "%s/%s", folder, name);
    return to;
}

static void write_image(const sat_view *v, const char *path)
{
    static const char *const descr[] = {[SAT_U8] = "|u1",  [SAT_U16] = "<u2", [SAT_U32] = "<u4", [SAT_F32] = "<f4",
                                        [SAT_F64] = "<f8", [SAT_I8] = "|i1",  [SAT_I16] = "<i2", [SAT_I32] = "<i4"};
    char head[128];
    FILE *f = fopen(path, "wb");
    if (!f) die(path);
    int n =
        snprintf(head, sizeof head, "%cNUMPY%c%c%c%c{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d, %d), }",
                 0x93, 1, 0, 118, 0, descr[v->type], HEIGHT, WIDTH, v->channels);
    memset(head + n, ' ', sizeof head - (size_t)n);
    head[127] = '\n';
    fwrite(head, 1, sizeof head, f);
    fwrite(v->data, 1, v->row_bytes * HEIGHT, f);
    if (fclose(f) != 0) die(path);
}

/* What a .npy holds behind its header. */
static size_t read_array(const char *path, void *to, size_t most)
{
    unsigned char head[12];
    FILE *f = fopen(path, "rb");
    if (!f || fread(head, 1, sizeof head, f) != sizeof head) die(path);
    const bool long_size = head[6] > 1;
    const size_t size = head[8] | (size_t)head[9] << 8 | (long_size ? (size_t)head[10] << 16 : 0);
    fseek(f, (long)(size + (long_size ? 12 : 10)), SEEK_SET);
    const size_t n = fread(to, 1, most, f);
    fclose(f);
    return n;
}

static void run(const char *arguments)
{
    char line[16384];
    snprintf(line, sizeof line, "'%s' %s", program, arguments);
    if (system(line) == 0) return;
    printf("failed: %s\n", line);
    exit(2);
}

static void compare(const void *ours, size_t n, const char *path, const char *what)
{
    char *theirs = malloc(n + 1);
    const size_t found = read_array(path, theirs, n + 1);
    if (found == n && memcmp(ours, theirs, n) == 0) {
        free(theirs);
        return;
    }
    size_t at = 0;
    while (at < n && at < found && ((const char *)ours)[at] == theirs[at]) at++;
    printf("%s: %zu bytes, the command has %zu; byte %zu differs\n", what, n, found, at);
    failed++;
    free(theirs);
}

/* ---- rectangles ---------------------------------------------------------------------------------------- */

typedef struct answers {
    sat_rect whole[RECTS];
    sat_rect_f64 real[RECTS];
    sat_sum sums[RECTS * 4];
    double values[REALS][RECTS * 4], areas_f64[RECTS];
    int64_t areas[RECTS];
} answers;

static const char STATISTICS[] = "mean,var,std,rms,count,sum,area";
static const char *const names[REALS] = {"mean", "var", "std", "rms", "count"};

static size_t put(unsigned char *to, const void *from, size_t n)
{
    memcpy(to, from, n);
    return n;
}

/* The records that the command writes. */
static size_t records(const answers *a, bool real, int channels, unsigned char *to)
{
    size_t used = 0;
    const size_t each = sizeof(double) * (size_t)channels;
    for (int i = 0; i < RECTS; i++) {
        used +=
            real ? put(to + used, &a->real[i], sizeof a->real[i]) : put(to + used, &a->whole[i], sizeof a->whole[i]);
        for (int k = 0; k < REALS - 1; k++) used += put(to + used, a->values[k] + i * channels, each);
        for (int c = 0; c < channels; c++) {
            const double count = a->values[REALS - 1][i * channels + c];
            const int64_t whole = (int64_t)count;
            used += real ? put(to + used, &count, sizeof count) : put(to + used, &whole, sizeof whole);
        }
        used += put(to + used, a->sums + i * channels, each);
        used += real ? put(to + used, &a->areas_f64[i], 8) : put(to + used, &a->areas[i], 8);
    }
    return used;
}

/* holes: there are a mask and a value for no data. */
static void rectangles(sat_type type, int channels, bool real, int64_t ddof, bool holes)
{
    static answers a;
    static unsigned char rows[sizeof a];
    static char line[16384];
    sat_view image = make_image(type, channels), mask = make_image(SAT_U8, 1);
    sat_rect_output output[REALS];
    char what[64];
    snprintf(what, sizeof what, "%s with %d channels, %s rectangles%s", sat_type_name(type), channels,
             real ? "fractional" : "whole", holes ? ", holes" : "");
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        if (random64() % 3 == 0) ((uint8_t *)mask.data)[i] = 0;
    write_image(&image, file("image.npy"));
    write_image(&mask, file("mask.npy"));
    int used = snprintf(line, sizeof line, "query '%s' --as image --clip --ddof %d --stat %s -o '%s'",
                        file("image.npy"), (int)ddof, STATISTICS, file("answers.npy"));
    if (holes) used += snprintf(line + used, sizeof line - (size_t)used, " --nodata 0 --mask '%s'", file("mask.npy"));
    for (int i = 0; i < RECTS; i++) {
        sat_rect *w = &a.whole[i];
        *w = (sat_rect){.x = (int64_t)(random64() % (WIDTH + 10)) - 5,
                        .y = (int64_t)(random64() % (HEIGHT + 10)) - 5,
                        .width = 1 + (int64_t)(random64() % WIDTH),
                        .height = 1 + (int64_t)(random64() % HEIGHT)};
        a.real[i] = (sat_rect_f64){(double)w->x + 0.375, (double)w->y - 0.25, (double)w->width - 0.5,
                                   0.125 * (double)w->height};
        const sat_rect_f64 *r = &a.real[i];
        used += real ? snprintf(line + used, sizeof line - (size_t)used, " --rect=%.17g,%.17g,%.17g,%.17g", r->x, r->y,
                                r->width, r->height)
                     : snprintf(line + used, sizeof line - (size_t)used, " --rect=%lld,%lld,%lld,%lld", (long long)w->x,
                                (long long)w->y, (long long)w->width, (long long)w->height);
    }
    for (int k = 0; k < REALS; k++) output[k] = (sat_rect_output){names[k], a.values[k]};
    const sat_statistics ask = {.flags = SAT_CLIP,
                                .ddof = ddof,
                                .sums = a.sums,
                                .areas = real ? NULL : a.areas,
                                .areas_f64 = a.areas_f64,
                                .output = output,
                                .outputs = REALS,
                                .has_nodata = holes};
    const sat_run_options options = {.mask = holes ? &mask : NULL};
    if ((real ? sat_image_statistics_f64(&image, a.real, RECTS, &ask, &options)
              : sat_image_statistics(&image, a.whole, RECTS, &ask, &options)) != SAT_OK)
        die(what);
    run(line);
    compare(rows, records(&a, real, channels, rows), file("answers.npy"), what);
    sat_view_free(&image);
    sat_view_free(&mask);
}

/* ---- a mean of light ----------------------------------------------------------------------------------- */

static void light(sat_type type, int channels)
{
    char line[16384], what[64];
    sat_view image = make_image(type, channels);
    sat_view linear = {.width = WIDTH, .height = HEIGHT, .channels = channels, .type = SAT_F32}, mean = linear;
    const bool alpha = channels % 2 == 0;
    const sat_light_spec light_spec = {.sample = type, .alpha = alpha};
    const sat_box_spec box_spec = {.width = WIDTH,
                                   .height = HEIGHT,
                                   .channels = channels,
                                   .sample = SAT_F32,
                                   .window_width = 5,
                                   .window_height = 4,
                                   .weighted_alpha = alpha};
    sat_light *tables;
    sat_box *box;
    snprintf(what, sizeof what, "light of %s with %d channels", sat_type_name(type), channels);
    write_image(&image, file("image.npy"));
    if (sat_view_alloc(&linear) != SAT_OK || sat_view_alloc(&mean) != SAT_OK) die(what);
    if (sat_light_create(&tables, &light_spec) != SAT_OK || sat_box_create(&box, &box_spec) != SAT_OK) die(what);
    if (sat_light_from_srgb(tables, &image, &linear) != SAT_OK || sat_box_run(box, &linear, &mean, NULL) != SAT_OK ||
        sat_light_to_srgb(tables, &mean, &image, NULL) != SAT_OK)
        die(what);
    snprintf(line, sizeof line, "-q '%s' --as image --linear --box 5x4 -o '%s'", file("image.npy"), file("mean.npy"));
    run(line);
    compare(image.data, image.row_bytes * HEIGHT, file("mean.npy"), what);
    sat_light_destroy(&tables);
    sat_box_destroy(&box);
    sat_view_free(&image);
    sat_view_free(&linear);
    sat_view_free(&mean);
}

int main(int argc, char **argv)
{
    static const sat_type types[] = {SAT_U8, SAT_U16, SAT_U32, SAT_I8, SAT_I16, SAT_I32, SAT_F32, SAT_F64};
    if (argc != 3) return 2;
    program = argv[1], folder = argv[2];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int channels = 1; channels <= 4; channels += 2)
            for (int how = 0; how < 4; how++) rectangles(types[i], channels, how % 2, (int64_t)(i % 2), how / 2);
    for (int channels = 1; channels <= 4; channels++) light(SAT_U8, channels), light(SAT_U16, channels);
    return failed > 0;
}
