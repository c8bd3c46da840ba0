/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.c: meshes over ranks against a mesh of one process: windows, precisions,
 * channels, complex strengths, open axes, numbers of ranks, points given by any
 * rank.  ON_DEVICE 1: each rank has a device. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "mesh/ranks/mesh.h"
#include "ranks/comm_threads.h"
#include "ranks_device/rank_device.h"

enum { MANY = 700, MOST_RANKS = 13, CHANNELS = 3, PARTS = 2 };
enum { POINTS_MOST = 20 * 12 * 14 }; /* of a mesh */
enum { VALUES = CHANNELS * PARTS * MANY };
enum { SUMS = CHANNELS * PARTS * POINTS_MOST };

/* Arrays of one precision, as bytes. */
struct arrays {
    char x[3 * MANY * 8], q[VALUES * 8], field[SUMS * 8];
    char grid[SUMS * 8], value[VALUES * 8], gradient[3 * VALUES * 8];
};

/* What the ranks' threads share. */
struct shared {
    farsum_mesh_problem problem;
    farsum_mesh_options options;
    int64_t n;                     /* points of all ranks */
    int64_t first[MOST_RANKS + 1]; /* points that each rank gives */
    int repeats;
    int there;               /* 1: arrays are on the ranks' devices */
    int crystal;             /* 1: all points are mesh points */
    struct arrays *in, *out; /* out: of all ranks */
    int support[MOST_RANKS];
    char variant[MOST_RANKS][2][48];
};

static int parts(const struct shared *s)
{
    return s->problem.is_complex ? 2 : 1;
}

static size_t real_of(const struct shared *s)
{
    return s->problem.precision == FARSUM_F32 ? 4 : 8;
}

/* Copies rows first .. first + n - 1 of each channel of `all` rows to `part`,
 * or back. */
static void slice(const struct shared *s, char *all, int64_t rows,
                  int64_t first, int64_t n, int64_t reals, char *part, int back)
{
    size_t row = (size_t)reals * real_of(s);
    for (int c = 0; c < s->problem.channels; c++) {
        char *there = all + (size_t)(c * rows + first) * row;
        char *here = part + (size_t)(c * n) * row;
        memcpy(back ? there : here, back ? here : there, (size_t)n * row);
    }
}

enum { X, Q, FIELD, GRID, VALUE, GRADIENT, PLACES };

/* One rank's spread and interp. */
static farsum_status both_ways(struct shared *s, farsum_mesh *mesh, int rank,
                               struct arrays *mine, struct rank_device *of,
                               struct rank_array place[PLACES])
{
    int64_t first = s->first[rank], n = s->first[rank + 1] - first;
    int64_t mesh0 = s->problem.mesh[0], p = parts(s), c = s->problem.channels;
    int64_t plane = s->problem.mesh[1] * s->problem.ldz * p;
    int64_t begin = mesh->ranks->domain.begin[rank];
    int64_t own = mesh_ranks_own(mesh->ranks);
    const int64_t reals[PLACES] = {3 * n,           c * n * p, c * own * plane,
                                   c * own * plane, c * n * p, 3 * c * n * p};
    memcpy(mine->x, s->in->x + 3 * (size_t)first * real_of(s),
           3 * (size_t)n * real_of(s));
    slice(s, s->in->q, s->n, first, n, p, mine->q, 0);
    slice(s, s->in->field, mesh0, begin, own, plane, mine->field, 0);
    void *const here[PLACES] = {mine->x,    mine->q,     mine->field,
                                mine->grid, mine->value, mine->gradient};
    farsum_status status = FARSUM_OK;
    for (int i = 0; i < PLACES && status == FARSUM_OK; i++)
        status = rank_array_put(of, s->there, &place[i], here[i],
                                reals[i] * (int64_t)real_of(s));
    TRY(status);
    TRY(farsum_mesh_set_points(mesh, n, place[X].at));
    TRY(farsum_mesh_spread(mesh, place[Q].at, place[GRID].at));
    TRY(farsum_mesh_interp(mesh, place[FIELD].at, place[VALUE].at,
                           place[GRADIENT].at));
    TRY(farsum_mesh_finish(mesh));
    for (int i = GRID; i < PLACES; i++)
        TRY(rank_array_get(&place[i], here[i], reals[i] * (int64_t)real_of(s)));
    slice(s, s->out->grid, mesh0, begin, own, plane, mine->grid, 1);
    slice(s, s->out->value, s->n, first, n, p, mine->value, 1);
    slice(s, s->out->gradient, s->n, first, n, 3 * p, mine->gradient, 1);
    return FARSUM_OK;
}

static farsum_status work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    int rank = comm->rank;
    farsum_mesh_problem problem = s->problem;
    farsum_mesh_options options = s->options;
    farsum_mesh_info info = FARSUM_MESH_INFO_INIT;
    struct arrays *mine = check_memory(1, sizeof *mine);
    struct rank_device of = {NULL, NULL};
    struct farsum_device handle;
    struct rank_array place[PLACES] = {{.at = NULL}};
    farsum_mesh *mesh = NULL;
    if (ON_DEVICE) {
        if (rank_device_open(&of, comm) != FARSUM_OK)
            check_stop("%s", farsum_message());
        handle.device = of.device;
        options.on_device = &handle;
        problem.memory = s->there ? FARSUM_DEVICE : FARSUM_HOST;
    }
    problem.n_points = s->first[rank + 1] - s->first[rank];
    GO(mesh_over_ranks(comm, &problem, &options, NULL, &mesh));
    for (int r = 0; r < s->repeats; r++)
        GO(both_ways(s, mesh, rank, mine, &of, place));
    GO(farsum_mesh_get_info(mesh, &info));
    s->support[rank] = info.support;
    for (int i = 0; i < 2; i++)
        snprintf(s->variant[rank][i], 48, "%s", info.stages[i].variant);
    CHECK(info.n_points == problem.n_points && info.mesh[0] == problem.mesh[0],
          "rank %d reports %lld points, %lld planes", rank,
          (long long)info.n_points, (long long)info.mesh[0]);
done:
    if (status != FARSUM_OK)
        printf("rank %d of %d: %s\n", rank, comm->size, farsum_message());
    farsum_mesh_destroy(mesh);
    for (int i = 0; i < PLACES; i++)
        buf_clear(&place[i].buf);
    if (ON_DEVICE)
        rank_device_close(&of);
    free(mine);
    return status;
}

static double get(const struct shared *s, const char *v, int64_t i)
{
    float f;
    double d;
    if (s->problem.precision == FARSUM_F64) {
        memcpy(&d, v + 8 * i, 8);
        return d;
    }
    memcpy(&f, v + 4 * i, 4);
    return f;
}

static void put(const struct shared *s, char *v, int64_t i, double value)
{
    float f = (float)value;
    if (s->problem.precision == FARSUM_F64)
        memcpy(v + 8 * i, &value, 8);
    else
        memcpy(v + 4 * i, &f, 4);
}

/* The largest difference over the largest value, infinite for a number that is
 * not finite; rows have `used` of `row` numbers. */
static double apart(const struct shared *s, const char *found,
                    const char *right, int64_t rows, int64_t row, int64_t used)
{
    double most = 0, largest = 0;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = r * row; i < r * row + used; i++) {
            if (!isfinite(get(s, found, i))) /* which fmax would leave out */
                return INFINITY;
            most = fmax(most, fabs(get(s, found, i) - get(s, right, i)));
            largest = fmax(largest, fabs(get(s, right, i)));
        }
    return largest > 0 ? most / largest : most;
}

static double uniform(uint64_t *state)
{
    return ldexp((double)(random_next(state) >> 11), -53);
}

/* Points, half of them in a tenth of the cell; strengths; a mesh to
 * interpolate. */
static void inputs(struct shared *s)
{
    uint64_t state = 11;
    const farsum_mesh_problem *p = &s->problem;
    int64_t plane = p->mesh[1] * p->ldz * parts(s);
    for (int64_t i = 0; i < MANY; i++) {
        double at[3];
        for (int d = 0; d < 3; d++) {
            at[d] = uniform(&state) * (d == 0 && i % 2 ? 0.1 : 1);
            if (s->crystal)
                at[d] = floor(at[d] * (double)p->mesh[d]) / (double)p->mesh[d];
            at[d] += p->periodic[d] ? floor(5 * uniform(&state)) - 2 : 0;
            if (!p->periodic[d] && !s->crystal) /* rounding must not leave the
                                                   cell */
                at[d] = 0.001 + 0.998 * at[d];
        }
        for (int j = 0; j < 3; j++)
            put(s, s->in->x, 3 * i + j,
                at[0] * p->cell[j] + at[1] * p->cell[3 + j]
                    + at[2] * p->cell[6 + j]);
    }
    for (int64_t i = 0; i < VALUES; i++)
        put(s, s->in->q, i, 2 * uniform(&state) - 1);
    for (int64_t i = 0; i < p->channels * p->mesh[0] * plane; i++)
        put(s, s->in->field, i, 2 * uniform(&state) - 1);
}

/* Uneven shares: rank 0 gives none, if there is another rank. */
static void shares(struct shared *s, int size)
{
    int64_t all = (int64_t)(size - 1) * size / 2, sum = 0;
    for (int r = 0; r <= size; r++) {
        s->first[r] = all > 0 ? s->n * sum / all : r * s->n;
        sum += r;
    }
}

static void alone(const struct shared *s, struct arrays *right)
{
    farsum_mesh *mesh = NULL;
    farsum_mesh_problem problem = s->problem;
    farsum_mesh_options options = FARSUM_MESH_OPTIONS_INIT;
    options.threads = 1;
    problem.n_points = s->n;
    if (farsum_mesh_create(&problem, &options, &mesh) != FARSUM_OK
        || farsum_mesh_set_points(mesh, s->n, s->in->x) != FARSUM_OK
        || farsum_mesh_spread(mesh, s->in->q, right->grid) != FARSUM_OK
        || farsum_mesh_interp(mesh, s->in->field, right->value, right->gradient)
               != FARSUM_OK)
        check_stop("one process: %s", farsum_message());
    farsum_mesh_destroy(mesh);
}

static void compare(struct shared *s, const char *name)
{
    static const int sizes[] = {1, 2, 3, 4, 7, MOST_RANKS};
    int n_sizes = ON_DEVICE ? 3 : 6;
    struct arrays *right = check_memory(1, sizeof *right);
    const farsum_mesh_problem *p = &s->problem;
    int64_t rows = p->channels * p->mesh[0] * p->mesh[1];
    int64_t values = p->channels * parts(s) * s->n;
    double most = p->precision == FARSUM_F32 ? 3e-6 : 1e-12;
    s->in = check_memory(1, sizeof *s->in);
    s->out = check_memory(1, sizeof *s->out);
    if (p->mesh[0] * p->mesh[1] * p->ldz > POINTS_MOST)
        check_stop("%s: the mesh is too large", name);
    inputs(s);
    alone(s, right);
    for (int i = 0; i < n_sizes; i++) {
        int size = sizes[i];
        shares(s, size);
        s->options = (farsum_mesh_options)FARSUM_MESH_OPTIONS_INIT;
        s->options.threads = size == 2 ? 2 : 1;
        memset(s->out, -1, sizeof *s->out);
        CHECK(ranks_run(size, NULL, work, s) == 0, "%s: %d ranks fail", name,
              size);
        double grid = apart(s, s->out->grid, right->grid, rows,
                            p->ldz * parts(s), p->mesh[2] * parts(s));
        double value = apart(s, s->out->value, right->value, 1, values, values);
        double gradient = apart(s, s->out->gradient, right->gradient, 1,
                                3 * values, 3 * values);
        CHECK(grid <= most && value <= most && gradient <= 10 * most,
              "%s, %d ranks: mesh differs by %g, values by %g, gradients by %g",
              name, size, grid, value, gradient);
        for (int r = 1; r < size; r++)
            CHECK(s->support[r] == s->support[0]
                      && strcmp(s->variant[r][0], s->variant[0][0]) == 0
                      && strcmp(s->variant[r][1], s->variant[0][1]) == 0,
                  "%s: rank %d takes %s and %s, rank 0 %s and %s", name, r,
                  s->variant[r][0], s->variant[r][1], s->variant[0][0],
                  s->variant[0][1]);
    }
    free(right);
    free(s->in);
    free(s->out);
}

static struct shared case_of(int64_t m0, int64_t m1, int64_t m2)
{
    struct shared s = {.n = MANY, .repeats = 1};
    const double cell[9] = {2, 0, 0, 0.3, 1.7, 0, -0.2, 0.4, 2.4};
    s.problem = (farsum_mesh_problem)FARSUM_MESH_PROBLEM_INIT;
    memcpy(s.problem.cell, cell, sizeof cell);
    for (int d = 0; d < 3; d++)
        s.problem.periodic[d] = 1;
    s.problem.mesh[0] = m0;
    s.problem.mesh[1] = m1;
    s.problem.mesh[2] = m2;
    s.problem.ldz = m2 + 2;
    s.problem.precision = FARSUM_F64;
    s.problem.channels = 1;
    return s;
}

static void test_windows(void)
{
    static const char *const windows[] = {"prolate", "kaiser_bessel", "es",
                                          "bspline", "gaussian"};
    for (int w = 0; w < 5; w++)
        for (int support = 2 + w % 2; support <= 16; support += 5) {
            char name[64];
            struct shared s = case_of(19, 12, 11);
            s.problem.window = windows[w];
            s.problem.support = support;
            snprintf(name, sizeof name, "%s %d", windows[w], support);
            compare(&s, name);
        }
}

/* Slabs thinner than the window, and more ranks than planes. */
static void test_thin(void)
{
    for (int64_t mesh0 = 1; mesh0 <= 6; mesh0++)
        for (int open = 0; open < 2; open++) {
            char name[64];
            struct shared s = case_of(mesh0, 9, 8);
            s.problem.periodic[0] = !open;
            s.problem.tolerance = 1e-9;
            snprintf(name, sizeof name, "%lld planes, open %d",
                     (long long)mesh0, open);
            compare(&s, name);
        }
}

static void test_open(void)
{
    for (int open = 1; open < 8; open++) {
        char name[64];
        struct shared s = case_of(14, 9, 10);
        for (int d = 0; d < 3; d++)
            s.problem.periodic[d] = !(open >> d & 1);
        s.problem.window = "es";
        s.problem.support = 7;
        snprintf(name, sizeof name, "open axes %d", open);
        compare(&s, name);
    }
}

/* Points on planes have the same windows as in one process, also where a window
 * ends with a jump.  All numbers are exact. */
static void test_crystals(void)
{
    const double cell[9] = {2, 0, 0, 0, 4, 0, 0, 0, 8};
    for (int support = 2; support <= 9; support++)
        for (int open = 0; open < 2; open++) {
            char name[64];
            struct shared s = case_of(16, 8, 8);
            memcpy(s.problem.cell, cell, sizeof cell);
            s.problem.periodic[0] = !open;
            s.problem.window = "gaussian";
            s.problem.support = support;
            s.crystal = 1;
            snprintf(name, sizeof name, "crystal, support %d, open %d", support,
                     open);
            compare(&s, name);
        }
}

static void test_kinds(void)
{
    for (int kind = 0; kind < 8; kind++) {
        char name[64];
        struct shared s = case_of(12, 10, 9);
        s.problem.is_complex = kind & 1;
        s.problem.channels = kind & 2 ? CHANNELS : 1;
        s.problem.precision = kind & 4 ? FARSUM_F32 : FARSUM_F64;
        s.problem.tolerance = 1e-5;
        s.repeats = 2;
        snprintf(name, sizeof name, "complex %d, %d channels, %s",
                 s.problem.is_complex, s.problem.channels,
                 kind & 4 ? "f32" : "f64");
        compare(&s, name);
    }
}

/* Each way of a device, host and device arrays by turns. */
static void test_device(void)
{
    for (int kind = 0; kind < 8; kind++) {
        char name[64];
        struct shared s = case_of(kind < 4 ? 11 : 3, 10, 9);
        s.problem.is_complex = kind & 1;
        s.problem.channels = kind & 2 ? 2 : 1;
        s.problem.periodic[0] = kind % 3 != 0;
        s.problem.periodic[1] = kind != 5;
        s.problem.precision = kind & 4 && kind & 1 ? FARSUM_F32 : FARSUM_F64;
        s.problem.tolerance = 1e-4;
        s.there = kind % 4 > 1;
        s.repeats = 2;
        snprintf(name, sizeof name, "device, kind %d", kind);
        compare(&s, name);
    }
}

int main(void)
{
    if (ON_DEVICE) {
        RUN(test_device);
        return check_end();
    }
    RUN(test_windows);
    RUN(test_thin);
    RUN(test_open);
    RUN(test_crystals);
    RUN(test_kinds);
    return check_end();
}
