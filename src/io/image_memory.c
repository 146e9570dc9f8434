#include "image_memory.h"

#include "codec.h"
#include "memory.h"

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t pixel_bytes(const image_shape *s)
{
    uint64_t bytes = sat_row_bytes(s->width, s->channels, s->type);
    const uint64_t planes = s->planes > 1 ? (uint64_t)s->planes : 1;
    return bytes == 0 || __builtin_mul_overflow(bytes, (uint64_t)s->height, &bytes) ||
                   __builtin_mul_overflow(bytes, planes, &bytes)
               ? UINT64_MAX
               : bytes;
}

/* Needed beside the file, until it is closed: the pixels, and the decoder's memory or, later, the oriented copy. */
static uint64_t decoding_bytes(const image_shape *s, const decode_options *opt)
{
    uint64_t pixels = pixel_bytes(s), turned = s->turns && !opt->no_orient ? pixels : 0;
    return sum(pixels, turned > s->decoder_bytes ? turned : s->decoder_bytes);
}

static uint64_t working_bytes(const image_shape *s, const decode_options *opt)
{
    const image_memory *m = opt->memory;
    return sum(pixel_bytes(s), m->work ? m->work(s, m->context) : 0);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

bool image_memory_allows(const image_shape *s, uint64_t need, error *err)
{
    char most[32], bytes[32];
    if (need <= memory_limit()) return true;
    size_texts(bytes, need, most, memory_limit());
    const int channels = shape_bands(s);
    return fail(err, "%lldx%lld px with %d channel%s of %s may take %s, more than the %s of --max-memory",
                (long long)s->width, (long long)s->height, channels, channels > 1 ? "s" : "", sat_type_name(s->type),
                bytes, most);
}

/* decoding: needed until the image is there. */
static bool allowed(const image_shape *s, uint64_t decoding, const decode_options *opt, uint64_t *need, error *err)
{
    if (!codec_size_ok(s->width, s->height, opt, err)) return false;
    *need = larger(decoding, working_bytes(s, opt));
    return image_memory_allows(s, *need, err);
}

static bool read_shape(const image_format *format, const uint8_t *bytes, size_t n, const decode_options *opt,
                       image_shape *s)
{
    *s = (image_shape){0};
    return format->shape && format->shape(bytes, n, opt, s);
}

bool image_memory_take(const image_format *format, const uint8_t *bytes, size_t n, uint64_t input_bytes,
                       const decode_options *opt, error *err)
{
    image_memory *m = opt->memory;
    image_shape s;
    uint64_t need = UINT64_MAX;
    if (!m) return true;
    m->knows = read_shape(format, bytes, n, opt, &s);
    if (m->knows && !allowed(&s, sum(input_bytes, decoding_bytes(&s, opt)), opt, &need, err)) return false;
    memory_take(&m->share, need);
    return true;
}

bool image_memory_stream(const image_format *format, const uint8_t *bytes, size_t n, const decode_options *opt,
                         uint64_t *most, error *err)
{
    image_memory *m = opt->memory;
    image_shape s;
    uint64_t need, left = memory_limit();
    char size[32], limit[32];
    if (!m) return true;
    m->knows = read_shape(format, bytes, n, opt, &s);
    if (m->knows && !allowed(&s, decoding_bytes(&s, opt), opt, &need, err)) return false;
    if (m->share.bytes == 0) {
        memory_take(&m->share,
                    m->knows ? larger(sum(*most, decoding_bytes(&s, opt)), working_bytes(&s, opt)) : UINT64_MAX);
    }
    if (m->knows) left -= decoding_bytes(&s, opt);
    if (n > left)
        return fail(err, "goes on after %s: it may take more than the %s of --max-memory",
                    size_text(size, (double)left), size_text(limit, (double)memory_limit()));
    if (*most > left) *most = left + 1;
    return true;
}

bool image_memory_check(const image_format *format, const source *src, const decode_options *opt, error *err)
{
    image_memory *m = opt->memory;
    image_shape s;
    uint64_t need;
    if (!m || m->knows || !read_shape(format, src->bytes, src->n, opt, &s)) return true;
    const uint64_t input_bytes = src->mapped ? SOURCE_HEAD_BYTES : src->n;
    if (!allowed(&s, sum(input_bytes, decoding_bytes(&s, opt)), opt, &need, err)) return false;
    m->knows = true;
    if (m->share.bytes == 0)
        memory_take(&m->share, need);
    else
        memory_keep(&m->share, need);
    return true;
}

bool image_memory_rows(const image_shape *shape, uint64_t reading_bytes, const decode_options *opt, error *err)
{
    uint64_t need;
    if (!opt->memory) return codec_size_ok(shape->width, shape->height, opt, err);
    if (!allowed(shape, sum(pixel_bytes(shape), reading_bytes), opt, &need, err)) return false;
    memory_take(&opt->memory->share, need);
    return true;
}

void image_memory_decoded(const image *img, const decode_options *opt)
{
    const image_shape s = image_shape_of(img);
    if (opt->memory) memory_keep(&opt->memory->share, working_bytes(&s, opt));
}
