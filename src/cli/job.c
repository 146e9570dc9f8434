/* job.c - what filters and tables share. */
#include "job.h"

void job_stage(const job *j, times *spent, const char *label)
{
    progress_stage(&spent->item, 1 / (double)(j->table ? 2 : j->passes + 2));
    if (j->stages) progress_label(label);
}
