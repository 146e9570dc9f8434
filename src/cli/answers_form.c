/* answers_form.c - what the command line says of answers: their columns, and the form that their output has. */
#include <string.h>

#include "answers_job.h"

bool answers_column_find(const char *name, size_t n, answers_column *column)
{
    for (size_t i = 0; sat_rect_statistic_at(i, column); i++)
        if (strlen(column->name) == n && strncmp(name, column->name, n) == 0) return true;
    return false;
}

const char *answers_job_stats(answers_job *job, const char *text)
{
    job->stats_n = 0;
    while (text) {
        const char *comma = strchr(text, ',');
        size_t n = comma ? (size_t)(comma - text) : strlen(text);
        answers_column *found = &job->stats[job->stats_n];
        if (job->stats_n == STATS_MAX - 1 || !answers_column_find(text, n, found)) return text;
        for (int k = 0; k < job->stats_n; k++)
            if (strcmp(job->stats[k].name, found->name) == 0) return text;
        job->stats_n++;
        text = comma ? comma + 1 : NULL;
    }
    return NULL;
}

bool answers_job_form(answers_job *job, options *o, bool json)
{
    bool named = answers_form_named(job->output, &job->form);
    if (job->cell_width && job->stats_n == 1 && !json) job->cell_format = answers_cells_format(job->output);
    error err;
    if (job->cell_format && !answers_cells_hold(job->cell_format, &err))
        return options_refuse(o, "-o '%s': %s; cells are written as .npy, .tif, .pfm or .csv", job->output, err.text);
    if (job->cell_format && job->inputs_n > 1)
        return options_refuse(o, "-o '%s': an image of cells is of one input; .csv and .json take many", job->output);
    if (job->cell_format) return true;
    if (!named && job->cell_width && answers_cells_format(job->output))
        return options_refuse(o, "-o '%s': an image of the cells has one statistic: --stat mean%s", job->output,
                              json ? ", without --json" : ", or another");
    if (!named && format_by_extension(job->output))
        return options_refuse(o, "-o '%s': answers are written as .csv, .json or .npy", job->output);
    if (named && json && job->form != ANSWERS_JSON)
        return options_refuse(o, "-o '%s': --json writes a .json", job->output);
    if (!named) job->form = json ? ANSWERS_JSON : ANSWERS_CSV;
    return true;
}
