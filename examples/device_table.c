/* device_table.c - a table on a GPU: image and table lie in its memory, the work is queued on a stream. */
#include <sat.h>
#include <stdio.h>

enum { W = 1920, H = 1080 };

static int failed(void)
{
    puts(sat_detail());
    return 1;
}

int main(void)
{
    static uint8_t pixels[H][W] = {{7}};
    static uint32_t sums[H][W];
    void *stream = NULL; /* the default one, or a cudaStream_t of yours */
    sat_view image = {.data = pixels, .row_bytes = W, .width = W, .height = H, .channels = 1, .type = SAT_U8};
    sat_view table = {.data = sums, .row_bytes = sizeof *sums, .width = W, .height = H, .channels = 1, .type = SAT_U32};
    sat_view image_there = image, table_there = table;
    sat_plan_spec spec = {.width = W, .height = H, .sample = SAT_U8, .accum = SAT_U32, .layout = SAT_INCLUSIVE};
    sat_run_options run = {.stream = stream};
    sat_plan *plan = NULL;

    spec.memory = image_there.memory = table_there.memory = SAT_DEVICE;
    if (sat_device_alloc(&image_there.data, sizeof pixels) || sat_device_alloc(&table_there.data, sizeof sums) ||
        sat_plan_create(&plan, &spec))
        return failed();

    /* For each picture.  The run is only queued, and allocates nothing; the wait returns what the device found out. */
    if (sat_device_copy(&image, &image_there, stream) || sat_plan_run(plan, &image_there, &table_there, &run) ||
        sat_plan_wait(plan, stream) || sat_device_copy(&table_there, &table, stream))
        return failed();
    printf("the sum of all pixels is %u, by %s\n", (unsigned)sums[H - 1][W - 1], sat_plan_note(plan));

    sat_plan_destroy(&plan);
    sat_device_free(image_there.data);
    sat_device_free(table_there.data);
}
