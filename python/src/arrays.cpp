// arrays.cpp - see arrays.h.
#include "arrays.h"
#include "calls.h"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace sat_python
{

namespace
{

// Objects of NumPy that calls need, found once; they live as long as the process.
struct numpy {
    nb::object ndarray, empty, dtypes[16], dtype_bool;
};

const numpy &np()
{
    static const numpy *found = [] {
        auto *n = new numpy;
        nb::module_ m = nb::module_::import_("numpy");
        n->ndarray = m.attr("ndarray");
        n->empty = m.attr("empty");
        n->dtype_bool = m.attr("dtype")("bool");
        for (sat_type t : {SAT_U8, SAT_U16, SAT_U32, SAT_U64, SAT_I8, SAT_I16, SAT_I32, SAT_I64, SAT_F32, SAT_F64})
            n->dtypes[t] = m.attr("dtype")(type_name(t));
        return n;
    }();
    return *found;
}

// The type of a buffer's format, in native byte order; SAT_TYPE_NONE for others.
sat_type type_of(const char *format, Py_ssize_t bytes, bool *logical)
{
    *logical = false;
    if (!format) return SAT_U8;
    if (*format == '@' || *format == '=' || *format == '<') format++; // little-endian machines alone
    if (format[0] == 0 || format[1] != 0) return SAT_TYPE_NONE;
    switch (*format) {
    case '?': *logical = true; return SAT_U8;
    case 'B': return SAT_U8;
    case 'b': return SAT_I8;
    case 'H': return SAT_U16;
    case 'h': return SAT_I16;
    case 'I':
    case 'L':
    case 'Q': return bytes == 4 ? SAT_U32 : SAT_U64;
    case 'i':
    case 'l':
    case 'q': return bytes == 4 ? SAT_I32 : SAT_I64;
    case 'f': return SAT_F32;
    case 'd': return SAT_F64;
    default: return SAT_TYPE_NONE;
    }
}

bool plays(sat_type type, role as)
{
    switch (as) {
    case role::image: return type != SAT_TYPE_NONE && type != SAT_U64 && type != SAT_I64;
    case role::mask: return type == SAT_U8;
    case role::sums:
        return type == SAT_U32 || type == SAT_I32 || type == SAT_U64 || type == SAT_I64 || type == SAT_F32 ||
               type == SAT_F64;
    default: return type != SAT_TYPE_NONE;
    }
}

std::string shape_text(const Py_ssize_t *shape, int ndim)
{
    std::string text = "(";
    for (int i = 0; i < ndim; i++) text += (i ? ", " : "") + std::to_string(shape[i]);
    return text + (ndim == 1 ? ",)" : ")");
}

// The sides of a (N, H, W, C) on the axes.
int sides_of(const samples &s, const axes &x, Py_ssize_t shape[4])
{
    shape[x.y] = s.h, shape[x.x] = s.w;
    if (x.batch >= 0) shape[x.batch] = s.n;
    if (x.channel >= 0) shape[x.channel] = s.c;
    return x.ndim;
}

int axis_of(nb::handle given, int ndim, const char *name)
{
    if (given.is_none()) return -1;
    const int64_t i = integer(given, name, INT64_MIN);
    if (i < -ndim || i >= ndim)
        throw nb::value_error(
            (std::string(name) + "=" + std::to_string(i) + " of an array of " + std::to_string(ndim) + " dimensions")
                .c_str());
    return (int)(i < 0 ? i + ndim : i);
}

} // namespace

const char *type_name(sat_type type, bool logical)
{
    if (logical) return "bool";
    switch (type) {
    case SAT_U8: return "uint8";
    case SAT_U16: return "uint16";
    case SAT_U32: return "uint32";
    case SAT_U64: return "uint64";
    case SAT_I8: return "int8";
    case SAT_I16: return "int16";
    case SAT_I32: return "int32";
    case SAT_I64: return "int64";
    case SAT_F32: return "float32";
    case SAT_F64: return "float64";
    default: return "no type";
    }
}

nb::object new_array(const Py_ssize_t *shape, int ndim, sat_type type, bool logical)
{
    nb::object sides = nb::steal(PyTuple_New(ndim));
    if (!sides.is_valid()) throw nb::python_error();
    for (int i = 0; i < ndim; i++) PyTuple_SetItem(sides.ptr(), i, PyLong_FromSsize_t(shape[i]));
    return np().empty(sides, logical ? np().dtype_bool : np().dtypes[type]);
}

array::~array()
{
    if (held()) PyBuffer_Release(&buffer_);
}

bool array::take(nb::handle object, role as, const char *name)
{
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
        if (!PyErr_ExceptionMatches(PyExc_BufferError) && !PyErr_ExceptionMatches(PyExc_ValueError) &&
            !PyErr_ExceptionMatches(PyExc_TypeError))
            throw nb::python_error();
        PyErr_Clear();
        return false;
    }
    type_ = type_of(buffer_.format, buffer_.itemsize, &logical_);
    bool right = plays(type_, as) && buffer_.ndim >= 1;
    bool none = false;
    uintptr_t misaligned = 0;
    const uintptr_t bytes = (uintptr_t)buffer_.itemsize;
    for (int i = 0; i < buffer_.ndim; i++) {
        if (buffer_.shape[i] == 0) none = true;
        if (buffer_.shape[i] > 1 && buffer_.strides[i] == 0) right = false;
        if (buffer_.shape[i] > 1) misaligned |= (uintptr_t)std::abs(buffer_.strides[i]) % bytes;
    }
    misaligned |= (uintptr_t)buffer_.buf % bytes;
    if (none)
        throw nb::value_error(
            (std::string(name) + ": an empty array of shape " + shape_text(buffer_.shape, buffer_.ndim)).c_str());
    if (right && misaligned == 0) return true;
    PyBuffer_Release(&buffer_);
    buffer_ = {};
    return false;
}

void array::borrow(nb::handle object, role as, const char *name)
{
    const std::string what = name;
    if (as == role::result) {
        if (!PyObject_CheckBuffer(object.ptr()))
            refuse(PyExc_TypeError, name, object, " is no array; of a tensor, its numpy() is one");
        if (!take(object, as, name)) nb::module_::import_("sat._arrays").attr("refuse_result")(object, name);
        if (buffer_.readonly) throw nb::value_error((what + ": the array is read-only").c_str());
        return;
    }
    if (as == role::image) narrowed = false;
    if (object.type().is(np().ndarray) && take(object, as, name)) return;
    owner_ = nb::module_::import_("sat._arrays").attr("readable")(object, (int)as, name);
    if (!take(owner_, as, name)) throw nb::type_error((what + ": an array that cannot be read").c_str());
}

samples array::as_samples(const axes &x) const
{
    samples s;
    s.data = (char *)buffer_.buf, s.type = type_, s.logical = logical_;
    s.h = buffer_.shape[x.y], s.y_bytes = buffer_.strides[x.y];
    s.w = buffer_.shape[x.x], s.x_bytes = buffer_.strides[x.x];
    if (x.batch >= 0) s.n = buffer_.shape[x.batch], s.n_bytes = buffer_.strides[x.batch];
    if (x.channel >= 0) s.c = buffer_.shape[x.channel], s.c_bytes = buffer_.strides[x.channel];
    return s;
}

axes axes_of(const array &a, nb::handle channel_axis, nb::handle batch_axis, const char *name)
{
    axes x;
    const std::string what = name;
    x.ndim = a.ndim();
    x.channel = axis_of(channel_axis, x.ndim, "channel_axis");
    x.batch = axis_of(batch_axis, x.ndim, "batch_axis");
    if (x.channel >= 0 && x.channel == x.batch) throw nb::value_error("channel_axis and batch_axis are one axis");
    int left[4] = {0}, n = 0;
    for (int i = 0; i < x.ndim; i++)
        if (i != x.channel && i != x.batch) {
            if (n < 4) left[n] = i;
            n++;
        }
    const bool given = x.channel >= 0;
    if (!given && n == 3) x.channel = left[2], n = 2;
    if (n != 2 || x.ndim > 4)
        throw nb::value_error(
            (what + ": " + std::to_string(x.ndim) +
             " dimensions; an image has two, (H, W), or three, (H, W, C); batch_axis and channel_axis name "
             "other axes")
                .c_str());
    x.y = left[0], x.x = left[1];
    if (!given && x.channel >= 0 && a.shape(x.channel) > 4)
        throw nb::value_error(
            (what + ": " + std::to_string(a.shape(x.channel)) +
             " channels, as three dimensions are (H, W, C); if these are not more than 4 channels of one "
             "image, channel_axis or batch_axis says which axis is which")
                .c_str());
    return x;
}

void check_shape(const array &a, const axes &x, const samples &like, const char *name, const char *other)
{
    Py_ssize_t want[4];
    sides_of(like, x, want);
    bool same = a.ndim() == x.ndim;
    for (int i = 0; same && i < x.ndim; i++) same = a.shape(i) == want[i];
    if (same) return;
    throw nb::value_error((std::string(name) + ": shape " + shape_text(a.sides(), a.ndim()) + " where " + other + " " +
                           shape_text(want, x.ndim))
                              .c_str());
}

samples mask_samples(const array &mask, const samples &image)
{
    axes x;
    x.ndim = mask.ndim();
    if (x.ndim == 3) x.batch = 0, x.y = 1, x.x = 2;
    const bool fits = x.ndim == 2 || (x.ndim == 3 && mask.shape(0) == image.n);
    if (!fits || mask.shape(x.y) != image.h || mask.shape(x.x) != image.w) {
        const Py_ssize_t want[3] = {image.n, image.h, image.w};
        const bool batch = image.n > 1;
        throw nb::value_error(("mask: shape " + shape_text(mask.sides(), mask.ndim()) + " where the image needs " +
                               shape_text(want + 1, 2) + (batch ? " or " + shape_text(want, 3) : ""))
                                  .c_str());
    }
    return mask.as_samples(x);
}

nb::object empty_like(const samples &like, const axes &x, sat_type type, bool logical)
{
    Py_ssize_t shape[4], sorted[4];
    const int ndim = sides_of(like, x, shape);
    ptrdiff_t strides[4] = {0};
    strides[x.y] = like.y_bytes, strides[x.x] = like.x_bytes;
    if (x.batch >= 0) strides[x.batch] = like.n_bytes;
    if (x.channel >= 0) strides[x.channel] = like.c_bytes;
    int order[4] = {0, 1, 2, 3};
    std::stable_sort(order, order + ndim, [&](int a, int b) {
        return shape[a] > 1 && shape[b] > 1 && std::abs(strides[a]) > std::abs(strides[b]);
    });
    bool plain = true;
    for (int i = 0; i < ndim; i++) sorted[i] = shape[order[i]], plain = plain && order[i] == i;
    nb::object made = new_array(sorted, ndim, type, logical);
    if (plain) return made;
    nb::object back = nb::steal(PyTuple_New(ndim));
    for (int i = 0; i < ndim; i++) PyTuple_SetItem(back.ptr(), order[i], PyLong_FromLong(i));
    return made.attr("transpose")(back);
}

loop loop_of(const samples &image, const std::vector<samples> &results, const samples *mask, bool apart, bool may_turn)
{
    loop l;
    auto turned = [](const samples &s) { return s.h > 1 && s.w > 1 && std::abs(s.x_bytes) > std::abs(s.y_bytes); };
    auto planar = [](const samples &s) {
        return s.c > 1 && std::abs(s.c_bytes) > std::max(std::abs(s.x_bytes), std::abs(s.y_bytes));
    };
    l.turned = may_turn && turned(image);
    bool planes = planar(image);
    for (const samples &r : results) l.turned = l.turned && turned(r), planes = planes && planar(r);
    l.c = image.c;
    l.planes = image.c > 4 || (apart && planes);
    l.channels = l.planes ? 1 : (int)image.c;
    l.single = mask && ((l.planes && image.c > 1) || (image.n > 1 && mask->n == 1));
    l.outer = l.single ? image.n * (l.planes ? image.c : 1) : l.planes ? image.n : 1;
    l.count = l.single ? 1 : l.planes ? image.c : image.n;
    return l;
}

sat_view view_at(const samples &s, const loop &l, int64_t i)
{
    // The arrays of a loop have its channels, but a mask, which has one, and one image or n.
    const int64_t in_image = l.planes && l.single ? l.c : 1;
    const int64_t channel = s.c > 1 ? i % in_image : 0, image = l.outer == 1 || s.n == 1 ? 0 : i / in_image;
    sat_view v = {};
    v.data = s.data + image * s.n_bytes + channel * s.c_bytes;
    v.width = l.turned ? s.h : s.w, v.height = l.turned ? s.w : s.h;
    v.row_bytes = l.turned ? s.x_bytes : s.y_bytes, v.pixel_bytes = l.turned ? s.y_bytes : s.x_bytes;
    v.channels = s.c > 1 ? l.channels : 1;
    v.type = s.type;
    v.count = l.count;
    v.channel_bytes = s.c_bytes;
    v.image_bytes = l.planes ? s.c_bytes : s.n_bytes;
    if (v.channels == 1) v.channel_bytes = 0;
    if (v.count == 1) v.image_bytes = 0;
    if (v.width == 1) v.pixel_bytes = 0;
    if (v.height == 1) v.row_bytes = 0;
    return v;
}

} // namespace sat_python
