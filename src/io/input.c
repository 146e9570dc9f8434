#include "input.h"

#include <string.h>
#include <sys/stat.h>

#include "npy_image.h"
#include "table_file.h"

static bool extent(const uint8_t *bytes, size_t n, const void *context, uint64_t *most, error *err)
{
    const decode_options *decode = context;
    return npy_may_be_table(bytes, n, decode->array) ? table_file_extent(bytes, n, NULL, most, err)
                                                     : image_extent(bytes, n, decode, most, err);
}

static bool probe(const uint8_t *head, size_t n, uint64_t file_bytes, const void *context, bool *maps, error *err)
{
    const decode_options *decode = context;
    source_probe *by_kind = npy_may_be_table(head, n, decode->array) ? table_file_probe : image_probe;
    return by_kind(head, n, file_bytes, context, maps, err);
}

bool input_open_rows(input_file *in, row_source *rows, const char *path, const decode_options *decode, error *err)
{
    const bool opened = row_source_open(rows, path, decode, err);
    *in = (input_file){0};
    if (decode->raw || !npy_may_be_table(rows->in.head, rows->in.head_n, decode->array)) return opened;
    const bool is_stream = rows->in.is_stream;
    const bool read = source_read(&in->file, &rows->in, path, probe, extent, decode, err);
    in->is_table = read && npy_is_table(in->file.bytes, in->file.n, decode->array);
    if (!read || in->is_table || is_stream) return read;
    source_close(&in->file);
    row_source_close(rows);
    if (decode->memory) memory_keep(&decode->memory->share, 0);
    return row_source_open(rows, path, decode, err);
}

bool input_is_output(const char *input, const char *output)
{
    struct stat a, b;
    return strcmp(input, "-") != 0 && strcmp(output, "-") != 0 && stat(input, &a) == 0 && stat(output, &b) == 0 &&
           S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}
