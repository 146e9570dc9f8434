// calls.h - calls of libsat: its errors as Python's, Ctrl-C, the lock of the interpreter, and objects that are kept.
#ifndef SAT_PYTHON_CALLS_H
#define SAT_PYTHON_CALLS_H

#include <Python.h>
#include <nanobind/nanobind.h>
#include <sat.h>
#include <sat_gauss.h>
#include <sat_window.h>

#include <atomic>
#include <cstring>
#include <string>

namespace nb = nanobind;

namespace sat_python
{

// One call that may take long.  While it lives, the interpreter's lock is free, unless there is so little work that
// giving it away and waiting for it would take longer.  Ctrl-C ends the run: Python's handlers of signals are called
// about every 50 ms, by the main thread, the only one that calls them.
class call
{
  public:
    // Samples that take less time than the interpreter's lock: some 20 us.
    static constexpr int64_t few = 1 << 15;

    explicit call(int64_t work); // samples, about
    call(const call &) = delete;
    call &operator=(const call &) = delete;
    ~call() { take_lock(); }

    sat_run_options options = {};

    // Takes the lock again, and throws what a status stands for, or what a handler of signals raised.
    void end(sat_status status, const char *context = nullptr);

  private:
    static bool proceed(void *context);
    void take_lock();

    PyThreadState *thread_ = nullptr; // of this thread, while the interpreter's lock is free
    int64_t asked_ns_ = 0;
    bool raised_ = false;
};

// Throws a status's exception, with `context: ` before the library's line.  A file error with an errno has errno and,
// as its filename, context, instead of the prefix.
[[noreturn]] void raise(sat_status status, const char *context = nullptr);

// Throws the exception of an argument: its name, what was given, in short, and what is taken.
[[noreturn]] void refuse(PyObject *type, const char *name, nb::handle given, const std::string &why);

// Arguments of Python.  They throw TypeError and ValueError, in which the name stands.
double number(nb::handle given, const char *name);
int64_t integer(nb::handle given, const char *name, int64_t low = 0, int64_t high = INT64_MAX);
bool flag(nb::handle given, const char *name);

// An object of libsat of some spec, kept for the next call with the same spec.
//
// An object is one caller's while it is lent, so that threads share none.  Objects that are given back stay as long as
// they are among the last 32, and take 64 MiB together; larger ones are not kept.
enum class kind { plan, box, window, gauss };

// Memory of a spec, all zero: padding too, as its bytes are a key.
union any_spec {
    sat_plan_spec plan;
    sat_box_spec box;
    sat_window_spec window;
    sat_gauss_spec gauss;
    any_spec() { memset((void *)this, 0, sizeof *this); }
};

class lent
{
  public:
    lent(kind k, any_spec spec); // which is prepared here.  Throws
    lent(const lent &) = delete;
    lent &operator=(const lent &) = delete;
    ~lent(); // gives it back

    void *object = nullptr;

  private:
    kind kind_;
    std::string key_;
    size_t bytes_ = 0;
};

// Sets what all specs share: threads, and the allocator that counts.
void prepare(kind k, any_spec &spec);

// Creates and destroys an object of any kind, of a spec that is prepared.  Throws.
void *create(kind k, const any_spec &spec, size_t *bytes);
void destroy(kind k, void *object);

void keep_fork_safe(); // once, before the first lent
size_t kept_objects();

// Whether the image of this thread's call was of 64-bit integers, and is read as 32 bits: messages say 64.
extern thread_local bool narrowed;

extern std::atomic<int> threads; // of all calls: 0 = one for each processor

} // namespace sat_python
#endif
