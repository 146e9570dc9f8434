/* job.c - what filters and tables share. */
#include "job.h"

#include "convert.h"
#include "mask_rows.h"
#include "messages.h"
#include "number.h"
#include "row_source.h"
#include "sample_type.h"
#include "sat_image.h"

void job_stage(const job *j, times *spent, const char *label)
{
    progress_stage(&spent->item, 1 / (double)(j->table ? 2 : j->passes + 2));
    if (j->stages) progress_label(label);
}

sat_type job_result_type(const job *j, sat_type sample)
{
    if (j->result != SAT_TYPE_NONE) return j->result;
    return j->filter.kind && j->filter.kind->is_real ? sat_real_type(sample) : sample;
}

const image_format *job_format(const job *j, const char *output)
{
    return j->format ? j->format : format_by_extension(output);
}

const char *job_format_word(const job *j, const char *output)
{
    return j->format ? j->format_word : format_extension(output);
}

sat_type job_stored_type(const job *j, sat_type result)
{
    return j->scales ? SAT_U8 : j->f16 && result == SAT_F32 ? SAT_F16 : result;
}

void job_store_head(const job *j, const valid_samples *valid, image *head)
{
    head->type = job_stored_type(j, head->type);
    if (j->scales)
        head->meta.nodata[0] = 0, head->meta.units = UNITS_OTHER;
    else if (head->type == SAT_F16 && valid->has_nodata && head->meta.nodata[0])
        valid_nodata_text(valid, SAT_F16, head->meta.nodata);
}

/* Where nothing counts, u8 have no value for it, and f16 the nearest to it. */
void job_store(const job *j, const valid_samples *valid, image *rows, sat_counts *counts)
{
    const bool is_value = valid->has_nodata && sat_type_holds(rows->type, valid->nodata);
    const double value = is_value && rows->type == SAT_F32 ? (double)(float)valid->nodata : valid->nodata;
    const double *taken = is_value ? &value : NULL;
    const bool ranges = j->scale_low < j->scale_high;
    if (j->scales)
        counts->clipped +=
            image_to_u8(rows, j->scale_low, ranges ? j->scale_high : sat_type_largest(rows->type), taken);
    else if (job_stored_type(j, rows->type) == SAT_F16)
        counts->moved += image_to_f16(rows, taken);
}

image *job_head(const job_source *from)
{
    return from->img ? from->img : &from->from->head;
}

valid_choice job_valid(const job *j, const job_source *from)
{
    valid_choice choice = j->valid;
    if (!from->img) choice.mask = choice.own_mask = NULL;
    for (int i = 0; from->mask_file && i < from->mask_file->count; i++) choice.opened[i] = &from->mask_file->file[i];
    return choice;
}

image job_image_of(const image_shape *shape)
{
    return (image){.width = shape->width,
                   .height = shape->height,
                   .channels = shape->channels,
                   .planes = shape->planes,
                   .type = shape->type};
}

uint64_t job_image_bytes(const image_shape *shape, sat_type type)
{
    return (uint64_t)sat_row_bytes(shape->width, shape->channels, type) * (uint64_t)shape->height *
           (uint64_t)(shape->planes > 1 ? shape->planes : 1);
}

uint64_t job_object_bytes(sat_status status, const sat_bytes *bytes)
{
    return status == SAT_OK || status == SAT_ERR_MEMORY ? (uint64_t)bytes->host + bytes->pinned : 0;
}

bool job_border_values(const job *j, const image *img, int channels, double values[static 4], error *err)
{
    if (j->border_values > 1 && j->border_values != channels)
        return fail(err, "--border %s has %d values, but the image has %d channel%s%s", j->border, j->border_values,
                    channels, channels > 1 ? "s" : "", channels < img->channels ? " beside alpha" : "");
    for (int c = 0; c < channels; c++) values[c] = j->border_value[j->border_values > 1 ? c : 0];
    return true;
}

/* Why results are empty. */
static const char *why_empty(const job *j)
{
    const bool some = j->windows.min_valid > 0 || j->windows.ddof > 0;
    const filter_kind *kind = j->filter.kind;
    if (kind && (j->keep_holes || kind->is_signed)) return "their pixels do not count, or too little around them";
    if (kind) return some ? kind->sparse : "no pixels near them count";
    if (j->keep_holes) return "their pixels do not count, or too few samples around them";
    return some ? "too few samples of their windows count" : "no samples of their windows count";
}

void job_say_holes(const job *j, const char *input, const valid_samples *valid, const job_holes *h)
{
    char value[REAL_TEXT_BYTES + 1] = "0";
    if (h->is_value) value[sample_text(value, j->f16 ? SAT_F16 : SAT_F64, valid->nodata)] = 0;
    if (h->empty > 0 && !j->quiet)
        say(input_name(input), "%lld of %lld results are %s, as %s%s", (long long)h->empty, (long long)h->results,
            value, why_empty(j), h->is_value || !h->of_floats ? "" : "; floats are NaN there (--result)");
    if (j->verbose) valid_say_moved(input_name(input), h->moved, value);
}
