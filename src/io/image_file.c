/* image_file.c - images from files and streams, by the format of their content, in the memory that they may take. */
#include <stdio.h>
#include <string.h>

#include "codec.h"
#include "format.h"
#include "image_memory.h"

bool image_unknown(error *err)
{
    fail(err, "not an image of a known format (");
    const image_format *known;
    for (size_t i = 0, first = 1; (known = format_at(i)); i++) {
        if (!known->decode) continue;
        size_t used = strlen(err->text);
        snprintf(err->text + used, sizeof err->text - used, "%s%s", first ? "" : ", ", known->name);
        first = 0;
    }
    size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, ")");
    return false;
}

bool image_extent(const uint8_t *bytes, size_t n, const void *context, uint64_t *most, error *err)
{
    const image_format *found = format_by_content(bytes, n);
    if (!found) return image_unknown(err);
    *most = SOURCE_MOST_BYTES;
    bool ok = found->extent ? found->extent(bytes, n, context, most, err)
                            : n < SOURCE_MOST_BYTES || codec_too_long(found->name, n, err);
    return ok && image_memory_stream(found, bytes, n, context, most, err);
}

bool image_probe(const uint8_t *head, size_t n, uint64_t file_bytes, const void *context, bool *maps, error *err)
{
    image_shape shape = {0};
    const image_format *found = format_by_content(head, n);
    if (!found) return image_unknown(err);
    *maps = found->shape && found->shape(head, n, context, &shape) && shape.raw;
    return image_memory_take(found, head, n, *maps ? n : file_bytes, context, err);
}

bool image_decode(const source *src, const decode_options *opt, image *img, const image_format **format, error *err)
{
    *img = (image){0};
    const image_format *found = format_by_content(src->bytes, src->n);
    if (!found) return image_unknown(err);
    if (opt->page > 1 && !found->pages)
        return fail(err, "there is no page %d: a %s file has one, number 0", opt->page - 1, found->name);
    bool ok = image_memory_check(found, src, opt, err) && found->decode(src->bytes, src->n, opt, img, err);
    if (ok && found->alone && src->goes_on) {
        image_free(img);
        ok = codec_more_follows(src->n, err);
    }
    if (ok && format) *format = found;
    if (ok && !found->chooses && !image_choose_channels(img, &opt->channels, err)) {
        image_free(img);
        ok = false;
    }
    return ok;
}
