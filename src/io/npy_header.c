#include "npy_header.h"

#include <stdio.h>
#include <string.h>

#define MAGIC       "\x93NUMPY"
#define MAGIC_BYTES ((size_t)6)
#define HEADER_MAX  ((size_t)64 << 10) /* NumPy itself refuses more than 10 000 bytes by default */

/* ---- the dictionary: a Python literal, of which only what NumPy writes is understood ---------------- */

typedef struct text {
    const uint8_t *at, *end;
} text;

static void skip_space(text *t)
{
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\t' || *t->at == '\n')) t->at++;
}

static bool take(text *t, char c)
{
    skip_space(t);
    if (t->at == t->end || *t->at != (uint8_t)c) return false;
    t->at++;
    return true;
}

static bool take_word(text *t, const char *word)
{
    size_t n = strlen(word);
    skip_space(t);
    if ((size_t)(t->end - t->at) < n || memcmp(t->at, word, n) != 0) return false;
    t->at += n;
    return true;
}

/* A string in either quotes, without escapes. */
static bool take_string(text *t, char *out, size_t capacity)
{
    skip_space(t);
    if (t->at == t->end || (*t->at != '\'' && *t->at != '"')) return false;
    uint8_t quote = *t->at++;
    size_t n = 0;
    for (; t->at < t->end && *t->at != quote; t->at++) {
        if (*t->at < ' ' || *t->at > '~' || *t->at == '\\' || n + 1 == capacity) return false;
        out[n++] = (char)*t->at;
    }
    out[n] = 0;
    return take(t, (char)quote);
}

static bool take_number(text *t, int64_t *out)
{
    int64_t v = 0;
    skip_space(t);
    const uint8_t *first = t->at;
    for (; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++) {
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *t->at - '0', &v)) return false;
    }
    *out = v;
    return t->at > first;
}

static bool malformed(error *err)
{
    return fail(err, "malformed .npy header");
}

static bool parse_descr(text *t, npy_header *h, error *err)
{
    char descr[64] = "";
    skip_space(t);
    if (t->at < t->end && *t->at == '[') return fail(err, ".npy of records, which are not read; plain numbers are");
    if (!take_string(t, descr, sizeof(descr))) return malformed(err);

    bool plain = strchr("<>|=", descr[0]) && strchr("iufbc", descr[1]) && descr[0] && descr[1];
    text digits = {(const uint8_t *)descr + 2, (const uint8_t *)descr + strlen(descr)};
    int64_t bytes = 0;
    if (!plain || !take_number(&digits, &bytes) || digits.at != digits.end || bytes < 1 || bytes > 16)
        return fail(err, ".npy of type '%.20s', which is not read; plain numbers are", descr);
    h->big_endian = descr[0] == '>' && bytes > 1;
    h->kind = descr[1];
    h->item_bytes = (int)bytes;
    return true;
}

static bool parse_order(text *t, error *err)
{
    if (take_word(t, "False")) return true;
    if (take_word(t, "True")) return fail(err, ".npy in Fortran order: convert it with numpy.ascontiguousarray");
    return malformed(err);
}

static bool parse_shape(text *t, npy_header *h, error *err)
{
    if (!take(t, '(')) return malformed(err);
    for (h->dims = 0; !take(t, ')'); h->dims++) {
        if (h->dims == NPY_DIMS_MAX) return fail(err, ".npy of more than %d dimensions", NPY_DIMS_MAX);
        if (!take_number(t, &h->shape[h->dims])) return malformed(err);
        if (take(t, ',')) continue;
        h->dims++;
        if (!take(t, ')') || h->dims == 1) return malformed(err); /* (7) is no tuple */
        break;
    }
    if (h->dims == 0) return fail(err, ".npy of a single number, not of an array");
    return true;
}

static bool parse_dictionary(text t, npy_header *h, error *err)
{
    enum { DESCR = 1, ORDER = 2, SHAPE = 4, ALL = 7 };
    int seen = 0;

    if (!take(&t, '{')) return malformed(err);
    while (!take(&t, '}')) {
        char key[16];
        if (!take_string(&t, key, sizeof(key)) || !take(&t, ':')) return malformed(err);
        int which = !strcmp(key, "descr")           ? DESCR
                    : !strcmp(key, "fortran_order") ? ORDER
                    : !strcmp(key, "shape")         ? SHAPE
                                                    : 0;
        if (!which || (seen & which)) return malformed(err);
        seen |= which;
        if (which == DESCR && !parse_descr(&t, h, err)) return false;
        if (which == ORDER && !parse_order(&t, err)) return false;
        if (which == SHAPE && !parse_shape(&t, h, err)) return false;
        if (take(&t, ',')) continue;
        if (!take(&t, '}')) return malformed(err);
        break;
    }
    skip_space(&t);
    return seen == ALL && t.at == t.end ? true : malformed(err);
}

/* ---- the file -------------------------------------------------------------------------------------- */

static const struct {
    sat_type type;
    char kind, bytes;
} image_types[] = {{SAT_U8, 'u', 1},  {SAT_U16, 'u', 2}, {SAT_U32, 'u', 4}, {SAT_I8, 'i', 1},  {SAT_I16, 'i', 2},
                   {SAT_I32, 'i', 4}, {SAT_F32, 'f', 2}, {SAT_F32, 'f', 4}, {SAT_F64, 'f', 8}, {SAT_U8, 'b', 1}};

const char *npy_type_name(const npy_header *h, char name[NPY_NAME_BYTES])
{
    static const char letters[] = "iufc", words[][8] = {"int", "uint", "float", "complex"};
    const char *letter = strchr(letters, h->kind);
    if (h->kind == 'b')
        snprintf(name, NPY_NAME_BYTES, "bool");
    else if (letter && *letter)
        snprintf(name, NPY_NAME_BYTES, "%s%d", words[letter - letters], 8 * h->item_bytes);
    else
        snprintf(name, NPY_NAME_BYTES, "%c%d", h->kind, h->item_bytes);
    return name;
}

sat_type npy_image_type(const npy_header *h)
{
    for (size_t i = 0; i < sizeof image_types / sizeof *image_types; i++)
        if (image_types[i].kind == h->kind && image_types[i].bytes == h->item_bytes) return image_types[i].type;
    return SAT_TYPE_NONE;
}

char npy_kind(sat_type type)
{
    switch (type) {
    case SAT_I8:
    case SAT_I16:
    case SAT_I32:
    case SAT_I64: return 'i';
    case SAT_F16:
    case SAT_F32:
    case SAT_F64: return 'f';
    default: return 'u';
    }
}

bool npy_sniff(const uint8_t *bytes, size_t n)
{
    return n >= MAGIC_BYTES && !memcmp(bytes, MAGIC, MAGIC_BYTES);
}

bool npy_parse_header(npy_header *header, const uint8_t *bytes, size_t n, error *err)
{
    npy_header h = {0};

    if (!npy_sniff(bytes, n)) return fail(err, "not a .npy file");
    if (n < MAGIC_BYTES + 2) return fail(err, "truncated: the file ends inside the .npy header");
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return fail(err, ".npy of the unknown version %d.%d", bytes[6], bytes[7]);

    size_t start = bytes[6] == 1 ? 10 : 12;
    if (n < start) return fail(err, "truncated: the file ends inside the .npy header");
    size_t length = bytes[8] | (size_t)bytes[9] << 8;
    if (start == 12) length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (length > HEADER_MAX) return fail(err, ".npy header of %zu bytes; the limit is %zu", length, HEADER_MAX);
    if (length > n - start) return fail(err, "truncated: the file ends inside the .npy header");
    if (!parse_dictionary((text){bytes + start, bytes + start + length}, &h, err)) return false;

    h.data_offset = start + length;
    h.data_bytes = (size_t)h.item_bytes;
    bool overflow = false, empty = false;
    for (int i = 0; i < h.dims; i++) {
        overflow |= __builtin_mul_overflow(h.data_bytes, h.shape[i], &h.data_bytes);
        empty |= h.shape[i] == 0;
    }
    if (empty)
        h.data_bytes = 0;
    else if (overflow)
        return fail(err, "malformed .npy header: the array's size overflows");
    *header = h;
    return true;
}

bool npy_too_short(const npy_header *h, uint64_t n, error *err)
{
    return fail(err, "truncated: the array has %zu bytes, the file holds %llu of them", h->data_bytes,
                (unsigned long long)(n - h->data_offset));
}

bool npy_parse(npy_header *header, const uint8_t *bytes, size_t n, error *err)
{
    npy_header h;

    if (!npy_parse_header(&h, bytes, n, err)) return false;
    if (h.data_bytes > n - h.data_offset) return npy_too_short(&h, n, err);
    *header = h;
    return true;
}

bool npy_little(const npy_header *header, error *err)
{
    if (!header->big_endian) return true;
    return fail(err, "big-endian .npy ('>%c%d'): convert it with a.astype('<%c%d')", header->kind, header->item_bytes,
                header->kind, header->item_bytes);
}

/* The version, the length, a dictionary of n bytes, and spaces: all in `bytes` bytes. */
static void put_page(const char *dictionary, size_t n, size_t bytes, uint8_t page[NPY_PAGE])
{
    size_t length = bytes - MAGIC_BYTES - 4;
    memset(page, ' ', bytes);
    memcpy(page, MAGIC "\x01\x00", MAGIC_BYTES + 2);
    page[8] = (uint8_t)(length & 255);
    page[9] = (uint8_t)(length >> 8);
    memcpy(page + MAGIC_BYTES + 4, dictionary, n);
    page[bytes - 1] = '\n';
}

enum { DICTIONARY_BYTES = 256 };

static size_t put_dictionary(const npy_header *header, char dictionary[DICTIONARY_BYTES])
{
    char shape[NPY_DIMS_MAX * 24] = "";
    size_t used = 0;

    for (int i = 0; i < header->dims; i++)
        used +=
            (size_t)snprintf(shape + used, sizeof(shape) - used, "%s%lld", i ? ", " : "", (long long)header->shape[i]);
    if (header->dims == 1) snprintf(shape + used, sizeof(shape) - used, ",");
    return (size_t)snprintf(dictionary, DICTIONARY_BYTES,
                            "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (%s), }",
                            header->item_bytes > 1 ? '<' : '|', header->kind, header->item_bytes, shape);
}

void npy_format(const npy_header *header, uint8_t page[NPY_PAGE])
{
    char dictionary[DICTIONARY_BYTES];
    size_t n = put_dictionary(header, dictionary);
    put_page(dictionary, n, NPY_PAGE, page);
}

size_t npy_format_short(const npy_header *header, uint8_t page[NPY_PAGE])
{
    enum { UNIT = 64 };
    char dictionary[DICTIONARY_BYTES];
    size_t n = put_dictionary(header, dictionary);
    size_t bytes = (MAGIC_BYTES + 4 + n + 1 + UNIT - 1) / UNIT * UNIT;
    put_page(dictionary, n, bytes, page);
    return bytes;
}

void npy_format_records(const char *fields, uint64_t n, uint8_t page[NPY_PAGE])
{
    char dictionary[NPY_PAGE];
    int used =
        snprintf(dictionary, sizeof(dictionary), "{'descr': [%.3840s], 'fortran_order': False, 'shape': (%llu,), }",
                 fields, (unsigned long long)n);
    put_page(dictionary, (size_t)used, NPY_PAGE, page);
}
