/* device.c - a table built on a GPU and asked there: nothing but the rectangles and their means crosses the bus. */
#include <sat.h>
#include <stdio.h>

enum { W = 256, H = 128, RECTS = 3 };

/* Device memory for a view of that shape. */
static sat_status allocate(sat_view *v)
{
    v->row_bytes = (ptrdiff_t)sat_row_bytes(v->width, v->channels, v->type);
    v->memory = SAT_DEVICE;
    return sat_device_alloc(&v->data, (size_t)v->row_bytes * (size_t)v->height);
}

static int failed(void)
{
    puts(sat_detail());
    return 1;
}

int main(void)
{
    static uint8_t pixels[H][W];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) pixels[y][x] = (uint8_t)x;
    sat_rect rects[RECTS] = {{10, 5, 21, 9}, {100, 0, 1, 128}, {-50, -50, 61, 61}};
    double means[RECTS];

    /* Views of host memory, and of the same shapes in the device's: a rectangle is four numbers of 64 bits. */
    sat_view image =
                 {.data = pixels, .row_bytes = sizeof *pixels, .width = W, .height = H, .channels = 1, .type = SAT_U8},
             image_there = image;
    sat_view given = {.data = rects,
                      .row_bytes = sizeof *rects,
                      .width = 1,
                      .height = RECTS,
                      .channels = 4,
                      .type = SAT_I64},
             given_there = given;
    sat_view found = {.data = means,
                      .row_bytes = sizeof *means,
                      .width = 1,
                      .height = RECTS,
                      .channels = 1,
                      .type = SAT_F64},
             found_there = found;
    sat_table table = {.view = {.width = W + 1, .height = H + 1, .channels = 1, .type = SAT_U32}, .sample = SAT_U8};
    sat_plan_spec spec = {.width = W, .height = H, .sample = SAT_U8, .accum = SAT_U32, .memory = SAT_DEVICE};
    sat_plan *plan = NULL;
    sat_query *query = NULL;
    if (allocate(&image_there) || allocate(&table.view) || allocate(&given_there) || allocate(&found_there) ||
        sat_plan_create(&plan, &spec) || sat_query_create(&query, &table, &(sat_query_spec){.flags = SAT_CLIP}))
        return failed();

    /* For each picture: both runs are only queued, here on the default stream. */
    if (sat_device_copy(&image, &image_there, NULL) || sat_device_copy(&given, &given_there, NULL) ||
        sat_plan_run(plan, &image_there, &table.view, NULL) ||
        sat_query_run(query, given_there.data, RECTS, NULL, found_there.data, NULL) || sat_query_wait(query, NULL) ||
        sat_device_copy(&found_there, &found, NULL))
        return failed();
    for (int i = 0; i < RECTS; i++)
        printf("the mean of x=%lld y=%lld w=%lld h=%lld is %g\n", (long long)rects[i].x, (long long)rects[i].y,
               (long long)rects[i].width, (long long)rects[i].height, means[i]);

    sat_query_destroy(&query);
    sat_plan_destroy(&plan);
    sat_device_free(image_there.data);
    sat_device_free(table.view.data);
    sat_device_free(given_there.data);
    sat_device_free(found_there.data);
}
