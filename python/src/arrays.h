// arrays.h - arrays of Python as views of libsat: buffers, axes, strides, and the loops over them.
//
// An array is borrowed while an `array` lives, through the buffer protocol.  No sample is copied here: what cannot be
// read in its place (a stride of 0, another byte order, float16, 64-bit integers) goes to readable() of sat/_arrays.py,
// which makes the one copy, and counts it.
#ifndef SAT_PYTHON_ARRAYS_H
#define SAT_PYTHON_ARRAYS_H

#include <Python.h>
#include <nanobind/nanobind.h>
#include <sat.h>

#include <vector>

namespace nb = nanobind;

namespace sat_python
{

// An array in the terms of images: N images (batch) of C channels, H rows and W columns, with its strides in bytes.
struct samples {
    char *data = nullptr;
    sat_type type = SAT_TYPE_NONE;
    bool logical = false; // of bool, read as u8
    int64_t n = 1, c = 1, h = 1, w = 1;
    ptrdiff_t n_bytes = 0, c_bytes = 0, y_bytes = 0, x_bytes = 0;
};

// Which dimension is which; -1: there is none.
struct axes {
    int ndim = 2, batch = -1, y = 0, x = 1, channel = -1;
};

// What an array may be.
enum class role {
    image,  // samples to read: 8 to 32 bits, floats, bool
    mask,   // bool or u8
    sums,   // a table's entries: 32 and 64 bits
    result, // samples or entries to write
};

// A borrowed array.
class array
{
  public:
    array() = default;
    array(const array &) = delete;
    array &operator=(const array &) = delete;
    ~array();

    // Borrows the array of an object.  Throws TypeError and ValueError.
    void borrow(nb::handle object, role as, const char *name);

    bool held() const { return buffer_.obj != nullptr; }
    int ndim() const { return buffer_.ndim; }
    Py_ssize_t shape(int i) const { return buffer_.shape[i]; }
    const Py_ssize_t *sides() const { return buffer_.shape; }
    sat_type type() const { return type_; }
    bool logical() const { return logical_; }
    samples as_samples(const axes &a) const;

  private:
    bool take(nb::handle object, role as, const char *name);

    Py_buffer buffer_ = {};
    nb::object owner_; // what readable() made
    sat_type type_ = SAT_TYPE_NONE;
    bool logical_ = false;
};

// The axes of an image array: two dimensions are H x W, three are H x W x C, but for the axes that are given (None or
// an integer, negative ones from the end).  Throws ValueError.
axes axes_of(const array &a, nb::handle channel_axis, nb::handle batch_axis, const char *name);

// Are the sides of an array, on these axes, n, h, w and c?  Throws ValueError with both shapes.
void check_shape(const array &a, const axes &x, const samples &like, const char *name,
                 const char *other = "the result has");

// A mask of H x W, or of N x H x W beside a batch.
samples mask_samples(const array &mask, const samples &image);

// A new array for a result on the axes of an image, in its order of memory where that is not C's: (N, H, W, C) of
// `like`.
nb::object empty_like(const samples &like, const axes &x, sat_type type, bool logical);

// How arrays of one shape go through the library: `outer` runs of `count` images of `channels` channels.
struct loop {
    bool turned = false; // rows are columns: of arrays in Fortran's order
    bool planes = false; // channels are images
    bool single = false; // one image in each run, as all have one mask
    int64_t outer = 1, count = 1;
    int channels = 1;
    int64_t c = 1;
};

// apart: channels do not depend on one another; may_turn: rows may be columns.
loop loop_of(const samples &image, const std::vector<samples> &results, const samples *mask, bool apart, bool may_turn);

// The view of an array in run i of a loop.
sat_view view_at(const samples &s, const loop &l, int64_t i);

// numpy's name of a type of samples, and numpy.empty().
const char *type_name(sat_type type, bool logical = false);
nb::object new_array(const Py_ssize_t *shape, int ndim, sat_type type, bool logical = false);

} // namespace sat_python
#endif
