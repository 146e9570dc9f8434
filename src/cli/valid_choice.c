/* valid_choice.c - which samples of an image count. */
#include "valid_choice.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "messages.h"
#include "number.h"
#include "row_source.h"
#include "sample_type.h"
#include "sat_image.h"
#include "text_out.h"

static bool is_nan(double v)
{
    return v != v;
}

typedef enum nodata_kind { NODATA_WORDS, NODATA_BEYOND /* f64 */, NODATA_VALUE } nodata_kind;

/* Is that word NaN or an infinity, as C writes them ("nan(0x1)"), or Windows ("1.#QNAN", "-1.#IND00")? */
static bool is_special(const char *word, double *value)
{
    static const char *const names[] = {"nan", "1.#qnan", "1.#snan", "1.#ind", "inf", "infinity", "1.#inf"};
    const char *bare = word + (*word == '-' || *word == '+');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t n = strlen(names[i]);
        const char *rest = bare + n;
        if (strncasecmp(bare, names[i], n) != 0) continue;
        if (i == 0 && *rest == '(') rest += strcspn(rest, ")") + 1;
        if (*names[i] == '1') rest += strspn(rest, "0");
        if (rest > bare + strlen(bare) || *rest) continue;
        *value = strtod(i < 4 ? "nan" : *word == '-' ? "-inf" : "inf", NULL);
        return true;
    }
    return false;
}

bool valid_option(valid_choice *v, options *o, int c)
{
    switch (c) {
    case OPT_MASK: v->mask = optarg; return true;
    case OPT_NODATA:
        v->nodata_given = true;
        v->has_nodata = strcmp(optarg, "none") != 0;
        if (v->has_nodata && !number_of(optarg, NUMBER_SIGN | NUMBER_REAL, &v->nodata) &&
            !is_special(optarg, &v->nodata))
            options_wrong(o, "the value of pixels that do not count, nan, or none");
        v->skip_nan = v->has_nodata && is_nan(v->nodata);
        v->has_nodata = v->has_nodata && !v->skip_nan;
        return true;
    default: return false;
    }
}

/* Reads a file's text for no data as GDAL does: one of these words, or a number, whatever follows it. */
static nodata_kind nodata_of(const char *text, double *value)
{
    char word[NODATA_TEXT_BYTES];
    snprintf(word, sizeof word, "%s", text);
    if (is_special(word, value)) return NODATA_VALUE;
    const size_t n = number_bytes(word, NUMBER_SIGN | NUMBER_REAL);
    if (n == 0 || (n == 1 && *word == '0' && (word[1] == 'x' || word[1] == 'X'))) return NODATA_WORDS;
    word[n] = 0;
    return number_of(word, NUMBER_SIGN | NUMBER_REAL, value) ? NODATA_VALUE : NODATA_BEYOND;
}

static void say_value(const char *input, const char *text, bool number, bool fits)
{
    say(input_name(input), "its value for no data is '%s'%s", text,
        !number ? ", which is no number"
        : fits  ? ""
                : ", which no sample can be");
}

static bool choose_nodata(valid_samples *v, const valid_choice *choice, const image *img, const char *input,
                          bool verbose, error *err)
{
    const sat_type type = img->type;
    const char *text = img->meta.nodata;
    double value;
    v->skip_nan = choice->skip_nan, v->has_nodata = choice->has_nodata, v->nodata = choice->nodata;
    if (v->skip_nan && !is_float_type(type))
        return fail(err, "--nodata nan: of %s samples none is NaN", sat_type_name(type));
    if (v->has_nodata && !sat_type_holds(type, v->nodata))
        return fail(err, "--nodata %.17g: no %s sample can be that", v->nodata, sat_type_name(type));
    if (choice->nodata_given || choice->own_found || !text[0]) return true;
    const nodata_kind kind = nodata_of(text, &value);
    if (type == SAT_F32 && kind == NODATA_VALUE && (value > FLT_MAX || value < -FLT_MAX))
        value = (double)(float)value; /* an infinity, as in GDAL */
    const bool number = kind != NODATA_WORDS, fits = kind == NODATA_VALUE && sat_type_holds(type, value);
    v->skip_nan = fits && is_nan(value);
    v->has_nodata = fits && !is_nan(value);
    if (v->has_nodata) v->nodata = value;
    if (verbose || (!fits && !choice->quiet)) say_value(input, text, number, fits);
    return true;
}

/* Clears the mask, its first plane, where none of these channels is set. */
static bool clear(const image *mask, const image *from, int first, int channels, int threads, error *err)
{
    const sat_view all = image_view(mask), to = sat_view_image(&all, 0),
                   set = image_channels_view(from, first, channels);
    return sat_mask_clear(&to, &set, threads) == SAT_OK || fail(err, "%s", sat_detail());
}

/* ---- masks --------------------------------------------------------------------------------------- */

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool valid_find_own(valid_choice *v, const char *input, const image_meta *meta, int page, bool verbose, error *err)
{
    const bool none = v->nodata_given && !v->has_nodata && !v->skip_nan;
    if (none || page > 1 || strcmp(input, "-") == 0 || !is_file(input)) return true;
    if (meta->mask_page) {
        v->own_found = true, v->own_mask = input, v->own_page = meta->mask_page;
        if (verbose) say(input, "its page %d is the mask that says which pixels count", v->own_page - 1);
        return true;
    }
    if (asprintf(&v->own_name, "%s.msk", input) < 0) {
        v->own_name = NULL;
        return fail_memory(err, "out of memory: a name");
    }
    if (!is_file(v->own_name)) return true;
    v->own_found = true, v->own_mask = v->own_name;
    if (verbose) say(input, "the mask %s says which pixels count", v->own_name);
    return true;
}

bool valid_mask_name(const valid_choice *v, int i, mask_name *name)
{
    const bool own = v->own_mask && i == 0;
    const char *path = own ? v->own_mask : i == (v->own_mask != NULL) ? v->mask : NULL;
    if (!path) return false;
    *name = (mask_name){.path = path, .page = own ? v->own_page : 0};
    if (own && v->own_page)
        snprintf(name->text, sizeof name->text, "its mask, page %d", v->own_page - 1);
    else
        snprintf(name->text, sizeof name->text, "%s %.*s", own ? "its mask" : "--mask", (int)sizeof name->text - 16,
                 path);
    return true;
}

bool valid_mask_fits(const mask_name *name, const image *mask, const image *img, error *err)
{
    if (image_planes(mask) > 1)
        return fail(err, "%s: an image of %d bands; a mask has one, or the channels of a picture", name->text,
                    image_planes(mask));
    if (mask->width == img->width && mask->height == img->height) return true;
    return fail(err, "%s: %lldx%lld px, where the image has %lldx%lld", name->text, (long long)mask->width,
                (long long)mask->height, (long long)img->width, (long long)img->height);
}

decode_options valid_mask_decoding(const valid_choice *choice, const mask_name *name, int threads)
{
    return (decode_options){.max_pixels = choice->max_pixels,
                            .no_orient = choice->no_orient,
                            .strict = choice->strict,
                            .threads = threads,
                            .page = name->page,
                            .planes_from = 2 /* bands, which valid_mask_fits() refuses: none is left out */};
}

static bool clear_by_files(const image *mask, const valid_choice *choice, int threads, error *err)
{
    mask_name name;
    for (int i = 0; valid_mask_name(choice, i, &name); i++) {
        const decode_options decode = valid_mask_decoding(choice, &name, threads);
        image from = {0};
        error why;
        if (!(choice->opened[i] ? row_source_image(choice->opened[i], &decode, &from, &why)
                                : image_read(name.path, &decode, &from, NULL, &why)))
            return fail(err, "%s: %s", name.text, why.text);
        const bool ok = valid_mask_fits(&name, &from, mask, err) &&
                        clear(mask, &from, 0, from.channels - image_has_alpha(&from), threads, err);
        image_free(&from);
        if (!ok) return false;
    }
    return true;
}

bool valid_mask_of_ones(valid_samples *v, const image *img, error *err)
{
    if (!image_alloc_like(&v->mask, img, 1, SAT_U8, err)) return false;
    memset(v->mask.data, 1, (size_t)image_samples(&v->mask));
    return true;
}

static bool make_mask(valid_samples *v, const valid_choice *choice, const image *img, int threads, error *err)
{
    if (!valid_has_mask(choice)) return true;
    if (!valid_mask_of_ones(v, img, err)) return false;
    if (!clear_by_files(&v->mask, choice, threads, err)) return false;
    const sat_view mask = image_view(&v->mask);
    view_repeat_first(&mask);
    return true;
}

bool valid_of_image(valid_samples *v, const valid_choice *choice, const image *img, const char *input, int threads,
                    bool verbose, error *err)
{
    *v = (valid_samples){.nodata = 0};
    const bool none = choice->nodata_given && !choice->has_nodata && !choice->skip_nan;
    if (img->meta.mask_page && !choice->own_found && !none && !choice->quiet)
        say(input_name(input), "its mask, page %d, is not read from a pipe; all pixels count", img->meta.mask_page - 1);
    if (choose_nodata(v, choice, img, input, verbose, err) && make_mask(v, choice, img, threads, err)) {
        v->by_alpha = image_has_alpha(img) && !choice->own_found && !v->has_nodata && !v->skip_nan;
        return true;
    }
    valid_free(v);
    return false;
}

bool valid_clear_transparent(valid_samples *v, const image *img, int threads, error *err)
{
    return (v->mask.data || valid_mask_of_ones(v, img, err)) &&
           clear(&v->mask, img, img->channels - 1, 1, threads, err);
}

void valid_say_transparent(valid_samples *v, const image *img, int64_t y, int64_t rows, const char *input)
{
    if (!v->by_alpha || !image_is_transparent(img, y, rows)) return;
    v->by_alpha = false;
    say(input_name(input),
        "pixels whose alpha is 0 are included in sums and means; window statistics (--box with --stat) "
        "exclude them");
}

void valid_free(valid_samples *v)
{
    image_free(&v->mask);
}

void valid_nodata_text(const valid_samples *v, sat_type type, char text[NODATA_TEXT_BYTES])
{
    const sat_type made = type == SAT_F16 ? SAT_F32 : type;
    text[0] = 0;
    if (v->has_nodata && sat_type_holds(made, v->nodata))
        text[sample_text(text, type, v->nodata)] = 0;
    else if (is_float_type(type))
        snprintf(text, NODATA_TEXT_BYTES, "nan");
}

void valid_say_moved(const char *name, int64_t moved, const char *value)
{
    if (moved > 0) say(name, "%lld results that would have been %s are beside it", (long long)moved, value);
}
