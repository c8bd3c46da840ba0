/* SPDX-License-Identifier: Apache-2.0 */
/* one_place.c: tests that a coincident excluded pair acts as one charge, and
 * that left- and right-handed cells are one lattice.  "device": on
 * FARSUM_TEST_DEVICE (default: opencl:0), with arrays there. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/buf.h"
#include "farsum/device.h"
#include "plan/plan.h"

enum { MOST = 3 };

static farsum_device *device; /* NULL: the host */

struct sums {
    double potential[MOST], field[3 * MOST], energy, virial[9];
};

/* One array: on the host, or its copy on the device. */
static void *given(struct buf *buf, const void *from, int64_t bytes)
{
    if (!device)
        return (void *)from;
    if (!CHECK_OK(buf_alloc(buf, device->device, bytes))
        || !CHECK_OK(buf_upload(buf, 0, from, bytes)))
        check_stop("no memory on the device");
    return buf->handle;
}

static int sum(const farsum_problem *p, const char *method, int n,
               const double *x, const double *q, int excluded,
               struct sums *s)
{
    struct buf buf[6] = {{0}};
    void *out[4] = {s->potential, s->field, &s->energy, s->virial};
    const int64_t bytes[4] = {n * 8, n * 24, 8, 72};
    const int64_t pair[2] = {0, 1};
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    memset(s, 0, sizeof *s);
    o.method = method;
    o.device.handle = device;
    r.potential = given(&buf[0], s->potential, bytes[0]);
    r.field = given(&buf[1], s->field, bytes[1]);
    r.energy = given(&buf[2], &s->energy, bytes[2]);
    r.virial = given(&buf[3], s->virial, bytes[3]);
    void *where = given(&buf[4], x, n * 24), *of = given(&buf[5], q, n * 8);
    int good =
        CHECK_OK(farsum_plan_create(p, &o, &plan))
        && (!excluded
            || CHECK_OK(farsum_plan_set_exclusions(plan, 1, pair, NULL)))
        && CHECK_OK(farsum_plan_set_points(plan, n, where, 0, NULL))
        && CHECK_OK(farsum_plan_execute(plan, 1, of, &r))
        && CHECK_OK(farsum_plan_finish(plan));
    for (int k = 0; good && device && k < 4; k++)
        good = CHECK_OK(buf_download(&buf[k], 0, out[k], bytes[k]));
    farsum_plan_destroy(plan);
    for (int k = 0; k < 6; k++)
        buf_clear(&buf[k]);
    return good;
}

static farsum_problem problem(const double cell[9], int periodic)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    for (int d = 0; d < 9 && periodic; d++)
        p.cell[d] = cell[d];
    for (int d = 0; d < 3; d++)
        p.periodic[d] = periodic;
    p.tolerance = 1e-8;
    p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL;
    p.n_sources = MOST;
    p.precision = FARSUM_F64;
    p.memory = device ? FARSUM_DEVICE : FARSUM_HOST;
    return p;
}

static const double cube[9] = {10, 0, 0, 0, 10, 0, 0, 0, 10};

/* The energy and the first potential of charges 1 and -1; the first consists of
 * two parts at one position. */
static void one_charge(const char *method, int periodic, double right)
{
    const double x[9] = {1, 2, 3, 1, 2, 3, 4, 5, 6}, q[3] = {0.25, 0.75, -1};
    farsum_problem p = problem(cube, periodic);
    struct sums s;
    if (!sum(&p, method, 3, x, q, 1, &s))
        return;
    CHECK(fabs(s.energy - right) < 1e-8, "%s: energy %.12g", method, s.energy);
    for (int i = 0; i < 3; i++)
        CHECK(fabs(s.potential[i] - (i < 2 ? right : -right)) < 1e-8,
              "%s: potential %d is %.12g", method, i, s.potential[i]);
    for (int d = 0; d < 3; d++)
        CHECK(fabs(s.field[d] - s.field[3 + d]) < 1e-8
                  && fabs(s.field[d] - s.field[6 + d]) < 1e-8,
              "%s: fields %.12g %.12g %.12g along %d", method, s.field[d],
              s.field[3 + d], s.field[6 + d], d);
}

/* by Ewald, as in unit/locale_device.c */
static const double madelung = -0.236203296385;

static void pair_spectral(void)
{
    one_charge("spectral", 1, madelung);
}

static void pair_fmm(void)
{
    one_charge("fmm", 1, madelung);
}

static void pair_open(void)
{
    one_charge("fmm", 0, -1 / sqrt(27));
}

/* Rows a, b, c of a right-handed cell, with two of them exchanged, and with the
 * last reversed: the same sums. */
static void hands(const char *method, const double rows[9])
{
    static const int order[3][3] = {{0, 1, 2}, {1, 0, 2}, {0, 1, 2}};
    const double x[9] = {1, 2, 3, 4, 5, 6, 7, 1, 2}, q[3] = {1, -2, 1};
    struct sums s[3];
    for (int k = 0; k < 3; k++) {
        double cell[9];
        for (int d = 0; d < 9; d++)
            cell[d] = rows[3 * order[k][d / 3] + d % 3]
                      * (k == 2 && d >= 6 ? -1 : 1);
        farsum_problem p = problem(cell, 1);
        if (!sum(&p, method, 3, x, q, 0, &s[k]))
            return;
        CHECK(fabs(s[k].energy - s[0].energy) < 1e-7, "%s, cell %d: %.12g, "
              "%.12g", method, k, s[k].energy, s[0].energy);
        for (int i = 0; i < 9; i++)
            CHECK(fabs(s[k].field[i] - s[0].field[i]) < 1e-7
                      && fabs(s[k].virial[i] - s[0].virial[i]) < 1e-7,
                  "%s, cell %d: field %.12g, %.12g, virial %.12g, %.12g",
                  method, k, s[k].field[i], s[0].field[i], s[k].virial[i],
                  s[0].virial[i]);
    }
}

static void hands_spectral(void)
{
    hands("spectral", (double[]){10, 0, 0, 3, 9, 0, 1, -2, 8});
}

static void hands_fmm(void)
{
    hands("fmm", (double[]){10, 0, 0, 0, 9, 0, 0, 0, 8});
}

int main(int argc, char **argv)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    if (argc > 1 && strcmp(argv[1], "device") == 0
        && farsum_device_open(name && *name ? name : "opencl:0", &device)
               != FARSUM_OK) {
        printf("skipped: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    RUN(pair_spectral);
    RUN(pair_fmm);
    RUN(pair_open);
    RUN(hands_spectral);
    RUN(hands_fmm);
    farsum_device_close(device);
    return check_end();
}
