/* host-images.c - box filters of images in host memory on a device: in crops, and whole, which the border mode wrap
 * asks for; and an image larger than the device's free memory, compared with the CPU's.
 *
 *     make && gcc -O2 -Isrc/lib docs/bench/host-images.c build/libsat.a -lm -lpthread -ldl -lrt -L/usr/local/cuda/lib64
 * \ -lcudart_static -o host-images && ./host-images
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sat.h"

static void check(sat_status status)
{
    if (status == SAT_OK) return;
    fprintf(stderr, "%s\n", sat_detail());
    exit(1);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static sat_view host(int64_t width, int64_t height, int64_t count, sat_type type)
{
    sat_view v = {.width = width, .height = height, .count = count, .channels = 1, .type = type};
    v.row_bytes = (ptrdiff_t)sat_row_bytes(width, 1, type);
    v.image_bytes = v.row_bytes * (ptrdiff_t)height;
    v.data = malloc((size_t)v.image_bytes * (size_t)count);
    if (v.data == NULL) exit(1);
    memset(v.data, 0, (size_t)v.image_bytes * (size_t)count);
    return v;
}

/* The least of some runs. */
static double box_ms(const char *backend, const char *border, int64_t side, const sat_view *src, const sat_view *dst)
{
    const sat_box_spec spec = {.width = src->width,
                               .height = src->height,
                               .count = src->count,
                               .channels = 1,
                               .sample = src->type,
                               .window_width = side,
                               .window_height = side,
                               .border = border,
                               .backend = backend};
    sat_box *box;
    double least = 1e30;
    check(sat_box_create(&box, &spec));
    for (int i = 0; i < 6; i++) {
        const double begin = now_ms();
        check(sat_box_run(box, src, dst, NULL));
        if (now_ms() - begin < least) least = now_ms() - begin;
    }
    sat_box_destroy(&box);
    return least;
}

static void compare(int64_t width, int64_t height, int64_t count, sat_type type, int64_t side)
{
    const sat_view src = host(width, height, count, type), dst = host(width, height, count, type);
    const double crops = box_ms("fused", "reflect101", side, &src, &dst),
                 whole = box_ms("fused", "wrap", side, &src, &dst);
    printf("%lldx%lldx%lld %s, %lldx%lld: crops %.2f ms, whole %.2f, cpu %.2f\n", (long long)width, (long long)height,
           (long long)count, sat_type_name(type), (long long)side, (long long)side, crops, whole,
           box_ms("cpu", "reflect101", side, &src, &dst));
    free(src.data), free(dst.data);
}

int main(void)
{
    sat_device_info device;
    void *rest;
    check(sat_device_current(&device));
    printf("%s\n", device.name);
    compare(640, 480, 1, SAT_U8, 31);
    compare(640, 480, 192, SAT_U8, 31);
    compare(1920, 1080, 1, SAT_U8, 31);
    compare(8192, 8192, 1, SAT_U8, 31);
    compare(8192, 8192, 1, SAT_U8, 301);
    compare(8192, 8192, 1, SAT_F32, 31);
    compare(8192, 8192, 1, SAT_F32, 301);

    size_t taken = (size_t)1 << 40; /* all but two gigabytes or less */
    while (sat_device_alloc(&rest, taken) != SAT_OK) taken -= (size_t)1 << 30;
    const sat_view src = host(100000, 60000, 1, SAT_U8), dst = host(100000, 60000, 1, SAT_U8),
                   want = host(100000, 60000, 1, SAT_U8);
    uint64_t random = 1;
    for (size_t i = 0; i < (size_t)src.image_bytes; i++)
        ((uint8_t *)src.data)[i] = (uint8_t)((random = random * 6364136223846793005u + 1442695040888963407u) >> 56);
    const double ms = box_ms("fused", "reflect101", 31, &src, &dst), cpu = box_ms("cpu", "reflect101", 31, &src, &want);
    printf(
        "100000x60000 u8 beside %.0f GB that are taken: %.0f ms (%.1f GB/s each way), cpu %.0f; the same bytes: %s\n",
        (double)taken * 1e-9, ms, (double)src.image_bytes / ms * 1e-6, cpu,
        memcmp(dst.data, want.data, (size_t)src.image_bytes) == 0 ? "yes" : "NO");
    sat_device_free(rest);
    return 0;
}
