// filters.cpp - boxes, statistics of windows and Gaussians: what a filter is, runs on whole images, and runs on rows.
#include "filters.h"

#include <nanobind/stl/string.h>
#include <sat_image.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace sat_python
{

namespace
{

// Is it this string?
bool is(nb::handle given, const char *text)
{
    return PyUnicode_Check(given.ptr()) && PyUnicode_CompareWithASCIIString(given.ptr(), text) == 0;
}

// The library's own pointer for a name, which keys of kept objects hold, and what the library says of it in `info`; the
// names that there are, in a message, if it is none of them.
template <typename Info, typename At> const char *own_name(nb::handle name, const char *what, Info &info, At at)
{
    std::string all;
    for (size_t i = 0; at(i, &info); i++) {
        if (is(name, info.name)) return info.name;
        all += (i ? ", " : "") + std::string(info.name);
    }
    refuse(PyExc_ValueError, what, name, " is none of " + all);
}

const char *own_border(nb::handle name, sat_border_info &info)
{
    return own_name(name, "border", info, [](size_t i, sat_border_info *at) { return sat_border_at(i, at); });
}

const char *own_statistic(nb::handle name, sat_statistic_info &info)
{
    return own_name(name, "statistic", info, [](size_t i, sat_statistic_info *at) { return sat_statistic_at(i, at); });
}

std::string text_of(double whole)
{
    char text[32];
    snprintf(text, sizeof text, "%.0f", whole);
    return text;
}

sat_window_output output_of(const char *statistic)
{
    sat_window_output o;
    memset((void *)&o, 0, sizeof o); // padding too, as its bytes are a part of a key
    o.statistic = statistic;
    return o;
}

} // namespace

filter::filter(int which, nb::handle height, nb::handle width, nb::handle border_name, nb::handle border_value,
               nb::handle nodata_value)
    : k((kind)which), window_height(integer(height, "size", 1, INT32_MAX)),
      window_width(integer(width, "size", 1, INT32_MAX))
{
    sat_border_info info{};
    border = own_border(border_name, info), border_takes_value = info.takes_value;
    if (PySequence_Check(border_value.ptr())) {
        const Py_ssize_t n = PySequence_Size(border_value.ptr());
        if (n < 1 || n > 4) throw nb::value_error("border_value: a number, or one for each of up to 4 channels");
        for (Py_ssize_t i = 0; i < n; i++) values[i] = number(border_value[i], "border_value");
        channel_values = (int)n;
    } else {
        for (double &v : values) v = number(border_value, "border_value");
    }
    if (!border_takes_value && std::any_of(values, values + 4, [](double v) { return v != 0; }))
        throw nb::value_error(("border_value: the border " + std::string(border) + " has none").c_str());
    if (!nodata_value.is_none()) {
        nodata = number(nodata_value, "nodata");
        skip_nan = std::isnan(nodata), has_nodata = !skip_nan;
        if (skip_nan) nodata = 0;
    }
}

void filter::counting(nb::handle ddof_, nb::handle min_valid_, nb::handle empty_, nb::handle anchor_, nb::handle range_,
                      nb::handle keep_holes_)
{
    ddof = integer(ddof_, "ddof"), keep_holes = flag(keep_holes_, "keep_holes");
    min_valid = number(min_valid_, "min_valid"), range = number(range_, "value_range");
    take_min_valid(PyIndex_Check(min_valid_.ptr()));
    if (!empty_.is_none()) empty_set = true, empty = number(empty_, "empty");
    const bool first = is(anchor_, "first");
    if (!first && !is(anchor_, "second")) refuse(PyExc_ValueError, "anchor", anchor_, " is none of second, first");
    anchor = first ? SAT_ANCHOR_FIRST : SAT_ANCHOR_SECOND;
}

// Checks min_valid: samples, or a float share.  A share of 1.0 becomes all samples, as the library reads 1 as one.
void filter::take_min_valid(bool is_number)
{
    if (!is_number && !(min_valid >= 0 && min_valid <= 1))
        throw nb::value_error(("min_valid: " + std::string(nb::repr(nb::float_(min_valid)).c_str()) +
                               "; a share of the window is 0.0 to 1.0, a number of samples an integer")
                                  .c_str());
    if (k == kind::gauss) {
        if (is_number && min_valid != 0)
            throw nb::value_error("min_valid: a number of samples; of Gaussians a share of the weight, 0.0 to 1.0");
    } else if (min_valid > samples_most()) {
        throw nb::value_error(("min_valid: a window has at most " + text_of(samples_most()) + " samples").c_str());
    } else if (!is_number && min_valid == 1) {
        min_valid = samples_most();
    }
}

void filter::add(nb::handle statistic, bool compare, nb::dict parameters)
{
    if (outputs.size() == SAT_OUTPUTS)
        throw nb::value_error(("more than " + std::to_string(SAT_OUTPUTS) + " statistics").c_str());
    sat_statistic_info info{};
    sat_window_output o = output_of(own_statistic(statistic, info));
    o.compare = compare, compares = compare;
    whole_image = whole_image || info.whole_image;
    if (info.variance && (double)ddof >= samples_most())
        throw nb::value_error(
            ("ddof: a window has at most " + text_of(samples_most()) + " samples, and a variance needs more").c_str());
    for (auto [name, value] : parameters) {
        const std::string asked = nb::cast<std::string>(name);
        for (int i = 0; i < SAT_PARAMETERS && info.parameter[i].name; i++)
            if (asked == info.parameter[i].name) o.parameter[i] = number(value, asked.c_str()), o.set |= 1u << i;
    }
    outputs.push_back(o);
}

kind filter::fill(any_spec &spec, std::vector<sat_window_output> &out, const shape_of_run &r) const
{
    // What counts is counted by the mean of windows.
    const kind used = k == kind::box && (r.masked || skip_nan || has_nodata || min_valid != 0) ? kind::window : k;
    const bool alike = channel_values == 0;
    if (!alike && channel_values != r.c)
        throw nb::value_error(
            ("border_value: " + std::to_string(channel_values) + " values for " + std::to_string(r.c) + " channels")
                .c_str());
    auto common = [&](auto &s) {
        s.width = r.width, s.height = r.height, s.channels = r.channels, s.sample = r.sample, s.count = r.count;
        s.border = border, s.band_rows = r.band_rows;
        if (border_takes_value)
            for (int i = 0; i < 4; i++) s.border_value[i] = values[i];
    };
    auto counts = [&](auto &s) {
        s.masked = r.masked, s.skip_nan = skip_nan && (r.sample == SAT_F32 || r.sample == SAT_F64);
        s.has_nodata = has_nodata, s.nodata = nodata, s.min_valid = min_valid, s.empty_set = empty_set, s.empty = empty;
        s.keep_holes = keep_holes;
    };
    auto sides = [&](auto &s) {
        s.window_width = r.turned ? window_height : window_width;
        s.window_height = r.turned ? window_width : window_height;
        s.anchor = anchor;
    };
    if (used == kind::box) {
        common(spec.box), sides(spec.box);
        spec.box.result = r.result[0];
    } else if (used == kind::window) {
        common(spec.window), counts(spec.window), sides(spec.window);
        out = outputs;
        if (k == kind::box) {
            sat_statistic_info info{};
            out.assign(1, output_of(own_statistic(nb::str("mean"), info)));
        }
        for (size_t i = 0; i < out.size(); i++)
            if (!out[i].compare) out[i].result = r.result[i];
        spec.window.outputs = (int)out.size(), spec.window.output = out.data();
        spec.window.ddof = ddof, spec.window.range = range;
        spec.window.avoid_empty = has_nodata && empty_set && empty == nodata;
        spec.window.has_extremes = has_extremes;
        spec.window.lowest = lowest, spec.window.largest_var = largest_var;
    } else {
        common(spec.gauss), counts(spec.gauss);
        spec.gauss.sigma = sigma, spec.gauss.sigma2 = sigma2, spec.gauss.amount = amount, spec.gauss.mode = mode;
        spec.gauss.result = r.result[0];
    }
    return used;
}

sat_status filter::run(kind used, void *object, const sat_view *src, const sat_view *mask, const sat_view *results,
                       sat_run_options *options)
{
    options->mask = used == kind::gauss ? mask : nullptr; // windows take it as an argument
    switch (used) {
    case kind::box: return sat_box_run((sat_box *)object, src, results, options);
    case kind::window: return sat_window_run((sat_window *)object, src, mask, results, options);
    default: return sat_gauss_run((sat_gauss *)object, src, results, options);
    }
}

sat_type filter::result_type(size_t i, int dtype, nb::handle out, sat_type sample, bool logical) const
{
    if (compares) return SAT_U8;
    if (dtype != SAT_TYPE_NONE) return (sat_type)dtype;
    if (!out.is_none()) {
        array a;
        a.borrow(out, role::result, "out");
        return a.logical() ? SAT_TYPE_NONE : a.type();
    }
    if (k == kind::window)
        return sat_statistic_result(outputs[i].statistic, sample, (int64_t)std::min(samples_most(), 0x1p62));
    if (mode == SAT_GAUSS_DOG) return sat_real_type(sample);
    return logical ? SAT_F32 : sample;
}

samples filter::target(array &a, nb::object &made, const samples &like, const axes &x, sat_type type, int dtype) const
{
    if (made.is_none()) made = empty_like(like, x, type, compares && dtype != SAT_U8);
    a.borrow(made, role::result, "out");
    check_shape(a, x, like, "out");
    if (a.type() != type || (a.logical() && !compares))
        throw nb::type_error((std::string("out: ") + type_name(a.type(), a.logical()) + " where the result is " +
                              type_name(type, compares))
                                 .c_str());
    return a.as_samples(x);
}

nb::object filter::given_back(std::vector<nb::object> &made) const
{
    if (!several) return made[0];
    nb::object tuple = nb::steal(PyTuple_New((Py_ssize_t)made.size()));
    for (size_t i = 0; i < made.size(); i++) PyTuple_SetItem(tuple.ptr(), (Py_ssize_t)i, made[i].release().ptr());
    return tuple;
}

std::vector<nb::object> filter::outs(nb::handle out) const
{
    const size_t n = k == kind::window ? outputs.size() : 1;
    std::vector<nb::object> list(n, nb::none());
    if (out.is_none()) return list;
    if (n == 1 && !PyTuple_Check(out.ptr())) {
        list[0] = nb::borrow(out);
        return list;
    }
    if (!PyTuple_Check(out.ptr()) || (size_t)PyTuple_Size(out.ptr()) != n)
        throw nb::type_error(("out: a tuple of " + std::to_string(n) + " arrays, one for each statistic").c_str());
    for (size_t i = 0; i < n; i++) list[i] = nb::borrow(out[i]);
    return list;
}

nb::object filter::apply(nb::handle image, nb::handle mask, nb::handle out, int dtype, nb::handle channel_axis,
                         nb::handle batch_axis) const
{
    array source, which;
    source.borrow(image, role::image, "image");
    const axes x = axes_of(source, channel_axis, batch_axis, "image");
    const samples s = source.as_samples(x);
    samples m;
    if (!mask.is_none()) {
        which.borrow(mask, role::mask, "mask");
        m = mask_samples(which, s);
    }
    std::vector<nb::object> made = outs(out);
    std::vector<array> targets(made.size());
    std::vector<samples> results(made.size());
    shape_of_run r;
    for (size_t i = 0; i < made.size(); i++) {
        r.result[i] = result_type(i, dtype, made[i], s.type, s.logical);
        results[i] = target(targets[i], made[i], s, x, r.result[i], dtype);
    }
    const samples *valid = mask.is_none() ? nullptr : &m;
    const bool same_values = channel_values == 0;
    // Gaussians are sums of floats, row by row: turned, some results of integers would be rounded to another neighbour.
    const bool may_turn = k != kind::gauss || s.type == SAT_F32 || s.type == SAT_F64;
    const loop l = loop_of(s, results, valid, same_values && !whole_image, may_turn);

    r.width = l.turned ? s.h : s.w, r.height = l.turned ? s.w : s.h, r.channels = l.channels, r.c = s.c;
    r.sample = s.type, r.count = l.count, r.masked = valid != nullptr, r.turned = l.turned;
    any_spec spec;
    std::vector<sat_window_output> kinds;
    const kind used = fill(spec, kinds, r);
    lent object(used, spec);
    std::vector<sat_view> views(results.size());
    {
        // What lies beyond a small image may be more than the image.
        const bool far = window_height + window_width > 1024 || sigma > 128 || sigma2 > 128;
        call c(far ? call::few : s.n * s.c * s.h * s.w);
        sat_status status = SAT_OK;
        for (int64_t i = 0; i < l.outer && status == SAT_OK; i++) {
            const sat_view from = view_at(s, l, i), counts = valid ? view_at(m, l, i) : sat_view{};
            for (size_t j = 0; j < results.size(); j++) views[j] = view_at(results[j], l, i);
            status = run(used, object.object, &from, valid ? &counts : nullptr, views.data(), &c.options);
        }
        c.end(status);
    }
    return given_back(made);
}

// ---- rows ----------------------------------------------------------------------------------------------------

rows::rows(const filter &f, nb::handle shape, int sample, bool logical, int dtype, nb::handle band_rows,
           nb::handle masked)
    : filter_(f), channels_(nb::len(shape) > 2 ? integer(shape[2], "shape", 1, 4) : 0), dtype_(dtype)
{
    shape_.height = integer(shape[0], "shape", 1), shape_.width = integer(shape[1], "shape", 1);
    shape_.channels = (int)std::max<int64_t>(channels_, 1);
    shape_.c = shape_.channels, shape_.sample = (sat_type)sample, shape_.count = 1;
    shape_.masked = flag(masked, "masked");
    shape_.band_rows = std::min(integer(band_rows, "band_rows"), shape_.height);
    const size_t results = filter_.outputs.empty() ? 1 : filter_.outputs.size();
    for (size_t i = 0; i < results; i++)
        shape_.result[i] = filter_.result_type(i, dtype, nb::none(), shape_.sample, logical);
    any_spec spec;
    kind_ = filter_.fill(spec, outputs_, shape_);
    size_t bytes = 0;
    prepare(kind_, spec);
    object_ = create(kind_, spec, &bytes);
}

rows::~rows()
{
    if (object_) destroy(kind_, object_);
}

std::pair<int64_t, int64_t> rows::needs(nb::handle first, nb::handle end) const
{
    return needs_of(integer(first, "y0", INT64_MIN), integer(end, "y1", INT64_MIN));
}

std::pair<int64_t, int64_t> rows::needs_of(int64_t first, int64_t end) const
{
    int64_t from = 0, to = 0;
    sat_status status = SAT_OK;
    switch (kind_) {
    case kind::box: status = sat_box_needs((sat_box *)object_, first, end, &from, &to); break;
    case kind::window: status = sat_window_needs((sat_window *)object_, first, end, &from, &to); break;
    default: status = sat_gauss_needs((sat_gauss *)object_, first, end, &from, &to); break;
    }
    if (status != SAT_OK) raise(status, "y0, y1");
    return {from, to};
}

nb::object rows::run(nb::handle image, nb::handle first_row, nb::handle begin, nb::handle end, nb::handle mask,
                     nb::handle out, nb::handle continued)
{
    const int64_t y0 = integer(begin, "y0", INT64_MIN), y1 = integer(end, "y1", INT64_MIN);
    const int64_t first = integer(first_row, "first", INT64_MIN / 2, INT64_MAX / 2);
    const bool continues = flag(continued, "continues");
    const auto [from, to] = needs_of(y0, y1);
    array source, which;
    source.borrow(image, role::image, "rows");
    const nb::object last = channels_ ? nb::object(nb::int_(2)) : nb::none();
    const axes x = axes_of(source, last, nb::none(), "rows");
    samples s = source.as_samples(x);
    const int64_t have = first + s.h;
    if (first < 0 && needs_of(0, 1).first == 0) // only with a wrapping border are there rows below 0
        throw nb::value_error(("first: " + std::to_string(first) + " where the rows of the image are 0 to " +
                               std::to_string(shape_.height))
                                  .c_str());
    if (s.w != shape_.width || s.c != shape_.channels || s.type != shape_.sample || x.ndim != (channels_ ? 3 : 2))
        throw nb::value_error(("rows: not rows of " + std::to_string(shape_.width) + " pixels of " +
                               std::to_string(shape_.channels) + " channels of " + type_name(shape_.sample))
                                  .c_str());
    if (from < first || to > have)
        throw nb::value_error(("rows: " + std::to_string(first) + " to " + std::to_string(have) + " where rows " +
                               std::to_string(y0) + " to " + std::to_string(y1) + " need " + std::to_string(from) +
                               " to " + std::to_string(to))
                                  .c_str());
    if (shape_.masked != !mask.is_none())
        throw nb::value_error(shape_.masked ? "mask: None, where the filter was made with masked=True"
                                            : "mask: the filter was made without masked=True");
    samples m;
    if (shape_.masked) {
        which.borrow(mask, role::mask, "mask");
        m = mask_samples(which, s);
        m.data += (from - first) * m.y_bytes, m.h = to - from;
    }
    s.data += (from - first) * s.y_bytes, s.h = to - from;

    samples like = s;
    like.h = y1 - y0;
    std::vector<nb::object> made = filter_.outs(out);
    std::vector<array> targets(made.size());
    std::vector<sat_view> views(made.size());
    const loop l = loop_of(s, {}, nullptr, false, false);
    for (size_t i = 0; i < made.size(); i++)
        views[i] = view_at(filter_.target(targets[i], made[i], like, x, shape_.result[i], dtype_), l, 0);
    sat_status status;
    {
        // Whoever waits for the filter has given away the interpreter's lock.
        call c(call::few);
        {
            std::lock_guard<std::mutex> guard(mutex_);
            c.options.first_row = y0, c.options.rows = y1 - y0, c.options.continues = continues;
            const sat_view src = view_at(s, l, 0), valid = shape_.masked ? view_at(m, l, 0) : sat_view{};
            status = filter::run(kind_, object_, &src, shape_.masked ? &valid : nullptr, views.data(), &c.options);
        }
        c.end(status);
    }
    return filter_.given_back(made);
}

} // namespace sat_python
