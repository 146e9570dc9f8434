/* codec_test.h - what the tests of image formats share. */
#ifndef CODEC_TEST_H
#define CODEC_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format.h"
#include "source.h"

#include <cmocka.h> /* last: its macro fail() hides the function of error.h */

#define FIXTURES "tests/data/codecs/"

static const decode_options plain = {.max_pixels = 1 << 24};

static inline size_t image_bytes(const image *img)
{
    return img->row_bytes * (size_t)img->height;
}

/* A small generator, so that every run tests the same bytes. */
static inline uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Smooth in places and noisy in others; floats from 0 up. */
static inline image random_image(int64_t width, int64_t height, int channels, sat_type type, uint32_t seed)
{
    image img;
    error err;
    assert_true(image_alloc(&img, width, height, channels, type, &err));
    size_t n = image_bytes(&img) / sat_type_bytes(type);
    for (size_t i = 0; i < n; i++) {
        uint32_t noise = next_random(&seed), v = i / 97 % 2 ? noise : (uint32_t)(i / 13 * 259);
        if (type == SAT_U8 || type == SAT_I8) ((uint8_t *)img.data)[i] = (uint8_t)v;
        if (type == SAT_U16 || type == SAT_I16) ((uint16_t *)img.data)[i] = (uint16_t)v;
        if (type == SAT_U32 || type == SAT_I32) ((uint32_t *)img.data)[i] = v * 257;
        if (type == SAT_F64) ((double *)img.data)[i] = v / 1024.0 - 1e7;
        if (type == SAT_F32) ((float *)img.data)[i] = (float)(v % 100000) / 1024.0f;
    }
    return img;
}

/* Encodes through a file of its own; the bytes are the caller's, to be freed. */
static inline bool encode_to_memory(const image_format *format, const image *img, const encode_options *opt,
                                    uint8_t **bytes, size_t *n, error *err)
{
    char path[] = "/tmp/sat-codec-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    sink *out = NULL;
    bool ok = sink_open(&out, path, &(sink_options){0}, err);
    assert_true(ok);
    ok = format->encode(img, opt, out, err);
    if (ok) {
        assert_true(sink_commit(&out, err));
        source src;
        assert_true(source_open(&src, path, err));
        *bytes = malloc(src.n);
        assert_non_null(*bytes);
        memcpy(*bytes, src.bytes, src.n);
        *n = src.n;
        source_close(&src);
    } else {
        sink_abort(&out);
    }
    unlink(path);
    return ok;
}

/* Decodes a copy that ends where its allocation ends, so that a sanitizer sees every byte read too far. */
static inline bool decode_exactly(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    uint8_t *copy = malloc(n ? n : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, n);
    const image_format *format = format_by_content(copy, n);
    *img = (image){0};
    snprintf(err->text, sizeof err->text, "unknown");
    bool ok = format && format->decode(copy, n, opt, img, err);
    if (!ok) {
        assert_null(img->data);
        assert_true(err->text[0] != '\0' && !strchr(err->text, '\n'));
    }
    free(copy);
    return ok;
}

static inline void read_fixture(const char *name, uint8_t **bytes, size_t *n)
{
    char path[256];
    snprintf(path, sizeof path, FIXTURES "%s", name);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot open %s", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *n = (size_t)ftell(file);
    rewind(file);
    *bytes = malloc(*n ? *n : 1);
    assert_non_null(*bytes);
    assert_int_equal(fread(*bytes, 1, *n, file), *n);
    fclose(file);
}

#endif
