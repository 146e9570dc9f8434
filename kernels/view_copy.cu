/* view_copy.cu - copies between views.
 *
 * Idea    The copy engines move rows of bytes, at any distance; images at one distance are more rows.  Between two
 * views on the device, samples that lie in another way are gathered by a kernel, so that all other kernels read images
 *         without gaps.
 *
 * Paper   none
 *
 * Layout  A row of the source, and of the copy, of two channels:
 *
 *             | c c . . | c c . . | c c        any distances apart      | c c | c c | c c
 *
 * Launch  A thread for each sample, in blocks of 256.
 *
 * Traffic Each sample is written once.  Of the source, all sectors of 32 bytes that hold one are read.
 *
 * Sync    None.
 *
 * Limits  2^31 - 1 blocks.  Between host and device, plain views only: rows top to bottom, without gaps.
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
    return v->count == 1 || v->image_bytes == v->height * v->row_bytes;
}

/* Rows top to bottom, without gaps. */
bool plain(const sat_view *v)
{
    const ptrdiff_t size = (ptrdiff_t)sat_type_bytes(v->type), row = v->width * v->channels * size;
    return v->channel_bytes == size && v->pixel_bytes == v->channels * size && v->row_bytes >= row &&
           (v->count == 1 || v->image_bytes >= row);
}

/* `to` is plain. */
template <class Sample> struct gather {
    static constexpr unsigned threads = 256;
    struct shared {
    };
    const char *from;
    char *to;
    int64_t width, height, samples; /* samples: of all images */
    int64_t channel_bytes, pixel_bytes, row_bytes, image_bytes, to_row_bytes, to_image_bytes;
    int64_t channels;

    PRIM_DEVICE void operator()(shared &) const
    {
        const int64_t i = (int64_t)prim::block_id() * threads + prim::thread_id();
        if (i >= samples) return;
        const int64_t row = i / (width * channels), in_row = i % (width * channels), x = in_row / channels;
        const int64_t image = row / height, y = row % height, c = in_row % channels;
        const char *s = from + image * image_bytes + y * row_bytes + x * pixel_bytes + c * channel_bytes;
        Sample *t = (Sample *)(to + image * to_image_bytes + y * to_row_bytes);
        prim::store(t + in_row, prim::load((const Sample *)s));
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
    g.channel_bytes = from->channel_bytes;
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
    if (!plain(from) && from->memory == SAT_DEVICE && to->memory == SAT_DEVICE)
        return size == 1   ? queue_gather<uint8_t>(from, to, stream)
               : size == 2 ? queue_gather<uint16_t>(from, to, stream)
               : size == 4 ? queue_gather<uint32_t>(from, to, stream)
                           : queue_gather<uint64_t>(from, to, stream);
    const bool together = evenly(from) && evenly(to);
    const int64_t images = together ? 1 : from->count, rows = together ? from->height * from->count : from->height;
    sat_status status = SAT_OK;
    for (int64_t i = 0; i < images && status == SAT_OK; i++) {
        char *t = (char *)to->data + i * to->image_bytes;
        const char *f = (const char *)from->data + i * from->image_bytes;
        status = prim::copy_rows(t, (size_t)to->row_bytes, f, (size_t)from->row_bytes, row, (size_t)rows, stream);
    }
    return status;
}
