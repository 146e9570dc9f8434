#include "input.h"

#include <string.h>
#include <sys/stat.h>

#include "npy_header.h"
#include "npy_image.h"
#include "table_file.h"

/* By the header.  No table has entries of less than four bytes; what else an array is, its end may say. */
static bool may_be_table(const uint8_t *bytes, size_t n, const decode_options *decode)
{
    npy_header h;
    error unused;
    if (!table_file_sniff(bytes, n) || decode->array == ARRAY_IMAGE) return false;
    return decode->array == ARRAY_TABLE || !npy_parse_header(&h, bytes, n, &unused) || h.item_bytes >= 4;
}

static bool extent(const uint8_t *bytes, size_t n, const void *context, uint64_t *most, error *err)
{
    return may_be_table(bytes, n, context) ? table_file_extent(bytes, n, NULL, most, err)
                                           : image_extent(bytes, n, context, most, err);
}

static bool probe(const uint8_t *head, size_t n, uint64_t file_bytes, const void *context, bool *maps, error *err)
{
    return (may_be_table(head, n, context) ? table_file_probe : image_probe)(head, n, file_bytes, context, maps, err);
}

bool input_open(input_file *in, const char *path, const decode_options *decode, error *err)
{
    *in = (input_file){0};
    if (!source_open_by(&in->file, path, probe, extent, decode, err)) return false;
    in->is_table = may_be_table(in->file.bytes, in->file.n, decode) &&
                   (decode->array == ARRAY_TABLE || !npy_is_marked_image(in->file.bytes, in->file.n));
    return true;
}

bool input_is_output(const char *input, const char *output)
{
    struct stat a, b;
    return strcmp(input, "-") != 0 && strcmp(output, "-") != 0 && stat(input, &a) == 0 && stat(output, &b) == 0 &&
           S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}
