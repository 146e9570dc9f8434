/* test_scan.c - scans of one array: every method that is here, against the definition. */
#include "arrays.h"
#include "sat_lab.h"

static const sat_type samples[] = {SAT_U8, SAT_U16, SAT_U32, SAT_U64, SAT_F32, SAT_F64};
static const sat_type accums[] = {SAT_U32, SAT_U64, SAT_I64, SAT_F32, SAT_F64, SAT_Q32};
enum { SAMPLES = sizeof samples / sizeof *samples, ACCUMS = sizeof accums / sizeof *accums };

static bool is_float(sat_type type)
{
    return type == SAT_F32 || type == SAT_F64;
}

/* sat.h: those of tables but q32, and u64 to itself and to the same bits. */
static bool combines(sat_type sample, sat_type accum)
{
    if (accum == SAT_Q32) return false;
    if (sample == SAT_U64) return accum == SAT_U64 || accum == SAT_I64;
    if (is_float(sample)) return accum == SAT_F64 || (accum == SAT_F32 && sample == SAT_F32);
    return true;
}

static uint64_t integer_at(const sat_view *v, int64_t i)
{
    const void *p = entry_at(v, i, 0, 0);
    return sat_type_bytes(v->type) == 8 ? *(const uint64_t *)p : (uint64_t)value_at(v, i, 0, 0);
}

/* Sums after the definition, of sums that doubles hold exactly (eighths of at most 100) or that wrap. */
static void check(const sat_view *in, const sat_view *out, bool exclusive, int64_t segment, const char *what)
{
    uint64_t wrapped = 0, mask = sat_type_bytes(out->type) == 4 ? UINT32_MAX : UINT64_MAX;
    double real = 0, size = 0;
    for (int64_t i = 0; i < in->width; i++) {
        if (segment && i % segment == 0) wrapped = 0, real = size = 0;
        uint64_t wrapped_before = wrapped;
        double real_before = real;
        if (is_float(in->type))
            real += value_at(in, i, 0, 0), size += fabs(value_at(in, i, 0, 0));
        else
            wrapped += integer_at(in, i), real += (double)integer_at(in, i), size = real;
        if (is_float(out->type)) {
            double eps = ldexp(1, out->type == SAT_F32 ? -24 : -53), want = exclusive ? real_before : real;
            if (!(fabs(value_at(out, i, 0, 0) - want) <= 2 * (double)in->width * eps * size))
                fail_msg("%s: element %lld is %g instead of %g", what, (long long)i, value_at(out, i, 0, 0), want);
        } else {
            uint64_t want = (exclusive ? wrapped_before : wrapped) & mask;
            if (integer_at(out, i) != want)
                fail_msg("%s: element %lld is %llu instead of %llu", what, (long long)i,
                         (unsigned long long)integer_at(out, i), (unsigned long long)want);
        }
    }
}

static void one(const sat_scan_info *info, sat_scan_spec spec)
{
    char what[160];
    sat_scan *scan;
    spec.method = info->name;
    snprintf(what, sizeof what, "%s: %lld %s to %s%s", info->name, (long long)spec.length, sat_type_name(spec.sample),
             sat_type_name(spec.accum), spec.exclusive ? ", exclusive" : "");
    sat_status status = sat_scan_create(&scan, &spec);
    /* Scans of one warp, and on a device, may be for some types only. */
    if (status == SAT_ERR_TYPE && (info->segment != 0 || info->device)) return;
    assert_ok(status);
    assert_non_null(strstr(sat_scan_note(scan), info->name));
    sat_view in = guarded(spec.length, 1, 1, spec.sample, 0), out = guarded(spec.length, 1, 1, spec.accum, 0);
    if (spec.sample == SAT_U64)
        for (int64_t i = 0; i < spec.length; i++) *(uint64_t *)entry_at(&in, i, 0, 0) = random64();
    else
        randomise(&in);
    for (int again = 0; again < 2; again++) {
        assert_ok(sat_scan_run(scan, in.data, out.data, NULL));
        check(&in, &out, spec.exclusive, info->segment, what);
    }
    unguard(&in);
    unguard(&out);
    sat_scan_destroy(&scan);
    assert_null(scan);
}

static void every_method_keeps_to_the_definition(void **state)
{
    static const int64_t lengths[] = {1, 2, 31, 32, 33, 1000, 4097};
    sat_scan_info info;
    int references = 0;
    (void)state;
    for (size_t m = 0; sat_scan_at(m, &info); m++) {
        references += info.kind == SAT_REFERENCE;
        assert_non_null(info.why);
        if (!info.available || info.kind >= SAT_CEILING) continue;
        for (size_t i = 0; i < SAMPLES * ACCUMS * 2; i++) {
            sat_type sample = samples[i % SAMPLES], accum = accums[i / SAMPLES % ACCUMS];
            if (!combines(sample, accum)) continue;
            for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++)
                one(&info, (sat_scan_spec){.length = lengths[n],
                                           .sample = sample,
                                           .accum = accum,
                                           .exclusive = i >= (size_t)SAMPLES * ACCUMS});
        }
    }
    assert_int_equal(references, 1);
    assert_false(sat_scan_at(0, NULL));
}

static void refused(sat_scan_spec spec, sat_status expected, const char *text)
{
    sat_scan *scan = (sat_scan *)&spec;
    sat_status status = sat_scan_create(&scan, &spec);
    if (status != expected || !strstr(sat_detail(), text))
        fail_msg("status %d, '%s' where %d and '%s' were expected", status, sat_detail(), expected, text);
    assert_null(scan);
}

static void specs(void **state)
{
    const sat_scan_spec good = {.length = 8, .sample = SAT_U8, .accum = SAT_U32};
    sat_scan_spec s;
    sat_scan *scan;
    (void)state;
    assert_ok(sat_scan_create(&scan, &good));
    sat_scan_destroy(&scan);
    sat_scan_destroy(&scan);
    sat_scan_destroy(NULL);
    assert_string_equal(sat_scan_note(NULL), "");
    assert_int_equal(sat_scan_create(NULL, &good), SAT_ERR_ARGUMENT);
    assert_int_equal(sat_scan_create(&scan, NULL), SAT_ERR_ARGUMENT);
    s = good, s.length = 0, refused(s, SAT_ERR_SHAPE, "0 elements");
    s = good, s.length = ((int64_t)1 << 40) + 1, refused(s, SAT_ERR_SHAPE, "2^40");
    s = good, s.memory = (sat_memory)7, refused(s, SAT_ERR_ARGUMENT, "memory");
    s = good, s.block_threads = -1, refused(s, SAT_ERR_ARGUMENT, "-1");
    s = good, s.method = "abacus", refused(s, SAT_ERR_UNAVAILABLE, "'abacus'");
    for (size_t i = 0; i < (size_t)SAMPLES * ACCUMS; i++) {
        s = good, s.sample = samples[i % SAMPLES], s.accum = accums[i / SAMPLES];
        if (!combines(s.sample, s.accum)) refused(s, SAT_ERR_TYPE, sat_type_name(s.accum));
    }
    s = good, s.sample = SAT_I64, refused(s, SAT_ERR_TYPE, "i64");
    s = good, s.sample = SAT_TYPE_NONE, refused(s, SAT_ERR_TYPE, "none");
    sat_scan_info info;
    for (size_t i = 0; sat_scan_at(i, &info); i++) {
        s = good, s.method = info.name, s.memory = SAT_DEVICE;
        if (!info.device) refused(s, SAT_ERR_UNAVAILABLE, "host memory");
        if (!info.available) refused(s, SAT_ERR_UNAVAILABLE, info.why);
        s.memory = SAT_HOST, s.block_threads = 32, s.thread_items = 2;
        if (info.kind == SAT_REFERENCE) refused(s, SAT_ERR_UNAVAILABLE, "blocks");
    }
}

static void arrays(void **state)
{
    uint8_t in[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint32_t out[8];
    sat_scan_spec spec = {.length = 8, .sample = SAT_U8}; /* u32 is proven to hold 8 of them */
    sat_scan *scan;
    (void)state;
    assert_ok(sat_scan_create(&scan, &spec));
    assert_ok(sat_scan_run(scan, in, out, NULL));
    assert_int_equal(out[7], 36);
    assert_int_equal(sat_scan_run(NULL, in, out, NULL), SAT_ERR_ARGUMENT);
    assert_int_equal(sat_scan_run(scan, NULL, out, NULL), SAT_ERR_ARGUMENT);
    assert_int_equal(sat_scan_run(scan, in, NULL, NULL), SAT_ERR_ARGUMENT);
    assert_int_equal(sat_scan_run(scan, in, (char *)out + 1, NULL), SAT_ERR_ARGUMENT);
    assert_int_equal(sat_scan_run(scan, out, out, NULL), SAT_ERR_ARGUMENT);
    assert_non_null(strstr(sat_detail(), "overlap"));
    sat_scan_destroy(&scan);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_keeps_to_the_definition),
        cmocka_unit_test(specs),
        cmocka_unit_test(arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
