/* table_of.c - from an image to its table in one call. */
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

static sat_status make(const sat_plan_spec *spec, const sat_view *image, sat_table *table)
{
    sat_plan *plan = NULL;
    sat_status status = sat_plan_create(&plan, spec);
    if (status == SAT_OK) status = sat_table_for(spec, table);
    if (status == SAT_OK) status = sat_view_alloc(&table->view);
    if (status == SAT_OK) status = sat_plan_run(plan, image, &table->view, NULL);
    if (status == SAT_OK) status = sat_plan_wait(plan, NULL);
    if (status != SAT_OK) sat_view_free(&table->view);
    sat_plan_destroy(&plan);
    return status;
}

sat_status sat_table_of_sized(const sat_view *image, const sat_plan_spec *given, sat_table *table, size_t spec_bytes,
                              size_t table_bytes)
{
    sat_view view;
    sat_table ours = {0};
    sat_plan_spec spec = {0};
    if (table == NULL) return sat_fail(SAT_ERR_ARGUMENT, "table is NULL");
    sat_give_struct(table, table_bytes, &ours, sizeof ours);
    sat_status status = given ? sat_take_struct(&spec, sizeof spec, given, spec_bytes, "spec") : SAT_OK;
    if (status == SAT_OK) status = sat_take_view(&view, image, "image");
    if (status != SAT_OK) return status;
    fill_in(&spec, &view);
    status = make(&spec, &view, &ours);
    if (status == SAT_OK) sat_give_struct(table, table_bytes, &ours, sizeof ours);
    return status;
}
