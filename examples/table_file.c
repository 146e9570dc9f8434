/* table_file.c [FILE] - writes a table to a new file, maps it, verifies it and asks it. */
#include <sat_file.h>
#include <stdio.h>

static int failed(const char *why)
{
    puts(why);
    return 1;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "table.npy";
    static uint8_t pixels[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 1, 2, 3}};
    static int64_t sums[4][5];
    sat_view image = {
        .data = pixels, .row_bytes = sizeof *pixels, .width = 4, .height = 3, .channels = 1, .type = SAT_U8};
    sat_table table = {
        .view = {.data = sums, .row_bytes = sizeof *sums, .width = 5, .height = 4, .channels = 1, .type = SAT_I64},
        .layout = SAT_PADDED,
        .sample = SAT_U8};
    sat_plan_spec spec = {.width = 4, .height = 3, .sample = SAT_U8, .accum = SAT_I64};
    sat_plan *plan = NULL;
    if (sat_plan_create(&plan, &spec) || sat_plan_run(plan, &image, &table.view, NULL)) return failed(sat_detail());
    sat_plan_destroy(&plan);
    sat_file_write_options keep = {.no_clobber = true}; /* a file of that name may be anybody's */
    if (sat_file_write(path, &table, &keep)) return failed(sat_detail());

    sat_file *file;
    sat_table mapped;
    sat_rect rect = {.x = 1, .y = 1, .width = 2, .height = 2};
    double mean;
    if (sat_file_open(&file, path, NULL) || sat_file_verify(file) || sat_file_table(file, &mapped))
        return failed(sat_detail());
    if (sat_table_query(&mapped, &rect, 1, 0, 0, NULL, &mean)) return failed(sat_detail());
    printf("the mean of x=1 y=1 w=2 h=2 is %g\n", mean);
    sat_file_close(&file);
}
