// calls.cpp - see calls.h.
#include "calls.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <list>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sat_python
{

std::atomic<int> threads = 0;

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
    free_.emplace();
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

void call::end(sat_status status, const char *context)
{
    free_.reset();
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
        if (!*p) return text;
        text += *p;
    }
}

} // namespace

void raise(sat_status status, const char *context)
{
    const std::string text = (context ? std::string(context) + ": " : "") + numpy_words(sat_detail());
    PyObject *type = PyExc_ValueError;
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
