/* answers_cells.c - one statistic of a grid's cells, as an image. */
#include "answers_cells.h"

#include <stdio.h>
#include <stdlib.h>

#include "messages.h"
#include "sat_image.h"
#include "units.h"

const image_format *answers_cells_format(const char *output)
{
    const image_format *format = format_by_extension(output);
    return format && format->encode ? format : NULL;
}

bool answers_cells_hold(const image_format *format, error *err)
{
    return format->holds(SAT_F64, 1, err) || format->holds(SAT_F32, 1, err);
}

/* What stands where too few samples count; counts and areas are 0 there. */
static void choose_empty(answers_cells *c, const answers_column *column, const valid_samples *valid)
{
    char *text = c->img.meta.nodata;
    c->marks = !valid_all(valid) && !column->count && !column->area;
    if (!c->marks) return;
    valid_nodata_text(valid, c->img.type, text);
    if (!text[0]) snprintf(text, NODATA_TEXT_BYTES, "nan"); /* a value that these floats do not hold */
    c->empty = strtod(text, NULL);
}

bool answers_cells_begin(answers_cells *c, const answers_column *column, const answers_input *input, int channels,
                         error *err)
{
    const int64_t columns = (input->width - 1) / c->cell_width + 1, rows = (input->height - 1) / c->cell_height + 1;
    const char *word = format_extension(c->output);
    const int planes = input->planes ? channels : 1;
    sat_type type = SAT_F64;
    if (planes > 1) channels = 1;
    if (!format_holds(c->format, word, type, channels, planes, true, err)) {
        type = SAT_F32;
        if (!format_holds(c->format, word, type, channels, planes, true, err)) return false;
    }
    c->used = 0;
    if (planes > 1 ? !image_alloc_planes(&c->img, columns, rows, planes, type, err)
                   : !image_alloc(&c->img, columns, rows, channels, type, err))
        return false;
    choose_empty(c, column, input->valid);
    c->img.meta.units = units_of(column->name, false);
    return !input->meta || meta_of_cells(&c->img.meta, input->meta, c->cell_width, c->cell_height, err);
}

void answers_cells_put(answers_cells *c, double value, bool is_empty)
{
    const int64_t planes = image_planes(&c->img), pixels = c->img.width * c->img.height;
    const int64_t at = c->used / planes + c->used % planes * pixels;
    if (c->used == image_samples(&c->img)) return;
    c->used++;
    if (c->marks && is_empty) {
        value = c->empty;
    } else if (c->marks && (c->img.type == SAT_F64 ? value : (double)(float)value) == c->empty) {
        value = sat_type_beside(c->img.type, c->empty, false);
        c->moved++;
    }
    image_set(&c->img, at, value);
}

bool answers_cells_end(answers_cells *c, error *err)
{
    sink *out = NULL;
    const encode_options encode = {.threads = 0};
    bool ok = c->img.data && c->used == image_samples(&c->img) &&
              sink_open(&out, c->output, &(sink_options){.no_clobber = c->no_clobber}, err) &&
              c->format->encode(&c->img, &encode, out, err) && sink_commit(&out, err);
    if (ok && c->verbose) valid_say_moved(output_name(c->output), c->moved, c->img.meta.nodata);
    sink_abort(&out);
    image_free(&c->img);
    return ok;
}
