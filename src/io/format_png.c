#include <isa-l.h>
#include <libdeflate.h>

#include "codec.h"
#include "png.h"

#define TEXT_OF(x)                   #x
#define VERSION(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

static const char *library(void)
{
    return "ISA-L " VERSION(ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION,
                            ISAL_PATCH_VERSION) ", libdeflate " LIBDEFLATE_VERSION_STRING;
}

static bool sniff(const uint8_t *bytes, size_t n)
{
    return n >= PNG_SIGNATURE && memcmp(bytes, png_signature, PNG_SIGNATURE) == 0;
}

static bool holds(sat_type type, int channels, error *err)
{
    (void)channels;
    if (type == SAT_U8 || type == SAT_U16) return true;
    return codec_cannot_hold("PNG", "u8 and u16", type, err);
}

const image_format format_png = {
    .name = "png",
    .extensions = "png",
    .summary = "PNG, 8-bit and 16-bit, with or without alpha; 1-bit of thresholds",
    .library = library,
    .sniff = sniff,
    .extent = png_extent,
    .shape = png_shape,
    .decode = png_decode,
    .holds = holds,
    .encode = png_encode,
    .bilevel = "png",
};
