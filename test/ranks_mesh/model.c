/* SPDX-License-Identifier: Apache-2.0 */
/* model.c: the bytes that the model of a rank counts for meshes and NUFFTs,
 * against those that ranks send. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "mesh/ranks/model.h"
#include "mesh/ranks/nufft.h"
#include "ranks/comm_threads.h"

enum { MANY = 12000, MOST_RANKS = 13, CHANNELS = 3, MESH = 24 };

static double x[3 * MANY], angle[3 * MANY], q[2 * CHANNELS * MANY];

struct sent {
    double bytes[COMM_PARTS];
};

/* What the ranks' threads share. */
struct shared {
    farsum_mesh_problem mesh;
    farsum_nufft_problem nufft;
    farsum_mesh_options options;
    struct sent sent[2][MOST_RANKS]; /* spread, interp; or an execute */
    double points[MOST_RANKS], stored[MOST_RANKS];
};

/* The bytes since the last call. */
static void count(const struct comm *comm, struct sent *before,
                  struct sent *sent)
{
    for (int k = 0; k < COMM_PARTS; k++) {
        double now = (double)comm->spent[k].bytes;
        sent->bytes[k] = now - before->bytes[k];
        before->bytes[k] = now;
    }
}

static int64_t given(const struct comm *comm, int64_t *first)
{
    *first = MANY * (int64_t)comm->rank / comm->size;
    return MANY * (int64_t)(comm->rank + 1) / comm->size - *first;
}

static farsum_status mesh_work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    int64_t first, n = given(comm, &first), r = comm->rank;
    struct farsum_mesh *mesh = NULL;
    struct sent before, none;
    int64_t plane = s->mesh.mesh[1] * s->mesh.ldz;
    size_t planes = CHANNELS * MESH * (size_t)plane;
    double *grid = check_memory(planes, sizeof *grid);
    double *value = check_memory(CHANNELS * (size_t)n, sizeof *value);
    memset(&before, 0, sizeof before);
    farsum_mesh_problem p = s->mesh;
    p.n_points = n;
    GO(mesh_over_ranks(comm, &p, &s->options, NULL, &mesh));
    GO(farsum_mesh_set_points(mesh, n, x + 3 * first));
    count(comm, &before, &none);
    GO(farsum_mesh_spread(mesh, q, grid));
    count(comm, &before, &s->sent[0][r]);
    GO(farsum_mesh_interp(mesh, grid, value, NULL));
    count(comm, &before, &s->sent[1][r]);
    s->points[r] = (double)mesh->ranks->own;
    s->stored[r] = (double)(CHANNELS * mesh->ranks->channel * 8);
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", comm->rank, farsum_message());
    farsum_mesh_destroy(mesh);
    free(grid);
    free(value);
    return status;
}

static farsum_status nufft_work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    int64_t first, n = given(comm, &first), r = comm->rank;
    struct farsum_nufft *nufft = NULL;
    struct sent before, none;
    const int64_t *modes = s->nufft.modes;
    size_t all = 2 * CHANNELS * (size_t)(modes[0] * modes[1] * modes[2]);
    double *f = check_memory(all, sizeof *f);
    double *c = check_memory(2 * CHANNELS * (size_t)n, sizeof *c);
    memset(f, 0, all * sizeof *f);
    memcpy(c, q, 2 * CHANNELS * (size_t)n * sizeof *c);
    memset(&before, 0, sizeof before);
    farsum_nufft_problem p = s->nufft;
    p.n_points = n;
    GO(nufft_ranks_create(comm, &p, &s->options, NULL, &nufft));
    GO(farsum_nufft_set_points(nufft, n, angle + 3 * first));
    count(comm, &before, &none);
    GO(farsum_nufft_execute(nufft, c, f));
    count(comm, &before, &s->sent[0][r]);
    s->points[r] = (double)nufft->mesh->ranks->own;
    s->stored[r] = (double)(2 * nufft->ranks->spectrum * 8);
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", comm->rank, farsum_message());
    farsum_nufft_destroy(nufft);
    free(f);
    free(c);
    return status;
}

static void near_to(const char *what, int rank, int size, double model,
                    double sent, double part)
{
    CHECK(fabs(model - sent) <= part * sent,
          "%s of rank %d of %d: the model has %.0f, the ranks %.0f", what, rank,
          size, model, sent);
}

static void compare(const struct ranks_model *m, const struct sent *sent,
                    int rank)
{
    int size = m->links.ranks;
    near_to("planes", rank, size, m->bytes[COMM_PLANES],
            sent->bytes[COMM_PLANES], 0);
    near_to("transform", rank, size, m->bytes[COMM_TRANSFORM],
            sent->bytes[COMM_TRANSFORM], 0);
    near_to("route", rank, size, m->bytes[COMM_ROUTE], sent->bytes[COMM_ROUTE],
            0.1);
    for (int k = 0; k < m->stages; k++)
        CHECK(m->alone[k] > 0 && (m->seconds[k] > 0 || m->planes == 0),
              "%s: %g s, alone %g s", m->stage[k], m->seconds[k], m->alone[k]);
    CHECK(m->stages > 0 && m->exchange[COMM_ROUTE] > 0, "%d stages", m->stages);
}

static const int sizes[] = {2, 3, 13};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void meshes(void)
{
    static struct shared s;
    s.mesh = (farsum_mesh_problem)FARSUM_MESH_PROBLEM_INIT;
    s.options = (farsum_mesh_options)FARSUM_MESH_OPTIONS_INIT;
    for (int d = 0; d < 3; d++) {
        s.mesh.cell[4 * d] = 1;
        s.mesh.mesh[d] = MESH;
        s.mesh.periodic[d] = 1;
    }
    s.mesh.ldz = MESH + 2;
    s.mesh.precision = FARSUM_F64;
    s.mesh.channels = CHANNELS;
    s.mesh.uses = FARSUM_MESH_SPREAD | FARSUM_MESH_VALUE;
    s.mesh.n_points = MANY;
    s.options.threads = 1;
    for (int k = 0; k < SIZES; k++) {
        const struct links links = links_expected(LINKS_HOST, sizes[k], 1);
        CHECK(ranks_run(sizes[k], NULL, mesh_work, &s) == 0, "a rank failed");
        for (int r = 0; r < sizes[k]; r++) {
            struct ranks_model m[2];
            CHECK_OK(
                mesh_ranks_model(&s.mesh, &s.options, NULL, &links, r, m));
            for (int back = 0; back < 2; back++)
                compare(&m[back], &s.sent[back][r], r);
            near_to("mesh", r, sizes[k], m[0].mesh, s.stored[r], 0);
            near_to("points", r, sizes[k], m[0].points, s.points[r], 0.1);
        }
    }
}

static void nuffts(void)
{
    static struct shared s;
    s.nufft = (farsum_nufft_problem)FARSUM_NUFFT_PROBLEM_INIT;
    s.options = (farsum_mesh_options)FARSUM_MESH_OPTIONS_INIT;
    s.nufft.modes[0] = 15;
    s.nufft.modes[1] = 14;
    s.nufft.modes[2] = 12;
    s.nufft.channels = CHANNELS;
    s.nufft.sign = -1;
    s.nufft.n_points = MANY;
    s.nufft.tolerance = 1e-5;
    s.nufft.precision = FARSUM_F64;
    s.options.threads = 1;
    for (int type = 1; type <= 2; type++)
        for (int k = 0; k < SIZES; k++) {
            const struct links links = links_expected(LINKS_HOST, sizes[k], 1);
            s.nufft.type = type;
            CHECK(ranks_run(sizes[k], NULL, nufft_work, &s) == 0,
                  "a rank failed");
            for (int r = 0; r < sizes[k]; r++) {
                struct ranks_model m;
                CHECK_OK(nufft_ranks_model(&s.nufft, &s.options, NULL, &links,
                                           r, &m));
                compare(&m, &s.sent[0][r], r);
                near_to("spectra", r, sizes[k], m.spectrum, s.stored[r], 0);
                near_to("points", r, sizes[k], m.points, s.points[r], 0.1);
            }
        }
}

int main(void)
{
    uint64_t state = 5;
    for (int64_t i = 0; i < 3 * MANY; i++)
        x[i] = ldexp((double)(random_next(&state) >> 11), -53);
    for (int64_t i = 0; i < 3 * MANY; i++)
        angle[i] = 2 * M_PI * x[i];
    for (int64_t i = 0; i < 2 * CHANNELS * MANY; i++)
        q[i] = ldexp((double)(random_next(&state) >> 11), -52) - 1;
    RUN(meshes);
    RUN(nuffts);
    return check_end();
}
