/* PBM, PGM and PPM (netpbm's man pages pbm(5), pgm(5), ppm(5)), as text (P1 P2 P3) or bytes (P4 P5 P6). */
#include "codec.h"
#include "netpbm.h"

static bool sniff(const uint8_t *bytes, size_t n)
{
    return n >= 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
           (netpbm_is_space(bytes[2]) || bytes[2] == '#');
}

static bool decode_text(netpbm_reader *r, image *img, unsigned maxval, bool bits, error *err)
{
    for (int64_t y = 0; y < img->height; y++) {
        uint8_t *row = image_row(img, y);
        for (size_t i = 0, n = (size_t)img->width * (size_t)img->channels; i < n; i++) {
            unsigned v;
            if (bits ? !netpbm_bit(r, &v, err) : !netpbm_number(r, maxval, &v, err)) return false;
            if (bits) v = 1 - v;
            netpbm_store(img, row, i, v, maxval);
        }
    }
    return true;
}

/* Eight pixels in a byte, the leftmost in the highest bit; 1 is black. */
static void decode_bits(const uint8_t *bytes, image *img)
{
    size_t raw = ((size_t)img->width + 7) / 8;
    for (int64_t y = 0; y < img->height; y++, bytes += raw) {
        uint8_t *row = image_row(img, y);
        for (size_t x = 0; x < (size_t)img->width; x++) row[x] = bytes[x / 8] >> (7 - x % 8) & 1 ? 0 : 255;
    }
}

static bool decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    *img = (image){0};
    int kind = bytes[1] - '0';
    bool text = kind <= 3, bits = kind == 1 || kind == 4;
    int channels = kind == 3 || kind == 6 ? 3 : 1;
    netpbm_reader r = {.at = bytes + 2, .end = bytes + n};
    unsigned width, height, maxval = 1;
    if (!netpbm_number(&r, NETPBM_LARGEST_SIDE, &width, err) || !netpbm_number(&r, NETPBM_LARGEST_SIDE, &height, err) ||
        (!bits && !netpbm_number(&r, UINT16_MAX, &maxval, err))) {
        return false;
    }
    if (maxval == 0) return fail(err, "corrupt: the largest sample value is 0");
    if (!codec_size_ok(width, height, opt, err)) return false;

    uint64_t samples = (uint64_t)width * height * (unsigned)channels;
    uint64_t least = samples; /* bytes: P1 needs no spaces */
    if (text && !bits) least = 2 * samples - 1;
    if (kind == 4) least = ((uint64_t)width + 7) / 8 * height;
    if (!text && maxval > UINT8_MAX) least = 2 * samples;
    if (!text && !netpbm_one_space(&r, err)) return false;
    if (!netpbm_has(&r, least, err)) return false;
    if (!image_alloc(img, width, height, channels, maxval > UINT8_MAX ? SAT_U16 : SAT_U8, err)) return false;

    bool ok = true;
    if (text) {
        ok = decode_text(&r, img, maxval, bits, err);
    } else if (bits) {
        decode_bits(r.at, img);
    } else {
        ok = netpbm_samples(r.at, img, maxval, err);
    }
    if (!ok) image_free(img);
    return ok;
}

static bool holds(sat_type type, int channels, error *err)
{
    if (type != SAT_U8 && type != SAT_U16) {
        return fail(err, "PNM holds 8-bit and 16-bit samples, not %s; use .pfm or .hdr", sat_type_name(type));
    }
    if (channels == 2 || channels == 4) return fail(err, "PNM holds no alpha; use .pam or .png");
    return true;
}

static bool encode(const image *img, const encode_options *opt, sink *out, error *err)
{
    (void)opt;
    char header[64];
    int n = snprintf(header, sizeof header, "P%d\n%lld %lld\n%d\n", img->channels == 1 ? 5 : 6, (long long)img->width,
                     (long long)img->height, img->type == SAT_U16 ? UINT16_MAX : UINT8_MAX);
    return sink_write(out, header, (size_t)n, err) && netpbm_write_samples(img, out, err);
}

const image_format format_pnm = {
    .name = "pnm",
    .extensions = "ppm pgm pnm pbm",
    .summary = "PBM, PGM and PPM, 8-bit and 16-bit grey and RGB",
    .sniff = sniff,
    .decode = decode,
    .holds = holds,
    .encode = encode,
};
