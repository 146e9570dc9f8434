#include "bench_window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "sample_type.h"

enum { PLACES = 64 };

const char *bench_window_outputs(bench_case *b, const char *list)
{
    b->outputs = 0;
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        sat_statistic_info info;
        if (b->outputs == SAT_OUTPUTS) return "more statistics than a window has results";
        if (!window_statistic(at, strcspn(at, ","), &info)) return "a list of statistics; `sat --help` names them";
        b->output[b->outputs++] = (sat_window_output){.statistic = info.name, .result = b->result};
    }
    return NULL;
}

/* ---- places ---------------------------------------------------------------------------------------- */

/* [from, to) of the window around `at`, inside the side. */
static void reach(int64_t window, int64_t at, int64_t side, int64_t *from, int64_t *length)
{
    const int64_t before = window / 2, after = (window - 1) / 2;
    *from = at > before ? at - before : 0;
    *length = (side - at - 1 > after ? at + after + 1 : side) - *from;
}

/* One output at one pixel of the first image, all channels. */
static bool check_place(const bench_case *b, int k, int64_t x, int64_t y, error *err)
{
    sat_view cut = sat_view_image(&b->in, 0), mask = sat_view_image(&b->valid.mask, 0), all[SAT_OUTPUTS];
    int64_t left, top;
    reach(b->window, x, b->in.width, &left, &cut.width);
    reach(b->window, y, b->in.height, &top, &cut.height);
    cut.data = (char *)cut.data + top * cut.row_bytes + (size_t)left * (size_t)cut.channels * sat_type_bytes(cut.type);
    mask.data = mask.data ? (char *)mask.data + top * mask.row_bytes + left : NULL;
    mask.width = cut.width, mask.height = cut.height;
    sat_view one = {.width = cut.width, .height = cut.height, .channels = cut.channels, .type = b->result};
    sat_window *windows = NULL;
    sat_window_spec spec = bench_window_spec(b);
    spec.width = cut.width;
    spec.height = cut.height;
    spec.count = 0;
    spec.window_width = 2 * cut.width; /* with the border that shrinks, all of it */
    spec.window_height = 2 * cut.height;
    spec.outputs = 1;
    spec.output = &b->output[k];
    sat_status status = sat_view_alloc(&one);
    if (status == SAT_OK) status = sat_window_create(&windows, &spec);
    if (status == SAT_OK) status = sat_window_run(windows, &cut, mask.data ? &mask : NULL, &one, NULL);
    bool ok = status == SAT_OK || fail(err, "%s", sat_detail());
    bench_window_results(b, &b->reference, all);
    const int64_t from = ((y - top) * cut.width + x - left) * cut.channels, to = x * cut.channels;
    for (int c = 0; ok && c < cut.channels; c++) {
        const double want = bench_sample(b->result, one.data, (size_t)(from + c));
        const double got = bench_sample(b->result, (const char *)all[k].data + y * all[k].row_bytes, (size_t)(to + c));
        if (!(fabs(got - want) <= bench_distance_allowed(b, want)) && !(isnan(got) && isnan(want)))
            ok = fail(err, "%s at x=%lld y=%lld is %.17g, not %.17g", b->output[k].statistic, (long long)x,
                      (long long)y, got, want);
    }
    sat_window_destroy(&windows);
    sat_view_free(&one);
    return ok;
}

bool bench_window_check(bench_case *b, error *err)
{
    const int64_t right = b->in.width - 1, bottom = b->in.height - 1;
    for (int k = 0; k < b->outputs; k++) {
        sat_statistic_info info;
        if (!window_statistic(b->output[k].statistic, strlen(b->output[k].statistic), &info) || info.whole_image)
            continue;
        for (int64_t i = 0; i < PLACES; i++) {
            const bool corner = i < 4;
            const int64_t x = corner ? i % 2 * right : (int64_t)(bench_random(2 * (uint64_t)i) % (uint64_t)(right + 1));
            const int64_t y =
                corner ? i / 2 * bottom : (int64_t)(bench_random(2 * (uint64_t)i + 1) % (uint64_t)(bottom + 1));
            if (!check_place(b, k, x, y, err)) return false;
        }
    }
    return true;
}
