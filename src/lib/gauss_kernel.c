/* gauss_kernel.c - a Gaussian as a few passes of two boxes each.
 *
 * A Gaussian is a mixture of boxes about its middle: draw a squared half width h^2 = sigma^2 * u, with u from the
 * chi-squared distribution of three degrees of freedom, and then a point of [-h, h] (the point of a normal vector in
 * space, projected on one axis: Archimedes' hat box theorem).  A quadrature for that distribution of u makes it a
 * mixture of a few boxes.  The Gauss-Laguerre rule of two nodes has the moments of u up to the third, and so the
 * mixture those of the Gaussian up to the seventh:
 *
 *     u = 5 - sqrt(10), 5 + sqrt(10)        weights 1/2 + 1/sqrt(10), 1/2 - 1/sqrt(10)
 *
 *                 .-----.
 *                 |     |                   one pass: two boxes, of half widths 1.36 and 2.86 of its sigma
 *          .------'     '------.
 *     -----'                   '-----
 *
 * Four such passes, each of sigma / 2, are closer to the Gaussian than one grey level of 255 (sat_gauss.h has the
 * figures); four equal boxes, one in each pass, are wrong by 20 times as much.  Four passes of two sums take eight sums
 * for each sample and axis, whatever sigma is.
 *
 * A box of half width h has variance h^2 / 3.  Samples lie at whole positions: those up to r from the middle have
 * variance r (r + 1) / 3, and what is missing comes from a rim, one sample more on each side with a smaller weight
 * (Gwosdek, Grewenig, Bruhn & Weickert, Theoretical foundations of Gaussian convolution by extended box filtering,
 * 2011).  With the share s of the whole in the rim,
 *
 *     v = (1 - s) r (r + 1) / 3 + s (r + 1)^2        so        s = (3 v - r (r + 1)) / ((r + 1) (2 r + 3))
 *
 * r is the largest with r (r + 1) / 3 <= v; then the weight of a rim is at most that of a sample inside.  So the
 * variance of a pass is exact for any sigma: sigma^2 / 4.
 *
 * Where boxes are so narrow that they are no boxes any more, the Gaussian's own samples are few: up to sigma 4 they are
 * added up one by one, to 4 sigma on both sides, rounded to the nearest sample, with weights of sum 1. */
#include <math.h>

#include "gauss_kernel.h"

enum { PASSES = 4, CUT = 4 }; /* a sampled Gaussian ends at that many sigma */

static void add_box(sat_gauss_kernel *k, int i, double share, double variance)
{
    int64_t r = (int64_t)((sqrt(1 + 12 * variance) - 1) / 2);
    while ((double)((r + 1) * (r + 2)) <= 3 * variance) r++; /* where the root was rounded */
    while ((double)(r * (r + 1)) > 3 * variance) r--;
    const double in_rim = (3 * variance - (double)(r * (r + 1))) / (double)((r + 1) * (2 * r + 3));
    k->radius[i] = r;
    k->rim[i] = share * in_rim / 2;
    k->inside[i] = share * (1 - in_rim) / (double)(2 * r + 1);
}

sat_gauss_kernel sat_gauss_kernel_for(double sigma)
{
    if (sigma <= (double)SAT_GAUSS_TAPS / CUT) {
        sat_gauss_kernel k = {.passes = 1, .reach = (int64_t)(CUT * sigma + 0.5), .direct = true};
        double sum = 0;
        for (int64_t i = 0; i <= k.reach; i++) {
            k.taps[i] = exp(-0.5 * ((double)i / sigma) * ((double)i / sigma));
            sum += i ? 2 * k.taps[i] : k.taps[i];
        }
        for (int64_t i = 0; i <= k.reach; i++) k.taps[i] /= sum;
        return k;
    }
    const double root = sqrt(10), variance = sigma * sigma / PASSES;
    sat_gauss_kernel k = {.passes = PASSES};
    add_box(&k, 0, 0.5 + 1 / root, (5 - root) * variance / 3);
    add_box(&k, 1, 0.5 - 1 / root, (5 + root) * variance / 3);
    k.reach = k.radius[1] + 1;
    return k;
}

/* Wide ones are two boxes of half the weight each: the loops have two, and halves are exact. */
sat_gauss_kernel sat_gauss_kernel_of_side(double side)
{
    const double radius = (side - 1) / 2;
    const int64_t r = (int64_t)radius;
    const double inside = 1 / side, rim = (radius - (double)r) / side;
    sat_gauss_kernel k = {.passes = 1,
                          .reach = r + 1,
                          .direct = r < SAT_GAUSS_TAPS,
                          .radius = {r, r},
                          .inside = {inside / 2, inside / 2},
                          .rim = {rim / 2, rim / 2}};
    for (int64_t i = 0; i <= r && k.direct; i++) k.taps[i] = inside;
    if (k.direct) k.taps[r + 1] = rim;
    return k;
}
