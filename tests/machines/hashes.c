/* hashes.c FILE - prints a hash of each table, box filter, window statistic and Gaussian of random images, one for each
 * type of samples, and of the table files that it writes to FILE. What compilers and C libraries build must agree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sat_file.h"
#include "sat_gauss.h"
#include "sat_window.h"

enum { WIDTH = 301, HEIGHT = 203, SAMPLES = WIDTH * HEIGHT };

static uint64_t seed = 88172645463325252u;

/* xorshift64 (Marsaglia 2003). */
static uint64_t random64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

static void need(sat_status status, const char *call)
{
    if (status == SAT_OK) return;
    printf("%s: %s\n", call, sat_detail());
    exit(1);
}
#define NEED(call) need(call, #call)

/* FNV-1a, 64 bits. */
static uint64_t hash_of(const void *bytes, size_t n)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

static void print_view(sat_type sample, const char *what, const sat_view *v)
{
    uint64_t hash = 0;
    for (int64_t y = 0; y < v->height; y++)
        hash =
            hash * 31 + hash_of((const char *)v->data + y * v->row_bytes, (size_t)v->width * sat_type_bytes(v->type));
    printf("%s %s %s %016llx\n", sat_type_name(sample), what, sat_type_name(v->type), (unsigned long long)hash);
}

static void print_file(sat_type sample, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) exit(1);
    static char bytes[16 * SAMPLES];
    const size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    printf("%s file %016llx\n", sat_type_name(sample), (unsigned long long)hash_of(bytes, n));
}

static void hash_table(const sat_view *image, const char *path)
{
    sat_table table;
    const sat_plan_spec spec = {.width = WIDTH, .height = HEIGHT, .sample = image->type};
    NEED(sat_table_for(&spec, &table));
    NEED(sat_view_alloc(&table.view));
    NEED(sat_table_of(image, &spec, &table));
    print_view(image->type, "table", &table.view);
    remove(path);
    NEED(sat_file_write(path, &table, NULL));
    print_file(image->type, path);
    sat_view_free(&table.view);
}

static void hash_filters(const sat_view *image)
{
    sat_view same = {.width = WIDTH, .height = HEIGHT, .channels = 1, .type = image->type};
    NEED(sat_view_alloc(&same));
    sat_box *box = NULL;
    NEED(sat_box_create(
        &box, &(sat_box_spec){
                  .width = WIDTH, .height = HEIGHT, .sample = image->type, .window_width = 9, .window_height = 7}));
    NEED(sat_box_run(box, image, &same, NULL));
    sat_box_destroy(&box);
    print_view(image->type, "box", &same);

    sat_gauss *gauss = NULL;
    NEED(sat_gauss_create(&gauss,
                          &(sat_gauss_spec){.width = WIDTH, .height = HEIGHT, .sample = image->type, .sigma = 2.5}));
    NEED(sat_gauss_run(gauss, image, &same, NULL));
    sat_gauss_destroy(&gauss);
    print_view(image->type, "gauss", &same);
    sat_view_free(&same);

    enum { OUTPUTS = 3 };
    const sat_window_output output[OUTPUTS] = {{.statistic = "sum"}, {.statistic = "std"}, {.statistic = "sauvola"}};
    sat_view result[OUTPUTS];
    sat_window *window = NULL;
    NEED(sat_window_create(&window, &(sat_window_spec){.width = WIDTH,
                                                       .height = HEIGHT,
                                                       .sample = image->type,
                                                       .window_width = 15,
                                                       .window_height = 5,
                                                       .outputs = OUTPUTS,
                                                       .output = output}));
    for (int i = 0; i < OUTPUTS; i++) {
        result[i] = (sat_view){.width = WIDTH, .height = HEIGHT, .channels = 1, .type = sat_window_result(window, i)};
        NEED(sat_view_alloc(&result[i]));
    }
    NEED(sat_window_run(window, image, NULL, result, NULL));
    sat_window_destroy(&window);
    for (int i = 0; i < OUTPUTS; i++) {
        print_view(image->type, output[i].statistic, &result[i]);
        sat_view_free(&result[i]);
    }
}

int main(int argc, char **argv)
{
    static double pixels[SAMPLES];
    for (sat_type type = SAT_U8; type <= SAT_I32; type++) {
        if (type == SAT_U64 || type == SAT_I64 || type == SAT_Q32) continue; /* of accumulators alone */
        sat_view image = {.data = pixels, .width = WIDTH, .height = HEIGHT, .channels = 1, .type = type};
        for (int i = 0; i < SAMPLES; i++) {
            const uint64_t bits = random64();
            switch (type) {
            case SAT_F32: ((float *)pixels)[i] = (float)(bits >> 40) * 0x1p-10f; break;
            case SAT_F64: pixels[i] = (double)(bits >> 11) * 0x1p-40; break;
            default: memcpy((char *)pixels + (size_t)i * sat_type_bytes(type), &bits, sat_type_bytes(type));
            }
        }
        hash_table(&image, argc > 1 ? argv[1] : "hashes.npy");
        hash_filters(&image);
    }
}
