/* Samples alone, without a header: read as decode_options.raw says, written in this machine's byte order. */
#include <stdlib.h>

#include "codec.h"
#include "raw.h"
#include "row_sink.h"
#include "row_source.h"

/* A number from `least` on; *text moves behind it. */
static bool take_number(const char **text, int64_t least, int64_t *value)
{
    int64_t v = 0;
    const char *at = *text;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *at - '0', &v)) return false;
    if (at == *text || v < least) return false;
    *value = v;
    *text = at;
    return true;
}

static bool take(const char **text, char c)
{
    if (**text != c) return false;
    ++*text;
    return true;
}

static bool is_of_samples(sat_type type)
{
    static const sat_type types[] = {SAT_U8, SAT_U16, SAT_U32, SAT_I8, SAT_I16, SAT_I32, SAT_F32, SAT_F64};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i] == type) return true;
    return false;
}

/* "u16be": the type, and the order of its bytes. */
static bool take_type(const char **text, raw_layout *raw, error *err)
{
    static const char types[] = "u8, i8, or u16, i16, u32, i32, f32 or f64 with le or be behind it";
    char name[8];
    const size_t n = strcspn(*text, ":@");
    if (n < 2 || n >= sizeof name) return fail(err, "TYPE is %s", types);
    memcpy(name, *text, n);
    name[n] = '\0';
    char *order = name + n - 2;
    const bool big = strcmp(order, "be") == 0, ordered = big || strcmp(order, "le") == 0;
    if (ordered) *order = '\0';
    raw->type = sat_type_from_name(name);
    raw->big_endian = big;
    const size_t bytes = sat_type_bytes(raw->type);
    *text += n;
    if (!is_of_samples(raw->type)) return fail(err, "TYPE is %s", types);
    if (bytes > 1 && !ordered) return fail(err, "%s lacks the order of its bytes: %sle or %sbe", name, name, name);
    return bytes > 1 || !ordered || fail(err, "%s has one byte, and no order of bytes", name);
}

bool raw_parse(raw_layout *raw, const char *text, error *err)
{
    const char *at = text;
    int64_t channels = 1, offset = 0;
    *raw = (raw_layout){0};
    err->text[0] = '\0';
    bool ok = take_number(&at, 1, &raw->width) && take(&at, 'x') && take_number(&at, 1, &raw->height) &&
              take(&at, ':') && take_type(&at, raw, err);
    if (ok && take(&at, ':')) ok = (take_number(&at, 1, &channels) && channels <= 4) || fail(err, "C is 1 to 4");
    if (ok && take(&at, '@')) ok = raw->has_offset = take_number(&at, 0, &offset);
    raw->channels = (int)channels;
    raw->offset = (uint64_t)offset;
    if (err->text[0]) return false;
    return (ok && *at == '\0') ||
           fail(err, "WxH:TYPE[:C][@OFFSET] is expected, as 640x480:u8, 640x480:u16le:3 or 640x480:f32be@512");
}

static bool end_rows(row_source *s, error *err)
{
    return s->how || rows_end(s, err);
}

static bool open_rows(row_source *s, const decode_options *opt, error *err)
{
    const raw_layout *raw = opt->raw;
    if (!codec_size_ok(raw->width, raw->height, opt, err)) return false;
    s->head = (image){.width = raw->width, .height = raw->height, .channels = raw->channels, .type = raw->type};
    s->begin = raw->offset;
    s->stored_bytes = sat_row_bytes(raw->width, raw->channels, raw->type);
    s->how = raw->has_offset;
    if (raw->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) && sat_type_bytes(raw->type) > 1)
        s->unpack = rows_swap;
    return rows_fit(s, err) && (s->in_order || end_rows(s, err));
}

static const row_reading reads_rows = {.open = open_rows, .end = end_rows};

static bool holds(sat_type type, int channels, error *err)
{
    (void)type, (void)channels, (void)err;
    return true;
}

static bool begin(row_sink *s, error *err)
{
    (void)s, (void)err;
    return true;
}

static const row_writing writes_rows = {.begin = begin};

static bool encode(const image *img, const encode_options *opt, sink *out, error *err)
{
    return rows_encode(&format_raw, img, opt, out, err);
}

const image_format format_raw = {
    .name = "raw",
    .extensions = "raw",
    .summary = "samples alone, of all types, in this machine's byte order",
    .alone = true,
    .chooses = true,
    .holds = holds,
    .encode = encode,
    .reads_rows = &reads_rows,
    .writes_rows = &writes_rows,
};
