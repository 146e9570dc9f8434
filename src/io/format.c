/* format.c - the table of image formats, and a format by its name, extension or content. */
#include "format.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const image_format *const formats[] = {
#define FORMAT(id) &format_##id,
#include "formats.def"
#undef FORMAT
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

const image_format *format_at(size_t i)
{
    return i < FORMATS ? formats[i] : NULL;
}

bool format_lists(const char *list, const char *word)
{
    size_t n = strlen(word);
    while (*list) {
        size_t len = strcspn(list, " ");
        if (len == n && strncasecmp(list, word, n) == 0) return true;
        list += len + strspn(list + len, " ");
    }
    return false;
}

const image_format *format_by_name(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (strcasecmp(formats[i]->name, name) == 0 || format_lists(formats[i]->extensions, name)) return formats[i];
    }
    return NULL;
}

const char *format_extension(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot + 1 : "";
}

const image_format *format_by_extension(const char *path)
{
    const char *extension = format_extension(path);
    for (size_t i = 0; *extension && i < FORMATS; i++) {
        if (format_lists(formats[i]->extensions, extension)) return formats[i];
    }
    return NULL;
}

const image_format *format_by_content(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (formats[i]->decode && formats[i]->sniff(bytes, n)) return formats[i];
    }
    return NULL;
}

const image_format *format_of_samples(void)
{
    size_t i = 0;
    while (i < FORMATS && formats[i]->sniff) i++;
    return format_at(i);
}

/* The first of a format's extensions that may name a file of so many channels; "" if it cannot hold such pixels, or
 * nothing in its files says what they are. */
static const char *extension_for(const image_format *f, sat_type type, int channels, char word[16])
{
    error unused;
    *word = 0;
    if (!f->encode || !f->decode || !f->holds(type, channels, &unused)) return word;
    for (const char *at = f->extensions; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        snprintf(word, 16, "%.*s", (int)strcspn(at, " "), at);
        if (!f->promises || f->promises(word, channels, &unused)) return word;
    }
    *word = 0;
    return word;
}

/* Adds "; use .tif, .npy or .pam" to the error. */
static void add_cures(sat_type type, int channels, int planes, bool negative, error *err)
{
    char words[FORMATS][16];
    size_t n = 0, used = strlen(err->text);
    for (size_t i = 0; i < FORMATS; i++) {
        if ((negative && formats[i]->no_negatives) || (planes > 1 && !formats[i]->planes)) continue;
        if (*extension_for(formats[i], type, channels, words[n])) n++;
    }
    for (size_t i = 0; i < n && used < sizeof err->text; i++) {
        const char *before = i == 0 ? "; use " : i + 1 < n ? ", " : " or ";
        used += (size_t)snprintf(err->text + used, sizeof err->text - used, "%s.%s", before, words[i]);
    }
}

bool format_has_bits(const image_format *format, const char *extension)
{
    return format->bilevel && format_lists(format->bilevel, extension);
}

bool format_holds(const image_format *format, const char *extension, sat_type type, int channels, int planes,
                  bool negative, error *err)
{
    const bool fits = planes <= 1 || format->planes;
    if (fits && format->holds(type, channels, err))
        return !format->promises || format->promises(extension, channels, err);
    if (!fits) fail(err, "%s holds no image of %d bands; --channel N takes one of them", format->name, planes);
    add_cures(type, channels, planes, negative, err);
    return false;
}
