/* thin.cuh - tables of images of few columns or of few rows, for fused.cu; thin.cu has the idea. */
#ifndef THIN_CUH
#define THIN_CUH

#include "backend.h"

typedef struct thin_table thin_table;

/* Whether an image is so thin that this is faster than tiles. */
bool thin_pays(const sat_plan_spec *spec);

/* Takes the workspace of a plan. */
sat_status thin_open(const sat_plan_spec *spec, sat_arena *arena, thin_table **table, char *note, size_t note_bytes);
/* Queues a run, of an image of at most as many rows. */
sat_status thin_run(const thin_table *thin, const sat_view *image, const sat_view *table, const sat_run *run);

#endif
