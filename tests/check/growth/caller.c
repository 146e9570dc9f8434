/* caller.c - calls everything that takes or fills a struct that may grow, and prints TAP.
 *
 * test_growth.sh compiles it with an older header than the library's, and with a newer one, in which each of these
 * structs has a member `grown` of 24 bytes (GROWN is defined then). */
#include <stdio.h>
#include <string.h>

#include "sat_bytes.h"
#include "sat_gauss.h"
#include "sat_lab.h"
#include "sat_light.h"
#include "sat_query.h"
#ifdef GROWN
#include "sat_rects.h"
#endif
#include "sat_window.h"

static int tests, failures;

static void test(bool ok, const char *name)
{
    tests++;
    failures += !ok;
    printf("%sok %d - %s%s%s\n", ok ? "" : "not ", tests, name, ok ? "" : ": ", ok ? "" : sat_detail());
}

static const uint8_t pixels[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3};
static const sat_view image = {
    .data = (void *)(uintptr_t)pixels, .row_bytes = 4, .width = 4, .height = 3, .channels = 1, .type = SAT_U8};
static uint32_t entries[4 * 5];
static sat_table table = {
    .view = {.data = entries, .row_bytes = 20, .width = 5, .height = 4, .channels = 1, .type = SAT_U32},
    .layout = SAT_PADDED,
    .sample = SAT_U8};
static sat_table real_table = {.sample = SAT_U8};
static sat_plan_spec spec = {.width = 4, .height = 3, .sample = SAT_U8, .accum = SAT_U32};
static sat_box_spec box_spec = {.width = 4, .height = 3, .sample = SAT_U8, .window_width = 3, .window_height = 3};
static sat_gauss_spec gauss_spec = {.width = 4, .height = 3, .sample = SAT_U8, .sigma = 1, .border = "wrap"};
static sat_light_spec light_spec = {.sample = SAT_U8};
static sat_scan_spec scan_spec = {.length = 12, .sample = SAT_U8, .accum = SAT_U32};
static sat_run_options run;

static bool sums(void)
{
    sat_plan *plan;
    bool ok = sat_plan_create(&plan, &spec) == SAT_OK && sat_plan_run(plan, &image, &table.view, &run) == SAT_OK &&
              sat_plan_run(plan, &image, &table.view, NULL) == SAT_OK && entries[19] == 51;
    sat_plan_destroy(&plan);
    return ok;
}

static bool answers(void)
{
    static const sat_rect rect = {1, 1, 2, 2};
    sat_query *query;
    sat_sum sum = {0}, again = {0};
    bool ok = sat_table_query(&table, &rect, 1, 0, 1, &sum, NULL) == SAT_OK &&
              sat_query_create(&query, &table, NULL) == SAT_OK &&
              sat_query_run(query, &rect, 1, &again, NULL, &run) == SAT_OK && sum.u == 16 && again.u == 16;
    sat_query_destroy(&query);
    int64_t area = 0;
    const sat_statistics ask = {.sums = &sum, .areas = &area};
    return ok && sat_table_statistics(&table, NULL, &rect, 1, &ask, &run) == SAT_OK && area == 4 &&
           sat_image_statistics(&image, &rect, 1, &ask, &run) == SAT_OK && area == 4 && sum.u == 16;
}

static bool light(void)
{
    static float linear[12];
    sat_view result = image;
    sat_light *tables;
    result.data = linear, result.type = SAT_F32, result.row_bytes = 16;
    bool ok = sat_light_create(&tables, &light_spec) == SAT_OK &&
              sat_light_from_srgb(tables, &image, &result) == SAT_OK && linear[8] > 0.0027f && linear[8] < 0.0028f;
    sat_light_destroy(&tables);
    return ok;
}

static bool means(void)
{
    uint8_t mean[12] = {0};
    sat_view result = image;
    sat_box *box;
    result.data = mean;
    bool ok =
        sat_box_create(&box, &box_spec) == SAT_OK && sat_box_run(box, &image, &result, &run) == SAT_OK && mean[5] == 4;
    sat_box_destroy(&box);
    return ok;
}

static bool blurs(void)
{
    uint8_t blurred[12] = {0};
    sat_view result = image;
    sat_gauss *gauss;
    result.data = blurred;
    bool ok = sat_gauss_create(&gauss, &gauss_spec) == SAT_OK &&
              sat_gauss_run(gauss, &image, &result, &run) == SAT_OK && blurred[5] == 4;
    sat_gauss_destroy(&gauss);
    return ok;
}

static const sat_window_output variance = {.statistic = "var"};
static sat_window_spec window_spec = {.width = 4,
                                      .height = 3,
                                      .sample = SAT_U8,
                                      .window_width = 3,
                                      .window_height = 3,
                                      .outputs = 1,
                                      .output = &variance};

static bool variances(void)
{
    float var[12] = {0};
    sat_view result = image;
    sat_window *window;
    result.data = var, result.type = SAT_F32, result.row_bytes = 16;
    bool ok = sat_window_create(&window, &window_spec) == SAT_OK &&
              sat_window_run(window, &image, NULL, &result, &run) == SAT_OK && var[0] > 4 && var[0] < 4.5f;
    sat_window_destroy(&window);
    return ok;
}

static bool memory(void)
{
    sat_bytes plan, box, gauss, window, tables;
    return sat_plan_bytes(&spec, &plan) == SAT_OK && plan.host > 0 && sat_box_bytes(&box_spec, &box) == SAT_OK &&
           box.host > 0 && sat_gauss_bytes(&gauss_spec, &gauss) == SAT_OK && gauss.host > 0 &&
           sat_window_bytes(&window_spec, &window) == SAT_OK && window.host > 0 &&
           sat_light_bytes(&light_spec, &tables) == SAT_OK && tables.host > 2000;
}

static bool prefix_sums(void)
{
    uint32_t out[12] = {0};
    sat_scan *scan;
    bool ok = sat_scan_create(&scan, &scan_spec) == SAT_OK && sat_scan_run(scan, pixels, out, NULL) == SAT_OK &&
              out[11] == 51;
    sat_scan_destroy(&scan);
    return ok;
}

static bool untouched(const void *bytes, size_t n)
{
    const unsigned char *b = bytes;
    while (n > 0 && b[n - 1] == 0xa5) n--;
    return n == 0;
}

/* The call, which fills s.info and says whether it did, does not write behind it, and fills it where it must. */
#define FILLS(type, must, call)                                                                                        \
    do {                                                                                                               \
        struct {                                                                                                       \
            type info;                                                                                                 \
            unsigned char behind[64];                                                                                  \
        } s;                                                                                                           \
        memset(&s, 0xa5, sizeof s);                                                                                    \
        bool filled = (call), kept = untouched(&s.info, sizeof s.info);                                                \
        test(filled != kept && (filled || !(must)) && untouched(s.behind, sizeof s.behind) &&                          \
                 (!filled || UNKNOWN_ZERO(s.info)),                                                                    \
             #call);                                                                                                   \
    } while (0)

#ifdef GROWN
#define UNKNOWN_ZERO(info) ((info).grown[0] == 0 && (info).grown[23] == 0)
#define REFUSED(s, call)                                                                                               \
    do {                                                                                                               \
        (s).grown[23] = 1;                                                                                             \
        test((call) == SAT_ERR_ARGUMENT && strstr(sat_detail(), "does not have"), "refused: " #call);                  \
        (s).grown[23] = 0;                                                                                             \
    } while (0)

static void refusals(void)
{
    sat_plan *plan;
    sat_query *query;
    sat_box *box;
    sat_gauss *gauss;
    sat_scan *scan;
    sat_window *window;
    sat_light *tables;
    sat_rects *rects;
    sat_sum sum;
    sat_rects_spec rects_spec = {.width = 4, .height = 3, .sample = SAT_U8};
    sat_statistics ask = {.sums = &sum};
    REFUSED(spec, sat_plan_create(&plan, &spec));
    REFUSED(table, sat_table_query(&table, NULL, 0, 0, 1, &sum, NULL));
    REFUSED(table, sat_query_create(&query, &table, NULL));
    REFUSED(box_spec, sat_box_create(&box, &box_spec));
    REFUSED(gauss_spec, sat_gauss_create(&gauss, &gauss_spec));
    REFUSED(window_spec, sat_window_create(&window, &window_spec));
    REFUSED(light_spec, sat_light_create(&tables, &light_spec));
    REFUSED(rects_spec, sat_rects_create(&rects, &rects_spec, NULL, NULL, 0, &ask));
    REFUSED(ask, sat_rects_create(&rects, &rects_spec, NULL, NULL, 0, &ask));
    REFUSED(scan_spec, sat_scan_create(&scan, &scan_spec));
    if (sat_plan_create(&plan, &spec) == SAT_OK) REFUSED(run, sat_plan_run(plan, &image, &table.view, &run));
    sat_plan_destroy(&plan);
}
#else
#define UNKNOWN_ZERO(info) true
#define refusals()         (void)0
#endif

int main(void)
{
    test(sums(), "tables");
    test(answers(), "queries");
    test(means(), "box filters");
    test(blurs(), "Gaussian filters");
    test(prefix_sums(), "scans");
    test(variances(), "window statistics");
    test(light(), "linear light");
    test(memory(), "memory of objects");
    real_table.view = table.view, real_table.view.type = SAT_F32; /* any bits will do */
    FILLS(sat_rect_statistic_info, true, sat_rect_statistic_at(0, &s.info));
    FILLS(sat_rounding, true, sat_table_rounding(&real_table, 3, NULL, &s.info) == SAT_OK);
    FILLS(sat_statistic_info, true, sat_statistic_at(0, &s.info));
    FILLS(sat_border_info, true, sat_border_at(0, &s.info));
    FILLS(sat_backend_info, true, sat_backend_at(0, &s.info));
    FILLS(sat_backend_info, true, sat_backend_entry(0, &s.info));
    FILLS(sat_lab_backend_info, true, sat_lab_backend_at(0, &s.info));
    FILLS(sat_lab_backend_info, true, sat_lab_backend_entry(0, &s.info));
    FILLS(sat_scan_info, true, sat_scan_at(0, &s.info));
    FILLS(sat_device_info, false, sat_device_current(&s.info) == SAT_OK); /* there may be none */
    refusals();
    printf("1..%d\n", tests);
    return failures != 0;
}
