/* SPDX-License-Identifier: Apache-2.0 */
/* estimate.c: the error estimate of a system summed by waves, and the failures
 * of its numbers; for host and devices. */
#include <math.h>

#include "base/hypot.h"
#include "base/scale.h"
#include "batch/batch.h"

/* Relative error of a pair's force in f32, RMS. */
#define F32_PAIR 3e-7

/* Factor of the potentials' error.  In a crystal equivalent waves, up to 24 in
 * the half space, add up in phase: 24 against sqrt(24/2).  The largest gamma is
 * sqrt(2) above its RMS.  Crystals have few waves with large |S|, or none in
 * the band; in disorder |S|^2 is about q2, with a mean square of 2 q2^2. */
static double estimate_order(const struct batch_system *s,
                             const struct batch_found *f)
{
    double waves = (double)s->waves;
    int ordered = f->all < 0.1 * f->q2 * waves
                  || f->squares * waves > 6 * f->all * f->all;
    return s->n > 2 && ordered ? sqrt(96) : 1;
}

struct batch_units batch_units(const struct farsum_batch *b,
                               const struct batch_system *s, double unit)
{
    int q = ilogb(unit);
    int value = scale_exponent(fabs(b->problem.coulomb)) + q - s->length;
    return (struct batch_units){value, value - s->length, value + q};
}

double batch_coulomb(const struct farsum_batch *b)
{
    double c = b->problem.coulomb;
    return ldexp(c, -scale_exponent(fabs(c)));
}

void batch_estimate(const struct farsum_batch *b, struct batch_system *s,
                    const struct batch_found *f)
{
    const farsum_problem *p = &b->problem;
    double rc = s->now.rc, error[2], n = (double)s->n;
    double near = cbrt(n / s->cell.volume) * rc, mean = f->q2 / n;
    batch_errors(s->now.level, rc, s->cell.volume, s->n, f->q2, error);
    /* in units of the cutoff */
    error[0] *= rc * rc, error[1] *= rc * estimate_order(s, f);
    if (s->now.f32) {
        error[0] = hypot_of(error[0], F32_PAIR * sqrt(f->rough / n));
        error[1] = hypot_of(error[1], F32_PAIR * sqrt(n * mean) * near);
    }
    struct batch_units to = batch_units(b, s, f->unit);
    double c = fabs(batch_coulomb(b)) / rc, norm;
    double absolute = scale_by(scale_of(to.energy - s->length), c / rc);
    double found = error[0];
    if (p->error == FARSUM_ERROR_POTENTIAL)
        norm = sqrt(f->value), found = error[1];
    else if (p->error == FARSUM_ERROR_ABSOLUTE)
        norm = 1, found *= absolute;
    else
        norm = fmax(sqrt(f->force), mean * near * near);
    double relative = norm > 0 ? found / norm : 0;
    if (!(relative <= s->error)) {
        s->error = relative;
        s->norm = norm
                  * (p->error == FARSUM_ERROR_ABSOLUTE ? 1
                     : p->error == FARSUM_ERROR_POTENTIAL
                         ? scale_by(scale_of(to.value), c)
                         : absolute);
    }
}

farsum_status batch_bad_strength(int64_t i, int r, double q)
{
    FAIL(ERR_STRENGTH, "strength %lld of right-hand side %d is %g",
         (long long)i, r, q);
}

farsum_status batch_bad_result(int64_t i)
{
    FAIL(ERR_STRENGTH, "the result at source %lld is out of range",
         (long long)i);
}

farsum_status batch_check_energy(double energy)
{
    if (!(fabs(energy) <= 1.79e308))
        FAIL(ERR_STRENGTH, "the energy is out of range");
    return FARSUM_OK;
}
