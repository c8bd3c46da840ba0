/* SPDX-License-Identifier: Apache-2.0 */
/* The targets of a check are found on a device, and on the host, where it is
 * known which they are: strong sources, near pairs, one of them across a face
 * of the cell, and a crowd; on FARSUM_TEST_DEVICE ("opencl:0" if it is not
 * set). */
#include "verify_check.h"

#include "plan/verify/verify.h"

enum { MANY = 9001, WANTED = 60, CLUSTERINGED = 40 };

static double x[3 * MANY], q[6 * MANY], size[MANY];
static float x32[3 * MANY], q32[6 * MANY];

/* Sources that are strong, near another, and in the crowd. */
static int strong(int64_t i)
{
    return i % 1500 == 7;
}
static int near(int64_t i)
{
    return i >= 4000 && i < 4006;
}
static int clustered(int64_t i)
{
    return i >= 8200 && i < 8200 + CLUSTERINGED;
}

static void fill(int strengths, int periodic)
{
    uint64_t random = 17;
    for (int i = 0; i < 3 * MANY; i++)
        x[i] = uniform(&random) + (periodic ? 0 : -40);
    for (int i = 8201; i < 8200 + CLUSTERINGED; i++)
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = x[3 * 8200 + d] + 2e-3 * (1 + i % (d + 3));
    for (int i = 4001; i < 4006; i += 2)
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = x[3 * i - 3 + d] + (d == 1 ? 4e-5 : 0)
                           + (periodic && i == 4003 && d == 0 ? 3 : 0);
    if (periodic) {
        x[3 * 4004] = 1 - 2e-5;
        x[3 * 4005] = 2e-5;
        x[3 * 4005 + 1] = x[3 * 4004 + 1];
    }
    for (int i = 0; i < MANY * strengths; i++)
        q[i] = (strong(i / strengths) ? 30 : 1) * (1 + 0.1 * uniform(&random));
    for (int i = 0; i < MANY; i++) {
        size[i] = 0;
        for (int c = 0; c < strengths; c++)
            size[i] = hypot(size[i], q[strengths * i + c]);
    }
    for (int i = 0; i < 3 * MANY; i++)
        x32[i] = (float)x[i];
    for (int i = 0; i < MANY * strengths; i++)
        q32[i] = (float)q[i];
}

static void count(const char *what, const struct verify_targets *t)
{
    int found[3] = {0}, twice = 0;
    for (int64_t k = 0; k < t->count; k++) {
        found[0] += k < t->certain && strong(t->index[k]);
        found[1] += k < t->certain && near(t->index[k]);
        found[2] += k < t->certain && clustered(t->index[k]);
        for (int64_t l = 0; l < k; l++)
            twice += t->index[k] == t->index[l];
        CHECK(t->index[k] >= 0 && t->index[k] < MANY, "%s: target %lld", what,
              (long long)t->index[k]);
    }
    CHECK(t->count == WANTED && t->certain == STRONG + NEAR + DENSE && !twice,
          "%s: %lld targets, %lld certain, %d twice", what,
          (long long)t->count, (long long)t->certain, twice);
    CHECK(found[0] == STRONG && found[1] == NEAR && found[2] == DENSE,
          "%s: %d strong, %d near, %d crowded", what, found[0], found[1],
          found[2]);
    double all = 0;
    for (int64_t k = 0; k < t->count; k++)
        all += verify_stands_for(t, k);
    CHECK(fabs(all - MANY) < 1e-6, "%s: they stand for %g", what, all);
}

static void find(const char *kernel, int strengths, int periodic, int f32)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    char what[64];
    snprintf(what, sizeof what, "%s%s%s", kernel, periodic ? "" : ", open",
             f32 ? ", f32" : "");
    fill(strengths, periodic);
    p.kernel = kernel;
    p.tolerance = 1e-3;
    p.precision = FARSUM_AUTO;
    p.arrays = f32 ? FARSUM_F32 : FARSUM_F64;
    p.n_sources = MANY;
    p.sample_x = f32 ? (void *)x32 : x;
    p.sample_q = f32 ? (void *)q32 : q;
    p.outputs = strengths > 1 ? FARSUM_VELOCITY : FARSUM_FIELD;
    for (int d = 0; d < 3; d++) {
        p.periodic[d] = periodic;
        p.cell[4 * d] = 1;
    }
    o.device.name = getenv("FARSUM_TEST_DEVICE");
    if (!o.device.name)
        o.device.name = "opencl:0";
    o.verify = FARSUM_VERIFY_OFF;
    CHECK_OK(plan_make(&p, &o, PLAN_DRY, &plan));
    struct verify_sum s = {.n = MANY,
                           .given_x = p.sample_x,
                           .given_q = p.sample_q,
                           .type = p.arrays,
                           .x = x,
                           .q = q};
    CHECK_OK(verify_targets_device(plan, &s, WANTED));
    count(what, &s.targets);
    verify_clear(&s);
    struct verify_sum host = {
        .n = MANY, .all_n = MANY, .around = MANY, .x = x, .q = q};
    CHECK_OK(verify_targets(plan, &host, size, WANTED, &host.targets));
    snprintf(what, sizeof what, "%s, on the host", kernel);
    count(what, &host.targets);
    verify_clear(&host);
    farsum_plan_destroy(plan);
}

int main(void)
{
    find("laplace", 1, 1, 0);
    find("laplace", 1, 0, 0);
    find("laplace", 1, 1, 1);
    find("stresslet", 6, 1, 0);
    return check_end();
}
