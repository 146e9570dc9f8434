// module.cpp - sat._core: what sat/*.py stand on.  Names, defaults and documentation are there; this is their other
// half, and may change in any version.
#include "filters.h"
#include "tables.h"

#include <sat_query.h>

#include <new>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

using namespace sat_python;

// std::vector of libstdc++ calls it since GCC 11, which is newer than manylinux_2_28.
#if _GLIBCXX_RELEASE >= 11
void std::__throw_bad_array_new_length()
{
    throw std::bad_array_new_length();
}
#endif

namespace
{

nb::list backends()
{
    nb::list all;
    sat_backend_info info = {};
    for (size_t i = 0; sat_backend_entry(i, &info); i++) {
        if (info.device) continue;
        all.append(nb::make_tuple(info.name, info.summary));
    }
    return all;
}

// What a plan runs on: "cpu, avx512, 2 threads".
std::string note()
{
    any_spec spec;
    spec.plan.width = spec.plan.height = 1, spec.plan.sample = SAT_U8;
    const lent plan(kind::plan, spec);
    return sat_plan_note((sat_plan *)plan.object);
}

// (name, needs squares, is an area or count) of each statistic of rectangles.
nb::list rect_statistics()
{
    nb::list all;
    sat_rect_statistic_info info = {};
    for (size_t i = 0; sat_rect_statistic_at(i, &info); i++)
        all.append(nb::make_tuple(info.name, info.squares, info.area || info.count));
    return all;
}

// (name, names of parameters, is it a threshold) of each statistic of windows.
nb::list statistics()
{
    nb::list all;
    sat_statistic_info info = {};
    for (size_t i = 0; sat_statistic_at(i, &info); i++) {
        nb::list parameters;
        for (int k = 0; k < SAT_PARAMETERS && info.parameter[k].name; k++)
            parameters.append(nb::str(info.parameter[k].name));
        all.append(nb::make_tuple(info.name, nb::tuple(parameters), info.threshold));
    }
    return all;
}

} // namespace

NB_MODULE(_core, m)
{
    keep_fork_safe();
    nb::set_leak_warnings(false);    // objects that a daemon thread holds at the end are no leak
    const auto x = nb::arg();        // an argument
    const auto o = nb::arg().none(); // or None
    m.attr("version") = sat_version();
    m.def(
        "set_num_threads", [](nb::handle n) { threads = (int)integer(n, "n", 0, 1024); }, o);
    m.def("num_threads", [] {
        const int n = threads;
        return n ? n : sat_processors();
    });
    m.def("backends", backends);
    m.def("note", note);
    m.def("set_narrowed", [] { narrowed = true; });
    m.def("integer", integer, o, x, x, x);
    m.def("number", number, o, x);
    m.def("rect_statistics", rect_statistics);
    m.def("statistics", statistics);
    m.def("kept_objects", kept_objects);

    nb::class_<table>(m, "Table")
        .def_prop_ro("array", [](const table &t) { return t.arrays[table::sums]; })
        .def_prop_ro("squares",
                     [](const table &t) { return t.has[table::squares] ? t.arrays[table::squares] : nb::none(); })
        .def_prop_ro("counts",
                     [](const table &t) { return t.has[table::counts] ? t.arrays[table::counts] : nb::none(); })
        .def_prop_ro("layout", [](const table &t) { return (int)t.layout; })
        .def_prop_ro("sample", [](const table &t) { return type_name(t.sample); })
        .def_prop_ro("level", [](const table &t) { return t.level; })
        .def_prop_ro("mapped", [](const table &t) { return t.mapped; })
        .def_prop_ro("widens", [](const table &t) { return t.widens; })
        .def_prop_ro("nodata",
                     [](const table &t) {
                         const bool has = t.has_nodata || t.skip_nan;
                         return has ? nb::object(nb::float_(t.skip_nan ? NAN : t.nodata)) : nb::none();
                     })
        .def(
            "restore",
            [](table &t, bool widens, nb::handle nodata) {
                t.widens = widens;
                take_nodata(nodata, t.sample, t);
            },
            x, o)
        .def_prop_ro("axes", [](const table &t) { return nb::make_tuple(t.x.batch, t.x.y, t.x.x, t.x.channel); })
        .def("ask", ask_table, x, x, o, o, o);
    m.def("table", make_table, o, o, o, o, o, x, x, o, o, o);
    m.def("level", level_of_image, x, o, o);
    m.def("table_of_array", table_of_array, o, o, o, x, x, o, o, o);
    m.def("load", load_table, x, x, x, x, o);
    m.def("ask_image", ask_image, o, x, x, o, o, o, o, o, o, o);
    nb::class_<writer>(m, "Writer")
        .def(nb::init<nb::bytes, const table &, int, nb::handle>(), x, x, x, o)
        .def("rows", &writer::rows, x, o, o)
        .def("close", &writer::close);

    nb::class_<filter>(m, "Filter")
        .def(nb::init<int, nb::handle, nb::handle, nb::handle, nb::handle, nb::handle>(), x, o, o, o, o, o)
        .def("counting", &filter::counting, o, o, o, o, o, o)
        .def("add", &filter::add, o, x, x)
        .def(
            "gauss",
            [](filter &f, int mode, nb::handle sigma, nb::handle sigma2, nb::handle amount) {
                f.mode = (sat_gauss_mode)mode, f.sigma = number(sigma, "sigma");
                f.sigma2 = number(sigma2, "sigma2"), f.amount = number(amount, "amount");
            },
            x, o, o, o)
        .def(
            "extremes",
            [](filter &f, nb::handle lowest, nb::handle largest_var) {
                f.has_extremes = true, f.lowest = number(lowest, "extremes");
                f.largest_var = number(largest_var, "extremes");
            },
            o, o)
        .def_rw("several", &filter::several)
        .def("apply", &filter::apply, o, o, o, x, o, o);
    nb::class_<rows>(m, "Rows")
        .def(nb::init<const filter &, nb::handle, int, bool, int, nb::handle, nb::handle>(), x, x, x, x, x, o, o)
        .def("needs", &rows::needs, o, o)
        .def("run", &rows::run, o, o, o, o, o, o, o);
}
