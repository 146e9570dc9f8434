/* PAM (netpbm's man page pam(5)): "P7", lines of a keyword and a value up to ENDHDR, then the samples. */
#include "codec.h"
#include "netpbm.h"

static const struct {
    const char *name;
    unsigned depth;
} tuples[] = {{"BLACKANDWHITE", 1},   {"GRAYSCALE", 1},           {"RGB", 3},
              {"GRAYSCALE_ALPHA", 2}, {"BLACKANDWHITE_ALPHA", 2}, {"RGB_ALPHA", 4}};

static bool sniff(const uint8_t *bytes, size_t n)
{
    return n >= 3 && memcmp(bytes, "P7\n", 3) == 0;
}

typedef struct header {
    unsigned width, height, depth, maxval; /* 0 = missing */
    char tuple[32];
} header;

/* One line, without its end and the blanks at its beginning. */
static bool next_line(netpbm_reader *r, const char **line, size_t *n, error *err)
{
    const uint8_t *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    if (!end) {
        r->at = r->end;
        return fail(err, "truncated: the file ends in its header");
    }
    const uint8_t *begin = r->at;
    while (begin < end && netpbm_is_space(*begin)) begin++;
    *line = (const char *)begin;
    *n = (size_t)(end - begin);
    r->at = end + 1;
    return true;
}

static bool begins(const char *line, size_t n, const char *word)
{
    size_t len = strlen(word);
    return n >= len && memcmp(line, word, len) == 0 && (n == len || netpbm_is_space((uint8_t)line[len]));
}

static bool read_number(const char *line, size_t n, const char *word, unsigned largest, unsigned *value, error *err)
{
    netpbm_reader r = {.at = (const uint8_t *)line + strlen(word), .end = (const uint8_t *)line + n};
    if (!netpbm_number(&r, largest, value, err)) return fail(err, "corrupt: the PAM header's %s is no number", word);
    if (*value == 0) return fail(err, "corrupt: the PAM header's %s is 0", word);
    return true;
}

static void read_tuple(const char *line, size_t n, header *h)
{
    const char *text = line + strlen("TUPLTYPE"), *end = line + n;
    while (text < end && netpbm_is_space((uint8_t)*text)) text++;
    while (end > text && netpbm_is_space((uint8_t)end[-1])) end--;
    size_t len = (size_t)(end - text);
    if (len >= sizeof h->tuple) len = sizeof h->tuple - 1;
    memcpy(h->tuple, text, len);
    h->tuple[len] = '\0';
}

static bool read_header(netpbm_reader *r, header *h, error *err)
{
    *h = (header){0};
    for (;;) {
        const char *line = NULL;
        size_t n = 0;
        bool ok = true;
        if (!next_line(r, &line, &n, err)) return false;
        if (begins(line, n, "ENDHDR")) break;
        if (begins(line, n, "WIDTH")) ok = read_number(line, n, "WIDTH", NETPBM_LARGEST_SIDE, &h->width, err);
        if (begins(line, n, "HEIGHT")) ok = read_number(line, n, "HEIGHT", NETPBM_LARGEST_SIDE, &h->height, err);
        if (begins(line, n, "DEPTH")) ok = read_number(line, n, "DEPTH", UINT16_MAX, &h->depth, err);
        if (begins(line, n, "MAXVAL")) ok = read_number(line, n, "MAXVAL", UINT16_MAX, &h->maxval, err);
        if (begins(line, n, "TUPLTYPE")) read_tuple(line, n, h);
        if (!ok) return false;
    }
    if (!h->width || !h->height || !h->depth || !h->maxval) {
        return fail(err, "corrupt: the PAM header lacks WIDTH, HEIGHT, DEPTH or MAXVAL");
    }
    if (h->depth > 4) return fail(err, "a PAM of depth %u; up to 4 channels can be read", h->depth);
    if (h->tuple[0] == '\0') return true;
    for (size_t i = 0; i < sizeof tuples / sizeof tuples[0]; i++) {
        if (strcmp(h->tuple, tuples[i].name) == 0 && h->depth == tuples[i].depth) return true;
    }
    return fail(err, "a PAM of tuple type %s and depth %u cannot be read", h->tuple, h->depth);
}

static bool is_wide(const header *h)
{
    return h->maxval > UINT8_MAX;
}

static uint64_t sample_bytes(const header *h)
{
    return (uint64_t)h->width * h->height * h->depth * (is_wide(h) ? 2 : 1);
}

static bool extent(const uint8_t *bytes, size_t n, const decode_options *opt, uint64_t *most, error *err)
{
    netpbm_reader r = {.at = bytes + 3, .end = bytes + n};
    header h;
    if (!read_header(&r, &h, err)) return netpbm_no_header(&r, n, err);
    if (!codec_size_ok(h.width, h.height, opt, err)) return false;
    *most = (uint64_t)(r.at - bytes) + sample_bytes(&h);
    return true;
}

static bool shape(const uint8_t *bytes, size_t n, const decode_options *opt, image_shape *s)
{
    (void)opt;
    netpbm_reader r = {.at = bytes + 3, .end = bytes + n};
    header h;
    error unused;
    if (!read_header(&r, &h, &unused)) return false;
    *s = (image_shape){.width = h.width,
                       .height = h.height,
                       .channels = (int)h.depth,
                       .type = is_wide(&h) ? SAT_U16 : SAT_U8,
                       .raw = true};
    return true;
}

static bool open_rows(row_source *s, const decode_options *opt, error *err)
{
    netpbm_reader r = {.at = s->in.head + 3, .end = s->in.head + s->in.head_n};
    header h;
    if (!read_header(&r, &h, err)) return s->in_order ? netpbm_no_header(&r, s->in.head_n, err) : false;
    if (!codec_size_ok(h.width, h.height, opt, err)) return false;
    s->head =
        (image){.width = h.width, .height = h.height, .channels = (int)h.depth, .type = is_wide(&h) ? SAT_U16 : SAT_U8};
    return netpbm_rows(s, (uint64_t)(r.at - s->in.head), h.maxval, err);
}

static const row_reading reads_rows = {.open = open_rows, .end = rows_end};

static bool decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    return rows_decode(&reads_rows, bytes, n, opt, img, err);
}

static bool holds(sat_type type, int channels, error *err)
{
    (void)channels;
    if (type == SAT_U8 || type == SAT_U16) return true;
    return codec_cannot_hold("PAM", "u8 and u16", type, err);
}

static bool begin(row_sink *s, error *err)
{
    static const char *const names[5] = {"", "GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};
    const image *img = s->head;
    char text[160];
    int n = snprintf(text, sizeof text, "P7\nWIDTH %lld\nHEIGHT %lld\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n",
                     (long long)img->width, (long long)img->height, img->channels,
                     img->type == SAT_U16 ? UINT16_MAX : UINT8_MAX, names[img->channels]);
    netpbm_pack_samples(s);
    return sink_write(s->out, text, (size_t)n, err);
}

static const row_writing writes_rows = {.begin = begin};

static bool encode(const image *img, const encode_options *opt, sink *out, error *err)
{
    return rows_encode(&format_pam, img, opt, out, err);
}

const image_format format_pam = {
    .name = "pam",
    .extensions = "pam",
    .summary = "PAM, 8-bit and 16-bit, with or without alpha",
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
