/* Shares of a limit, and where the limit comes from. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec_test.h"
#include "row_source.h"
#include "memory.h"
#include "scratch.h"

enum { LIMIT = 1000000, THREADS = 8 };

static error err;

/* ---- the limit ------------------------------------------------------------------------------------------ */

static void put(const char *path, const char *text)
{
    char command[512];
    snprintf(command, sizeof command, "mkdir -p \"$(dirname %s/%s)\" && printf '%s' >%s/%s", scratch, path, text,
             scratch, path);
    assert_int_equal(system(command), 0);
}

static void three_quarters_are_the_default(void **state)
{
    (void)state;
    uint64_t all = memory_of_machine("");
    assert_true(all > 0 && all < UINT64_MAX);
    assert_true(memory_limit() == all / 4 * 3);
}

static void control_groups_limit_the_memory(void **state)
{
    (void)state;
    uint64_t all = memory_of_machine(scratch); /* nothing is there */
    assert_true(all == (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));

    put("proc/self/cgroup", "0::/user/job\n");
    put("sys/fs/cgroup/user/job/memory.max", "max\n");
    assert_true(memory_of_machine(scratch) == all);
    put("sys/fs/cgroup/user/job/memory.max", "700000\n");
    assert_int_equal(memory_of_machine(scratch), 700000);
    put("sys/fs/cgroup/user/memory.max", "600000\n"); /* the least counts, wherever it stands */
    assert_int_equal(memory_of_machine(scratch), 600000);
    put("sys/fs/cgroup/memory.max", "500000\n");
    assert_int_equal(memory_of_machine(scratch), 500000);

    put("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:hugetlb,memory:/docker/abc\n1:name=memory:/y\n0::/\n");
    put("sys/fs/cgroup/memory.max", "max\n");
    assert_true(memory_of_machine(scratch) == all);
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "400000\n"); /* as a container sees it */
    assert_int_equal(memory_of_machine(scratch), 400000);
    put("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "300000\n");
    assert_int_equal(memory_of_machine(scratch), 300000);
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"); /* none */
    put("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n");
    assert_true(memory_of_machine(scratch) == all);
}

static void sizes_read_well(void **state)
{
    char text[32];
    (void)state;
    assert_string_equal(size_text(text, 1023), "1023 bytes");
    assert_string_equal(size_text(text, 1536), "1.5 KiB");
    assert_string_equal(size_text(text, 7.5 * (1 << 30)), "7.5 GiB");
}

static void sizes_that_differ_look_so(void **state)
{
    char more[32], most[32];
    (void)state;
    size_texts(more, 2 << 20, most, 1 << 20);
    assert_string_equal(more, "2.0 MiB");
    assert_string_equal(most, "1.0 MiB");
    size_texts(more, (1 << 20) + 1, most, 1 << 20);
    assert_string_equal(more, "1.1 MiB");
    assert_string_equal(most, "1.0 MiB");
    size_texts(more, (1 << 20) + 1, most, (1 << 20) - 1);
    assert_string_equal(more, "1.1 MiB");
    assert_string_equal(most, "1024.0 KiB");
    size_texts(more, 1089 << 10, most, 1088 << 10); /* 1.0634..., 1.0625 MiB */
    assert_string_equal(more, "1.07 MiB");
    assert_string_equal(most, "1.06 MiB");
    for (int shift = 0; shift < 53; shift++) {
        size_texts(more, (UINT64_C(1) << shift) + 1, most, UINT64_C(1) << shift);
        assert_string_not_equal(more, most);
    }
    size_texts(more, UINT64_MAX, most, UINT64_C(1) << 62);
    assert_string_not_equal(more, most);
}

/* ---- shares --------------------------------------------------------------------------------------------- */

static atomic_uint_fast64_t held, most_held;

static void count(uint64_t bytes)
{
    uint64_t now = atomic_fetch_add(&held, bytes) + bytes, most = most_held;
    while (now > most && !atomic_compare_exchange_weak(&most_held, &most, now)) {}
}

/* Of every size, some larger than the limit: those are alone. */
static void *share_often(void *arg)
{
    uint32_t seed = *(uint32_t *)arg;
    for (int i = 0; i < 2000; i++) {
        memory_share share = {0};
        uint64_t bytes = next_random(&seed) % (LIMIT + LIMIT / 10);
        memory_take(&share, bytes);
        uint64_t got = bytes < LIMIT ? bytes : LIMIT;
        if (share.bytes != got) return arg;
        count(got);
        atomic_fetch_sub(&held, got - got / 2);
        memory_keep(&share, got / 2);
        memory_keep(&share, got); /* takes nothing */
        if (share.bytes != got / 2) return arg;
        atomic_fetch_sub(&held, got / 2);
        memory_keep(&share, 0);
    }
    return NULL;
}

static void shares_never_exceed_the_limit(void **state)
{
    pthread_t threads[THREADS];
    uint32_t seeds[THREADS];
    (void)state;
    memory_set_limit(LIMIT);
    for (uint32_t i = 0; i < THREADS; i++) {
        seeds[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, share_often, &seeds[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *bad;
        assert_int_equal(pthread_join(threads[i], &bad), 0);
        assert_null(bad);
    }
    assert_int_equal(held, 0);
    assert_true(most_held <= LIMIT);
    memory_share all = {0};
    memory_take(&all, LIMIT);
    memory_keep(&all, 0);
}

/* ---- images --------------------------------------------------------------------------------------------- */

static uint64_t twice(const image_shape *s, const void *context)
{
    return (uint64_t)s->width * (uint64_t)s->height * (uint64_t)s->channels * sat_type_bytes(s->type) *
           *(const unsigned *)context;
}

static void put_bytes(const char *path, const uint8_t *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static bool read_within(const char *path, uint64_t limit, unsigned times)
{
    image img;
    image_memory memory = {.work = twice, .context = &times};
    decode_options opt = plain;
    opt.memory = &memory;
    memory_set_limit(limit);
    bool ok = image_read(path, &opt, &img, NULL, &err);
    if (ok) assert_true(memory.share.bytes == image_bytes(&img) * (times + 1));
    if (!ok) assert_non_null(strstr(err.text, "of --max-memory"));
    memory_keep(&memory.share, 0);
    image_free(&img);
    return ok;
}

/* Of every format: what the pixels and their work take is enough, and no less is. */
static void images_take_what_they_need(void **state)
{
    char path[128];
    (void)state;
    snprintf(path, sizeof path, "%s/image", scratch);
    for (size_t i = 0; format_at(i); i++) {
        const image_format *format = format_at(i);
        if (!format->encode || !format->shape) continue;
        sat_type type = format->holds(SAT_U8, 3, &err) ? SAT_U8 : SAT_F32;
        image img = random_image(300, 200, 3, type, 5);
        uint8_t *bytes = NULL;
        size_t n = 0;
        assert_true(encode_to_memory(format, &img, &(encode_options){.quality = 100}, &bytes, &n, &err));
        put_bytes(path, bytes, n);

        image_shape s = {0};
        assert_true(format->shape(bytes, n, &plain, &s));
        uint64_t pixels = (uint64_t)s.width * (uint64_t)s.height * (uint64_t)s.channels * sat_type_bytes(s.type);
        assert_true(pixels >= image_bytes(&img));
        row_source rows;
        assert_true(row_source_open(&rows, path, &plain, &err));
        uint64_t decoding = pixels + (rows.whole ? n + (s.turns ? pixels : s.decoder_bytes) : rows.whole_bytes);
        assert_true(rows.whole || rows.whole_bytes < SOURCE_HEAD_BYTES + 2 * n);
        row_source_close(&rows);
        assert_true(read_within(path, decoding, 0));
        assert_false(read_within(path, decoding - 1, 0));
        assert_true(read_within(path, 10 * pixels, 9));
        assert_false(read_within(path, 10 * pixels - 1, 9));
        free(bytes);
        image_free(&img);
    }
}

/* The first segment of this code; all segments before it have a length. */
static size_t find_segment(const uint8_t *jpeg, int code)
{
    size_t at = 2;
    while (jpeg[at + 1] != code) at += 2 + ((size_t)jpeg[at + 2] << 8 | jpeg[at + 3]);
    return at;
}

/* JPEGs with more comments than the head holds, before the size or before the first scan, which says how many
 * coefficients are kept: known once they have been read. */
static void images_whose_head_does_not_say(void **state)
{
    enum { COMMENTS = 3, COMMENT_BYTES = 60000, SOF0 = 0xc0, SOS = 0xda };
    char path[128];
    (void)state;
    snprintf(path, sizeof path, "%s/long.jpg", scratch);
    for (int k = 0; k < 2; k++) {
        uint8_t *jpeg;
        size_t n = 0;
        image img;
        read_fixture("rgb420.jpg", &jpeg, &n);
        size_t at = find_segment(jpeg, k ? SOS : SOF0), rest = n - at, whole = n + COMMENTS * COMMENT_BYTES;
        uint8_t *long_one = calloc(1, whole);
        assert_non_null(long_one);
        memcpy(long_one, jpeg, at);
        for (int i = 0; i < COMMENTS; i++, at += COMMENT_BYTES)
            memcpy(long_one + at, (uint8_t[]){0xff, 0xfe, (COMMENT_BYTES - 2) >> 8, (COMMENT_BYTES - 2) & 255}, 4);
        memcpy(long_one + at, jpeg + n - rest, rest);
        image_shape s;
        assert_false(format_by_name("jpeg")->shape(long_one, SOURCE_HEAD_BYTES, &plain, &s));
        put_bytes(path, long_one, whole);
        assert_true(image_read(path, &plain, &img, NULL, &err));
        uint64_t pixels = image_bytes(&img);
        image_free(&img);
        assert_true(read_within(path, whole + 2 * pixels, 0));
        assert_false(read_within(path, whole + 2 * pixels - 1, 0));
        free(jpeg);
        free(long_one);
    }
}

/* The height of such a JPEG is 0, which is no size. */
static void a_jpeg_whose_height_follows_is_unsupported(void **state)
{
    enum { SOF0 = 0xc0, HEIGHT = 5 };
    uint8_t *jpeg;
    size_t n;
    char path[128];
    image img;
    image_memory memory = {0};
    decode_options opt = plain;
    (void)state;
    opt.memory = &memory;
    snprintf(path, sizeof path, "%s/height.jpg", scratch);
    read_fixture("rgb420.jpg", &jpeg, &n);
    memset(jpeg + find_segment(jpeg, SOF0) + HEIGHT, 0, 2);
    put_bytes(path, jpeg, n);
    assert_false(image_read(path, &opt, &img, NULL, &err));
    assert_string_equal(err.text, "a JPEG whose height follows its pixels, which cannot be read");
    memory_keep(&memory.share, 0);
    free(jpeg);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_quarters_are_the_default),
        cmocka_unit_test(control_groups_limit_the_memory),
        cmocka_unit_test(sizes_read_well),
        cmocka_unit_test(sizes_that_differ_look_so),
        cmocka_unit_test(shares_never_exceed_the_limit),
        cmocka_unit_test(images_take_what_they_need),
        cmocka_unit_test(images_whose_head_does_not_say),
        cmocka_unit_test(a_jpeg_whose_height_follows_is_unsupported),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
