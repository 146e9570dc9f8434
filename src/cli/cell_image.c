/* cell_image.c - the image of a grid's cells. */
#include "cell_image.h"

#include "sink.h"

const image_format *cell_image_format(const char *output)
{
    const image_format *format = format_by_extension(output);
    return format && format->encode ? format : NULL;
}

bool cell_image_holds(const image_format *format, error *err)
{
    return format->holds(SAT_F64, 1, err) || format->holds(SAT_F32, 1, err);
}

bool cell_image_begin(cell_image *c, int64_t width, int64_t height, int channels, error *err)
{
    const int64_t columns = (width - 1) / c->cell_width + 1, rows = (height - 1) / c->cell_height + 1;
    const char *word = format_extension(c->output);
    sat_type type = SAT_F64;
    if (!format_holds(c->format, word, type, channels, true, err)) {
        type = SAT_F32;
        if (!format_holds(c->format, word, type, channels, true, err)) return false;
    }
    c->used = 0;
    return image_alloc(&c->img, columns, rows, channels, type, err);
}

void cell_image_put(cell_image *c, double value)
{
    if (c->used == c->img.width * c->img.height * c->img.channels) return;
    image_set(&c->img, c->used++, value);
}

bool cell_image_end(cell_image *c, error *err)
{
    sink *out = NULL;
    const encode_options encode = {.threads = 0};
    bool ok = c->img.data && c->used == c->img.width * c->img.height * c->img.channels &&
              sink_open(&out, c->output, &(sink_options){.no_clobber = c->no_clobber}, err) &&
              c->format->encode(&c->img, &encode, out, err) && sink_commit(&out, err);
    sink_abort(&out);
    image_free(&c->img);
    return ok;
}
