/* box_small.cu - the box filter for windows of 3x3, in registers.
 *
 * Idea    A window of 3x3 is so small that its sum takes fewer instructions than shared memory would.  A warp walks
 * down a strip of the image, or up, and each lane has some neighbouring columns.  The sums of three neighbours in a row
 * take one shuffle to each side; those of three rows are added from two rows that stay in registers.  Each warp is
 * alone: nothing waits but for memory, and rows are loaded several rows ahead.
 *
 * Paper   McDonnell, Box-filtering techniques, CGIP 17, 1981: sums along one axis, and then the other.  Division:
 * box_divide.cuh.
 *
 * Layout  A warp, and the columns of its lanes:
 *
 *               | lane 0  | lane 1  | lane 2  | ...           | lane 30 | lane 31 |
 *               |  halo   |<------------- strip: results -------------->|  halo   |
 *     row y - 1 | a a a a | b b b b |           sums of 3 in a row, in registers
 *     row y     | a a a a | b b b b |           the same
 *     row y + 1 | a a a a | b b b b |           loaded some rows before; then the means of row y are stored
 *
 * Launch  A warp for each strip and segment of rows.  Every other segment is walked upwards, so that two neighbours
 * read the rows between them at the same time.
 *
 * Traffic 1R1W; lanes without results and rows beside a segment are read a second time, from a cache.
 *
 * Sync    None but the shuffles.
 *
 * Limits  Windows of 3x3 around their pixel.  Rows of samples and of results that begin on 16 bytes: else box.cu's and
 *         box_float.cu's strips.  No weights.
 *
 * Steps   1. sources of columns outside the image  2. load a row ahead  3. sums of a row, of three rows  4. means
 */
#include "box/box_small.cuh"
#include "box/box_small_rows.cuh"

struct box_small {
    box::axis x, y;
    int32_t elements;
    box::segments work; /* of an image */
    box::small_border border;
    sat_status (*queue)(const box_small *f, const sat_view *src, const sat_view *dst, void *stream);
};

template <class Sums>
static sat_status queue(const box_small *f, const sat_view *src, const sat_view *dst, void *stream)
{
    using filter = box::small_rows<Sums>;
    using sample = typename Sums::sample_type;
    filter k = {};
    k.in = (const sample *)src->data;
    k.out = (sample *)dst->data;
    k.in_row_bytes = (int64_t)src->row_bytes;
    k.out_row_bytes = (int64_t)dst->row_bytes;
    k.in_image_bytes = (int64_t)src->image_bytes;
    k.out_image_bytes = (int64_t)dst->image_bytes;
    k.x = f->x;
    k.y = f->y;
    k.elements = f->elements;
    k.work = f->work;
    k.image_units = (uint32_t)box::count_of(f->work);
    k.units = k.image_units * (uint32_t)src->count;
    k.border = f->border;
    return prim::launch(k, (k.units + filter::WARPS - 1) / filter::WARPS, stream);
}

template <class Sums> static sat_status prepare(box_small *f, int64_t height, int64_t count)
{
    using filter = box::small_rows<Sums>;
    sat_device_info info;
    sat_status status = sat_device_current(&info);
    if (status != SAT_OK) return status;
    const int64_t of_image = (f->elements + filter::STRIP - 1) / filter::STRIP, strips = of_image * count;
    const int64_t at_once = (int64_t)info.multiprocessors * filter::min_blocks * filter::WARPS;
    const int64_t most = tuning::BOX_SMALL_ROWS, least = tuning::BOX_SMALL_LEAST_ROWS;
    const int64_t full = (strips * height + most * at_once - 1) / (most * at_once);
    const int64_t segments = at_once * (full > tuning::BOX_SMALL_WAVES ? full : tuning::BOX_SMALL_WAVES) / strips;
    int64_t rows = segments > 0 ? (height + segments - 1) / segments : height;
    rows = rows > most ? most : rows < least ? least : rows;
    rows = rows < height ? rows : height;
    const int64_t edge_rows = (rows + tuning::BOX_SMALL_EDGE_SHARE - 1) / tuning::BOX_SMALL_EDGE_SHARE;
    f->work = {(int32_t)height, (int32_t)of_image, (int32_t)rows, (int32_t)edge_rows};
    if (box::count_of(f->work) * count > INT32_MAX)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: too many strips of 3x3 windows", box::NAME);
    f->queue = queue<Sums>;
    return SAT_OK;
}

template <unsigned CHANNELS> static sat_status prepare(box_small *f, const sat_box_spec *s)
{
    switch (s->sample) {
    case SAT_U8: return prepare<box::small_bytes<CHANNELS>>(f, s->height, s->count);
    case SAT_U16: return prepare<box::small_sums<uint16_t, uint32_t, CHANNELS>>(f, s->height, s->count);
    case SAT_F32: return prepare<box::small_sums<float, double, CHANNELS>>(f, s->height, s->count);
    default: return prepare<box::small_sums<double, double, CHANNELS>>(f, s->height, s->count);
    }
}

static sat_status prepare_channels(box_small *f, const sat_box_spec *s)
{
    switch (s->channels) {
    case 1: return prepare<1>(f, s);
    case 2: return prepare<2>(f, s);
    case 3: return prepare<3>(f, s);
    default: return prepare<4>(f, s);
    }
}

bool box_small_fits(const sat_box_spec *spec, const sat_axis *x, const sat_axis *y)
{
    const bool three = spec->window_width == 3 && spec->window_height == 3 && x->before == 1 && x->after == 1 &&
                       y->before == 1 && y->after == 1;
    const bool type = spec->sample == SAT_U8 || spec->sample == SAT_U16 || sat_is_float(spec->sample);
    return three && type && spec->result == spec->sample && !spec->weighted_alpha &&
           spec->width * spec->channels <= INT32_MAX / 2;
}

sat_status box_small_open(const sat_box_spec *spec, const sat_box_window *window, const sat_axis *x, const sat_axis *y,
                          sat_arena *arena, box_small **filter)
{
    box_small *f = prim::arena_new<box_small>(arena);
    if (f == NULL) return SAT_ERR_MEMORY;
    f->elements = (int32_t)(spec->width * spec->channels);
    f->border.shrinks = window->border->shrinks;
    f->border.takes_value = window->border->takes_value;
    for (int c = 0; c < spec->channels; c++) {
        f->border.value[c] = (uint32_t)window->value[c];
        f->border.real_value[c] = window->real_value[c];
    }
    sat_status status = prepare_channels(f, spec);
    if (status != SAT_OK) return status;
    status = box::make_tables(arena, [&](box::tables *t) {
        box::fill_axis(&f->x, t, x, &window->x, 1);
        box::fill_axis(&f->y, t, y, &window->y, 1);
    });
    if (status == SAT_OK) *filter = f;
    return status;
}

bool box_small_takes(const sat_view *src, const sat_view *dst)
{
    const auto aligned = [](const sat_view *v) {
        return ((uintptr_t)v->data | v->row_bytes | v->image_bytes) % prim::VECTOR_BYTES == 0;
    };
    return aligned(src) && aligned(dst);
}

sat_status box_small_run(const box_small *filter, const sat_view *src, const sat_view *dst, void *stream)
{
    return filter->queue(filter, src, dst, stream);
}
