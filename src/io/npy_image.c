#include "npy_image.h"

#include <string.h>

#include "npy_header.h"
#include "table_trailer.h"

static const uint8_t mark[NPY_MARK_BYTES] = {'S', 'A', 'T', 'I', 'M', 'A', 'G', 'E', [8] = 1, [12] = NPY_MARK_BYTES};

/* No table has entries of less than four bytes, or big-endian ones. */
static bool has_type_of_images(const npy_header *h)
{
    return h->item_bytes < 4 || (npy_image_type(h) && h->big_endian);
}

bool npy_may_be_table(const uint8_t *bytes, size_t n, array_kind said)
{
    npy_header h;
    error unused;
    if (!npy_sniff(bytes, n) || said == ARRAY_IMAGE) return false;
    return said == ARRAY_TABLE || !npy_parse_header(&h, bytes, n, &unused) || !has_type_of_images(&h);
}

bool npy_is_table(const uint8_t *bytes, size_t n, array_kind said)
{
    return npy_may_be_table(bytes, n, said) && (said == ARRAY_TABLE || !npy_is_marked_image(bytes, n));
}

bool npy_is_mark(const uint8_t *bytes, size_t n)
{
    return n >= NPY_MARK_BYTES && memcmp(bytes, mark, NPY_MARK_BYTES) == 0;
}

bool npy_is_marked_image(const uint8_t *bytes, size_t n)
{
    npy_header h;
    error unused;
    if (!npy_parse(&h, bytes, n, &unused) || !npy_image_type(&h) || h.item_bytes < 4) return false;
    uint64_t at = trailer_offset(h.data_offset + h.data_bytes);
    return at <= n && npy_is_mark(bytes + at, (size_t)(n - at));
}

bool npy_write_mark(uint64_t end, sink *out, error *err)
{
    uint8_t bytes[TRAILER_ALIGN + NPY_MARK_BYTES] = {0};
    size_t zeros = (size_t)(trailer_offset(end) - end);
    memcpy(bytes + zeros, mark, NPY_MARK_BYTES);
    return sink_write(out, bytes, zeros + NPY_MARK_BYTES, err);
}
