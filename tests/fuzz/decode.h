/* decode.h - what the fuzzer does with one input, and the replay with each file of the corpus. */
#ifndef FUZZ_DECODE_H
#define FUZZ_DECODE_H

#include <stdlib.h>
#include <string.h>

#include "format.h"

/* Decodes the bytes as whatever they look like.  false: the contract of format.h is broken, *why says
 * how.  Files that are refused, in words, are fine. */
static inline bool decode_one(const uint8_t *bytes, size_t n, const char **why)
{
    const image_format *format = format_by_content(bytes, n);
    if (!format) return true;

    uint64_t most = n; /* of a stream that begins so */
    image one, many, cut = {0};
    error err = {.text = ""}, again = {.text = ""};
    decode_options opt = {.max_pixels = 1 << 20, .threads = 1};
    bool ok = format->decode(bytes, n, &opt, &one, &err);
    opt.threads = 3;
    bool same = format->decode(bytes, n, &opt, &many, &again) == ok;

    *why = NULL;
    bool wanted = image_extent(bytes, n, &opt, &most, &again);
    if (!same) {
        *why = "one thread decodes it, three do not agree";
    } else if (!ok) {
        if (one.data || one.meta.icc || many.data) *why = "an image is left behind by a failure";
        if (err.text[0] == '\0' || strchr(err.text, '\n')) *why = "a failure without a line that says why";
    } else {
        size_t row = sat_row_bytes(one.width, one.channels, one.type), all = row * (size_t)one.height;
        if (one.width * one.height > opt.max_pixels) *why = "more pixels than allowed";
        if (row == 0 || row != one.row_bytes) *why = "rows of a wrong size";
        if (!wanted) *why = "decoded from a file, refused from a stream";
        if (wanted && most < n && !format->decode(bytes, (size_t)most, &opt, &cut, &err))
            *why = "its extent cuts it short";
        image_free(&cut);
        if (!*why && (many.row_bytes != row || many.height != one.height || memcmp(one.data, many.data, all) != 0)) {
            *why = "pixels depend on the number of threads, or on luck";
        }
    }
    image_free(&one);
    if (same) image_free(&many);
    return *why == NULL;
}

#endif
