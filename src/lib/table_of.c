/* table_of.c - from an image to its table, or tables, in one call. */
#include "sat_query.h"
#include "shape.h"
#include "sized.h"
#include "status.h"

/* What the image says, where the spec does not. */
static void fill_in(sat_plan_spec *s, const sat_view *image)
{
    if (s->width == 0) s->width = image->width;
    if (s->height == 0) s->height = image->height;
    if (s->channels == 0) s->channels = image->channels;
    if (s->sample == SAT_TYPE_NONE) s->sample = image->type;
    if (s->count == 0) s->count = image->count;
    s->memory = image->memory;
    s->strided = s->strided || sat_has_gaps(image);
}

static sat_status take(sat_plan_spec *spec, const sat_plan_spec *given, size_t spec_bytes, sat_view *view,
                       const sat_view *image)
{
    *spec = (sat_plan_spec){0};
    sat_status status = given ? sat_take_struct(spec, sizeof *spec, given, spec_bytes, "spec") : SAT_OK;
    if (status == SAT_OK) status = sat_take_view(view, image, "image");
    if (status == SAT_OK) fill_in(spec, view);
    return status;
}

static sat_status make(const sat_plan_spec *spec, const sat_view *image, const sat_run_options *run, sat_table *table)
{
    sat_plan *plan = NULL;
    sat_status status = sat_plan_create(&plan, spec);
    if (status == SAT_OK) status = sat_table_for(spec, table);
    if (status == SAT_OK) status = sat_view_alloc(&table->view);
    if (status == SAT_OK) status = sat_plan_run(plan, image, &table->view, run);
    if (status == SAT_OK) status = sat_plan_wait(plan, run ? run->stream : NULL);
    if (status != SAT_OK) sat_view_free(&table->view);
    sat_plan_destroy(&plan);
    return status;
}

sat_status sat_table_of_sized(const sat_view *image, const sat_plan_spec *given, sat_table *table, size_t spec_bytes,
                              size_t table_bytes)
{
    sat_view view;
    sat_table ours = {0};
    sat_plan_spec spec;
    if (table == NULL) return sat_fail(SAT_ERR_ARGUMENT, "table is NULL");
    sat_give_struct(table, table_bytes, &ours, sizeof ours);
    sat_status status = take(&spec, given, spec_bytes, &view, image);
    if (status == SAT_OK) status = make(&spec, &view, NULL, &ours);
    if (status == SAT_OK) sat_give_struct(table, table_bytes, &ours, sizeof ours);
    return status;
}

sat_status sat_tables_of_sized(const sat_view *image, const sat_plan_spec *given, const sat_run_options *given_run,
                               sat_table *sums, sat_table *squares, sat_table *counts, size_t spec_bytes,
                               size_t run_bytes, size_t table_bytes)
{
    static const int powers[] = {1, 2, SAT_COUNTS};
    sat_table *const wanted[] = {sums, squares, counts};
    sat_table ours[3] = {{.power = 0}};
    sat_view view;
    sat_plan_spec spec;
    sat_run_options run = {0};
    for (int k = 0; k < 3; k++)
        if (wanted[k]) sat_give_struct(wanted[k], table_bytes, &ours[k], sizeof ours[k]);
    sat_status status = take(&spec, given, spec_bytes, &view, image);
    if (status == SAT_OK && given_run) status = sat_take_struct(&run, sizeof run, given_run, run_bytes, "run");
    if (status == SAT_OK && (run.carry_in || run.carry_out || run.continues))
        status = sat_fail(SAT_ERR_ARGUMENT, "run: carry_in, carry_out and continues are for plans");
    spec.masked = run.mask != NULL;
    for (int k = 0; k < 3 && status == SAT_OK; k++) {
        spec.power = powers[k];
        if (wanted[k]) status = make(&spec, &view, &run, &ours[k]);
    }
    for (int k = 0; k < 3; k++) {
        if (status != SAT_OK)
            sat_view_free(&ours[k].view);
        else if (wanted[k])
            sat_give_struct(wanted[k], table_bytes, &ours[k], sizeof ours[k]);
    }
    return status;
}
