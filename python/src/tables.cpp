// tables.cpp - tables of images, of arrays and of files.
#include "tables.h"

#include <nanobind/ndarray.h>
#include <sat_query.h>

#include <vector>

namespace sat_python
{

namespace
{

bool is_float(sat_type type)
{
    return type == SAT_F32 || type == SAT_F64;
}

std::vector<nb::object> parts_given(nb::handle out, int parts)
{
    std::vector<nb::object> list((size_t)parts, nb::none());
    if (out.is_none()) return list;
    if (parts == 1 && !PyTuple_Check(out.ptr())) {
        list[0] = nb::borrow(out);
    } else {
        if (!PyTuple_Check(out.ptr()) || PyTuple_Size(out.ptr()) != parts)
            throw nb::type_error(("out: a tuple of " + std::to_string(parts) +
                                  " arrays: of the sums, the squares and the counts, as far as there are such")
                                     .c_str());
        for (size_t i = 0; i < list.size(); i++) list[i] = nb::borrow(out[i]);
    }
    return list;
}

const int powers[table::parts] = {1, 2, SAT_COUNTS};
const char *const part_names[table::parts] = {"sums", "squares", "counts"};

// The array of one part of a table: the one that is given, or a new one of the spec's type of sums.
void take_part(table &t, int k, nb::object made, const samples &entries, const sat_plan_spec &spec)
{
    if (made.is_none()) {
        sat_type type = spec.accum;
        if (type == SAT_TYPE_NONE) {
            sat_table described = {};
            const sat_status status = sat_table_for(&spec, &described);
            if (status != SAT_OK) raise(status);
            type = described.view.type;
        }
        made = empty_like(entries, t.x, type, false);
    }
    t.held[k] = std::make_unique<array>();
    t.held[k]->borrow(made, role::result, "out");
    check_shape(*t.held[k], t.x, entries, "out");
    t.at[k] = t.held[k]->as_samples(t.x);
    t.arrays[k] = made;
    if (t.at[k].logical) throw nb::type_error("out: bool, which holds no sums");
    if (spec.accum != SAT_TYPE_NONE && t.at[k].type != spec.accum)
        throw nb::type_error(
            (std::string("out: ") + type_name(t.at[k].type) + " where dtype is " + type_name(spec.accum)).c_str());
}

// Whether a table's sums are those of x - level: of floats, with squares, both in f64.
bool has_level(const table &t)
{
    return is_float(t.sample) && t.has[table::squares] && t.at[table::sums].type == SAT_F64 &&
           t.at[table::squares].type == SAT_F64;
}

// Returns one level for all images: the first image's that has one; 0 if another's differs by over half of its own;
// else NaN.
double level_of(const samples &s, const samples &mask, const loop &l, const sat_plan_spec &spec)
{
    double level = NAN, one = NAN;
    call c(s.n * s.c * s.h * s.w);
    sat_status status = SAT_OK;
    for (int64_t i = 0; i < l.outer && status == SAT_OK; i++) {
        const sat_view image = view_at(s, l, i), valid = spec.masked ? view_at(mask, l, i) : sat_view{};
        status = sat_image_level(&image, spec.masked ? &valid : nullptr, &one, &spec);
        if (std::isnan(level)) level = one;
        if (std::fabs(one - level) > std::fabs(one) / 2) level = 0;
    }
    c.end(status);
    return level;
}

} // namespace

sat_table table::part(int which, const loop &l, int64_t i) const
{
    sat_table t = {};
    t.view = view_at(at[which], l, i);
    t.layout = layout, t.sample = sample;
    t.power = powers[which];
    if (which != counts) t.level = level;
    t.has_invalid = has[counts];
    return t;
}

std::unique_ptr<table> make_table(nb::handle image, nb::handle out, nb::handle moments, nb::handle mask,
                                  nb::handle nodata, int dtype, int layout, nb::handle channel_axis,
                                  nb::handle batch_axis, nb::handle level)
{
    array source, which;
    source.borrow(image, role::image, "image");
    auto t = std::make_unique<table>();
    t->x = axes_of(source, channel_axis, batch_axis, "image");
    const samples s = source.as_samples(t->x);
    samples m;
    const bool has_mask = !mask.is_none();
    if (has_mask) {
        which.borrow(mask, role::mask, "mask");
        m = mask_samples(which, s);
    }
    any_spec spec;
    sat_plan_spec &p = spec.plan;
    take_nodata(nodata, s.type, p);
    t->layout = (sat_layout)layout, t->sample = s.type;
    t->nodata = p.nodata, t->has_nodata = p.has_nodata, t->skip_nan = p.skip_nan;
    p.sample = s.type, p.accum = (sat_type)dtype, p.layout = t->layout, p.masked = has_mask;
    p.width = s.w, p.height = s.h, p.channels = (int)std::min<int64_t>(s.c, 4);
    t->has[table::sums] = true, t->has[table::squares] = integer(moments, "moments", 1, 2) == 2;
    t->has[table::counts] = has_mask || p.skip_nan || p.has_nodata;
    std::vector<nb::object> given = parts_given(out, 1 + t->has[table::squares] + t->has[table::counts]);

    samples entries = s; // the shape and order of the arrays
    if (t->layout == SAT_PADDED) entries.h++, entries.w++;
    std::vector<samples> results;
    size_t next = 0;
    for (int k = 0; k < table::parts; k++) {
        if (!t->has[k]) continue;
        p.power = powers[k];
        take_part(*t, k, given[next++], entries, p);
        results.push_back(t->at[k]);
    }
    t->widens = dtype == SAT_TYPE_NONE && out.is_none();
    const loop l = loop_of(s, results, has_mask ? &m : nullptr, true, true);
    if (l.turned) std::swap(p.width, p.height);
    p.channels = l.channels, p.count = l.count;
    if (has_level(*t)) // the level is of an untransposed row
        t->level = level.is_none() ? level_of(s, m, loop_of(s, {}, has_mask ? &m : nullptr, false, false), p)
                                   : number(level, "level");
    if (std::isnan(t->level)) t->level = 0;
    for (int k = 0; k < table::parts; k++) {
        if (!t->has[k]) continue;
        p.level = k == table::counts ? 0 : t->level;
        p.power = powers[k], p.accum = t->at[k].type;
        lent plan(kind::plan, spec);
        call c(s.n * s.c * s.h * s.w);
        sat_status status = SAT_OK;
        for (int64_t i = 0; i < l.outer && status == SAT_OK; i++) {
            const sat_view from = view_at(s, l, i), to = view_at(t->at[k], l, i),
                           valid = has_mask ? view_at(m, l, i) : sat_view{};
            c.options.mask = has_mask ? &valid : nullptr;
            status = sat_plan_run((sat_plan *)plan.object, &from, &to, &c.options);
        }
        c.end(status);
    }
    return t;
}

double level_of_image(nb::handle image, nb::handle mask, nb::handle nodata)
{
    array source, which;
    source.borrow(image, role::image, "image");
    const samples s = source.as_samples(axes_of(source, nb::none(), nb::none(), "image"));
    samples m;
    sat_plan_spec p = {};
    take_nodata(nodata, s.type, p);
    p.masked = !mask.is_none();
    if (p.masked) {
        which.borrow(mask, role::mask, "mask");
        m = mask_samples(which, s);
    }
    return level_of(s, m, loop_of(s, {}, p.masked ? &m : nullptr, false, false), p);
}

std::unique_ptr<table> table_of_array(nb::handle sums, nb::handle squares, nb::handle counts, int sample, int layout,
                                      nb::handle channel_axis, nb::handle batch_axis, nb::handle level)
{
    auto t = std::make_unique<table>();
    t->level = number(level, "level");
    t->layout = (sat_layout)layout, t->sample = (sat_type)sample;
    const nb::handle given[table::parts] = {sums, squares, counts};
    for (int k = 0; k < table::parts; k++) {
        if (k != table::sums && given[k].is_none()) continue;
        t->held[k] = std::make_unique<array>();
        t->held[k]->borrow(given[k], role::sums, part_names[k]);
        if (k == table::sums)
            t->x = axes_of(*t->held[k], channel_axis, batch_axis, part_names[k]);
        else
            check_shape(*t->held[k], t->x, t->at[table::sums], part_names[k], "the sums have");
        t->at[k] = t->held[k]->as_samples(t->x);
        t->arrays[k] = nb::borrow(given[k]);
        t->has[k] = true;
    }
    if (t->level != 0 && !has_level(*t))
        throw nb::value_error("level: it needs float samples, and float64 arrays of sums and squares");
    const double stored = t->sample == SAT_F32 ? (double)(float)t->level : t->level;
    if (!std::isfinite(stored) || stored != t->level)
        refuse(PyExc_ValueError, "level", level,
               t->sample == SAT_F32 ? ", which no float32 sample can have" : ", which no float64 sample can have");
    // The library knows which types of entries and samples go together.
    const loop l = loop_of(t->at[table::sums], {}, nullptr, false, false);
    sat_table first = t->part(table::sums, l, 0);
    first.has_invalid = false; // else the query needs counts
    const sat_status status = sat_table_query(&first, nullptr, 0, 0, 1, nullptr, nullptr);
    if (status != SAT_OK) raise(status, "sums");
    return t;
}

namespace
{

// An array over a part of a file, which stays open while one of them lives.
nb::object array_of_file(const sat_view &v, nb::handle owner, axes &x, samples &s)
{
    const ptrdiff_t bytes = (ptrdiff_t)sat_type_bytes(v.type);
    s.data = (char *)v.data, s.type = v.type;
    s.w = v.width, s.h = v.height, s.c = v.count > 1 ? v.count : v.channels;
    s.c_bytes = v.count > 1 ? v.image_bytes : v.channel_bytes ? v.channel_bytes : bytes;
    s.x_bytes = v.pixel_bytes ? v.pixel_bytes : v.channels * bytes;
    s.y_bytes = v.row_bytes ? v.row_bytes : v.width * s.x_bytes;
    x = axes();
    if (s.c > 1) x.ndim = 3, x.channel = 2;
    const size_t shape[3] = {(size_t)s.h, (size_t)s.w, (size_t)s.c};
    const int64_t strides[3] = {s.y_bytes / bytes, s.x_bytes / bytes, s.c_bytes / bytes};
    nb::dlpack::dtype type = {(uint8_t)(is_float(v.type)                         ? nb::dlpack::dtype_code::Float
                                        : v.type == SAT_I64 || v.type == SAT_I32 ? nb::dlpack::dtype_code::Int
                                                                                 : nb::dlpack::dtype_code::UInt),
                              (uint8_t)(8 * bytes), 1};
    nb::ndarray<nb::numpy, nb::ro> made(v.data, (size_t)x.ndim, shape, owner, strides, type);
    return nb::cast(made, nb::rv_policy::reference);
}

} // namespace

std::unique_ptr<table> load_table(nb::bytes given, bool foreign, int sample, int layout, nb::handle verify)
{
    const std::string path = given.c_str();
    const bool verified = flag(verify, "verify");
    sat_file *file = nullptr;
    sat_file_options options = {};
    options.foreign = foreign, options.sample = (sat_type)sample, options.layout = (sat_layout)layout;
    sat_status status;
    {
        call c(call::few);
        status = sat_file_open(&file, path.c_str(), &options);
        if (status == SAT_OK && verified) status = sat_file_verify(file);
        if (status == SAT_OK && foreign) status = sat_file_check_samples(file);
        if (status != SAT_OK) sat_file_close(&file);
        c.end(status, path.c_str());
    }
    nb::capsule owner(file, [](void *open) noexcept {
        sat_file *f = (sat_file *)open;
        sat_file_close(&f);
    });
    auto t = std::make_unique<table>();
    sat_table parts[table::parts] = {};
    sat_file_info info = {};
    status = sat_file_describe(file, &info);
    if (status == SAT_OK) status = sat_file_table(file, &parts[table::sums]);
    if (status != SAT_OK) raise(status, path.c_str());
    if (parts[table::sums].view.type == SAT_Q32)
        throw nb::value_error((path + ": a table in fixed point, which sat query answers from").c_str());
    t->has[table::sums] = true;
    t->has[table::squares] = sat_file_squares(file, &parts[table::squares]) == SAT_OK;
    t->has[table::counts] = sat_file_counts(file, &parts[table::counts]) == SAT_OK;
    t->layout = parts[table::sums].layout, t->sample = parts[table::sums].sample;
    t->has_nodata = info.has_nodata && !std::isnan(info.nodata),
    t->skip_nan = info.has_nodata && std::isnan(info.nodata);
    t->nodata = t->has_nodata ? info.nodata : 0;
    t->level = parts[table::sums].level;
    t->widens = true;
    t->mapped = !info.is_mapped ? 0 : info.has_trailer ? info.checksum : info.data_bytes;
    for (int k = 0; k < table::parts; k++)
        if (t->has[k]) t->arrays[k] = array_of_file(parts[k].view, owner, t->x, t->at[k]);
    return t;
}

// ---- writing -------------------------------------------------------------------------------------------------

namespace
{

// Rows of a file: channels side by side, more than four as images.
sat_view row_view(const samples &s)
{
    loop l;
    l.planes = s.c > 4, l.channels = l.planes ? 1 : (int)s.c, l.count = l.planes ? s.c : 1, l.c = s.c;
    return view_at(s, l, 0);
}

} // namespace

writer::writer(nb::bytes path, const table &like, int type, nb::handle overwrite) : path_(path.c_str()), x_(like.x)
{
    sat_table t = {};
    samples s = like.at[table::sums];
    const ptrdiff_t bytes = (ptrdiff_t)sat_type_bytes((sat_type)type);
    s.type = (sat_type)type, s.n = 1;
    s.c_bytes = bytes, s.x_bytes = s.c * bytes, s.y_bytes = s.w * s.x_bytes;
    t.view = row_view(s);
    t.layout = like.layout, t.sample = like.sample, t.power = 1, t.level = like.level;
    sat_file_write_options options = {};
    options.no_clobber = !flag(overwrite, "overwrite"), options.counts = like.has[table::counts];
    options.moments = like.has[table::squares] ? 2 : 1;
    options.has_nodata = options.counts && (like.has_nodata || like.skip_nan);
    options.nodata = like.skip_nan ? NAN : like.nodata;
    x_ = axes();
    if (s.c > 1) x_.ndim = 3, x_.channel = 2;
    const sat_status status = sat_file_writer_open(&writer_, path_.c_str(), &t, &options);
    if (status != SAT_OK) raise(status, path_.c_str());
}

void writer::rows(nb::handle sums, nb::handle squares, nb::handle counts)
{
    const nb::handle given[table::parts] = {sums, squares, counts};
    array held[table::parts];
    sat_view views[table::parts];
    for (int k = 0; k < table::parts; k++) {
        if (given[k].is_none()) continue;
        held[k].borrow(given[k], role::sums, "table");
        views[k] = row_view(held[k].as_samples(x_));
    }
    call c(call::few);
    sat_status status;
    if (given[table::squares].is_none() && given[table::counts].is_none())
        status = sat_file_writer_rows(writer_, &views[table::sums]);
    else
        status = sat_file_writer_tables(writer_, given[table::counts].is_none() ? nullptr : &views[table::counts],
                                        &views[table::sums],
                                        given[table::squares].is_none() ? nullptr : &views[table::squares]);
    c.end(status, path_.c_str());
}

void writer::close()
{
    call c(call::few);
    c.end(sat_file_writer_close(&writer_), path_.c_str());
}

} // namespace sat_python
