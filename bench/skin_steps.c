/* SPDX-License-Identifier: Apache-2.0 */
/* skin_steps.c: time of a step of moving particles, by the skin of reused
 * neighbour lists; one CSV line each.
 *
 *     skin_steps CASE TOLERANCE MOVE STEPS [device=D] [threads=T] [prec=f32]
 *         [near=ROW] SKIN...
 *
 *     skin_steps data/water_spce_3k.xyz:3 1e-4 0.02 40 0 0.3 0.6 1
 *
 * With device=D arrays are on the device, and no energy is requested.  CASE:
 * the notation of `farsum help cases`, or FILE.xyz:COPIES; lengths below are in
 * its unit.  Particles move in straight lines, by MOVE per step (root mean
 * square over all particles), with normally distributed velocity components.
 * 0.02 is the motion of atoms in water at 300 K in some fs; there, bonds keep
 * them nearer to their initial positions.
 *
 * made and kept: numbers of sets that built lists, and that reused them.
 * set_made, set_kept and execute: minimum microseconds per particle of these
 * steps, with forces and energy.  near: part of execute.  step: set and
 * execute, weighted by the numbers of sets made and kept.  A column is 0 if
 * lists were never reused. */
#include "sum_case.h"

#include "base/clock.h"
#include "device/buf.h"
#include "farsum/device.h"
#include "plan/plan.h"
#include "rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct steps {
    struct sum_case c;
    double tolerance, move;
    int64_t steps;
    int threads, f32;
    const char *near;  /* borrowed; NULL: chosen by the tuner */
    farsum_device *on; /* NULL: the host */
    double *x, *v, *field; /* owned, [n][3] */
    struct buf x_there, q_there, field_there;
};

/* Minimum times, in seconds. */
struct least {
    double made, kept, execute, near;
};

static double *memory(int64_t count)
{
    double *p = malloc((size_t)count * sizeof *p);
    if (!p) {
        fprintf(stderr, "skin_steps: out of memory\n");
        exit(1);
    }
    return p;
}

static void velocities(struct steps *s)
{
    struct rng rng = rng_seed(1);
    for (int64_t i = 0; i < 3 * s->c.p.n; i++)
        s->v[i] = s->move / sqrt(3) * rng_normal(&rng);
}

/* Puts the arrays on the device. */
static void there(struct steps *s, const char *device)
{
    int64_t vectors = 24 * s->c.p.n;
    int64_t strengths = 8 * s->c.p.n * s->c.p.strengths;
    sum_need(farsum_device_open(device, &s->on));
    struct device *on = s->on->device;
    sum_need(buf_alloc(&s->x_there, on, vectors));
    sum_need(buf_alloc(&s->field_there, on, vectors));
    sum_need(buf_alloc(&s->q_there, on, strengths));
    sum_need(buf_upload(&s->q_there, 0, s->c.p.q, strengths));
}

static farsum_plan *plan_of(const struct steps *s, double skin)
{
    farsum_plan *plan = NULL;
    farsum_problem problem = sum_case_problem(&s->c);
    farsum_options how = FARSUM_OPTIONS_INIT;
    problem.tolerance = s->tolerance;
    problem.precision = s->f32 ? FARSUM_F32 : FARSUM_F64;
    problem.arrays = FARSUM_F64;
    problem.memory = s->on ? FARSUM_DEVICE : FARSUM_HOST;
    if (sum_case_charges(&s->c) && !s->on)
        problem.outputs |= FARSUM_ENERGY;
    how.method = "spectral";
    how.spectral.near = s->near;
    how.device.handle = s->on;
    how.threads = s->threads;
    how.spectral.skin = skin;
    sum_need(farsum_plan_create(&problem, &how, &plan));
    return plan;
}

static double keep_least(double least, double seconds)
{
    return least > 0 && least < seconds ? least : seconds;
}

/* Seconds of set_points and of execute, each waited for. */
static void step(struct steps *s, farsum_plan *plan, farsum_result *out,
                 double seconds[2])
{
    const int64_t n = s->c.p.n;
    if (s->on)
        sum_need(buf_upload(&s->x_there, 0, s->x, 24 * n));
    double at = clock_seconds();
    sum_need(farsum_plan_set_points(plan, n, s->on ? s->x_there.handle : s->x,
                                    0, NULL));
    sum_need(farsum_plan_finish(plan));
    seconds[0] = clock_seconds() - at;
    at = clock_seconds();
    sum_need(farsum_plan_execute(plan, 1, s->on ? s->q_there.handle : s->c.p.q,
                                 out));
    sum_need(farsum_plan_finish(plan));
    seconds[1] = clock_seconds() - at;
}

static void run(struct steps *s, double skin)
{
    farsum_plan *plan = plan_of(s, skin);
    farsum_result out = FARSUM_RESULT_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    struct least least = {0, 0, 0, 0};
    double energy, seconds[2];
    void *field = s->on ? s->field_there.handle : s->field;
    if (sum_case_charges(&s->c))
        out.field = field, out.energy = s->on ? NULL : &energy;
    else
        out.velocity = field;
    for (int64_t k = 0; k < s->steps; k++) {
        int64_t made = info.lists_made;
        for (int64_t i = 0; i < 3 * s->c.p.n; i++)
            s->x[i] = s->c.p.x[i] + (double)k * s->v[i];
        step(s, plan, &out, seconds);
        sum_need(farsum_plan_get_info(plan, &info));
        /* without lists all sets are new ones */
        double *set = info.lists_made > made || !(info.skin > 0) ? &least.made
                                                                 : &least.kept;
        *set = keep_least(*set, seconds[0]);
        least.execute = keep_least(least.execute, seconds[1]);
        least.near = keep_least(least.near, info.stages[0].seconds);
    }
    double each = 1e6 / (double)s->c.p.n;
    double kept = (double)info.lists_kept / (double)s->steps;
    double set = (1 - kept) * least.made + kept * least.kept + least.execute;
    printf("%s,%lld,%g,%g,%g,%g,%lld,%lld,%.4g,%.4g,%.4g,%.4g,%.4g,%s,%s,%s,"
           "%s,%s\n",
           s->c.text, (long long)s->c.p.n, s->tolerance, s->move, skin,
           info.cutoff, (long long)info.lists_made, (long long)info.lists_kept,
           each * least.made, each * least.kept, each * least.execute,
           each * least.near, each * set, s->f32 ? "f32" : "f64", info.device,
           info.stages[0].variant, info.stages[1].variant,
           info.stages[info.n_stages - 1].variant);
    fflush(stdout);
    farsum_plan_destroy(plan);
}

static const char *value(const char *word, const char *name)
{
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 ? word + length : NULL;
}

int main(int argc, char **argv)
{
    struct steps s = {.threads = 1};
    const char *v;
    if (argc < 6 || atof(argv[2]) <= 0 || atof(argv[3]) < 0
        || atoll(argv[4]) < 2) {
        fprintf(stderr, "skin_steps CASE TOLERANCE MOVE STEPS [device=D] "
                        "[threads=T] [prec=f32] [near=ROW] SKIN...\n");
        return 2;
    }
    sum_case_make(argv[1], &s.c);
    s.tolerance = atof(argv[2]);
    s.move = atof(argv[3]);
    s.steps = atoll(argv[4]);
    s.x = memory(3 * s.c.p.n);
    s.v = memory(3 * s.c.p.n);
    s.field = memory(3 * s.c.p.n);
    velocities(&s);
    printf("case,n,tolerance,move,skin,cutoff,made,kept,set_made,set_kept,"
           "execute,near,step,precision,device,near_row,spread,interp\n");
    for (int i = 5; i < argc; i++)
        if ((v = value(argv[i], "threads=")))
            s.threads = atoi(v);
        else if ((v = value(argv[i], "device=")))
            there(&s, v);
        else if ((v = value(argv[i], "near=")))
            s.near = v;
        else if (strcmp(argv[i], "prec=f32") == 0)
            s.f32 = 1;
        else
            run(&s, atof(argv[i]));
    buf_clear(&s.x_there);
    buf_clear(&s.q_there);
    buf_clear(&s.field_there);
    farsum_device_close(s.on);
    free(s.x);
    free(s.v);
    free(s.field);
    sum_case_clear(&s.c);
    return 0;
}
