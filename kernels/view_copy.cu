/* view_copy.cu - copies between views.
 *
 * Idea    The copy engines move rows of bytes, at any distance; images at one distance are more rows.  Pixels with gaps
 *         between them are gathered by a kernel where both views lie on the device, so that all other kernels read
 *         images without gaps.
 *
 * Paper   none
 *
 * Layout  A row of the source, and of the copy, of two channels:
 *
 *             | c c . . | c c . . | c c        pixel_bytes apart        | c c | c c | c c
 *
 * Launch  A thread for each sample, in blocks of 256.
 *
 * Traffic Each sample is written once.  Of the source, all sectors of 32 bytes that hold one are read.
 *
 * Sync    None.
 *
 * Limits  2^31 - 1 blocks.  Between host and device, each row with gaps is a copy of its own.
 *
 * Steps   1 Find the sample's image, row and pixel.  2 Copy it.
 */
#include "view_copy.cuh"
#include "prim/runtime.cuh"

namespace
{

/* Do the rows of all images follow one another at one distance? */
bool evenly(const sat_view *v)
{
    return v->count == 1 || v->image_bytes == (size_t)v->height * v->row_bytes;
}

/* The samples of a pixel follow one another in `from` and in `to`; the pixels only in `to`. */
template <class Sample> struct gather {
    static constexpr unsigned threads = 256;
    struct shared {
    };
    const char *from;
    char *to;
    int64_t width, height, samples; /* samples: of all images */
    size_t pixel_bytes, row_bytes, image_bytes, to_row_bytes, to_image_bytes;
    int64_t channels;

    PRIM_DEVICE void operator()(shared &) const
    {
        const int64_t i = (int64_t)prim::block_id() * threads + prim::thread_id();
        if (i >= samples) return;
        const int64_t row = i / (width * channels), in_row = i % (width * channels), x = in_row / channels;
        const int64_t image = row / height, y = row % height;
        const Sample *s =
            (const Sample *)(from + image * (int64_t)image_bytes + y * (int64_t)row_bytes + x * (int64_t)pixel_bytes);
        Sample *t = (Sample *)(to + image * (int64_t)to_image_bytes + y * (int64_t)to_row_bytes);
        prim::store(t + in_row, prim::load(s + in_row % channels));
    }
};

template <class Sample> sat_status queue_gather(const sat_view *from, const sat_view *to, void *stream)
{
    gather<Sample> g = {};
    g.from = (const char *)from->data;
    g.to = (char *)to->data;
    g.width = from->width;
    g.height = from->height;
    g.channels = from->channels;
    g.samples = from->width * from->channels * from->height * from->count;
    g.pixel_bytes = from->pixel_bytes;
    g.row_bytes = from->row_bytes;
    g.image_bytes = from->image_bytes;
    g.to_row_bytes = to->row_bytes;
    g.to_image_bytes = to->image_bytes;
    return prim::launch(g, (g.samples + g.threads - 1) / g.threads, stream);
}

} // namespace

sat_status queue_view_copy(const sat_view *from, const sat_view *to, void *stream)
{
    const size_t row = sat_row_bytes(from->width, from->channels, from->type), size = sat_type_bytes(from->type);
    const size_t pixel = (size_t)from->channels * size;
    if (from->pixel_bytes != pixel && from->memory == SAT_DEVICE && to->memory == SAT_DEVICE)
        return size == 1   ? queue_gather<uint8_t>(from, to, stream)
               : size == 2 ? queue_gather<uint16_t>(from, to, stream)
               : size == 4 ? queue_gather<uint32_t>(from, to, stream)
                           : queue_gather<uint64_t>(from, to, stream);
    const bool gaps = from->pixel_bytes != pixel, together = !gaps && evenly(from) && evenly(to);
    const int64_t images = together ? 1 : from->count, rows = gaps       ? 1
                                                              : together ? from->height * from->count
                                                                         : from->height;
    sat_status status = SAT_OK;
    for (int64_t i = 0; i < images && status == SAT_OK; i++)
        for (int64_t y = 0; y < (gaps ? from->height : 1) && status == SAT_OK; y++) {
            char *t = (char *)to->data + (size_t)i * to->image_bytes + (size_t)y * to->row_bytes;
            const char *f = (const char *)from->data + (size_t)i * from->image_bytes + (size_t)y * from->row_bytes;
            status = gaps ? prim::copy_rows(t, pixel, f, from->pixel_bytes, pixel, (size_t)from->width, stream)
                          : prim::copy_rows(t, to->row_bytes, f, from->row_bytes, row, (size_t)rows, stream);
        }
    return status;
}
