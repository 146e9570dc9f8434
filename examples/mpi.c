/* mpi.c PIXELS WIDTH HEIGHT TABLE - the inclusive table of an image by many processes.
 *
 *     mpicc -std=c11 mpi.c $(pkg-config --cflags --libs sat) -o mpi-table
 *     mpirun -n 16 ./mpi-table pixels.raw 60000 20000 table.npy
 *
 * PIXELS are samples of u8, row by row; TABLE is an array of u64 as NumPy reads it, HEIGHT x WIDTH.  A process has a
 * band of rows.  The last row of its band's table, summed over the processes above (MPI_Exscan), is the carry row that
 * stands above the band: the table is made once for that row, and once more to be kept. */
#include <mpi.h>
#include <sat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int failed, const char *why)
{
    if (!failed) return;
    fprintf(stderr, "%s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    enum { HEAD = 128, BAND = 64 }; /* bytes before an .npy's data; rows that are summed at a time */
    int rank, ranks;
    MPI_File in, out;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check(argc != 5, "mpi-table PIXELS WIDTH HEIGHT TABLE");
    const int64_t width = atoll(argv[2]), height = atoll(argv[3]);
    check(width < 1 || height < 1 || width > INT32_MAX / BAND, "a width and a height in pixels");
    const int64_t first = height * rank / ranks, end = height * (rank + 1) / ranks;
    check(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDONLY, MPI_INFO_NULL, &in), "PIXELS cannot be opened");
    check(MPI_File_open(MPI_COMM_WORLD, argv[4], MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &out),
          "TABLE cannot be opened");

    sat_plan_spec spec = {
        .width = width, .height = BAND, .sample = SAT_U8, .accum = SAT_U64, .layout = SAT_INCLUSIVE, .threads = 1};
    uint8_t *pixels = malloc((size_t)(width * BAND));
    uint64_t *sums = malloc((size_t)(width * BAND) * sizeof *sums), *carry = calloc((size_t)width, sizeof *carry),
             *above = calloc((size_t)width, sizeof *above);
    sat_plan *plan;
    check(!pixels || !sums || !carry || !above, "out of memory");
    check(sat_plan_create(&plan, &spec), sat_detail());
    for (int keep = 0; keep < 2; keep++) {
        for (int64_t y = first, rows; y < end; y += rows) {
            rows = end - y < BAND ? end - y : BAND;
            sat_view image = {.data = pixels, .width = width, .height = rows, .channels = 1, .type = SAT_U8};
            sat_view table = {.data = sums, .width = width, .height = rows, .channels = 1, .type = SAT_U64};
            sat_run_options run = {.carry_in = carry, .carry_out = carry};
            MPI_Status status;
            int n = 0;
            check(MPI_File_read_at(in, y * width, pixels, (int)(rows * width), MPI_BYTE, &status) ||
                      MPI_Get_count(&status, MPI_BYTE, &n) || n != rows * width,
                  "PIXELS: not so many");
            check(sat_plan_run(plan, &image, &table, &run), sat_detail());
            if (!keep) continue;
            check(MPI_File_write_at(out, HEAD + y * width * (int64_t)sizeof *sums, sums, (int)(rows * width),
                                    MPI_UINT64_T, &status),
                  "TABLE cannot be written");
        }
        if (keep) break;
        MPI_Exscan(carry, above, (int)width, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        for (int64_t x = 0; x < width; x++) carry[x] = rank > 0 ? above[x] : 0;
    }
    if (rank == 0) {
        char head[HEAD] = "\x93NUMPY\x01\0\x76", *text = head + 10;
        const int n = snprintf(text, HEAD - 10, "{'descr': '<u8', 'fortran_order': False, 'shape': (%lld, %lld), }",
                               (long long)height, (long long)width);
        memset(text + n, ' ', (size_t)(HEAD - 10 - n));
        head[HEAD - 1] = '\n';
        check(MPI_File_write_at(out, 0, head, HEAD, MPI_BYTE, MPI_STATUS_IGNORE), "TABLE cannot be written");
    }
    check(MPI_File_set_size(out, HEAD + width * height * (int64_t)sizeof *sums) || MPI_File_close(&out),
          "TABLE cannot be written");
    MPI_File_close(&in);
    sat_plan_destroy(&plan);
    free(pixels), free(sums), free(carry), free(above);
    MPI_Finalize();
}
