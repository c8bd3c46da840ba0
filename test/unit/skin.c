/* SPDX-License-Identifier: Apache-2.0 */
/* skin.c: tests of the option `skin`: steps of moving particles with reused
 * neighbour lists, against plans without reuse and against `ewald`; moves that
 * require new lists; methods without lists.  `device`: on FARSUM_TEST_DEVICE
 * (default: opencl:0). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "unit/skin_check.h"

static farsum_status points(farsum_plan *plan, const struct system *s)
{
    return farsum_plan_set_points(plan, N, s->x, s->m, s->m ? s->y : NULL);
}

static farsum_status sum(farsum_plan *plan, const struct system *s,
                         struct sums *to)
{
    farsum_result out = FARSUM_RESULT_INIT;
    memset(to, 0, sizeof *to);
    if (s->problem.outputs & FARSUM_VELOCITY)
        out.velocity = to->field;
    if (s->problem.outputs & FARSUM_FIELD)
        out.field = to->field;
    if (s->problem.outputs & FARSUM_POTENTIAL)
        out.potential = to->potential;
    if (s->problem.outputs & FARSUM_ENERGY)
        out.energy = &to->energy;
    if (s->problem.outputs & FARSUM_VIRIAL)
        out.virial = to->virial;
    return farsum_plan_execute(plan, 1, s->q, &out);
}

static void step(farsum_plan *plan, const struct system *s, struct sums *to)
{
    CHECK_OK(points(plan, s));
    CHECK_OK(sum(plan, s, to));
}

/* RMS of the difference of vectors, in the tolerance's norm; for charges at
 * least the field of neighbours. */
static double apart(const struct system *s, const struct sums *a,
                    const struct sums *b)
{
    const double *c = s->cell;
    const int64_t n = s->m ? s->m : N;
    double volume = c[0] * (c[4] * c[8] - c[5] * c[7])
                    - c[1] * (c[3] * c[8] - c[5] * c[6])
                    + c[2] * (c[3] * c[7] - c[4] * c[6]);
    double off = 0, size = 0, near = pow(N / volume, 2.0 / 3);
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < 3; d++) {
            off += pow(a->field[i][d] - b->field[i][d], 2);
            size += pow(b->field[i][d], 2);
        }
    if (s->problem.outputs & FARSUM_FIELD)
        size = fmax(size, (double)n * near * near);
    return sqrt(off / size);
}

/* Rounding's share of the energy and the virial. */
static void same_sums(const struct system *s, const struct sums *a,
                      const struct sums *b, double most)
{
    double size = 0, large = fabs(b->energy);
    for (int i = 0; i < N; i++)
        size += fabs(s->q[i] * b->potential[i]);
    for (int k = 0; k < 9; k++)
        large = fmax(large, fabs(b->virial[k]));
    CHECK(fabs(a->energy - b->energy) <= most * size, "%s: energy %.15g, %.15g",
          s->what, a->energy, b->energy);
    for (int k = 0; k < 9; k++)
        CHECK(fabs(a->virial[k] - b->virial[k]) <= 10 * most * (large + size),
              "%s: virial %.15g, %.15g", s->what, a->virial[k], b->virial[k]);
}

/* Moves all particles a little, some through a face; every third is given in
 * another cell of the lattice each time. */
static void go_on(struct system *s, int k)
{
    uint64_t seed = 17;
    for (int i = 0; i < N + s->m; i++) {
        double *x = i < N ? s->x[i] : s->y[i - N];
        for (int d = 0; d < 3; d++)
            x[d] += 0.028 * (draw(&seed) - 0.5)
                    * sqrt(s->options.spectral.skin / 0.5);
        for (int d = 0; d < 3 && i % 3 == 0; d++)
            x[d] += (k % 2 ? 1 : -1) * s->cell[3 * (i % 2) + d];
    }
}

/* Steps that keep the lists; in their midst the lists are built once more. */
static void walks(struct system *s, double rounding)
{
    farsum_plan *plan = plan_of(s), *without = plan_without(s, plan);
    farsum_plan *exact = plan_exact(s);
    farsum_plan_info info;
    struct sums *kept = check_memory(3, sizeof *kept);
    for (int k = 0; k < 2 * STEPS; k++) {
        if (k == STEPS) /* beyond */
            s->x[N - 1][2] += 1.01 * 0.5 * s->options.spectral.skin;
        step(plan, s, &kept[0]);
        step(without, s, &kept[1]);
        double off = apart(s, &kept[0], &kept[1]);
        CHECK(off <= rounding, "%s, step %d: %g from new lists", s->what, k,
              off);
        if (s->problem.outputs & FARSUM_VIRIAL)
            same_sums(s, &kept[0], &kept[1], rounding);
        if (k == STEPS - 1 || k == STEPS + 2) {
            step(exact, s, &kept[2]);
            off = apart(s, &kept[0], &kept[2]);
            CHECK(off <= s->problem.tolerance, "%s, step %d: %g from ewald",
                  s->what, k, off);
        }
        if (k < STEPS - 1 || k > STEPS)
            go_on(s, k);
    }
    info = info_of(plan);
    CHECK(info.skin == s->options.spectral.skin, "%s: skin %g", s->what,
          info.skin);
    CHECK(info.lists_made == 2 && info.lists_kept == 2 * STEPS - 2,
          "%s: lists made %lld times, kept %lld", s->what,
          (long long)info.lists_made, (long long)info.lists_kept);
    info = info_of(without);
    CHECK(info.skin == 0 && info.lists_made == 2 * STEPS
              && info.lists_kept == 0,
          "%s, no skin: made %lld, kept %lld", s->what,
          (long long)info.lists_made, (long long)info.lists_kept);
    free(kept);
    farsum_plan_destroy(plan);
    farsum_plan_destroy(without);
    farsum_plan_destroy(exact);
}

static void cells(void)
{
    static const struct {
        const char *what;
        const double *cell;
        double skin;
    } all[] = {
        {"cube", cube, 0.5}, {"tilted", tilted, 0.5}, {"thin", thin, 0.3}};
    for (int k = 0; k < 3; k++) {
        struct system s;
        system_set(&s, all[k].cell, NULL);
        s.what = all[k].what;
        s.options.spectral.skin = all[k].skin;
        walks(&s, SAME(1e-12));
    }
}

/* On a device too all pairs in full precision; and lists with other lengths
 * than for uniform points. */
static void exactly(void)
{
    for (int clustering = 0; clustering < 2; clustering++) {
        struct system s;
        system_set(&s, tilted, NULL);
        s.what = clustering ? "crowd" : "exact";
        s.problem.tolerance = 1e-11;
        for (int i = 0; clustering && i < N / 2; i++)
            for (int d = 0; d < 3; d++)
                s.x[i][d] *= 0.4;
        s.options.spectral.skin = clustering ? 0.2 : 0.5;
        walks(&s, 1e-11);
    }
}

static void precisions(void)
{
    static const farsum_precision all[] = {FARSUM_F32, FARSUM_MIXED};
    for (int k = 0; k < 2; k++) {
        struct system s;
        system_set(&s, tilted, NULL);
        s.what = k ? "mixed" : "f32";
        s.problem.precision = all[k];
        walks(&s, 1e-5);
    }
}

static void targets(void)
{
    struct system s;
    system_set(&s, tilted, NULL);
    s.what = "targets";
    s.m = s.problem.n_targets = M;
    s.problem.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    walks(&s, SAME(1e-12));
}

static void flows(void)
{
    static const char *const names[] = {"stokeslet", "stresslet"};
    for (int k = 0; k < 2; k++) {
        struct system s;
        system_set(&s, tilted, names[k]);
        s.what = names[k];
        walks(&s, SAME(1e-11));
    }
}

static void exclusions(void)
{
    struct system s;
    struct sums *a = check_memory(3, sizeof *a);
    int64_t pairs[N / 2][2];
    system_set(&s, tilted, NULL);
    s.what = "exclusions";
    for (int k = 0; k < N / 2; k++)
        pairs[k][0] = 2 * k, pairs[k][1] = 2 * k + 1;
    farsum_plan *plan = plan_of(&s), *exact = plan_exact(&s);
    CHECK_OK(farsum_plan_set_exclusions(plan, N / 2, pairs[0], NULL));
    CHECK_OK(farsum_plan_set_exclusions(exact, N / 2, pairs[0], NULL));
    for (int k = 0; k < 4; k++, go_on(&s, k)) {
        for (int i = 0; i < N; i++) /* strengths change too */
            s.q[i] *= i % 2 ? 1.1 : 0.9;
        step(plan, &s, &a[0]);
        step(exact, &s, &a[1]);
        double off = apart(&s, &a[0], &a[1]);
        CHECK(off <= 1.5e-4, "exclusions, step %d: %g from ewald", k, off);
        same_sums(&s, &a[0], &a[1], 1e-4);
    }
    CHECK(info_of(plan).lists_kept == 3, "lists were not kept");
    free(a);
    farsum_plan_destroy(plan);
    farsum_plan_destroy(exact);
}

/* One particle beyond half the skin, other counts, another cell: the lists are
 * built again, and are as good as the first ones, bit for bit. */
static void anew(void)
{
    struct system s;
    struct sums *a = check_memory(2, sizeof *a);
    system_set(&s, tilted, NULL);
    s.options.deterministic = 1;
    farsum_plan *plan = plan_of(&s);
    CHECK_OK(farsum_plan_set_cell(plan, s.problem.cell));
    step(plan, &s, &a[0]);
    s.x[5][1] += 0.2499;
    CHECK_OK(points(plan, &s));
    CHECK(info_of(plan).lists_kept == 1, "0.2499 of 0.5: not kept");
    s.x[5][1] += 0.0002;
    CHECK_OK(points(plan, &s));
    CHECK(info_of(plan).lists_made == 2, "0.2501 of 0.5: kept");
    CHECK_OK(farsum_plan_set_points(plan, N - 1, s.x, 0, NULL));
    CHECK(info_of(plan).lists_made == 3, "kept for another number");
    CHECK_OK(farsum_plan_set_points(plan, N, s.x, 0, NULL));
    CHECK(info_of(plan).lists_made == 4, "kept for another number");
    /* another order of the same particles */
    double first[3];
    memcpy(first, s.x[0], sizeof first);
    memmove(s.x[0], s.x[1], sizeof s.x - sizeof first);
    memcpy(s.x[N - 1], first, sizeof first);
    CHECK_OK(points(plan, &s));
    CHECK(info_of(plan).lists_made == 5, "kept in another order");
    CHECK_OK(farsum_plan_set_cell(plan, s.problem.cell));
    CHECK_OK(points(plan, &s));
    CHECK(info_of(plan).lists_kept == 2, "not kept in the same cell");
    double cell[9];
    memcpy(cell, s.cell, sizeof cell);
    cell[0] *= 0.9999;
    CHECK_OK(farsum_plan_set_cell(plan, cell));
    CHECK_OK(points(plan, &s));
    CHECK(info_of(plan).lists_made == 6, "kept in another cell");
    CHECK_OK(farsum_plan_set_cell(plan, s.problem.cell));
    system_set(&s, tilted, NULL);
    step(plan, &s, &a[1]);
    CHECK(memcmp(&a[0], &a[1], sizeof *a) == 0,
          "new lists of the same points, other sums");
    free(a);
    farsum_plan_destroy(plan);
}

/* After a failure the lists are valid, or there are none. */
static void failures(void)
{
    struct system s, bad;
    struct sums *a = check_memory(2, sizeof *a);
    system_set(&s, tilted, NULL);
    farsum_plan *plan = plan_of(&s);
    step(plan, &s, &a[0]);
    bad = s;
    bad.x[7][0] = NAN;
    CHECK_FAILS(points(plan, &bad), FARSUM_ERR_POSITION);
    bad = s; /* two come to coincide with small steps */
    for (int d = 0; d < 3; d++)
        s.x[20][d] = s.x[21][d] + (d == 0 ? 0.2 : 0);
    step(plan, &s, &a[0]);
    int64_t made = info_of(plan).lists_made;
    memcpy(bad.x, s.x, sizeof s.x);
    for (int d = 0; d < 3; d++)
        bad.x[20][d] = s.x[21][d] - (device ? 0 : s.cell[d]);
    CHECK_FAILS(points(plan, &bad), FARSUM_ERR_COINCIDENT);
    CHECK_SAYS("20 and 21");
    CHECK_FAILS(sum(plan, &s, &a[1]), FARSUM_ERR_STATE);
    step(plan, &s, &a[1]);
    CHECK(apart(&s, &a[1], &a[0]) < SAME(1e-13), "other sums after a failure");
    CHECK(info_of(plan).lists_made <= made + 1, "lists made for nothing");
    /* any allocation fails, with lists kept and with new ones */
    for (int far = 0; far < 2; far++)
        for (int64_t n = 1, failed = 1; failed; n++) {
            memcpy(bad.x, s.x, sizeof s.x);
            for (int i = 0; i < N; i++)
                bad.x[i][1] += far ? 0.4 + 0.1 * (i % 7) : 0.01;
            mem_fail_at(n);
            failed = points(plan, &bad) != FARSUM_OK;
            mem_fail_at(0);
            CHECK(device || failed || n > 1, "set_points allocates nothing");
            step(plan, &s, &a[1]);
            double off = apart(&s, &a[1], &a[0]);
            CHECK(off < SAME(1e-13), "allocation %lld failed: off by %g",
                  (long long)n, off);
        }
    free(a);
    farsum_plan_destroy(plan);
}

static void refused(void)
{
    static const double wrong[] = {-0.1, NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 4; k++) {
        struct system s;
        farsum_plan *plan = NULL;
        system_set(&s, cube, NULL);
        s.options.spectral.skin = wrong[k];
        CHECK_FAILS(farsum_plan_create(&s.problem, &s.options, &plan),
                    FARSUM_ERR_ARGUMENT);
        CHECK_SAYS("skin is ");
        CHECK(plan == NULL, "a refused plan");
    }
    struct system s; /* more than the lists of f32 can hold */
    farsum_plan *plan = NULL;
    system_set(&s, cube, NULL);
    s.options.spectral.skin = 1000;
    s.options.spectral.near = device ? "gpu_verlet" : "host_cluster";
    CHECK_FAILS(farsum_plan_create(&s.problem, &s.options, &plan),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("a skin of 8 cutoffs at most");
    s.options.spectral.near = NULL; /* another variant, without lists */
    plan = plan_of(&s);
    CHECK(info_of(plan).skin == 0, "a skin of %g", info_of(plan).skin);
    farsum_plan_destroy(plan);
}

/* The option is accepted where nothing is kept, and info reports that nothing
 * is. */
static void elsewhere(void)
{
    static const char *const methods[] = {"ewald", "fmm", "direct", "spectral"};
    for (int k = 0; k < 4; k++) {
        struct system s;
        char text[4096] = {0};
        system_set(&s, cube, NULL);
        s.options.method = methods[k];
        s.problem.tolerance = 1e-3;
        s.problem.outputs = FARSUM_FIELD;
        if (k == 2)
            memset(s.problem.periodic, 0, sizeof s.problem.periodic);
        s.options.spectral.near = k == 3 ? "plain" : NULL;
        farsum_plan *plan = plan_of(&s);
        CHECK_OK(points(plan, &s));
        CHECK_OK(points(plan, &s));
        farsum_plan_info info = info_of(plan);
        CHECK(info.skin == 0 && info.lists_made == 0 && info.lists_kept == 0,
              "%s keeps lists", methods[k]);
        FILE *to = fmemopen(text, sizeof text - 1, "w");
        farsum_plan_print(plan, to);
        fclose(to);
        CHECK(strstr(text, "skin 0.5: this plan reuses no") != NULL,
              "%s: %s", methods[k], text);
        farsum_plan_destroy(plan);
    }
}

static void said(void)
{
    struct system s;
    char text[4096] = {0};
    system_set(&s, cube, NULL);
    farsum_plan *plan = plan_of(&s);
    for (int k = 0; k < 3; k++)
        CHECK_OK(points(plan, &s));
    FILE *to = fmemopen(text, sizeof text - 1, "w");
    farsum_plan_print(plan, to);
    fclose(to);
    CHECK(strstr(text, "skin 0.5: neighbour lists built by 1, reused by 2 "
                       "calls")
              != NULL,
          "%s", text);
    farsum_plan_destroy(plan);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "device") == 0) {
        const char *name = getenv("FARSUM_TEST_DEVICE");
        device = name ? name : "opencl:0";
    }
    RUN(cells);
    RUN(exactly);
    RUN(precisions);
    RUN(targets);
    RUN(flows);
    RUN(exclusions);
    RUN(anew);
    RUN(failures);
    RUN(refused);
    if (!device)
        RUN(elsewhere);
    RUN(said);
    return check_end();
}
