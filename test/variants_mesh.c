/* variants_mesh.c: cases of spread and interp, each support from 2 to 16. */
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "check.h"
#include "math/window.h"
#include "stage/interp/interp.h"
#include "stage/spread/spread.h"
#include "variants.h"

static const int64_t meshes[][3] = {
    {16, 16, 16}, {24, 18, 20}, {40, 6, 33}, {5, 7, 4}, {2, 2, 2}, {30, 64, 10},
};
static const int64_t counts[] = {300, 1, 2000, 40};
static const char *const dists[] = {"uniform", "dense", "lattice"};
enum {
    MESHES = sizeof meshes / sizeof *meshes,
    SUPPORTS = WINDOW_MAX - WINDOW_MIN + 1,
    CASES = 2 * SUPPORTS,
};

struct mesh_case {
    int support;
    const int64_t *mesh;
    int64_t ldz, n, size; /* size: mesh0 mesh1 ldz */
    const char *dist, *window;
    unsigned outputs;
};

static struct mesh_case mesh_case(int k)
{
    static const unsigned outputs[] = {FARSUM_POTENTIAL | FARSUM_FIELD,
                                       FARSUM_POTENTIAL, FARSUM_FIELD};
    int windows = 0;
    while (window_names[windows])
        windows++;
    struct mesh_case c = {
        .support = WINDOW_MIN + k % SUPPORTS,
        .mesh = meshes[(k + k / SUPPORTS) % MESHES],
        .n = counts[(k + 2 * (k / SUPPORTS)) % 4],
        .dist = dists[k % 3],
        .window = window_names[k % windows],
        .outputs = outputs[k / 2 % 3],
    };
    c.ldz = c.mesh[2] + k % 4;
    c.size = c.mesh[0] * c.mesh[1] * c.ldz;
    return c;
}

static void mesh_name(int k, char *text, size_t size)
{
    struct mesh_case c = mesh_case(k);
    snprintf(text, size, "P=%d mesh %lldx%lldx%lld ldz=%lld n=%lld %s %s",
             c.support, (long long)c.mesh[0], (long long)c.mesh[1],
             (long long)c.mesh[2], (long long)c.ldz, (long long)c.n, c.dist,
             c.window);
}

struct mesh_work {
    struct cell cell;
    struct window window;
    struct points points;
    struct case_particles p;
    void *q, *mesh, *potential, *field;
    const struct trial *trial;
    int64_t n, size;
};

static farsum_status mesh_make(const struct mesh_case *c,
                               const struct trial *trial, struct mesh_work *w)
{
    char error[200] = "";
    double rows[9];
    int periodic[3];
    int32_t nb[3];
    w->trial = trial;
    w->n = c->n;
    w->size = c->size;
    w->q = trial_array(trial, c->n);
    w->mesh = trial_array(trial, c->size);
    w->potential = trial_array(trial, c->n);
    w->field = trial_array(trial, 3 * c->n);
    if (case_cell("triclinic", 8, rows, periodic, error, sizeof error) != 0
        || case_fill(c->dist, c->n, rows, 5, &w->p, error, sizeof error) != 0)
        check_stop("mesh case: %s", error);
    for (int64_t i = 0; i < c->n; i++)
        trial_put(trial, w->q, i, w->p.q[i] != 0 ? w->p.q[i] : 0.5);
    TRY(cell_set(&w->cell, rows, 1));
    TRY(points_set(&w->points, &w->cell, c->n, w->p.x, FARSUM_F64, "source",
                   1));
    TRY(window_set(&w->window, c->window, c->support, 0, 1.5,
                   trial->precision == FARSUM_F32 ? 1e-8 : 1e-14));
    struct spread_args args = {
        .precision = trial->precision,
        .isa = trial->isa,
        .threads = trial->threads,
        .mesh = {c->mesh[0], c->mesh[1], c->mesh[2]},
        .ldz = c->ldz,
        .window = &w->window,
        .n = c->n,
    };
    spread_tiles(&args, nb);
    return bins_build(&w->points, nb, trial->threads);
}

static void mesh_free(struct mesh_work *w)
{
    points_clear(&w->points);
    case_free(&w->p);
    free(w->q);
    free(w->mesh);
    free(w->potential);
    free(w->field);
    free(w);
}

/* spread writes every point: what was there must not matter */
static void spread_again(void *data)
{
    struct mesh_work *w = data;
    for (int64_t i = 0; i < w->size; i++)
        trial_put(w->trial, w->mesh, i, 1e3);
}

static farsum_status spread_run(int k, const struct trial *trial,
                                struct outcome *outcome)
{
    farsum_status status = FARSUM_OK;
    struct mesh_case c = mesh_case(k);
    struct mesh_work *w = check_memory(1, sizeof *w);
    GO(mesh_make(&c, trial, w));
    struct spread_args args = {
        .precision = trial->precision,
        .isa = trial->isa,
        .threads = trial->threads,
        .mesh = {c.mesh[0], c.mesh[1], c.mesh[2]},
        .ldz = c.ldz,
        .window = &w->window,
        .n = c.n,
    };
    struct spread_io io = {.q = w->q, .mesh = w->mesh};
    GO(trial_run(trial, &args, &w->points, &w->points, &io, spread_again, w));
    int64_t rows = c.mesh[0] * c.mesh[1];
    double size = pow(window_hat(&w->window, 0), 3) * sqrt((double)c.n)
                  / (double)(rows * c.mesh[2]);
    double *v = outcome_part(outcome, "mesh", rows * c.mesh[2], size);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t z = 0; z < c.mesh[2]; z++)
            v[i * c.mesh[2] + z] = trial_get(trial, w->mesh, i * c.ldz + z);
done:
    mesh_free(w);
    return status;
}

static void interp_again(void *data)
{
    struct mesh_work *w = data;
    for (int64_t i = 0; i < w->n; i++)
        trial_put(w->trial, w->potential, i, 0.25); /* results are added */
    for (int64_t i = 0; i < 3 * w->n; i++)
        trial_put(w->trial, w->field, i, -0.5);
}

static farsum_status interp_run(int k, const struct trial *trial,
                                struct outcome *outcome)
{
    farsum_status status = FARSUM_OK;
    struct mesh_case c = mesh_case(k);
    struct mesh_work *w = check_memory(1, sizeof *w);
    uint64_t seed = 3;
    GO(mesh_make(&c, trial, w));
    for (int64_t i = 0; i < c.size; i++) /* padding: anything */
        trial_put(trial, w->mesh, i,
                  i % c.ldz < c.mesh[2] ? trial_random(&seed) - 0.5 : 1e3);
    struct interp_args args = {
        .precision = trial->precision,
        .isa = trial->isa,
        .threads = trial->threads,
        .outputs = c.outputs,
        .mesh = {c.mesh[0], c.mesh[1], c.mesh[2]},
        .ldz = c.ldz,
        .window = &w->window,
        .cell = &w->cell,
        .n = c.n,
    };
    struct interp_io io = {
        .mesh = w->mesh,
        .potential = c.outputs & FARSUM_POTENTIAL ? w->potential : NULL,
        .field = c.outputs & FARSUM_FIELD ? w->field : NULL,
    };
    GO(trial_run(trial, &args, &w->points, &w->points, &io, interp_again, w));
    double *v;
    if (io.potential) {
        v = outcome_part(outcome, "potential", c.n, 0);
        for (int64_t i = 0; i < c.n; i++)
            v[i] = trial_get(trial, w->potential, i);
    }
    if (io.field) {
        v = outcome_part(outcome, "field", 3 * c.n, 0);
        for (int64_t i = 0; i < 3 * c.n; i++)
            v[i] = trial_get(trial, w->field, i);
    }
done:
    mesh_free(w);
    return status;
}

/* Points of a lattice may lie where a window ends: rounding then decides which
 * of two mesh points gets its last, small value (or slope). */
static double mesh_edge(const struct mesh_case *c)
{
    struct window *w = check_memory(1, sizeof *w);
    double value = 0, slope = 0, most = 0, sign = 1;
    if (window_set(w, c->window, c->support, 0, 1.5, 1e-14) != FARSUM_OK)
        check_stop("%s: %s", c->window, farsum_message());
    for (int d = 0; d <= w->degree; d++, sign = -sign) {
        value += sign * w->coef[d][0];
        slope -= 2 * d * sign * w->coef[d][0];
        most += sign * w->coef[d][c->support / 2];
    }
    free(w);
    return (fabs(value) + fabs(slope)) / fabs(most);
}

static double mesh_bound(int k, farsum_precision precision)
{
    struct mesh_case c = mesh_case(k);
    double rounding = precision == FARSUM_F32 ? 3e-6 : 3e-13;
    if (strcmp(c.dist, "lattice") != 0)
        return rounding;
    return fmax(rounding, 4 * mesh_edge(&c));
}

const struct harness harness_spread = {
    "spread", CASES, mesh_name, spread_run, mesh_bound, 0,
};
const struct harness harness_interp = {
    "interp", CASES, mesh_name, interp_run, mesh_bound, 0,
};
