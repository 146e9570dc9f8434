#include <sat.h>
#include <stdio.h>

int main(void)
{
    uint8_t pixels[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 1, 2, 3}};
    sat_view image = {
        .data = pixels, .row_bytes = sizeof *pixels, .width = 4, .height = 3, .channels = 1, .type = SAT_U8};
    sat_rect rect = {.x = 1, .y = 1, .width = 2, .height = 2};
    sat_table table;
    double mean;
    if (sat_table_of(&image, NULL, &table) || sat_table_query(&table, &rect, 1, 0, 0, NULL, &mean))
        return puts(sat_detail()), 1;
    printf("the mean of x=1 y=1 w=2 h=2 is %g\n", mean);
    sat_view_free(&table.view);
}
