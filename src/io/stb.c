#include "stb.h"

#include <stdlib.h>

#include "codec.h"

#if !SAT_WITH_LIBJPEG

/* ---- the memory that stb_image gets ---------------------------------------------------------------- */

/* Bytes that this thread's call may still allocate.  Freed bytes are not added again: no decoder allocates its memory
 * more than once or twice over. */
static _Thread_local size_t allowance;

static void *limited_alloc(size_t n)
{
    if (n > allowance) return NULL;
    allowance -= n;
    return calloc(1, n);
}

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_NO_STDIO
#define STBI_ONLY_JPEG
#define STBI_MALLOC(n)     limited_alloc(n)
#define STBI_REALLOC(p, n) NULL /* the JPEG decoder never calls it */
#define STBI_FREE(p)       free(p)

#endif

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO

#pragma GCC diagnostic ignored "-Wunused-function" /* is reported at the end of the file: no pop helps */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#if __has_include(<stb/stb_image.h>)
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>
#else /* Alpine and vcpkg have no folder for them */
#include <stb_image.h>
#include <stb_image_write.h>
#endif
#pragma GCC diagnostic pop

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

const char *stb_library(void)
{
    return "stb_image " TEXT(STBI_VERSION);
}

/* ---- writing --------------------------------------------------------------------------------------- */

typedef struct target {
    sink *out;
    error *err;
    bool ok;
} target;

/* stb_image_write does not check its callback for errors, so the first one is kept. */
static void to_sink(void *context, void *bytes, int n)
{
    target *t = context;
    t->ok = t->ok && sink_write(t->out, bytes, (size_t)n, t->err);
}

static bool finish(const target *t, int written)
{
    if (!t->ok) return false;
    return written != 0 || fail(t->err, "stb_image_write could not write the image");
}

bool stb_encode_tga(const image *img, sink *out, error *err)
{
    target t = {.out = out, .err = err, .ok = true};
    return finish(&t, stbi_write_tga_to_func(to_sink, &t, (int)img->width, (int)img->height, img->channels, img->data));
}

#if !SAT_WITH_LIBJPEG

/* ---- JPEG ------------------------------------------------------------------------------------------ */

bool stb_decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    /* per pixel: the result, a converted copy, and a progressive JPEG's coefficients of 16 bits in three
     * planes, all with up to 4 channels; and for tables and lines */
    enum { PIXEL_BYTES = 4 + 4 + 2 * 3 * 2, FIXED_BYTES = 1 << 20 };
    *img = (image){0};
    int width, height, channels;
    if (n > INT_MAX) return fail(err, "files of this format can have up to 2 GiB");
    allowance = FIXED_BYTES;
    if (!stbi_info_from_memory(bytes, (int)n, &width, &height, &channels)) {
        return fail(err, "corrupt: %s", stbi_failure_reason());
    }
    if (!codec_size_ok(width, height, opt, err)) return false;
    size_t pixels = (size_t)width * (size_t)height;
    allowance = pixels * PIXEL_BYTES + FIXED_BYTES;
    uint8_t *data = stbi_load_from_memory(bytes, (int)n, &width, &height, &channels, 0);
    if (!data) return fail(err, "corrupt: %s", stbi_failure_reason());
    *img = (image){.width = width,
                   .height = height,
                   .channels = channels,
                   .type = SAT_U8,
                   .row_bytes = (size_t)width * (size_t)channels,
                   .data = data};
    return true;
}

typedef struct buffer {
    uint8_t *bytes;
    size_t n, capacity;
    bool ok;
} buffer;

static void to_buffer(void *context, void *bytes, int n)
{
    enum { FIRST_BYTES = 1 << 16 };
    buffer *b = context;
    if (b->ok && (size_t)n > b->capacity - b->n) {
        size_t capacity = b->capacity ? 2 * b->capacity : FIRST_BYTES; /* stb_image_write gives 64 bytes at a time */
        uint8_t *grown = realloc(b->bytes, capacity);
        b->ok = grown != NULL;
        if (grown) {
            b->bytes = grown;
            b->capacity = capacity;
        }
    }
    if (!b->ok) return;
    memcpy(b->bytes + b->n, bytes, (size_t)n);
    b->n += (size_t)n;
}

bool stb_encode_jpeg(const image *img, int quality, uint8_t **bytes, size_t *n, error *err)
{
    buffer b = {.ok = true};
    int written =
        stbi_write_jpg_to_func(to_buffer, &b, (int)img->width, (int)img->height, img->channels, img->data, quality);
    *bytes = b.bytes;
    *n = b.n;
    if (!b.ok) return fail(err, "out of memory: JPEG encoder");
    return written != 0 || fail(err, "stb_image_write could not write the JPEG");
}

#endif
