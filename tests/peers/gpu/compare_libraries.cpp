/* compare_libraries.cpp - the same rows on a GPU by several builds of libsat.so, in turns, in one process; CSV.
 *
 *     g++ -O2 -Isrc/lib -I/usr/local/cuda/include tests/peers/gpu/compare_libraries.cpp -o compare \
 *         -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lpthread
 *     ROWS="box u8" ./compare ./old.so ./new.so ./new.so+SETTING=VALUE
 *
 * ROWS: only rows whose name holds it, or one of several, between commas.  +SETTING: an environment variable that is
 * set while this library's objects are created, and not for others.  Times are medians of 7 rounds of several launches
 * between events, in microseconds; ratios and bits compare with the first library. */
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <algorithm>
#include <map>
#include <string>
#include <vector>
#include "sat.h"
#include "sat_window.h"
struct lib {
    std::string name, env;
    void *h;
    template <class T> T f(const char *s) { return (T)dlsym(h, s); }
};
struct row {
    const char *kind, *name;
    sat_type sample, result;
    int channels;
    int64_t w, h, ww, wh;
    const char *border;
    std::vector<sat_window_output> out;
    bool masked;
    int power;
    bool skip_nan = false;
    int64_t images = 1;
    int hole = 0; /* the mask has holes of so many pixels; 0: a sixteenth of its pixels, at random, is 0 */
};
/* Diameters of round holes of a mask, 8 / 3 of that apart. */
static const int HOLES[] = {48, 3072};
static std::vector<lib> libs;
#define CK(x)                                                                                                          \
    do {                                                                                                               \
        cudaError_t e_ = (x);                                                                                          \
        if (e_ != cudaSuccess) {                                                                                       \
            printf("cuda: %s at %d\n", cudaGetErrorString(e_), __LINE__);                                              \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
static size_t tb(sat_type t)
{
    return libs[0].f<size_t (*)(sat_type)>("sat_type_bytes")(t);
}
struct obj {
    void *p = nullptr;
    bool ok = false;
    std::string note;
};
static sat_view view(void *d, int64_t w, int64_t h, int c, sat_type t, int64_t n)
{
    sat_view v = {};
    v.data = d;
    v.width = w;
    v.height = h;
    v.channels = c;
    v.count = n;
    v.type = t;
    v.memory = SAT_DEVICE;
    return v;
}
/* What all specs have, and what those of windows have. */
template <class Spec> static void describe(Spec &p, const row &r)
{
    p.width = r.w;
    p.height = r.h;
    p.channels = r.channels;
    p.count = r.images;
    p.sample = r.sample;
    p.backend = "fused";
    p.memory = SAT_DEVICE;
}
template <class Spec> static void describe_window(Spec &p, const row &r)
{
    p.window_width = r.ww;
    p.window_height = r.wh;
    p.border = r.border;
}
static obj make(lib &l, const row &r)
{
    obj o;
    const size_t equals = l.env.find('=');
    const std::string setting = l.env.substr(0, equals), value = equals < l.env.size() ? l.env.substr(equals + 1) : "1";
    if (!setting.empty()) setenv(setting.c_str(), value.c_str(), 1);
    sat_status s;
    if (!strcmp(r.kind, "table")) {
        sat_plan_spec p = {};
        describe(p, r);
        p.accum = r.result;
        p.layout = SAT_INCLUSIVE;
        p.power = r.power;
        s = l.f<sat_status (*)(sat_plan **, const sat_plan_spec *, size_t)>("sat_plan_create_sized")((sat_plan **)&o.p,
                                                                                                     &p, sizeof p);
        if (s == SAT_OK) o.note = l.f<const char *(*)(void *)>("sat_plan_note")(o.p);
    } else if (!strcmp(r.kind, "box")) {
        sat_box_spec p = {};
        describe(p, r);
        p.result = r.result;
        describe_window(p, r);
        s = l.f<sat_status (*)(sat_box **, const sat_box_spec *, size_t)>("sat_box_create_sized")((sat_box **)&o.p, &p,
                                                                                                  sizeof p);
        if (s == SAT_OK) o.note = l.f<const char *(*)(void *)>("sat_box_note")(o.p);
    } else {
        sat_window_spec p = {};
        describe(p, r);
        describe_window(p, r);
        p.outputs = (int)r.out.size();
        p.output = r.out.data();
        p.masked = r.masked;
        p.skip_nan = r.skip_nan;
        s = l.f<sat_status (*)(sat_window **, const sat_window_spec *, size_t)>("sat_window_create_sized")(
            (sat_window **)&o.p, &p, sizeof p);
        if (s == SAT_OK) o.note = l.f<const char *(*)(void *)>("sat_window_note")(o.p);
    }
    o.ok = s == SAT_OK;
    if (!o.ok) o.note = l.f<const char *(*)(void)>("sat_detail")();
    if (!setting.empty()) unsetenv(setting.c_str());
    return o;
}
static sat_status run(lib &l, const row &r, obj &o, const sat_view *src, const sat_view *mask, const sat_view *dst)
{
    if (!strcmp(r.kind, "table"))
        return l.f<sat_status (*)(void *, const sat_view *, const sat_view *, const void *, size_t)>(
            "sat_plan_run_sized")(o.p, src, dst, nullptr, sizeof(sat_run_options));
    if (!strcmp(r.kind, "box"))
        return l.f<sat_status (*)(void *, const sat_view *, const sat_view *, const void *, size_t)>(
            "sat_box_run_sized")(o.p, src, dst, nullptr, sizeof(sat_run_options));
    return l.f<sat_status (*)(void *, const sat_view *, const sat_view *, const sat_view *, const void *, size_t)>(
        "sat_window_run_sized")(o.p, src, mask, dst, nullptr, sizeof(sat_run_options));
}
static void drop(lib &l, const row &r, obj &o)
{
    const char *n = !strcmp(r.kind, "table") ? "sat_plan_destroy"
                    : !strcmp(r.kind, "box") ? "sat_box_destroy"
                                             : "sat_window_destroy";
    if (o.p) l.f<void (*)(void **)>(n)(&o.p);
}
/* Does a name hold one of the words between commas? */
static bool is_named(const std::string &name, const std::string &words)
{
    for (size_t at = 0, end; at <= words.size(); at = end + 1) {
        end = std::min(words.find(',', at), words.size());
        if (name.find(words.substr(at, end - at)) != std::string::npos) return true;
    }
    return false;
}
int main(int argc, char **argv)
{
    const char *filter = getenv("ROWS");
    for (int i = 1; i < argc; i++) {
        std::string a = argv[i];
        lib l;
        size_t plus = a.find('+');
        l.name = a.substr(0, plus);
        if (plus != std::string::npos) l.env = a.substr(plus + 1);
        l.h = dlopen(l.name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!l.h) {
            printf("%s\n", dlerror());
            return 1;
        }
        libs.push_back(l);
    }
    std::vector<row> rows;
    const int64_t N = 8192;
    auto T = [&](const char *n, sat_type s, sat_type a, int c, int64_t w, int64_t h, int power = 1) {
        rows.push_back({"table", n, s, a, c, w, h, 0, 0, "", {}, false, power});
    };
    T("u8 u32", SAT_U8, SAT_U32, 1, N, N);
    T("u8x3 u32", SAT_U8, SAT_U32, 3, N, N);
    T("u16 u32", SAT_U16, SAT_U32, 1, N, N);
    T("u16 u64", SAT_U16, SAT_U64, 1, N, N);
    T("u16x3 u64", SAT_U16, SAT_U64, 3, N, N);
    T("u32 u64", SAT_U32, SAT_U64, 1, N, N);
    T("u32 u32", SAT_U32, SAT_U32, 1, N, N);
    T("i16 i32", SAT_I16, SAT_I32, 1, N, N);
    T("i16 i64", SAT_I16, SAT_I64, 1, N, N);
    T("i32 i64", SAT_I32, SAT_I64, 1, N, N);
    T("i8 i32", SAT_I8, SAT_I32, 1, N, N);
    T("f32 f32", SAT_F32, SAT_F32, 1, N, N);
    T("f32 f64", SAT_F32, SAT_F64, 1, N, N);
    T("u16 f32", SAT_U16, SAT_F32, 1, N, N);
    T("u16 f64", SAT_U16, SAT_F64, 1, N, N);
    T("u8 u32 odd", SAT_U8, SAT_U32, 1, N - 1, N); /* rows that are not aligned */
    T("u16 u32 odd", SAT_U16, SAT_U32, 1, N - 1, N);
    T("u16 u64 odd", SAT_U16, SAT_U64, 1, N - 1, N);
    T("u8x3 u32 odd", SAT_U8, SAT_U32, 3, N - 1, N);
    T("f32 f32 odd", SAT_F32, SAT_F32, 1, N - 1, N);
    T("u8 u32 small", SAT_U8, SAT_U32, 1, 512, 512);
    T("u16 u32 small", SAT_U16, SAT_U32, 1, 512, 512);
    T("u16 sq u64", SAT_U16, SAT_U64, 1, N, N, 2);
    T("u16 f64 small", SAT_U16, SAT_F64, 1, 512, 512);
    T("i16 i32 small", SAT_I16, SAT_I32, 1, 512, 512);
    auto B = [&](const char *n, sat_type s, sat_type a, int c, int64_t ww, int64_t wh, const char *b = "reflect101",
                 int64_t w = 8192, int64_t h = 8192) {
        rows.push_back({"box", n, s, a, c, w, h, ww, wh, b, {}, false, 1});
    };
    for (const char *b : {"reflect101", "shrink"}) {
        B("u8 3", SAT_U8, SAT_U8, 1, 3, 3, b);
        B("u8 15", SAT_U8, SAT_U8, 1, 15, 15, b);
        B("u8 31", SAT_U8, SAT_U8, 1, 31, 31, b);
        B("u8 101", SAT_U8, SAT_U8, 1, 101, 101, b);
        B("u8 255", SAT_U8, SAT_U8, 1, 255, 255, b);
        B("u16 3", SAT_U16, SAT_U16, 1, 3, 3, b);
        B("u16 31", SAT_U16, SAT_U16, 1, 31, 31, b);
        B("u16 255", SAT_U16, SAT_U16, 1, 255, 255, b);
        B("u8x3 3", SAT_U8, SAT_U8, 3, 3, 3, b);
        B("u8x3 31", SAT_U8, SAT_U8, 3, 31, 31, b);
        B("u8x4 31", SAT_U8, SAT_U8, 4, 31, 31, b);
        B("u8 f32 31", SAT_U8, SAT_F32, 1, 31, 31, b);
        B("u16 f32 31", SAT_U16, SAT_F32, 1, 31, 31, b);
        B("u8 f32 3", SAT_U8, SAT_F32, 1, 3, 3, b);
        B("f32 3", SAT_F32, SAT_F32, 1, 3, 3, b);
        B("f32 31", SAT_F32, SAT_F32, 1, 31, 31, b);
    }
    B("u8x2 3", SAT_U8, SAT_U8, 2, 3, 3);
    B("u8x2 31", SAT_U8, SAT_U8, 2, 31, 31);
    B("u16x2 31", SAT_U16, SAT_U16, 2, 31, 31);
    B("u16x3 3", SAT_U16, SAT_U16, 3, 3, 3);
    B("u16x3 31", SAT_U16, SAT_U16, 3, 31, 31);
    B("u8x4 3", SAT_U8, SAT_U8, 4, 3, 3);
    B("u16 701x31", SAT_U16, SAT_U16, 1, 701, 31, "shrink");
    B("u8 601x101 of 1000", SAT_U8, SAT_U8, 1, 601, 101, "shrink", 1000, 8192);
    B("u8x3 251x31", SAT_U8, SAT_U8, 3, 251, 31, "shrink");
    B("u8 f32 301x31 of 700", SAT_U8, SAT_F32, 1, 301, 31, "shrink", 700, 8192);
    B("f32x2 31", SAT_F32, SAT_F32, 2, 31, 31);
    B("f32x2 101", SAT_F32, SAT_F32, 2, 101, 101);
    B("f32x4 31", SAT_F32, SAT_F32, 4, 31, 31);
    B("f64 15", SAT_F64, SAT_F64, 1, 15, 15);
    B("u8 301", SAT_U8, SAT_U8, 1, 301, 301);
    B("u16 301", SAT_U16, SAT_U16, 1, 301, 301);
    B("u8 300 narrow image", SAT_U8, SAT_U8, 1, 300, 300, "reflect101", 400, 100000);
    B("u16 300 narrow image", SAT_U16, SAT_U16, 1, 300, 300, "reflect101", 400, 100000);
    B("u16 f32 300 narrow image", SAT_U16, SAT_F32, 1, 300, 300, "reflect101", 400, 100000);
    B("u8 300 of 100", SAT_U8, SAT_U8, 1, 41, 300, "reflect101", 100, 300000);
    B("u8x3 300 of 150", SAT_U8, SAT_U8, 3, 41, 300, "reflect101", 150, 100000);
    B("u8 f32 300 narrow image", SAT_U8, SAT_F32, 1, 300, 300, "reflect101", 400, 100000);
    B("f32 101", SAT_F32, SAT_F32, 1, 101, 101);
    B("f32 255", SAT_F32, SAT_F32, 1, 255, 255);
    B("f32 255x31", SAT_F32, SAT_F32, 1, 255, 31);
    B("f32 255x63", SAT_F32, SAT_F32, 1, 255, 63);
    B("f32 401x15", SAT_F32, SAT_F32, 1, 401, 15);
    B("f32 31x255", SAT_F32, SAT_F32, 1, 31, 255);
    B("f32x3 31", SAT_F32, SAT_F32, 3, 31, 31);
    B("f32x3 101x31", SAT_F32, SAT_F32, 3, 101, 31);
    B("f64 31", SAT_F64, SAT_F64, 1, 31, 31);
    B("f64 255x15", SAT_F64, SAT_F64, 1, 255, 15);
    B("f64 101", SAT_F64, SAT_F64, 1, 101, 101);
    B("f64x3 31", SAT_F64, SAT_F64, 3, 31, 31);
    auto O = [](const char *s, sat_type t, bool compare = false) {
        sat_window_output o = {};
        o.statistic = s;
        o.result = t;
        o.compare = compare;
        return o;
    };
    auto W = [&](const char *n, sat_type s, int c, int64_t ww, std::vector<sat_window_output> out, bool masked = false,
                 const char *b = "reflect101") {
        rows.push_back({"window", n, s, SAT_F32, c, N, N, ww, ww, b, out, masked, 1});
    };
    const sat_type F = SAT_F32, U = SAT_U8;
    for (int w : {3, 31, 101}) {
        const std::string ws = std::to_string(w);
        auto nm = [&](const char *s) { return strdup((std::string(s) + " " + ws).c_str()); };
        W(nm("u8 mean+var"), SAT_U8, 1, w, {O("mean", F), O("var", F)});
        W(nm("u8 std"), SAT_U8, 1, w, {O("std", F)});
        W(nm("u8 > sauvola"), SAT_U8, 1, w, {O("sauvola", U, true)});
        W(nm("u8 > bradley"), SAT_U8, 1, w, {O("bradley", U, true)});
        W(nm("u8 sum"), SAT_U8, 1, w, {O("sum", F)});
        W(nm("u8 rms"), SAT_U8, 1, w, {O("rms", F)});
    }
    W("u8 mean 31", SAT_U8, 1, 31, {O("mean", F)});
    W("u8 var 31", SAT_U8, 1, 31, {O("var", F)});
    W("u8 mean+std 31", SAT_U8, 1, 31, {O("mean", F), O("std", F)});
    W("u8 sauvola 31", SAT_U8, 1, 31, {O("sauvola", F)});
    W("u8 norm 31", SAT_U8, 1, 31, {O("norm", F)});
    W("u8 niblack 31", SAT_U8, 1, 31, {O("niblack", F)});
    W("u8 > niblack 31", SAT_U8, 1, 31, {O("niblack", U, true)});
    W("u8 > nick 31", SAT_U8, 1, 31, {O("nick", U, true)});
    W("u8 > wolf 31", SAT_U8, 1, 31, {O("wolf", U, true)});
    W("u8 > phansalkar 31", SAT_U8, 1, 31, {O("phansalkar", U, true)});
    W("u8x3 mean+var 31", SAT_U8, 3, 31, {O("mean", F), O("var", F)});
    W("u8x2 mean+var 31", SAT_U8, 2, 31, {O("mean", F), O("var", F)});
    W("u8 mean+var shrink 31", SAT_U8, 1, 31, {O("mean", F), O("var", F)}, false, "shrink");
    W("u8 std masked 31", SAT_U8, 1, 31, {O("std", F)}, true);
    W("u8 count masked 31", SAT_U8, 1, 31, {O("count", F)}, true);
    W("u8 > sauvola masked 31", SAT_U8, 1, 31, {O("sauvola", U, true)}, true);
    W("u16 mean+var 31", SAT_U16, 1, 31, {O("mean", F), O("var", F)});
    W("u16 std 31", SAT_U16, 1, 31, {O("std", F)});
    W("u16 > sauvola 31", SAT_U16, 1, 31, {O("sauvola", U, true)});
    W("u16 rms 31", SAT_U16, 1, 31, {O("rms", F)});
    W("u16 sum 31", SAT_U16, 1, 31, {O("sum", F)});
    W("u32 sum 31", SAT_U32, 1, 31, {O("sum", F)});
    W("u32 mean 31", SAT_U32, 1, 31, {O("mean", F)});
    for (int w : {31, 1001, 5001}) {
        const std::string ws = std::to_string(w);
        W(strdup(("u32 mean+std " + ws).c_str()), SAT_U32, 1, w, {O("mean", F), O("std", F)});
        W(strdup(("u16 mean+std " + ws).c_str()), SAT_U16, 1, w, {O("mean", F), O("std", F)});
    }
    W("i16 std 31", SAT_I16, 1, 31, {O("std", F)});
    W("u8 mean+var 255", SAT_U8, 1, 255, {O("mean", F), O("var", F)});
    W("u8 > sauvola 255", SAT_U8, 1, 255, {O("sauvola", U, true)});
    for (int w : {3, 31, 101, 255, 1001}) {
        const std::string ws = std::to_string(w);
        auto nm = [&](const char *name) { return strdup((std::string(name) + " " + ws).c_str()); };
        W(nm("f32 mean"), SAT_F32, 1, w, {O("mean", F)});
        W(nm("f32 mean masked"), SAT_F32, 1, w, {O("mean", F)}, true);
        W(nm("f32 mean of numbers"), SAT_F32, 1, w, {O("mean", F)});
        rows.back().skip_nan = true;
        W(nm("f32 mean+std"), SAT_F32, 1, w, {O("mean", F), O("std", F)});
        W(nm("f32 mean+std masked"), SAT_F32, 1, w, {O("mean", F), O("std", F)}, true);
        W(nm("f32 mean+std of numbers"), SAT_F32, 1, w, {O("mean", F), O("std", F)});
        rows.back().skip_nan = true;
        for (int hole : HOLES) {
            const std::string of = " with holes of " + std::to_string(hole);
            W(nm(("f32 mean" + of).c_str()), SAT_F32, 1, w, {O("mean", F)}, true);
            rows.back().hole = hole;
            W(nm(("f32 mean+std" + of).c_str()), SAT_F32, 1, w, {O("mean", F), O("std", F)}, true);
            rows.back().hole = hole;
        }
    }
    W("f32 mean+std shrink 1001", SAT_F32, 1, 1001, {O("mean", F), O("std", F)}, false, "shrink");
    for (const char *b : {"shrink", "constant"})
        W(strdup((std::string("f32 mean+std 31 ") + b).c_str()), SAT_F32, 1, 31, {O("mean", F), O("std", F)}, false, b);
    W("f32 mean+std 30", SAT_F32, 1, 30, {O("mean", F), O("std", F)});
    W("f32 mean+std 9", SAT_F32, 1, 9, {O("mean", F), O("std", F)});
    W("f32 mean+std masked 9", SAT_F32, 1, 9, {O("mean", F), O("std", F)}, true);
    W("f32 wolf 31", SAT_F32, 1, 31, {O("wolf", F)});
    W("f32 wolf 1001", SAT_F32, 1, 1001, {O("wolf", F)});
    W("f32 > sauvola 31", SAT_F32, 1, 31, {O("sauvola", U, true)});
    W("f32x3 mean+std 31", SAT_F32, 3, 31, {O("mean", F), O("std", F)});
    W("f64 mean+std 31", SAT_F64, 1, 31, {O("mean", F), O("std", F)});
    W("f64 mean+std masked 31", SAT_F64, 1, 31, {O("mean", F), O("std", F)}, true);
    B("f32 31 odd", SAT_F32, SAT_F32, 1, 31, 31, "reflect101", N - 1, N); /* rows that are not aligned */
    B("f32 31 of 192 images of 640x480", SAT_F32, SAT_F32, 1, 31, 31, "reflect101", 640, 480);
    rows.back().images = 192;
    W("f32 mean+std odd 31", SAT_F32, 1, 31, {O("mean", F), O("std", F)});
    rows.back().w = N - 1;
    W("f32 mean masked odd 31", SAT_F32, 1, 31, {O("mean", F)}, true);
    rows.back().w = N - 1;
    B("f32x3 31 odd", SAT_F32, SAT_F32, 3, 31, 31, "reflect101", N - 1, N);
    W("f32 mean+std of 192 images of 640x480 31", SAT_F32, 1, 31, {O("mean", F), O("std", F)});
    rows.back().w = 640, rows.back().h = 480, rows.back().images = 192;
    B("f64 1001", SAT_F64, SAT_F64, 1, 1001, 1001);
    B("f32x3 1001", SAT_F32, SAT_F32, 3, 1001, 1001);
    B("f32 3001x31", SAT_F32, SAT_F32, 1, 3001, 31);
    B("f32 1001x3", SAT_F32, SAT_F32, 1, 1001, 3);
    void *src, *dst, *mask;
    std::map<int, void *> holes; /* masks, by their holes' diameter */
    const size_t most = (size_t)N * N * 8 * 8;
    CK(cudaMalloc(&src, (size_t)N * N * 3 * 8));
    CK(cudaMalloc(&dst, most));
    CK(cudaMalloc(&mask, N * N));
    std::vector<uint32_t> rnd((size_t)N * N * 3 / 4 * 2);
    uint64_t x = 1;
    for (auto &v : rnd) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        v = (uint32_t)(x >> 33) * 2u ^ (uint32_t)(x >> 20);
    }
    std::vector<uint8_t> m((size_t)N * N);
    for (size_t i = 0; i < m.size(); i++) m[i] = rnd[i / 4] >> (i % 4 * 8) & 15 ? 255 : 0;
    CK(cudaMemcpy(mask, m.data(), m.size(), cudaMemcpyHostToDevice));
    for (int hole : HOLES) {
        const int64_t apart = hole * 8 / 3;
        for (int64_t i = 0; i < N * N; i++) {
            const int64_t px = i % N % apart - apart / 2, py = i / N % apart - apart / 2;
            m[(size_t)i] = 4 * (px * px + py * py) < hole * hole ? 0 : 255;
        }
        CK(cudaMalloc(&holes[hole], N * N));
        CK(cudaMemcpy(holes[hole], m.data(), m.size(), cudaMemcpyHostToDevice));
    }
    void *pin;
    CK(cudaMallocHost(&pin, (size_t)N * N * 3 * 8));
    cudaEvent_t a, b;
    CK(cudaEventCreate(&a));
    CK(cudaEventCreate(&b));
    printf("row,copy_us");
    for (auto &l : libs) printf(",%s%s%s", l.name.c_str(), l.env.empty() ? "" : "+", l.env.c_str());
    printf(",ratios,bits\n");
    sat_type filled = SAT_TYPE_NONE;
    for (auto &r : rows) {
        std::string full = std::string(r.kind) + " " + r.name + (r.border[0] ? std::string(" ") + r.border : "");
        if (filter && !is_named(full, filter)) continue;
        if (filled != r.sample) {
            const size_t n = (size_t)N * N * 3;
            if (r.sample == SAT_F32) {
                std::vector<float> f(n);
                for (size_t i = 0; i < n; i++) f[i] = (float)(rnd[i % rnd.size()] >> 8) * 0x1p-24f;
                CK(cudaMemcpy(src, f.data(), n * 4, cudaMemcpyHostToDevice));
            } else if (r.sample == SAT_F64) {
                std::vector<double> f(n);
                for (size_t i = 0; i < n; i++) f[i] = rnd[i % rnd.size()] * 0x1p-32;
                CK(cudaMemcpy(src, f.data(), n * 8, cudaMemcpyHostToDevice));
            } else {
                size_t done = 0, all = n * 8, part = rnd.size() * 4;
                while (done < all) {
                    size_t k = std::min(part, all - done);
                    CK(cudaMemcpy((char *)src + done, rnd.data(), k, cudaMemcpyHostToDevice));
                    done += k;
                }
            }
            filled = r.sample;
        }
        size_t px = (size_t)(r.w * r.h * r.channels * r.images), in = px * tb(r.sample), outb = 0;
        std::vector<sat_view> views;
        if (!strcmp(r.kind, "window")) {
            char *at = (char *)dst;
            for (auto &o : r.out) {
                views.push_back(view(at, r.w, r.h, r.channels, o.result, r.images));
                at += px * tb(o.result);
                outb += px * tb(o.result);
            }
        } else {
            views.push_back(view(dst, r.w, r.h, r.channels, r.result, r.images));
            outb = px * tb(r.result);
        }
        sat_view sv = view(src, r.w, r.h, r.channels, r.sample, r.images),
                 mv = view(r.hole ? holes[r.hole] : mask, r.w, r.h, 1, SAT_U8, r.images);
        std::vector<obj> os;
        std::vector<std::vector<float>> t(libs.size());
        std::vector<std::vector<char>> got(libs.size());
        std::string bits;
        for (size_t i = 0; i < libs.size(); i++) {
            os.push_back(make(libs[i], r));
            if (!os[i].ok) {
                bits += "refused(" + os[i].note + ") ";
                continue;
            }
            CK(cudaMemset(dst, 0x5a, outb));
            sat_status s = run(libs[i], r, os[i], &sv, r.masked ? &mv : nullptr, views.data());
            if (s != SAT_OK) {
                bits += std::string("run failed: ") + libs[i].f<const char *(*)(void)>("sat_detail")();
                os[i].ok = false;
                continue;
            }
            CK(cudaDeviceSynchronize());
            got[i].resize(outb);
            CK(cudaMemcpy(pin, dst, outb, cudaMemcpyDeviceToHost));
            memcpy(got[i].data(), pin, outb);
            if (i > 0 && got[0].size() == outb)
                bits += memcmp(got[0].data(), got[i].data(), outb) ? "DIFFERS " : "same ";
        }
        float ms;
        int k = 4;
        for (int round = -1; round < 7; round++) {
            for (size_t i = 0; i < libs.size(); i++) {
                if (!os[i].ok) continue;
                CK(cudaEventRecord(a));
                for (int j = 0; j < k; j++) run(libs[i], r, os[i], &sv, r.masked ? &mv : nullptr, views.data());
                CK(cudaEventRecord(b));
                CK(cudaEventSynchronize(b));
                CK(cudaEventElapsedTime(&ms, a, b));
                if (round >= 0) t[i].push_back(ms / k * 1000);
                if (round < 0 && i == 0) k = ms / 4 > 1 ? 2 : ms / 4 > 0.1 ? 8 : 32;
            }
        }
        const size_t half = (in + outb) / 2;
        std::vector<float> c;
        for (int round = 0; round < 5; round++) {
            CK(cudaEventRecord(a));
            for (int j = 0; j < 4; j++)
                CK(cudaMemcpyAsync((char *)dst + (half + 255) / 256 * 256, dst, half, cudaMemcpyDeviceToDevice));
            CK(cudaEventRecord(b));
            CK(cudaEventSynchronize(b));
            CK(cudaEventElapsedTime(&ms, a, b));
            c.push_back(ms / 4 * 1000);
        }
        auto med = [](std::vector<float> v) {
            if (v.empty()) return 0.f;
            std::sort(v.begin(), v.end());
            return v[v.size() / 2];
        };
        printf("%s,%.1f", full.c_str(), med(c));
        for (auto &v : t) printf(",%.1f", med(v));
        printf(",");
        for (size_t i = 1; i < t.size(); i++)
            printf("%s%.3f", i > 1 ? " " : "", med(t[0]) > 0 ? med(t[i]) / med(t[0]) : 0);
        printf(",%s\n", bits.c_str());
        fflush(stdout);
        for (size_t i = 0; i < libs.size(); i++) drop(libs[i], r, os[i]);
    }
}
