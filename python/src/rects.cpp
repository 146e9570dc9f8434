// rects.cpp - statistics of rectangles, from tables and straight from images.
#include "tables.h"

#include <sat_query.h>

#include <algorithm>
#include <vector>

namespace sat_python
{

namespace
{

// The rectangles of an array (n, 4) of int64 or float64 in C's order.
struct rectangles {
    explicit rectangles(nb::handle rects)
    {
        if (PyObject_GetBuffer(rects.ptr(), &buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) throw nb::python_error();
        n = (size_t)buffer.shape[0];
        fractions = buffer.format[0] == 'd';
    }
    rectangles(const rectangles &) = delete;
    ~rectangles() { PyBuffer_Release(&buffer); }

    Py_buffer buffer = {};
    size_t n = 0;
    bool fractions = false;
};

// The arrays of answers of a loop: the given ones that fit, and new ones.  Of channels that are images, answers lie
// image by image.
struct answers {
    answers(const std::vector<std::string> &names, nb::handle given, const samples &of, const loop &l, size_t n,
            sat_type sum_type)
        : step(n * (size_t)(l.count * l.channels))
    {
        const Py_ssize_t shape[3] = {(Py_ssize_t)of.n, (Py_ssize_t)(l.planes ? of.c : (int64_t)n),
                                     (Py_ssize_t)(l.planes ? (int64_t)n : of.c)};
        for (const std::string &name : names) {
            const bool is_sum = name == "sum";
            const sat_type type = is_sum ? sum_type : SAT_F64;
            nb::object made = given.is_none() ? nb::none() : nb::object(given[held.size()]);
            auto a = std::make_unique<array>();
            if (n && !l.planes && !made.is_none()) a->borrow(made, role::result, "out");
            if (!a->held() || a->type() != type || !std::equal(shape, shape + 3, a->sides())) {
                made = new_array(shape, 3, type);
                a = std::make_unique<array>();
                if (n) a->borrow(made, role::result, "out");
            }
            held.push_back(std::move(a));
            double *data = n ? (double *)held.back()->as_samples(axes{3, -1, 0, 1, 2}).data : nullptr;
            if (is_sum)
                sums = (sat_sum *)data, asked_sums = true;
            else
                outputs.push_back({name.c_str(), data});
            arrays.append(l.planes ? made.attr("transpose")(0, 2, 1) : made);
        }
    }

    // What run i of the loop is to fill.
    void ask(sat_statistics &a, int64_t i)
    {
        now = outputs;
        for (sat_rect_output &o : now)
            if (o.values) o.values += (size_t)i * step;
        a.sums = sums ? sums + (size_t)i * step : nullptr;
        a.output = now.data(), a.outputs = (int)now.size();
        a.threads = threads;
    }
    nb::tuple answer() const { return nb::make_tuple(arrays, imprecise); }

    size_t step;
    nb::list arrays;
    std::vector<std::unique_ptr<array>> held;
    std::vector<sat_rect_output> outputs, now;
    sat_sum *sums = nullptr;
    bool asked_sums = false;
    int64_t imprecise = 0; // summed over all runs
};

sat_type sum_type_of(sat_type type, bool fractions)
{
    return fractions || type == SAT_F32 || type == SAT_F64 ? SAT_F64 : SAT_I64;
}

} // namespace

nb::tuple ask_table(const table &t, nb::handle rects, const std::vector<std::string> &names, nb::handle clip,
                    nb::handle ddof, nb::handle out_arrays)
{
    sat_statistics ask = {};
    ask.flags = flag(clip, "clip") ? SAT_CLIP : 0, ask.ddof = integer(ddof, "ddof");
    const rectangles r(rects);
    const samples &s = t.at[table::sums];
    const loop l = loop_of(s, {}, nullptr, false, false);
    answers out(names, out_arrays, s, l, r.n, sum_type_of(s.type, r.fractions));
    if (r.n == 0) return out.answer();
    {
        call c((int64_t)r.n * s.n * s.c * 64);
        sat_status status = SAT_OK;
        for (int64_t i = 0; i < l.outer && status == SAT_OK; i++) {
            const sat_table sums = t.part(table::sums, l, i);
            const sat_table squares = t.has[table::squares] ? t.part(table::squares, l, i) : sat_table{};
            const sat_table counts = t.has[table::counts] ? t.part(table::counts, l, i) : sat_table{};
            const sat_table *second = t.has[table::squares] ? &squares : nullptr;
            ask.counts = t.has[table::counts] ? &counts : nullptr;
            out.ask(ask, i);
            int64_t imprecise = 0;
            ask.imprecise = &imprecise;
            status =
                r.fractions
                    ? sat_table_statistics_f64(&sums, second, (const sat_rect_f64 *)r.buffer.buf, r.n, &ask, &c.options)
                    : sat_table_statistics(&sums, second, (const sat_rect *)r.buffer.buf, r.n, &ask, &c.options);
            out.imprecise += imprecise;
        }
        c.end(status);
    }
    return out.answer();
}

nb::tuple ask_image(nb::handle image, nb::handle rects, const std::vector<std::string> &names, nb::handle clip,
                    nb::handle ddof, nb::handle out_arrays, nb::handle mask, nb::handle nodata, nb::handle channel_axis,
                    nb::handle batch_axis)
{
    const rectangles r(rects);
    array source, which;
    source.borrow(image, role::image, "image");
    const samples s = source.as_samples(axes_of(source, channel_axis, batch_axis, "image"));
    samples m;
    const bool has_mask = !mask.is_none();
    if (has_mask) {
        which.borrow(mask, role::mask, "mask");
        m = mask_samples(which, s);
    }
    const loop l = loop_of(s, {}, has_mask ? &m : nullptr, false, false);
    answers out(names, out_arrays, s, l, r.n, sum_type_of(s.type, r.fractions));
    if (r.n == 0) return out.answer();
    sat_statistics ask = {};
    ask.flags = flag(clip, "clip") ? SAT_CLIP : 0, ask.ddof = integer(ddof, "ddof");
    take_nodata(nodata, s.type, ask);
    {
        call c(s.n * s.c * s.h * s.w * (int64_t)std::min<size_t>(r.n, 1 << 20));
        sat_status status = SAT_OK;
        for (int64_t i = 0; i < l.outer && status == SAT_OK; i++) {
            const sat_view view = view_at(s, l, i), valid = has_mask ? view_at(m, l, i) : sat_view{};
            c.options.mask = has_mask ? &valid : nullptr;
            out.ask(ask, i);
            status = r.fractions
                         ? sat_image_statistics_f64(&view, (const sat_rect_f64 *)r.buffer.buf, r.n, &ask, &c.options)
                         : sat_image_statistics(&view, (const sat_rect *)r.buffer.buf, r.n, &ask, &c.options);
        }
        c.end(status);
    }
    return out.answer();
}

} // namespace sat_python
