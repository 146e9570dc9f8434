/* Quotients of integers of up to 128 bits are rounded once, to the nearest and to even: fractions of Python's integers.
 */
#include "arrays.h"
#include "isa.h"
#include "moments.h"
#include "window_ops.h"

typedef struct wide {
    uint64_t high, low;
} wide;

static const struct {
    wide a, b;
    double quotient;
} quotients[] = {
    {{UINT64_C(0x50b1b1b48b529b4a), UINT64_C(0x97b750923ceb3ffd)},
     {UINT64_C(0x0), UINT64_C(0x1)},
     0x1.42c6c6d22d4a7p+126},
    {{UINT64_C(0x50179a53795b929e), UINT64_C(0x9a9a80fdea7b5bf5)},
     {UINT64_C(0x0), UINT64_C(0x1)},
     0x1.405e694de56e5p+126},
    {{UINT64_C(0x7454294f035efa25), UINT64_C(0x9b08923d10c67fd9)},
     {UINT64_C(0x0), UINT64_C(0xf81f9c58d6645fa9)},
     0x1.e0160dcaad508p+62},
    {{UINT64_C(0x588b12133bfd1d33), UINT64_C(0x8d0038ec42650644)},
     {UINT64_C(0x0), UINT64_C(0xb7970386fee29476)},
     0x1.eddcf66f4d009p+62},
    {{UINT64_C(0x465a506bd6225675), UINT64_C(0x8a7d43b578633074)},
     {UINT64_C(0x1), UINT64_C(0x65aa9c8279f248b0)},
     0x1.92d7279749615p+61},
    {{UINT64_C(0x51431d3f3b5f3d86), UINT64_C(0x268ecc45dc6bf1e1)},
     {UINT64_C(0x1), UINT64_C(0xde38378426d0b944)},
     0x1.5c0267e398901p+61},
    {{UINT64_C(0x41f05409bdc2ae99), UINT64_C(0x63d2e49085ef3430)},
     {UINT64_C(0x2a339bc910645d51), UINT64_C(0xc6f8da3eabe19f58)},
     0x1.8ffe1e7ddbfa0p+0},
    {{UINT64_C(0x457a1c6997524d6a), UINT64_C(0xf51e8722c21b6092)},
     {UINT64_C(0x34b5611007f062ce), UINT64_C(0xc7b317d94d1fe09f)},
     0x1.51715f150e112p+0},
    {{UINT64_C(0x0), UINT64_C(0xc4f9794cdd933160)},
     {UINT64_C(0x3ae3d893b804d820), UINT64_C(0x9841811779061596)},
     0x1.ac21efea02bb7p-63},
    {{UINT64_C(0x0), UINT64_C(0xe33a50eee0f9e038)},
     {UINT64_C(0x3b52e6b6ebcd1f5e), UINT64_C(0xc9c18070b6d13089)},
     0x1.ea471da8081acp-63},
    {{UINT64_C(0x0), UINT64_C(0x394)},
     {UINT64_C(0x3c74abdc93b05a04), UINT64_C(0xcd085b71ba6676b3)},
     0x1.e4d9bb11393acp-117},
    {{UINT64_C(0x0), UINT64_C(0x3db)},
     {UINT64_C(0x3764ac90e0fd67dd), UINT64_C(0x2257989fef829c88)},
     0x1.1d16be9001b24p-116},
    {{UINT64_C(0x0), UINT64_C(0x1)},
     {UINT64_C(0x2de31d377eb0adf4), UINT64_C(0x22cedafb092fdddf)},
     0x1.650cbb8238143p-126},
    {{UINT64_C(0x0), UINT64_C(0x1)},
     {UINT64_C(0x31daafd06fa84dca), UINT64_C(0xac0ae4e2f729b4c8)},
     0x1.48a354b4f54cdp-126},
    {{UINT64_C(0x0), UINT64_C(0x1)}, {UINT64_C(0x0), UINT64_C(0xcd100d8fdaf0105b)}, 0x1.3f970d45d21ffp-64},
    {{UINT64_C(0x0), UINT64_C(0x1)}, {UINT64_C(0x0), UINT64_C(0xd55ec1a581daad10)}, 0x1.3325a2117b011p-64},
    {{UINT64_C(0x0), UINT64_C(0x1)}, {UINT64_C(0x0), UINT64_C(0x6ceaa28292f3277b)}, 0x1.2cdaad59658e7p-63},
    {{UINT64_C(0x0), UINT64_C(0x1)}, {UINT64_C(0x0), UINT64_C(0x742b722d95c76ab4)}, 0x1.1a11f0f371ee3p-63},
    {{UINT64_C(0x0), UINT64_C(0x176fb595918694)}, {UINT64_C(0x0), UINT64_C(0x1ac6c7e779c470)}, 0x1.c021f5d2c650ap-1},
    {{UINT64_C(0x0), UINT64_C(0x1d4daaae966193)}, {UINT64_C(0x0), UINT64_C(0x10eac9edcf6109)}, 0x1.bb6f8ef648571p+0},
    {{UINT64_C(0x0), UINT64_C(0x31e65edb3d1150)}, {UINT64_C(0x0), UINT64_C(0x26c5befdb17f54)}, 0x1.497867b9a061ap+0},
    {{UINT64_C(0x0), UINT64_C(0x2c8424abd8952c)}, {UINT64_C(0x0), UINT64_C(0x2cb61f29c0e596)}, 0x1.fdc3af8634a68p-1},
    {{UINT64_C(0x8f6f22f41), UINT64_C(0x538e504edc52bdca)},
     {UINT64_C(0x0), UINT64_C(0x926baeae79a27e6)},
     0x1.f58e8e2d9d016p+39},
    {{UINT64_C(0xab6bcb64f), UINT64_C(0x1aa4b64091b1078e)},
     {UINT64_C(0x0), UINT64_C(0xa20ab57360c4979)},
     0x1.0ed1542b9c84ep+40},
    {{UINT64_C(0x0), UINT64_C(0xfcf249fd4e441c3)},
     {UINT64_C(0x948f2f8ed), UINT64_C(0x445fad2a92d3043a)},
     0x1.b3e1b73b5ed76p-40},
    {{UINT64_C(0x0), UINT64_C(0xfb6471e103ef3c2)},
     {UINT64_C(0xffd63ed5b), UINT64_C(0xa385ac4bda9bf98c)},
     0x1.f71af2b14ac99p-41},
    {{UINT64_C(0x910d7cccf3d0b3), UINT64_C(0x5815a3d516a91f39)},
     {UINT64_C(0x2), UINT64_C(0xe5a8181b691406be)},
     0x1.908be1e7991d5p+53},
    {{UINT64_C(0xc4cf8b6d59298c), UINT64_C(0x4b3c74f70526ef70)},
     {UINT64_C(0x2), UINT64_C(0xdf6da8e16a4a5ed7)},
     0x1.120954f843fcfp+54},
    {{UINT64_C(0x2), UINT64_C(0x9ae085bf0b500a3f)},
     {UINT64_C(0xb7ebb760b7d02b), UINT64_C(0xb813439c2fa7b1f)},
     0x1.d01d43ec48b81p-55},
    {{UINT64_C(0x2), UINT64_C(0x54b9693c961cadbc)},
     {UINT64_C(0xc7715cfb0af1e3), UINT64_C(0xec007b1be1830294)},
     0x1.7ef86e74aed4cp-55},
    {{UINT64_C(0x0), UINT64_C(0x4)}, {UINT64_C(0x0), UINT64_C(0x2)}, 0x1.0000000000000p+1},
    {{UINT64_C(0x0), UINT64_C(0x7)}, {UINT64_C(0x0), UINT64_C(0x2)}, 0x1.c000000000000p+1},
    {{UINT64_C(0x0), UINT64_C(0x20000000000001)}, {UINT64_C(0x0), UINT64_C(0x1)}, 0x1.0000000000000p+53},
    {{UINT64_C(0x0), UINT64_C(0x20000000000003)}, {UINT64_C(0x0), UINT64_C(0x1)}, 0x1.0000000000002p+53},
    {{UINT64_C(0x20000000), UINT64_C(0x10000000000)}, {UINT64_C(0x0), UINT64_C(0x1)}, 0x1.0000000000000p+93},
    {{UINT64_C(0x20000000), UINT64_C(0x10000000001)}, {UINT64_C(0x0), UINT64_C(0x1)}, 0x1.0000000000001p+93},
    {{UINT64_C(0x2000000000000), UINT64_C(0x1020000000000001)},
     {UINT64_C(0x0), UINT64_C(0x1000000000000001)},
     0x1.0000000000000p+53},
    {{UINT64_C(0x2000000000000), UINT64_C(0x1020000000000002)},
     {UINT64_C(0x0), UINT64_C(0x1000000000000001)},
     0x1.0000000000001p+53},
    {{UINT64_C(0x800000000000040), UINT64_C(0x20000000000001)}, {UINT64_C(0x80), UINT64_C(0x2)}, 0x1.0000000000000p+52},
    {{UINT64_C(0x800000000000040), UINT64_C(0x20000000000000)}, {UINT64_C(0x80), UINT64_C(0x2)}, 0x1.0000000000000p+52},
    {{UINT64_C(0x0), UINT64_C(0x0)}, {UINT64_C(0x0), UINT64_C(0x5)}, 0x0.0p+0},
    {{UINT64_C(0x0), UINT64_C(0x0)}, {UINT64_C(0x1000000000), UINT64_C(0x0)}, 0x0.0p+0},
};

static sat_u128 join(wide w)
{
    return (sat_u128)w.high << 64 | w.low;
}

/* The same by the school's rule, to 55 bits or to the end.  A lowest bit that says whether anything is left rounds as
 * all that it stands for. */
static double long_division(sat_u128 a, sat_u128 b)
{
    sat_u128 q = a / b, rest = a % b;
    int exponent = 0;
    for (; rest != 0 && q >> 54 == 0; exponent--) {
        rest <<= 1;
        q = q << 1 | (rest >= b);
        if (rest >= b) rest -= b;
    }
    bool left = rest != 0;
    for (; q >> 63 != 0; exponent++) {
        left = left || (q & 1);
        q >>= 1;
    }
    return ldexp((double)((uint64_t)q | left), exponent);
}

static void quotients_are_rounded_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof quotients / sizeof *quotients; i++) {
        const sat_u128 a = join(quotients[i].a), b = join(quotients[i].b);
        assert_true(sat_quotient(a, b) == quotients[i].quotient);
        assert_true(long_division(a, b) == quotients[i].quotient);
    }
}

/* The quick quotient is that by bits, or none: of random numbers, and of such as lie on a tie, or beside it. */
static void quick_quotients_are_right_or_none(void **state)
{
    uint64_t taken = 0, left = 0;
    (void)state;
    for (int i = 0; i < 300000; i++) {
        const sat_u128 b = 1 + (random64() >> (11 + random64() % 53));
        sat_u128 a = ((sat_u128)random64() << 64 | random64()) >> (1 + random64() % 127);
        const int ties = i % 3;
        if (ties) { /* (2 k + 1) / 2 units of a number of 53 bits, times b, a little off */
            const uint64_t half = (UINT64_C(1) << 53 | random64() >> 11) | 1;
            const unsigned up = (unsigned)(random64() % 20);
            a = (sat_u128)half * b;
            if (a >> (126 - up)) continue;
            a = (a << up) + random64() % 3 - 1;
        }
        double quick;
        if (!sat_quotient_in_f64(a, (double)(uint64_t)b, &quick)) {
            left++;
            assert_true(long_division(a, b) == sat_quotient_by_bits(a, b));
            continue;
        }
        taken++;
        assert_true(quick == sat_quotient_by_bits(a, b));
    }
    assert_true(taken > 100000 && left > 1000);
}

/* Windows of two values, of 32 bits or, in one word, of 16: their sums, and the numerator of their variance. */
enum { WINDOWS = 1031 }; /* not a multiple of any vector */
typedef struct windows {
    bool is_signed, halves;
    double count[WINDOWS];
    uint64_t sum[WINDOWS], low[WINDOWS], high[WINDOWS];
    sat_u128 numerator[WINDOWS];
} windows;

static void make_windows(windows *w)
{
    w->is_signed = random64() % 2, w->halves = random64() % 4 != 0;
    const unsigned bits = w->halves ? 32 : 16;
    const uint64_t most = w->is_signed ? UINT64_C(1) << (bits - 1) : (UINT64_C(1) << bits) - 1;
    for (int i = 0; i < WINDOWS; i++) {
        const uint64_t n = random64() % 64 ? random64() >> (33 + random64() % 31) : random64() % 3;
        const uint64_t k = random64() % (n + 1);
        uint64_t v[] = {random64() >> (64 - bits + random64() % bits), random64() >> (64 - bits + random64() % bits)};
        if (random64() % 3 == 0) v[1] = v[0] + random64() % 2;
        for (int j = 0; j < 2; j++)
            if (v[j] > most || random64() % 16 == 0) v[j] = most;
        const uint64_t sum = k * v[0] + (n - k) * v[1], a = v[0] * v[0], b = v[1] * v[1];
        w->count[i] = (double)n;
        w->sum[i] = w->is_signed && random64() % 2 ? 0 - sum : sum;
        w->low[i] = w->halves ? k * (uint32_t)a + (n - k) * (uint32_t)b : k * a + (n - k) * b;
        w->high[i] = k * (a >> 32) + (n - k) * (b >> 32);
        w->numerator[i] = ((sat_u128)k * a + (sat_u128)(n - k) * b) * n - (sat_u128)sum * sum;
    }
}

/* Variances of rows in 128 bits are the quotient by bits, or left open; most are not where there is a fused
 * multiplication. */
static void variances_of_rows_are_right_or_open(void **state)
{
    static windows w;
    static double var[WINDOWS];
    (void)state;
    for (int k = 0; k < ISAS; k++) {
        const char *why;
        int64_t taken = 0;
        setenv("SAT_ISA", isas[k], 1);
        const sat_isa *isa = sat_isa_in_use(&why);
        for (int round = 0; isa && round < 300; round++) {
            const int ddof = (int)(random64() % 3);
            make_windows(&w);
            int64_t open = isa->window->variance_128(var, w.count, w.sum, w.low, w.halves ? w.high : NULL, w.is_signed,
                                                     ddof, WINDOWS);
            taken += WINDOWS - open;
            for (int i = 0; i < WINDOWS; i++) {
                const uint64_t n = (uint64_t)w.count[i];
                open -= var[i] < 0;
                if (var[i] < 0) continue;
                assert_true(n > (uint64_t)ddof);
                assert_true(var[i] == sat_quotient_by_bits(w.numerator[i], (sat_u128)n * (n - (uint64_t)ddof)));
            }
            assert_int_equal(open, 0);
        }
        assert_true(!isa || strcmp(isas[k], "portable") == 0 || taken > 150 * WINDOWS);
    }
}

/* The largest counts and sums: 2^62 samples of 1 and -1, and none that differ. */
static void the_largest_sums(void **state)
{
    (void)state;
    const uint64_t n = UINT64_C(1) << 62;
    assert_true(sat_variance_i(n, 0, n, 0) == 1);
    assert_true(sat_variance_i(n, INT64_MIN / 2, n, 0) == 0);
    assert_true(sat_variance_u(n, n, n, 0) == 0);
    assert_true(sat_variance_u(n, n - 1, n - 1, 0) == 0x1p-62);
    assert_true(sat_variance_u(1, UINT64_MAX, UINT64_MAX, 0) == 0); /* sums of no samples */
    assert_true(isnan(sat_variance_u(1, 1, 1, 1)));
    const uint64_t half = UINT32_MAX / 2, most = UINT32_MAX; /* as many 0 as `most` */
    assert_true(sat_variance_u(2 * half, half * most, (sat_u128)half * (most * most), 0) == 0x1p62 - 0x1p31);
    assert_true(isnan(sat_variance_f(1, 1, 1, 1)));
    assert_true(sat_variance_f(3, 0.3, 0.03, 0) >= 0);
    assert_true(isnan(sat_variance_f(3, NAN, 1, 0)));
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotients_are_rounded_once),
        cmocka_unit_test(quick_quotients_are_right_or_none),
        test_with_settings(variances_of_rows_are_right_or_open),
        cmocka_unit_test(the_largest_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
