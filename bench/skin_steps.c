/* skin_steps.c: what a step of moving particles costs, by the skin of the lists
 * that are kept; a CSV line each.
 *
 *     skin_steps CASE TOLERANCE MOVE STEPS [threads=T] [prec=f32] SKIN...
 *
 *     skin_steps data/water_spce_3k.xyz:3 1e-4 0.02 40 0 0.3 0.6 1
 *
 * CASE: the notation of `farsum help cases`, or FILE.xyz:COPIES; lengths below
 * are in its unit.  Particles fly straight on, MOVE a step, root mean square
 * over all of them, each coordinate of a velocity from a normal distribution:
 * 0.02 is what the atoms of water at 300 K do in some fs, where bonds that hold
 * them keep them nearer to where they were.
 *
 * made and kept: sets that listed anew, and that did not; set_made, set_kept
 * and execute: microseconds a particle, the least of those steps, forces and
 * energy; near: of execute; step: set and execute, as often as lists were made
 * and kept.  Where lists were never kept that column is 0. */
#include "sum_case.h"

#include "base/clock.h"
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
    double *x, *v, *field; /* owned, [n][3] */
};

/* Least times, in seconds. */
struct least {
    double made, kept, execute, near;
};

static double *room(int64_t count)
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

static farsum_plan *plan_of(const struct steps *s, double skin)
{
    farsum_plan *plan = NULL;
    farsum_problem problem = sum_case_problem(&s->c);
    farsum_options how = FARSUM_OPTIONS_INIT;
    problem.tolerance = s->tolerance;
    problem.precision = s->f32 ? FARSUM_F32 : FARSUM_F64;
    problem.arrays = FARSUM_F64;
    if (sum_case_charges(&s->c))
        problem.outputs |= FARSUM_ENERGY;
    how.method = "spectral";
    how.threads = s->threads;
    how.skin = skin;
    sum_need(farsum_plan_create(&problem, &how, &plan));
    return plan;
}

static double keep_least(double least, double seconds)
{
    return least > 0 && least < seconds ? least : seconds;
}

static void run(struct steps *s, double skin)
{
    farsum_plan *plan = plan_of(s, skin);
    farsum_result out = FARSUM_RESULT_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    struct least least = {0, 0, 0, 0};
    double energy;
    if (sum_case_charges(&s->c))
        out.field = s->field, out.energy = &energy;
    else
        out.velocity = s->field;
    for (int64_t k = 0; k < s->steps; k++) {
        int64_t made = info.lists_made;
        for (int64_t i = 0; i < 3 * s->c.p.n; i++)
            s->x[i] = s->c.p.x[i] + (double)k * s->v[i];
        sum_need(farsum_plan_set_points(plan, s->c.p.n, s->x, 0, NULL));
        sum_need(farsum_plan_execute(plan, 1, s->c.p.q, &out));
        sum_need(farsum_plan_get_info(plan, &info));
        double *set = info.lists_made > made ? &least.made : &least.kept;
        *set = keep_least(*set, info.seconds_set_points);
        least.execute = keep_least(least.execute, info.seconds_execute);
        least.near = keep_least(least.near, info.stages[0].seconds);
    }
    double each = 1e6 / (double)s->c.p.n, all = (double)s->steps;
    double step = ((double)info.lists_made * least.made
                   + (double)info.lists_kept * least.kept)
                      / all
                  + least.execute;
    printf("%s,%lld,%g,%g,%g,%g,%lld,%lld,%.4f,%.4f,%.4f,%.4f,%.4f\n",
           s->c.text, (long long)s->c.p.n, s->tolerance, s->move, skin,
           info.cutoff, (long long)info.lists_made, (long long)info.lists_kept,
           each * least.made, each * least.kept, each * least.execute,
           each * least.near, each * step);
    fflush(stdout);
    farsum_plan_destroy(plan);
}

int main(int argc, char **argv)
{
    struct steps s = {.threads = 1};
    if (argc < 6 || atof(argv[2]) <= 0 || atof(argv[3]) < 0
        || atoll(argv[4]) < 2) {
        fprintf(stderr, "skin_steps CASE TOLERANCE MOVE STEPS [threads=T] "
                        "[prec=f32] SKIN...\n");
        return 2;
    }
    sum_case_make(argv[1], &s.c);
    s.tolerance = atof(argv[2]);
    s.move = atof(argv[3]);
    s.steps = atoll(argv[4]);
    s.x = room(3 * s.c.p.n);
    s.v = room(3 * s.c.p.n);
    s.field = room(3 * s.c.p.n);
    velocities(&s);
    printf("case,n,tolerance,move,skin,cutoff,made,kept,set_made,set_kept,"
           "execute,near,step\n");
    for (int i = 5; i < argc; i++)
        if (strncmp(argv[i], "threads=", 8) == 0)
            s.threads = atoi(argv[i] + 8);
        else if (strcmp(argv[i], "prec=f32") == 0)
            s.f32 = 1;
        else
            run(&s, atof(argv[i]));
    free(s.x);
    free(s.v);
    free(s.field);
    sum_case_clear(&s.c);
    return 0;
}
