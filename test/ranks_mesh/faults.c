/* SPDX-License-Identifier: Apache-2.0 */
/* faults.c: meshes and NUFFTs over ranks when an allocation or the network
 * fails on one rank, and when one rank passes wrong arguments.  All ranks fail
 * with the same words, no memory is lost, and no rank waits for ever.
 * ON_DEVICE 1: ranks have a device each. */
#include "check.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "mesh/ranks/nufft.h"
#include "ranks/comm_threads.h"
#include "ranks_device/rank_device.h"

enum { PATIENCE = 600 }; /* seconds, after which a rank waits for ever */
enum { RANKS = 3, POINTS = 40, MOST = 6 * 5 * 8 };

#ifndef STRIDE
#define STRIDE 1 /* tries every such allocation and call */
#endif

/* ON_DEVICE: one per rank, opened once, because opening takes long on GPUs. */
static farsum_device *devices[RANKS];

/* A mesh, or a NUFFT of a type. */
enum kind { MESH, TYPE_1, TYPE_2, KINDS };

enum step { CREATE, FEW_POINTS, SUM, MORE_POINTS, LAST_SUM, INTERP, STEPS };

struct end {
    farsum_status status;
    char words[256];
    int64_t calls;
};

/* What one rank passes. */
struct given {
    farsum_mesh_problem mesh;
    farsum_nufft_problem nufft;
    farsum_mesh_options options;
    const farsum_mesh_problem *mesh_at;
    const farsum_nufft_problem *nufft_at;
    const char *transport;
    int64_t n[2]; /* points in the first and the second set */
    double x[3 * POINTS], q[2 * POINTS], value[2 * POINTS];
    double gradient[3 * POINTS], grid[2 * MOST];
    void *x_at, *q_at, *grid_at, *value_at, *gradient_at;
};

struct life {
    enum kind kind;
    int size;
    int64_t fail_at; /* this allocation of rank fail_rank fails; 0: none */
    int fail_rank;
    int allocated; /* set: 1: fail_at was reached */
    int64_t limit; /* bytes on the device of rank fail_rank; 0: all */
    /* Changes what rank fail_rank passes to all steps; NULL: nothing. */
    void (*change)(struct given *);
    enum step ended;                   /* set */
    struct end ends[STEPS + 1][RANKS]; /* the last: after a failure */
};

static struct life life;

/* Both are NULL, or one is set. */
struct made {
    farsum_mesh *mesh;
    farsum_nufft *nufft;
};

static void given_make(struct given *g, const struct life *l, int rank)
{
    memset(g, 0, sizeof *g);
    g->mesh = (farsum_mesh_problem)FARSUM_MESH_PROBLEM_INIT;
    g->nufft = (farsum_nufft_problem)FARSUM_NUFFT_PROBLEM_INIT;
    g->options = (farsum_mesh_options)FARSUM_MESH_OPTIONS_INIT;
    g->options.threads = 1;
    if (ON_DEVICE)
        g->options.on_device = devices[rank];
    for (int d = 0; d < 3; d++) {
        g->mesh.cell[4 * d] = 1;
        g->mesh.periodic[d] = d != 0;
        g->mesh.mesh[d] = d == 0 ? 6 : d == 1 ? 5 : 8;
        g->nufft.modes[d] = 3 + d;
    }
    g->mesh.window = "bspline";
    g->mesh.support = 4;
    g->nufft.type = l->kind == TYPE_1 ? 1 : 2;
    g->nufft.sign = 1;
    g->nufft.channels = 1;
    g->nufft.tolerance = 1e-3;
    g->n[0] = rank == 0 && l->size > 1 ? 0 : 3;
    g->n[1] = rank == 1 ? 7 : POINTS;
    for (int i = 0; i < 3 * POINTS; i++)
        g->x[i] = 0.37 * i - (int)(0.37 * i);
    for (int i = 0; i < 2 * POINTS; i++)
        g->q[i] = 1 + 0.1 * i;
    g->mesh_at = &g->mesh;
    g->nufft_at = &g->nufft;
    g->x_at = g->x;
    g->q_at = g->q;
    g->grid_at = g->grid;
    g->value_at = g->value;
    g->gradient_at = g->gradient;
}

static farsum_status step_mesh(struct comm *comm, enum step step,
                               struct given *g, farsum_mesh **mesh)
{
    if (step == CREATE)
        return mesh_over_ranks(comm, g->mesh_at, &g->options, g->transport,
                               mesh);
    if (step == FEW_POINTS || step == MORE_POINTS)
        return farsum_mesh_set_points(*mesh, g->n[step == MORE_POINTS],
                                      g->x_at);
    if (step == INTERP)
        return farsum_mesh_interp(*mesh, g->grid_at, g->value_at,
                                  g->gradient_at);
    return farsum_mesh_spread(*mesh, g->q_at, g->grid_at);
}

static farsum_status step_nufft(struct comm *comm, enum step step,
                                struct given *g, farsum_nufft **nufft)
{
    if (step == CREATE)
        return nufft_ranks_create(comm, g->nufft_at, &g->options, g->transport,
                                  nufft);
    if (step == FEW_POINTS || step == MORE_POINTS)
        return farsum_nufft_set_points(*nufft, g->n[step == MORE_POINTS],
                                       g->x_at);
    return farsum_nufft_execute(*nufft, g->q_at, g->grid_at);
}

static farsum_status take_step(struct life *l, struct comm *comm,
                               enum step step, struct given *g,
                               struct made *made, enum step as)
{
    farsum_status status = l->kind == MESH
                               ? step_mesh(comm, step, g, &made->mesh)
                               : step_nufft(comm, step, g, &made->nufft);
    struct end *end = &l->ends[as][comm->rank];
    end->status = status;
    snprintf(end->words, sizeof end->words, "%s",
             status == FARSUM_OK ? "" : farsum_message());
    end->calls = ranks_calls_of(comm);
    return status;
}

/* After failed memory or arguments, the same works with right ones. */
static void recovers(struct life *l, struct comm *comm, struct made *made)
{
    struct given g;
    given_make(&g, l, comm->rank);
    for (enum step step = MORE_POINTS; step < STEPS; step++)
        if (take_step(l, comm, step, &g, made, STEPS) != FARSUM_OK)
            return;
}

static farsum_status rank_work(struct comm *comm, void *data)
{
    struct life *l = data;
    struct device *device = ON_DEVICE ? devices[comm->rank]->device : NULL;
    int64_t before = mem_bytes();
    struct made made = {NULL, NULL};
    struct given g;
    enum step step = CREATE;
    int fails = comm->rank == l->fail_rank && l->fail_at > 0;
    if (comm->rank == l->fail_rank && l->limit > 0)
        device->limit = l->limit;
    given_make(&g, l, comm->rank);
    if (l->change && comm->rank == l->fail_rank)
        l->change(&g);
    mem_fail_at(fails ? l->fail_at : 0);
    while (step < STEPS
           && take_step(l, comm, step, &g, &made, step) == FARSUM_OK)
        step++;
    if (fails) { /* is the failure still to come? */
        void *p = NULL;
        l->allocated = 1;
        for (int64_t i = 0; i < l->fail_at && l->allocated; i++) {
            if (mem_alloc(&p, 1, 1, 0) != FARSUM_OK)
                l->allocated = 0;
            mem_free(p);
        }
        mem_fail_at(0);
    }
    if (device)
        device->limit = 0;
    if (comm->rank == 0)
        l->ended = step;
    if (step == CREATE)
        CHECK(!made.mesh && !made.nufft, "a failed create leaves something");
    else if (step < STEPS && comm->broken)
        take_step(l, comm, MORE_POINTS, &g, &made, STEPS);
    else if (step < STEPS)
        recovers(l, comm, &made);
    farsum_mesh_destroy(made.mesh);
    farsum_nufft_destroy(made.nufft);
    CHECK(mem_bytes() == before, "rank %d keeps %lld bytes after step %d",
          comm->rank, (long long)(mem_bytes() - before), step);
    int64_t kept = device ? device->bytes : 0;
    CHECK(kept == 0, "rank %d keeps %lld bytes on its device", comm->rank,
          (long long)kept);
    return FARSUM_OK;
}

static void run(const struct ranks_play *play, const char *name)
{
    memset(life.ends, 0, sizeof life.ends);
    CHECK(ranks_run(life.size, play, rank_work, &life) == 0, "a rank failed");
    for (int step = 0; step <= STEPS; step++) {
        const struct end *e = life.ends[step];
        for (int r = 1; r < life.size; r++)
            CHECK(e[r].status == e[0].status && e[r].calls == e[0].calls
                      && strcmp(e[r].words, e[0].words) == 0,
                  "%s, step %d: rank %d: %d, %s; rank 0: %d, %s", name, step, r,
                  e[r].status, e[r].words, e[0].status, e[0].words);
    }
}

/* The life ended by this status and words, after those of the rank. */
static void ends_by(const char *name, farsum_status status, const char *words,
                    int rank, farsum_status after)
{
    const struct end *e = &life.ends[life.ended][0];
    char start[32];
    snprintf(start, sizeof start, "rank %d: ", rank);
    CHECK(e->status == status && strstr(e->words, words)
              && (life.size == 1 || rank < 0
                  || strncmp(e->words, start, strlen(start)) == 0),
          "%s: step %d: %d, %s", name, life.ended, e->status, e->words);
    if (life.ended > CREATE)
        CHECK(life.ends[STEPS][0].status == after, "%s: then %d, %s", name,
              life.ends[STEPS][0].status, life.ends[STEPS][0].words);
}

static void test_memory(void)
{
    for (life.kind = MESH; life.kind < KINDS; life.kind++)
        for (life.size = 1; life.size <= RANKS; life.size++)
            for (life.fail_rank = 0; life.fail_rank < life.size;
                 life.fail_rank++) {
                int64_t failed = 0;
                life.fail_at = 1;
                do {
                    char name[80];
                    snprintf(name, sizeof name,
                             "kind %d, allocation %lld of rank %d of %d",
                             life.kind, (long long)life.fail_at, life.fail_rank,
                             life.size);
                    run(NULL, name);
                    if (life.ended < STEPS) {
                        ends_by(name, FARSUM_ERR_MEMORY,
                                "could not be allocated", life.fail_rank,
                                FARSUM_OK);
                        failed++;
                    }
                    life.fail_at += STRIDE;
                } while (life.allocated);
                CHECK(failed > 30 / STRIDE, "%lld allocations fail",
                      (long long)failed);
            }
    life.fail_at = 0;
}

/* The device of each rank in turn is too small; sizes grow. */
static void test_device_memory(void)
{
    life.size = RANKS;
    for (life.kind = MESH; life.kind < KINDS; life.kind++)
        for (life.fail_rank = 0; life.fail_rank < RANKS; life.fail_rank++) {
            int64_t failed = 0;
            life.limit = 500;
            do {
                char name[80];
                snprintf(name, sizeof name,
                         "kind %d, %lld bytes on the device of rank %d",
                         life.kind, (long long)life.limit, life.fail_rank);
                run(NULL, name);
                if (life.ended < STEPS) {
                    ends_by(name, FARSUM_ERR_MEMORY, "bytes", life.fail_rank,
                            FARSUM_OK);
                    failed++;
                }
                life.limit += life.limit / 4;
            } while (life.ended < STEPS);
            CHECK(failed > 5, "%lld sizes fail", (long long)failed);
        }
    life.limit = 0;
}

static void test_network(void)
{
    life.size = RANKS;
    for (life.kind = MESH; life.kind < KINDS; life.kind++) {
        run(NULL, "no failure");
        CHECK(life.ended == STEPS, "%s", life.ends[life.ended][0].words);
        int64_t calls = life.ends[STEPS - 1][0].calls;
        for (int r = 0; r < life.size; r++)
            for (int64_t k = 1; k < calls; k += STRIDE) {
                struct ranks_play play = {.fail_rank = r, .fail_call = k};
                char name[80];
                snprintf(name, sizeof name, "kind %d, call %lld of rank %d",
                         life.kind, (long long)k, r);
                run(&play, name);
                CHECK(life.ended < STEPS, "%s: nothing fails", name);
                if (life.ended < STEPS)
                    ends_by(name, FARSUM_ERR_COMM, "is made to fail", r,
                            FARSUM_ERR_COMM);
            }
        printf("  kind %d: %lld calls\n", life.kind, (long long)calls);
    }
}

static void no_x(struct given *g)
{
    g->x_at = NULL;
}
static void no_q(struct given *g)
{
    g->q_at = NULL;
}
static void no_grid(struct given *g)
{
    g->grid_at = NULL;
}
static void no_value(struct given *g)
{
    g->value_at = NULL;
}
static void outside(struct given *g)
{
    g->x[3] = 1.5;
}
static void not_finite(struct given *g)
{
    g->x[3] = NAN;
}
static void no_strength(struct given *g)
{
    g->q[1] = INFINITY;
}
static void too_large(struct given *g)
{
    for (int i = 0; i < 2 * POINTS; i++) {
        g->q[i] = 1.7e308;
        g->x[i] = 0.25; /* only many in one place */
    }
}
static void negative(struct given *g)
{
    g->n[0] = -1;
}
static void no_problem(struct given *g)
{
    g->mesh_at = NULL;
    g->nufft_at = NULL;
}
static void other_mesh(struct given *g)
{
    g->mesh.mesh[1] = 7;
    g->nufft.modes[1] = 7;
}
static void other_window(struct given *g)
{
    g->mesh.window = "es";
    g->nufft.tolerance = 1e-4;
}
static void other_variant(struct given *g)
{
    g->options.spread = "plain";
}
static void device(struct given *g)
{
    g->options.device = "opencl";
}
static void transport(struct given *g)
{
    g->transport = "staged";
}
static void on_device(struct given *g)
{
    g->mesh.memory = g->nufft.memory = FARSUM_DEVICE;
}

/* Rank 1 passes something wrong. */
static void test_arguments(void)
{
    static const struct {
        void (*change)(struct given *);
        int mesh, nufft; /* 1: is an error there; 2: on hosts only */
        farsum_status status;
        const char *words;
        int rank; /* -1: all ranks */
        enum step step;
    } cases[] = {
        {no_x, 1, 1, FARSUM_ERR_ARGUMENT, "x is NULL", 1, FEW_POINTS},
        {no_q, 1, 0, FARSUM_ERR_ARGUMENT, "q is NULL", 1, SUM},
        {no_q, 0, 1, FARSUM_ERR_ARGUMENT, "c is NULL", 1, SUM},
        {no_grid, 1, 0, FARSUM_ERR_ARGUMENT, "grid is NULL", 1, SUM},
        {no_grid, 0, 1, FARSUM_ERR_ARGUMENT, "f is NULL", 1, SUM},
        {no_value, 1, 0, FARSUM_ERR_ARGUMENT, "value is NULL, but another", 1,
         INTERP},
        {outside, 1, 0, FARSUM_ERR_POSITION, "point 1: (1.5,", 1, FEW_POINTS},
        {not_finite, 1, 1, FARSUM_ERR_POSITION, "point 1", 1, FEW_POINTS},
        {no_strength, 1, 0, FARSUM_ERR_STRENGTH, "not finite", 1, SUM},
        {too_large, 1, 0, FARSUM_ERR_STRENGTH, "sums on the mesh", -1,
         LAST_SUM},
        {negative, 1, 1, FARSUM_ERR_ARGUMENT, "-1", 1, FEW_POINTS},
        {no_problem, 1, 1, FARSUM_ERR_ARGUMENT, "problem is NULL", 1, CREATE},
        {other_mesh, 1, 0, FARSUM_ERR_ARGUMENT,
         "mesh[1] is 5 on rank 0 and 7 on rank 1", -1, CREATE},
        {other_mesh, 0, 1, FARSUM_ERR_ARGUMENT,
         "modes[1] is 4 on rank 0 and 7 on rank 1", -1, CREATE},
        {other_window, 1, 0, FARSUM_ERR_ARGUMENT,
         "window is bspline on rank 0 and es on rank 1", -1, CREATE},
        {other_window, 0, 1, FARSUM_ERR_ARGUMENT,
         "tolerance is 0.001 on rank 0 and 0.0001 on rank 1", -1, CREATE},
        {other_variant, 1, 1, FARSUM_ERR_ARGUMENT,
         "spread is not set on rank 0 and plain on rank 1", -1, CREATE},
        {device, 2, 2, FARSUM_ERR_ARGUMENT,
         "device is host on rank 0 and opencl on rank 1", -1, CREATE},
        {transport, 2, 2, FARSUM_ERR_UNSUPPORTED, "transport \"staged\"", 1,
         CREATE},
        {on_device, 2, 2, FARSUM_ERR_ARGUMENT, "on the device", 1, CREATE},
    };
    life.size = RANKS;
    life.fail_rank = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (life.kind = MESH; life.kind <= TYPE_1; life.kind++) {
            char name[80];
            int wrong = life.kind == MESH ? cases[i].mesh : cases[i].nufft;
            if (!wrong || (ON_DEVICE && wrong == 2))
                continue;
            life.change = cases[i].change;
            snprintf(name, sizeof name, "kind %d, %s", life.kind,
                     cases[i].words);
            run(NULL, name);
            CHECK(life.ended == cases[i].step, "%s: step %d ends", name,
                  life.ended);
            if (life.ended < STEPS)
                ends_by(name, cases[i].status, cases[i].words, cases[i].rank,
                        FARSUM_OK);
        }
    life.change = NULL;
}

int main(void)
{
    alarm(PATIENCE);
    for (int r = 0; ON_DEVICE && r < RANKS; r++)
        CHECK_OK(rank_device_public(r, &devices[r]));
    RUN(test_memory);
    if (ON_DEVICE)
        RUN(test_device_memory);
    RUN(test_network);
    RUN(test_arguments);
    for (int r = 0; r < RANKS; r++)
        farsum_device_close(devices[r]);
    return check_end();
}
