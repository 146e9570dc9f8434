/* tiff_file.c - a TIFF as libtiff sees it: reading, writing, and its errors. */
#if SAT_WITH_LIBTIFF
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <tiffio.h>

#include "codec.h"
#include "tiff_parts.h"

/* ---- errors ---------------------------------------------------------------------------------------------- */

static void keep(tiff_file *f, const char *format, va_list values)
{
    char text[sizeof f->first.text];
    if (f->first.text[0]) return;
    vsnprintf(text, sizeof text, format, values);
    for (char *c = text; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';
    const char *said = text + strspn(text, ": "); /* behind the file's name, which is empty */
    fail(&f->first, "%s", said[0] ? said : "libtiff does not say why");
}

static bool begins_with(const char *text, const char *words)
{
    return strncmp(text, words, strlen(words)) == 0;
}

/* 1: libtiff does not call the handler of the process, which prints.  It reports fields of an unknown type, which a
 * reader skips (TIFF 6.0, page 16). */
static int on_error(TIFF *tif, void *context, const char *module, const char *format, va_list values)
{
    (void)tif, (void)module;
    if (!begins_with(format, "Defined set_field_type of custom tag")) keep(context, format, values);
    return 1;
}

/* libtiff replaces a size of a strip that cannot be right, and would read what lies behind the strip.  LZW of old
 * writers, whose bits come in another order, is read as it should be. */
static int on_warning(TIFF *tif, void *context, const char *module, const char *format, va_list values)
{
    tiff_file *f = context;
    (void)tif, (void)module;
    if (!f->first.text[0] && begins_with(format, "Bogus")) fail(&f->first, "the size of a strip cannot be right");
    if (strstr(format, "IFD looping")) f->circle = true;
    if (f->strict && !begins_with(format, "Old-style LZW codes")) keep(f, format, values);
    return 1;
}

bool tiff_fail(const tiff_file *f, error *err)
{
    const char *why = f->first.text[0] ? f->first.text
                      : f->cut         ? "the file ends inside the directory of the TIFF"
                                       : "libtiff cannot read it";
    if (strncasecmp(why, "out of memory", 13) == 0) return fail(err, "%.200s", why);
    return fail(err, "%s: %.200s", f->cut ? "truncated" : "corrupt", why);
}

/* ---- reading and writing ------------------------------------------------------------------------------------ */

static tmsize_t on_read(thandle_t handle, void *to, tmsize_t want)
{
    tiff_file *f = handle;
    size_t count = 0;
    error why;
    if (!reader_get(f->in, f->at, to, (size_t)want, &count, &why)) {
        if (!f->first.text[0]) f->first = why;
        return 0;
    }
    if (count < (size_t)want) f->cut = true;
    f->at += count;
    return (tmsize_t)count;
}

static tmsize_t read_nothing(thandle_t handle, void *to, tmsize_t want)
{
    (void)handle, (void)to, (void)want;
    return 0;
}

static tmsize_t write_nothing(thandle_t handle, void *from, tmsize_t count)
{
    (void)handle, (void)from, (void)count;
    return 0;
}

static bool grow(tiff_file *f, uint64_t need)
{
    enum { FIRST_BYTES = 1 << 16 };
    size_t capacity = f->capacity ? f->capacity : FIRST_BYTES;
    while (capacity < need) capacity += capacity / 2;
    if (capacity == f->capacity) return true;
    if (!memory_allows(capacity, "the TIFF that is written", &f->first)) return false;
    uint8_t *grown = realloc(f->written, capacity);
    if (!grown) return fail(&f->first, "out of memory: a TIFF of %zu bytes", capacity);
    f->written = grown;
    f->capacity = capacity;
    return true;
}

/* To the sink, which takes zeros for bytes that were passed over. */
static bool write_out(tiff_file *f, const uint8_t *from, size_t count)
{
    static const uint8_t zeros[64];
    size_t n = f->n, again = f->at >= n ? 0 : count < n - f->at ? count : n - (size_t)f->at;
    if (again > 0 && !sink_rewrite(f->out, (size_t)f->at, from, again, &f->first)) return false;
    for (size_t k; n < f->at; n += k) {
        k = f->at - n < sizeof zeros ? (size_t)f->at - n : sizeof zeros;
        if (!sink_write(f->out, zeros, k, &f->first)) return false;
    }
    return sink_write(f->out, from + again, count - again, &f->first);
}

static bool write_memory(tiff_file *f, const uint8_t *from, size_t count)
{
    if (!grow(f, f->at + count)) return false;
    if (f->at > f->n) memset(f->written + f->n, 0, (size_t)f->at - f->n);
    memcpy(f->written + f->at, from, count);
    return true;
}

bool tiff_append(tiff_file *f, const uint8_t *bytes, size_t n)
{
    const uint64_t at = f->at;
    f->at = f->n;
    bool ok = n == 0 || (f->out ? write_out : write_memory)(f, bytes, n);
    f->at = at;
    f->n += n;
    return ok;
}

static tmsize_t on_write(thandle_t handle, void *from, tmsize_t count)
{
    tiff_file *f = handle;
    uint64_t end = f->at + (uint64_t)count;
    if (!(f->out ? write_out : write_memory)(f, from, (size_t)count)) return 0;
    f->at = end;
    if (end > f->n) f->n = (size_t)end;
    return count;
}

static toff_t on_seek(thandle_t handle, toff_t offset, int whence)
{
    tiff_file *f = handle;
    if (whence == SEEK_CUR) offset += f->at;
    if (whence == SEEK_END) offset += f->in ? f->in->length : f->n;
    return f->at = offset;
}

static int on_close(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t on_size(thandle_t handle)
{
    const tiff_file *f = handle;
    return f->in ? f->in->length : f->n;
}

static bool open_as(tiff_file *f, const char *mode, tmsize_t most_bytes, bool reads)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) return fail(&f->first, "out of memory: libtiff");
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, f);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, f);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, most_bytes);
    f->tif = TIFFClientOpenExt("", mode, f, reads ? on_read : read_nothing, reads ? write_nothing : on_write, on_seek,
                               on_close, on_size, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return f->tif != NULL;
}

/* libtiff allocates arrays of strips, where a byte of the file becomes 8 at most, the compressed bytes of one strip,
 * and rows of pixels.  Mode: r read, h no directory yet, m not mapped, c strips as they are stored, D no arrays of
 * strips before they are needed. */
bool tiff_open(tiff_file *f, byte_reader *in, error *err)
{
    enum { ROW_BYTES = 64 << 20 };
    const uint64_t n = in->length;
    *f = (tiff_file){.in = in};
    tmsize_t most = n < (PTRDIFF_MAX - ROW_BYTES) / 8 ? (tmsize_t)n * 8 + ROW_BYTES : PTRDIFF_MAX;
    if (!open_as(f, "rhmcD", most, true)) return tiff_fail(f, err);
    return (TIFFReadDirectory(f->tif) && !f->cut && !f->first.text[0]) || tiff_fail(f, err);
}

static uint64_t number_of(const tiff_file *f, const uint8_t *from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value = value << 8 | from[TIFFIsBigEndian(f->tif) ? i : bytes - 1 - i];
    return value;
}

uint64_t tiff_count(const tiff_file *f, unsigned tag, unsigned other)
{
    const bool big = TIFFIsBigTIFF(f->tif);
    const size_t head = big ? 8 : 2, each = big ? 20 : 12;
    uint64_t at = TIFFCurrentDirOffset(f->tif), n;
    uint8_t bytes[20];
    error unused;
    if (!reader_read(f->in, at, bytes, head, &unused)) return 0;
    n = number_of(f, bytes, (int)head);
    for (at += head; n > 0 && reader_read(f->in, at, bytes, each, &unused); n--, at += each)
        if (number_of(f, bytes, 2) == tag || number_of(f, bytes, 2) == other)
            return number_of(f, bytes + 4, big ? 8 : 4);
    return 0;
}

bool tiff_create(tiff_file *f, bool big, sink *out, error *err)
{
    *f = (tiff_file){.out = sink_rewrites(out) ? out : NULL};
    if (!open_as(f, big ? "w8m" : "wm", 0, false))
        return fail(err, "%.200s", f->first.text[0] ? f->first.text : "out of memory: libtiff");
    return true;
}

void tiff_close(tiff_file *f)
{
    if (f->tif) TIFFClose(f->tif);
    free(f->written);
    *f = (tiff_file){0};
}

#endif
