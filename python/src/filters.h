// filters.h - a filter: what is computed around each pixel, but for the shape and type of the image.
#ifndef SAT_PYTHON_FILTERS_H
#define SAT_PYTHON_FILTERS_H

#include "arrays.h"
#include "calls.h"

#include <mutex>
#include <utility>

namespace sat_python
{

// What a run is made for, beside the filter.
struct shape_of_run {
    int64_t width = 0, height = 0, c = 1, count = 1, band_rows = 0;
    int channels = 1;
    sat_type sample = SAT_TYPE_NONE, result[SAT_OUTPUTS] = {};
    bool masked = false, turned = false;
};

struct filter {
    // border_value: a number, or one for each channel; nodata: None, NaN or a number.
    filter(int which, nb::handle height, nb::handle width, nb::handle border_name, nb::handle border_value,
           nb::handle nodata_value);
    void counting(nb::handle ddof_, nb::handle min_valid_, nb::handle empty_, nb::handle anchor_, nb::handle range_,
                  nb::handle keep_holes_);
    void take_min_valid(bool is_number);
    void add(nb::handle statistic, bool compare, nb::dict parameters);

    // The filter of a whole image: the result, or a tuple of them.
    nb::object apply(nb::handle image, nb::handle mask, nb::handle out, int dtype, nb::handle channel_axis,
                     nb::handle batch_axis) const;

    // The spec of an object; `out` has the outputs that it points to.  Which kind: a box where samples do not count is
    // made by windows.
    kind fill(any_spec &spec, std::vector<sat_window_output> &out, const shape_of_run &r) const;
    static sat_status run(kind used, void *object, const sat_view *src, const sat_view *mask, const sat_view *results,
                          sat_run_options *options);

    // A result's type: dtype's, or out's, or the statistic's of these samples; SAT_TYPE_NONE: none can be.
    sat_type result_type(size_t i, int dtype, nb::handle out, sat_type sample, bool logical) const;
    std::vector<nb::object> outs(nb::handle out) const; // the arrays that are given, None where there is none
    // A result's array, made where it is None, or checked.
    samples target(array &a, nb::object &made, const samples &like, const axes &x, sat_type type, int dtype) const;
    nb::object given_back(std::vector<nb::object> &made) const; // one array, or a tuple

    double samples_most() const { return (double)window_height * (double)window_width; } // of a window

    kind k;
    int64_t window_height, window_width;
    const char *border = nullptr;
    bool border_takes_value = false;
    double values[4] = {0};
    int channel_values = 0; // 0: one for all channels
    bool has_nodata = false, skip_nan = false, empty_set = false, keep_holes = false, whole_image = false;
    bool has_extremes = false; // of an image of which this one is a part
    double lowest = 0, largest_var = 0;
    bool compares = false, several = false; // results of thresholds, and as a tuple
    double nodata = 0, min_valid = 0, empty = 0, range = 0, sigma = 0, sigma2 = 0, amount = 0;
    int64_t ddof = 0;
    sat_anchor anchor = SAT_ANCHOR_SECOND;
    sat_gauss_mode mode = SAT_GAUSS_BLUR;
    std::vector<sat_window_output> outputs;
};

// A filter of some rows of an image at a time.  One thread runs it at a time; others wait.
class rows
{
  public:
    rows(const filter &f, nb::handle shape, int sample, bool logical, int dtype, nb::handle band_rows,
         nb::handle masked);
    rows(const rows &) = delete;
    ~rows();

    std::pair<int64_t, int64_t> needs(nb::handle first, nb::handle end) const;
    nb::object run(nb::handle image, nb::handle first, nb::handle y0, nb::handle y1, nb::handle mask, nb::handle out,
                   nb::handle continues);

  private:
    std::pair<int64_t, int64_t> needs_of(int64_t first, int64_t end) const;

    filter filter_;
    shape_of_run shape_;
    std::vector<sat_window_output> outputs_;
    int64_t channels_; // 0: of H x W
    int dtype_;
    kind kind_ = kind::box;
    void *object_ = nullptr;
    std::mutex mutex_;
};

} // namespace sat_python
#endif
