// tables.h - tables, files of tables, and rectangles.
#ifndef SAT_PYTHON_TABLES_H
#define SAT_PYTHON_TABLES_H

#include "arrays.h"
#include "calls.h"

#include <sat_file.h>

#include <cmath>
#include <memory>

namespace sat_python
{

// A table and what a question must know of it: the arrays of its sums, squares and counts, None where there are none.
struct table {
    enum { sums, squares, counts, parts };

    nb::object arrays[parts];
    samples at[parts]; // entries
    bool has[parts] = {false, false, false};
    std::unique_ptr<array> held[parts]; // the arrays, borrowed; none of a file
    axes x;                             // of all of them
    sat_layout layout = SAT_PADDED;
    sat_type sample = SAT_TYPE_NONE;
    bool widens = false; // no entry has wrapped: as wider integers they are the same numbers
    double nodata = 0;
    bool has_nodata = false, skip_nan = false;
    double level = 0;    // of sums and squares (sat_table.level)
    uint64_t mapped = 0; // 0, or of a mapped file the array's checksum, or its size if there is none

    sat_table part(int which, const loop &l, int64_t i) const;
};

// A value for no data: NaN is skip_nan, of floats.
template <typename Spec> void take_nodata(nb::handle nodata, sat_type sample, Spec &s)
{
    if (nodata.is_none()) return;
    const double value = number(nodata, "nodata");
    s.skip_nan = std::isnan(value) && (sample == SAT_F32 || sample == SAT_F64);
    s.has_nodata = !std::isnan(value);
    s.nodata = s.has_nodata ? value : 0;
}

// What is asked of rectangles, of a table or an image: rects is an array (n, 4) of int64 or float64, in C's order.
// Returns the list of arrays (N, n, C), one for each name, and how many deviations may be off by more than 1 %
// (sat_statistics.imprecise).  Sums of integers are int64, wrapped where they exceed it.  An array is the one that
// stands at its place in `out_arrays`, of three dimensions in C's order, if it has this shape and the answer's type;
// else new.
nb::tuple ask_table(const table &t, nb::handle rects, const std::vector<std::string> &names, nb::handle clip,
                    nb::handle ddof, nb::handle out_arrays);
nb::tuple ask_image(nb::handle image, nb::handle rects, const std::vector<std::string> &names, nb::handle clip,
                    nb::handle ddof, nb::handle out_arrays, nb::handle mask, nb::handle nodata, nb::handle channel_axis,
                    nb::handle batch_axis);

// level: None, the image's own (level_of_image()); 0 for tables that have none.
std::unique_ptr<table> make_table(nb::handle image, nb::handle out, nb::handle moments, nb::handle mask,
                                  nb::handle nodata, int dtype, int layout, nb::handle channel_axis,
                                  nb::handle batch_axis, nb::handle level);
double level_of_image(nb::handle image, nb::handle mask, nb::handle nodata); // (H, W); NaN: no sample is valid
std::unique_ptr<table> table_of_array(nb::handle sums, nb::handle squares, nb::handle counts, int sample, int layout,
                                      nb::handle channel_axis, nb::handle batch_axis, nb::handle level);
std::unique_ptr<table> load_table(nb::bytes path, bool foreign, int sample, int layout, nb::handle verify);

// A file that is written row by row: `like` says what it holds; rows are arrays of one type.
class writer
{
  public:
    writer(nb::bytes path, const table &like, int type, nb::handle overwrite);
    writer(const writer &) = delete;
    ~writer() { sat_file_writer_abort(&writer_); }
    void rows(nb::handle sums, nb::handle squares, nb::handle counts);
    void close();

  private:
    std::string path_;
    axes x_;
    sat_file_writer *writer_ = nullptr;
};

} // namespace sat_python
#endif
