// calls.cpp - see calls.h.
#include "calls.h"

#include <sat_file.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cxxabi.h>
#include <list>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sat_python
{

std::atomic<int> threads = 0;
thread_local bool narrowed = false;

// ---- a call --------------------------------------------------------------------------------------------------

namespace
{

constexpr int64_t ask_ns = 50 * 1000 * 1000;

int64_t now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

} // namespace

call::call(int64_t work)
{
    if (work < few) return;
    if (syscall(SYS_gettid) == getpid()) {
        options.proceed = proceed;
        options.context = this;
        asked_ns_ = now_ns();
    }
    thread_ = PyEval_SaveThread();
}

bool call::proceed(void *context)
{
    auto *c = static_cast<call *>(context);
    const int64_t now = now_ns();
    if (now - c->asked_ns_ < ask_ns) return true;
    nb::gil_scoped_acquire lock;
    c->raised_ = PyErr_CheckSignals() != 0;
    c->asked_ns_ = now_ns();
    return !c->raised_;
}

// Takes the interpreter's lock.  When Python exits, CPython before 3.14 ends the thread here by unwinding its stack,
// which would destroy Python objects without the lock.  So it waits for the process to end.
void call::take_lock()
{
    PyThreadState *thread = thread_;
    thread_ = nullptr;
    if (!thread) return;
    try {
        PyEval_RestoreThread(thread);
    } catch (abi::__forced_unwind &) {
        for (;;) pause();
    }
}

void call::end(sat_status status, const char *context)
{
    take_lock();
    if (raised_) throw nb::python_error(); // what PyErr_CheckSignals() left
    if (status != SAT_OK) raise(status, context);
}

namespace
{

// The library's line with NumPy's names of types: its u8, which has 8 bits, is no "u8" of NumPy's, which has 8 bytes.
std::string numpy_words(const char *line)
{
    static const struct {
        const char *ours, *theirs;
    } types[] = {{"u8", "uint8"},  {"u16", "uint16"}, {"u32", "uint32"}, {"u64", "uint64"},  {"i8", "int8"},
                 {"i16", "int16"}, {"i32", "int32"},  {"i64", "int64"},  {"f32", "float32"}, {"f64", "float64"}};
    std::string text, word;
    for (const char *p = line;; p++) {
        if (isalnum((unsigned char)*p) || *p == '_') {
            word += *p;
            continue;
        }
        for (const auto &t : types)
            if (word == t.ours) {
                word = t.theirs;
                break;
            }
        text += word;
        word.clear();
        if (!*p) break;
        text += *p;
    }
    const size_t at = text.find(" or q32"); // a type that NumPy does not have
    return at == text.npos ? text : text.erase(at, strlen(" or q32"));
}

} // namespace

void raise(sat_status status, const char *context)
{
    std::string line = numpy_words(sat_detail());
    for (const auto &[begin, name] : {std::pair{"a range of", "value_range: "},
                                      {"a result ", "out: "},
                                      {"differences of type", "dtype: "},
                                      {"results of type", "dtype: "}})
        if (line.rfind(begin, 0) == 0) line = name + line;
    if (line.find(" cannot be summed in ") != line.npos) line = "dtype: " + line;
    for (const char *word : {"int32 samples", "sample of type int32", "sample of type uint32"})
        if (const size_t at = line.find(word); narrowed && at != line.npos) line.replace(line.find("32", at), 2, "64");
    PyObject *type = PyExc_ValueError;
    if (const int code = status == SAT_ERR_FILE && context ? sat_file_errno() : 0) {
        nb::object path = nb::steal(PyUnicode_DecodeFSDefault(context));
        nb::object error = nb::handle(PyExc_OSError)(code, line.c_str(), path);
        PyErr_SetObject((PyObject *)Py_TYPE(error.ptr()), error.ptr());
        throw nb::python_error();
    }
    const std::string text = (context ? std::string(context) + ": " : "") + line;
    switch (status) {
    case SAT_ERR_TYPE: type = PyExc_TypeError; break;
    case SAT_ERR_MEMORY: type = PyExc_MemoryError; break;
    case SAT_ERR_FILE: type = PyExc_OSError; break;
    case SAT_ERR_DEVICE: type = PyExc_RuntimeError; break;
    default: break;
    }
    PyErr_SetString(type, text.c_str());
    throw nb::python_error();
}

// ---- arguments -----------------------------------------------------------------------------------------------

void refuse(PyObject *type, const char *name, nb::handle given, const std::string &why)
{
    const nb::object text = nb::module_::import_("sat._arrays").attr("shown")(given);
    PyErr_Format(type, "%s: %U%s", name, text.ptr(), why.c_str());
    throw nb::python_error();
}

// Throws on KeyboardInterrupt (any non-Exception) and MemoryError; clears others.
static void clear_exception()
{
    if (!PyErr_ExceptionMatches(PyExc_Exception) || PyErr_ExceptionMatches(PyExc_MemoryError)) throw nb::python_error();
    PyErr_Clear();
}

double number(nb::handle given, const char *name)
{
    const double value = PyFloat_AsDouble(given.ptr());
    if (value != -1 || !PyErr_Occurred()) return value;
    const bool large = PyErr_ExceptionMatches(PyExc_OverflowError);
    clear_exception();
    if (large) refuse(PyExc_ValueError, name, given, " is larger than a float64 holds");
    refuse(PyExc_TypeError, name, given, " is no number");
}

int64_t integer(nb::handle given, const char *name, int64_t low, int64_t high)
{
    const nb::object index = PyBool_Check(given.ptr()) ? nb::object() : nb::steal(PyNumber_Index(given.ptr()));
    if (!index.is_valid()) {
        if (PyErr_Occurred()) clear_exception();
        refuse(PyExc_TypeError, name, given, " is no integer");
    }
    int beyond = 0;
    const int64_t value = PyLong_AsLongLongAndOverflow(index.ptr(), &beyond);
    if (!beyond && value >= low && value <= high) return value;
    refuse(PyExc_ValueError, name, given, "; " + std::to_string(low) + " to " + std::to_string(high) + " are taken");
}

bool flag(nb::handle given, const char *name)
{
    if (given.ptr() == Py_True || given.ptr() == Py_False) return given.ptr() == Py_True;
    const nb::object numpys = nb::module_::import_("numpy").attr("bool_");
    if (PyObject_IsInstance(given.ptr(), numpys.ptr()) == 1) return PyObject_IsTrue(given.ptr()) == 1;
    refuse(PyExc_TypeError, name, given, "; True or False is taken");
}

// ---- objects -------------------------------------------------------------------------------------------------

namespace
{

constexpr size_t kept_most = 32, kept_bytes_most = size_t(64) << 20;

struct kept {
    kind k;
    std::string key;
    void *object;
    size_t bytes;
};

// The lock is held for the list alone, and never while anything is waited for; fork() takes it, so that a child finds a
// whole list.  What other threads had borrowed then is lost to the child.
std::mutex lock;
std::list<kept> list; // the last one used first
size_t list_bytes = 0;

// The memory of the object that this thread creates.
thread_local size_t taken_bytes = 0;

// Large memory in huge pages, as NumPy's: an object that is not kept is touched for the first time in each call.
constexpr size_t huge_page = size_t(2) << 20;

void *allocate(void *, size_t bytes, sat_memory_kind)
{
    void *data = nullptr;
    const bool large = bytes >= 2 * huge_page;
    if (posix_memalign(&data, large ? huge_page : 64, bytes) != 0) return nullptr;
    if (large) madvise(data, bytes / huge_page * huge_page, MADV_HUGEPAGE);
    taken_bytes += bytes;
    return data;
}

void release(void *, void *data, size_t, sat_memory_kind)
{
    free(data);
}

const sat_allocator counted = {allocate, release, nullptr};

} // namespace

void keep_fork_safe()
{
    pthread_atfork([] { lock.lock(); }, [] { lock.unlock(); }, [] { lock.unlock(); });
}

size_t kept_objects()
{
    std::lock_guard<std::mutex> guard(lock);
    return list.size();
}

void prepare(kind k, any_spec &spec)
{
    switch (k) {
    case kind::plan: spec.plan.allocator = &counted, spec.plan.threads = threads; break;
    case kind::box: spec.box.allocator = &counted, spec.box.threads = threads; break;
    case kind::window: spec.window.allocator = &counted, spec.window.threads = threads; break;
    case kind::gauss: spec.gauss.allocator = &counted, spec.gauss.threads = threads; break;
    }
}

void *create(kind k, const any_spec &spec, size_t *bytes)
{
    taken_bytes = 0;
    void *object = nullptr;
    sat_status status = SAT_OK;
    switch (k) {
    case kind::plan: status = sat_plan_create((sat_plan **)&object, &spec.plan); break;
    case kind::box: status = sat_box_create((sat_box **)&object, &spec.box); break;
    case kind::window: status = sat_window_create((sat_window **)&object, &spec.window); break;
    case kind::gauss: status = sat_gauss_create((sat_gauss **)&object, &spec.gauss); break;
    }
    if (status != SAT_OK) raise(status);
    *bytes = taken_bytes;
    return object;
}

void destroy(kind k, void *object)
{
    switch (k) {
    case kind::plan: sat_plan_destroy((sat_plan **)&object); break;
    case kind::box: sat_box_destroy((sat_box **)&object); break;
    case kind::window: sat_window_destroy((sat_window **)&object); break;
    case kind::gauss: sat_gauss_destroy((sat_gauss **)&object); break;
    }
}

// A key is the bytes of the spec, whose padding is zero and whose names are the library's own pointers.
lent::lent(kind k, any_spec spec) : kind_(k)
{
    prepare(k, spec);
    key_.assign((const char *)&spec, sizeof spec);
    if (k == kind::window) { // outputs lie elsewhere in every call: what they are is a part of the key
        any_spec bare = spec;
        bare.window.output = nullptr;
        key_.assign((const char *)&bare, sizeof bare);
        key_.append((const char *)spec.window.output, (size_t)spec.window.outputs * sizeof *spec.window.output);
    }
    {
        std::lock_guard<std::mutex> guard(lock);
        for (auto i = list.begin(); i != list.end(); ++i)
            if (i->k == k && i->key == key_) {
                object = i->object, bytes_ = i->bytes;
                list_bytes -= i->bytes;
                list.erase(i);
                return;
            }
    }
    object = create(k, spec, &bytes_);
}

lent::~lent()
{
    if (!object) return;
    std::list<kept> gone;
    {
        std::lock_guard<std::mutex> guard(lock);
        std::list<kept> one;
        one.push_back({kind_, std::move(key_), object, bytes_});
        list.splice(list.begin(), one);
        list_bytes += bytes_;
        while (list.size() > kept_most || list_bytes > kept_bytes_most) {
            list_bytes -= list.back().bytes;
            gone.splice(gone.begin(), list, --list.end());
        }
    }
    for (const kept &g : gone) destroy(g.k, g.object);
}

} // namespace sat_python
