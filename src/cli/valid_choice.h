/* valid_choice.h - which samples of an image count: --nodata, the file's own value for no data, --mask. */
#ifndef CLI_VALID_CHOICE_H
#define CLI_VALID_CHOICE_H

#include "format.h"
#include "options.h"

enum { VALID_MASKS = 2 }; /* of an image, at most: its own, and --mask */

/* Which samples count: the options, and for one input the masks that were found.  Threads that share it only read it.
 */
typedef struct valid_choice {
    const char *mask;     /* a file, or NULL */
    const char *own_mask; /* file with the image's own mask: the image's file, or FILE.msk; NULL: none */
    int own_page;         /* page of the image's file, from 1; 0: the mask is FILE.msk */
    char *own_name;       /* the name of FILE.msk, malloc'd; NULL: not used */
    bool own_found;       /* the image has its own mask, so its file's value for no data is not used */
    struct row_source *opened[VALID_MASKS]; /* for each mask: its open file, if it must be read whole; else NULL */
    bool nodata_given;                      /* --nodata was given; if not, the file's value is used */
    bool quiet;                             /* do not warn if no sample can have the file's value for no data */
    bool skip_nan, has_nodata;
    double nodata;
    int64_t max_pixels; /* from here on: options for reading mask files, the same as for the image */
    bool no_orient;
    bool strict;
} valid_choice;

static inline bool valid_has_mask(const valid_choice *v)
{
    return v->mask || v->own_mask;
}

/* Looks for the image's own mask: a page of a TIFF that is marked as the mask of its first page, or FILE.msk.  Sets
 * v->own_...  Finding none is no error.  If there is one, the file's value for no data is not used, as in GDAL.  Does
 * not look if --nodata none is given, if `page` is not the first, or if the input is a pipe.  verbose: prints which
 * mask it is.  On true the caller frees v->own_name. */
bool valid_find_own(valid_choice *v, const char *input, const image_meta *meta, int page, bool verbose, error *err);

/* The file of a mask, and how errors name it. */
typedef struct mask_name {
    const char *path;
    int page;
    char text[160]; /* "--mask FILE" */
} mask_name;
/* Sets *name to the i-th mask of the choice, from 0: the image's own, then that of --mask.  False: there is none. */
bool valid_mask_name(const valid_choice *v, int i, mask_name *name);

/* --nodata V, nan or none; --mask FILE.  False if the option is neither. */
bool valid_option(valid_choice *v, options *o, int c);

/* What counts in one image; all samples do if it is zeroed. */
typedef struct valid_samples {
    bool skip_nan, has_nodata;
    double nodata;
    image mask;    /* u8, 1 channel, not 0 where a pixel counts; or empty */
    bool masked;   /* there is a mask, which is held elsewhere */
    bool by_alpha; /* the image has alpha, and neither its own mask nor a value for invalid pixels: as
                    * in GDAL, its alpha says which pixels are valid. Tables and queries ignore it. */
} valid_samples;

static inline bool valid_masked(const valid_samples *v)
{
    return v->mask.data || v->masked;
}
static inline bool valid_all(const valid_samples *v)
{
    return !v->skip_nan && !v->has_nodata && !valid_masked(v);
}

/* Sets *v to the valid samples of the image, by the choice and the file's nodata value.
 * The mask does not yet include alpha: see valid_clear_transparent().  If it returns
 * true, the caller owns *v and calls valid_free(). */
bool valid_of_image(valid_samples *v, const valid_choice *choice, const image *img, const char *input, int threads,
                    bool verbose, error *err);
/* How the file of a mask is read. */
decode_options valid_mask_decoding(const valid_choice *choice, const mask_name *name, int threads);
/* Refuses a mask of another size than the image. */
bool valid_mask_fits(const mask_name *name, const image *mask, const image *img, error *err);
/* The mask becomes one by which all pixels count. */
bool valid_mask_of_ones(valid_samples *v, const image *img, error *err);
/* Pixels of an image with alpha whose alpha is 0 do not count, either. */
bool valid_clear_transparent(valid_samples *v, const image *img, int threads, error *err);
/* Prints a note that sums include transparent pixels.  If v->by_alpha is set and rows
 * [y, y + rows) of the image contain a pixel whose alpha is 0, prints the note and clears
 * v->by_alpha, so that it is printed only once. */
void valid_say_transparent(valid_samples *v, const image *img, int64_t y, int64_t rows, const char *input);
void valid_free(valid_samples *v);

/* Says how many results would have been the value, if some would. */
void valid_say_moved(const char *name, int64_t moved, const char *value);

/* The text of the value for no data in a file of samples of that type: "" if it can have none. */
void valid_nodata_text(const valid_samples *v, sat_type type, char text[NODATA_TEXT_BYTES]);

#endif
