/* PFM (netpbm's man page pfm(5)): "PF" (RGB) or "Pf" (grey), width, height and a scale whose sign is
 * the byte order (negative: the lower byte first), then 32-bit floats, the bottom row first. */
#include "codec.h"
#include "netpbm.h"

static bool sniff(const uint8_t *bytes, size_t n)
{
    return n >= 3 && bytes[0] == 'P' && (bytes[1] == 'F' || bytes[1] == 'f') && netpbm_is_space(bytes[2]);
}

/* Only the sign of the scale is used; its size is a unit of light, which other readers ignore too. */
static bool read_scale(netpbm_reader *r, bool *little, error *err)
{
    enum { LONGEST = 32 };
    char text[LONGEST + 1];
    size_t n = 0;
    while (r->at < r->end && netpbm_is_space(*r->at)) r->at++;
    while (r->at < r->end && !netpbm_is_space(*r->at) && n < LONGEST) text[n++] = (char)*r->at++;
    text[n] = '\0';
    if (r->at == r->end) return fail(err, "truncated: the file ends in its header");
    if (n == 0 || strspn(text, "+-.0123456789eE") != n || !strpbrk(text, "123456789")) {
        return fail(err, "corrupt: the PFM's scale is no number");
    }
    *little = text[0] == '-';
    return true;
}

typedef struct pfm {
    unsigned width, height, channels;
    bool little;
} pfm;

static bool read_header(netpbm_reader *r, pfm *h, error *err)
{
    *h = (pfm){.channels = r->at[1] == 'F' ? 3 : 1};
    r->at += 2;
    return netpbm_number(r, NETPBM_LARGEST_SIDE, &h->width, err) &&
           netpbm_number(r, NETPBM_LARGEST_SIDE, &h->height, err) && read_scale(r, &h->little, err) &&
           netpbm_one_space(r, err);
}

static uint64_t sample_bytes(const pfm *h)
{
    return (uint64_t)h->width * h->height * h->channels * 4;
}

static bool extent(const uint8_t *bytes, size_t n, const decode_options *opt, uint64_t *most, error *err)
{
    netpbm_reader r = {.at = bytes, .end = bytes + n};
    pfm h;
    if (!read_header(&r, &h, err)) return netpbm_no_header(&r, n, err);
    if (!codec_size_ok(h.width, h.height, opt, err)) return false;
    *most = (uint64_t)(r.at - bytes) + sample_bytes(&h);
    return true;
}

static bool shape(const uint8_t *bytes, size_t n, const decode_options *opt, image_shape *s)
{
    (void)opt;
    netpbm_reader r = {.at = bytes, .end = bytes + n};
    pfm h;
    error unused;
    if (!read_header(&r, &h, &unused)) return false;
    *s = (image_shape){.width = h.width, .height = h.height, .channels = (int)h.channels, .type = SAT_F32, .raw = true};
    return true;
}

static bool open_rows(row_source *s, const decode_options *opt, error *err)
{
    netpbm_reader r = {.at = s->in.head, .end = s->in.head + s->in.head_n};
    pfm h;
    if (!read_header(&r, &h, err)) return s->in_order ? netpbm_no_header(&r, s->in.head_n, err) : false;
    if (!codec_size_ok(h.width, h.height, opt, err)) return false;
    s->head = (image){.width = h.width, .height = h.height, .channels = (int)h.channels, .type = SAT_F32};
    s->begin = (uint64_t)(r.at - s->in.head);
    s->stored_bytes = sat_row_bytes(h.width, (int)h.channels, SAT_F32);
    s->upward = true;
    if (h.little != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)) s->unpack = rows_swap;
    return rows_fit(s, err) && (s->in_order || rows_end(s, err));
}

static const row_reading reads_rows = {.open = open_rows, .end = rows_end};

static bool decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    return rows_decode(&reads_rows, bytes, n, opt, img, err);
}

static bool holds(sat_type type, int channels, error *err)
{
    if (type != SAT_F32) return codec_cannot_hold("PFM", "f32", type, err);
    if (channels == 2 || channels == 4) return fail(err, "PFM holds no alpha");
    return true;
}

static bool begin(row_sink *s, error *err)
{
    bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    char header[64];
    int n = snprintf(header, sizeof header, "P%c\n%lld %lld\n%s1.0\n", s->head->channels == 3 ? 'F' : 'f',
                     (long long)s->head->width, (long long)s->head->height, little ? "-" : "");
    s->header_bytes = (uint64_t)n;
    return sink_write(s->out, header, (size_t)n, err);
}

static const row_writing writes_rows = {.upward = true, .begin = begin};

static bool encode(const image *img, const encode_options *opt, sink *out, error *err)
{
    return rows_encode(&format_pfm, img, opt, out, err);
}

const image_format format_pfm = {
    .name = "pfm",
    .extensions = "pfm",
    .summary = "PFM, float grey and RGB",
    .sniff = sniff,
    .extent = extent,
    .shape = shape,
    .decode = decode,
    .chooses = true,
    .alone = true,
    .holds = holds,
    .encode = encode,
    .reads_rows = &reads_rows,
    .writes_rows = &writes_rows,
};
