#include "input.h"

#include <string.h>
#include <sys/stat.h>

#include "table_file.h"

static bool extent(const uint8_t *bytes, size_t n, const void *context, uint64_t *most, error *err)
{
    return table_file_sniff(bytes, n) ? table_file_extent(bytes, n, NULL, most, err)
                                      : image_extent(bytes, n, context, most, err);
}

static bool look(const uint8_t *head, size_t n, uint64_t file_bytes, const void *context, bool *maps, error *err)
{
    return (table_file_sniff(head, n) ? table_file_look : image_look)(head, n, file_bytes, context, maps, err);
}

bool input_open(input_file *in, const char *path, const decode_options *decode, error *err)
{
    *in = (input_file){0};
    if (!source_open_by(&in->file, path, look, extent, decode, err)) return false;
    in->is_table = table_file_sniff(in->file.bytes, in->file.n);
    return true;
}

bool input_is_output(const char *input, const char *output)
{
    struct stat a, b;
    return strcmp(input, "-") != 0 && strcmp(output, "-") != 0 && stat(input, &a) == 0 && stat(output, &b) == 0 &&
           S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}
