/* valid_choice.c - which samples of an image count. */
#include "valid_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* A file's text: one of these, or a number, whatever follows it, as GDAL reads it. */
static nodata_kind nodata_of(const char *text, double *value)
{
    char word[NODATA_TEXT_BYTES];
    snprintf(word, sizeof word, "%s", text);
    if (is_special(word, value)) return NODATA_VALUE;
    const size_t n = number_bytes(word, NUMBER_SIGN | NUMBER_REAL);
    if (n == 0 || word[n] == 'x' || word[n] == 'X') return NODATA_WORDS;
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
    if (choice->nodata_given || !text[0]) return true;
    const nodata_kind kind = nodata_of(text, &value);
    const bool number = kind != NODATA_WORDS, fits = kind == NODATA_VALUE && sat_type_holds(type, value);
    if (!number && choice->strict) return fail(err, "its value for no data is '%s', which is no number", text);
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

bool valid_mask_fits(const char *path, const image *mask, const image *img, error *err)
{
    if (image_planes(mask) > 1)
        return fail(err, "--mask %s: an image of %d bands; a mask has one, or the channels of a picture", path,
                    image_planes(mask));
    if (mask->width == img->width && mask->height == img->height) return true;
    return fail(err, "--mask %s: %lldx%lld px, where the image has %lldx%lld", path, (long long)mask->width,
                (long long)mask->height, (long long)img->width, (long long)img->height);
}

decode_options valid_mask_decoding(const valid_choice *choice, int threads)
{
    return (decode_options){.max_pixels = choice->max_pixels,
                            .no_orient = choice->no_orient,
                            .strict = choice->strict,
                            .threads = threads,
                            .planes_from = 2 /* bands, which valid_mask_fits() refuses: none is left out */};
}

static bool clear_by_file(const image *mask, const valid_choice *choice, int threads, error *err)
{
    const char *path = choice->mask;
    const decode_options decode = valid_mask_decoding(choice, threads);
    image from = {0};
    error why;
    if (!(choice->opened ? row_source_image(choice->opened, &decode, &from, &why)
                         : image_read(path, &decode, &from, NULL, &why)))
        return fail(err, "--mask %s: %s", path, why.text);
    const bool ok = valid_mask_fits(path, &from, mask, err) &&
                    clear(mask, &from, 0, from.channels - image_has_alpha(&from), threads, err);
    image_free(&from);
    return ok;
}

bool valid_mask_of_ones(valid_samples *v, const image *img, error *err)
{
    if (!image_alloc_like(&v->mask, img, 1, SAT_U8, err)) return false;
    memset(v->mask.data, 1, (size_t)image_samples(&v->mask));
    return true;
}

static bool make_mask(valid_samples *v, const valid_choice *choice, const image *img, bool by_alpha, int threads,
                      error *err)
{
    if (!choice->mask && !by_alpha) return true;
    if (!valid_mask_of_ones(v, img, err)) return false;
    if (by_alpha && !clear(&v->mask, img, img->channels - 1, 1, threads, err)) return false;
    if (choice->mask && !clear_by_file(&v->mask, choice, threads, err)) return false;
    const sat_view mask = image_view(&v->mask);
    view_repeat_first(&mask);
    return true;
}

bool valid_of_image(valid_samples *v, const valid_choice *choice, const image *img, const char *input, bool by_alpha,
                    int threads, bool verbose, error *err)
{
    *v = (valid_samples){.nodata = 0};
    if (choose_nodata(v, choice, img, input, verbose, err) && make_mask(v, choice, img, by_alpha, threads, err))
        return true;
    valid_free(v);
    return false;
}

bool valid_clear_transparent(valid_samples *v, const image *img, int threads, error *err)
{
    return (v->mask.data || valid_mask_of_ones(v, img, err)) &&
           clear(&v->mask, img, img->channels - 1, 1, threads, err);
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
