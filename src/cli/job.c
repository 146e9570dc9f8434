/* job.c - what filters and tables share. */
#include "job.h"

#include "messages.h"
#include "sat_image.h"

void job_stage(const job *j, times *spent, const char *label)
{
    progress_stage(&spent->item, 1 / (double)(j->table ? 2 : j->passes + 2));
    if (j->stages) progress_label(label);
}

sat_type job_result_type(const job *j, sat_type sample)
{
    if (j->result != SAT_TYPE_NONE) return j->result;
    return j->gauss.name && j->gauss.mode == SAT_GAUSS_DOG ? sat_real_type(sample) : sample;
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

bool job_border_values(const job *j, const image *img, double values[static 4], error *err)
{
    if (j->border_values > 1 && j->border_values != img->channels)
        return fail(err, "--border %s has %d values, but the image has %d channel%s", j->border, j->border_values,
                    img->channels, img->channels > 1 ? "s" : "");
    for (int c = 0; c < img->channels; c++) values[c] = j->border_value[j->border_values > 1 ? c : 0];
    return true;
}

const char *job_border_name(const job *j)
{
    sat_border_info first;
    return j->border ? j->border : sat_border_at(0, &first) ? first.name : "";
}

void job_say_clipped(const job *j, const char *input, const image *img, int64_t clipped)
{
    const long long samples = image_samples(img);
    if (clipped > 0 && !j->quiet)
        say(input_name(input), "%lld of %lld samples lay beyond the range of %s and were clipped", (long long)clipped,
            samples, sat_type_name(img->type));
}
