/* SPDX-License-Identifier: Apache-2.0 */
/* lattice_case.c: locals of root boxes by ranks and by one process. */
#include "ranks/lattice_case.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "check.h"
#include "ranks/lattice.h"

struct boxes_args lattice_args(const struct lattice_grid *g,
                               farsum_precision precision, int threads)
{
    struct boxes_args args = {.precision = precision,
                              .isa = isa_best(),
                              .threads = threads,
                              .p = g->p,
                              .ws = g->ws,
                              .dense = 1};
    for (int c = 0; c < 3; c++) {
        args.root[c] = g->root[c];
        args.periodic[c] = g->periodic;
        args.box[c] = g->box[c];
    }
    return args;
}

void lattice_arrays(struct lattice_case *s)
{
    int64_t n = lattice_numbers(s->grid);
    s->multipole = check_memory((size_t)n, sizeof(double));
    s->local = check_memory((size_t)n, sizeof(double));
    for (int64_t i = 0; i < n; i++)
        s->multipole[i] = cut_value(1, i);
}

void lattice_free(const struct lattice_case *s)
{
    free(s->multipole);
    free(s->local);
}

/* Copies the own layers of the whole cell's multipoles to the rank's array, or
 * the rank's array to the whole cell's locals. */
static void lattice_layers(const struct lattice_case *s, int r, int64_t stride,
                           void *array, int back)
{
    const struct boxes_args whole = lattice_args(s->grid, s->precision, 1);
    const struct boxes_args *args = &whole;
    int64_t first = s->begin[r], n = s->begin[r + 1] - first;
    int64_t rows = args->root[1] * args->root[2];
    for (int64_t k = 0; k < multipole_size(args->p); k++)
        for (int64_t row = 0; row < rows; row++)
            for (int64_t x = 0; x < n; x++) {
                int64_t at = (k * rows + row) * args->root[0] + first + x;
                int64_t own = k * stride + row * (n + 2 * LATTICE_HALO)
                              + LATTICE_HALO + x;
                if (back)
                    s->local[at] = boxes_number(args, array, own);
                else
                    boxes_set(args, array, own, s->multipole[at]);
            }
}

struct lattice_own lattice_own(const struct lattice_case *s, int r)
{
    const struct boxes_args args = lattice_args(s->grid, s->precision, 1);
    struct lattice_own own = {.layers = s->begin[r + 1] - s->begin[r]};
    int64_t row = own.layers > 0 ? own.layers + 2 * LATTICE_HALO : 0;
    own.stride = row * args.root[1] * args.root[2] + 3;
    own.n = multipole_size(args.p) * own.stride;
    own.multipole = check_memory((size_t)own.n, sizeof(double));
    own.local = check_memory((size_t)own.n, sizeof(double));
    for (int64_t i = 0; i < own.n; i++) {
        boxes_set(&args, own.multipole, i, NAN);
        boxes_set(&args, own.local, i, NAN);
    }
    lattice_layers(s, r, own.stride, own.multipole, 0);
    return own;
}

void lattice_found(const struct lattice_case *s, int r,
                   const struct lattice_own *own)
{
    const struct boxes_args args = lattice_args(s->grid, s->precision, 1);
    int64_t set = 0, wanted = own->n / own->stride * own->layers * args.root[1]
                              * args.root[2];
    lattice_layers(s, r, own->stride, own->local, 1);
    for (int64_t i = 0; i < own->n; i++)
        set += !isnan(boxes_number(&args, own->local, i));
    CHECK(set == wanted, "rank %d: %lld numbers are set, not %lld", r,
          (long long)set, (long long)wanted);
}

void lattice_own_free(const struct lattice_own *own)
{
    free(own->multipole);
    free(own->local);
}

static farsum_status rank_runs(struct comm *comm, const struct lattice_case *s,
                               struct ranks_lattice *lattice)
{
    struct lattice_own own = lattice_own(s, comm->rank);
    const struct boxes_io io = {
        .multipole = own.multipole, .local = own.local, .stride = own.stride};
    int64_t bytes = mem_bytes();
    farsum_status status = FARSUM_OK;
    for (int again = 0; again < 2; again++)
        KEEP_ON(ranks_lattice_run(lattice, own.layers > 0 ? &io : NULL));
    CHECK(mem_bytes() == bytes, "a run allocates");
    if (status == FARSUM_OK)
        lattice_found(s, comm->rank, &own);
    lattice_own_free(&own);
    return comm_agree(comm, status);
}

farsum_status lattice_work(struct comm *comm, void *data)
{
    const struct lattice_case *s = data;
    const struct ranks_lattice_args args = {
        .comm = comm,
        .begin = s->begin,
        .halo = LATTICE_HALO,
        .boxes = lattice_args(s->grid, s->precision, s->threads)};
    struct ranks_lattice *lattice = NULL;
    int64_t bytes = mem_bytes();
    mem_fail_at(comm->rank == s->fail_rank ? s->fail_at : 0);
    farsum_status status = ranks_lattice_create(&args, &lattice);
    mem_fail_at(0);
    if (status == FARSUM_OK)
        status = rank_runs(comm, s, lattice);
    ranks_lattice_destroy(lattice);
    CHECK(mem_bytes() == bytes, "rank %d keeps %lld bytes", comm->rank,
          (long long)(mem_bytes() - bytes));
    return status;
}

double *lattice_reference(const struct lattice_case *s, const char *variant)
{
    struct boxes_args args = lattice_args(s->grid, FARSUM_F64, 1);
    const struct choose_options name = {.name = variant};
    struct choice choice;
    const double none[3] = {0};
    const struct tree_given given = {0, {none, none, none}, 1, 0};
    struct tree_args shape = {
        .dense = 1, .ws = args.ws, .precision = FARSUM_F64, .threads = 1};
    struct tree tree = {0};
    void *state = NULL;
    double *local =
        check_memory((size_t)lattice_numbers(s->grid), sizeof *local);
    const struct boxes_io io = {.tree = &tree,
                                .multipole = s->multipole,
                                .local = local,
                                .stride = lattice_boxes(s->grid)};
    for (int c = 0; c < 3; c++) {
        shape.periodic[c] = args.periodic[c];
        shape.root[c] = args.root[c];
        shape.edge[c] = (double)args.root[c] * args.box[c];
    }
    CHECK_OK(tree_set(&tree, &shape, &given, NULL));
    CHECK_OK(choose(&lattice_stage, &args, &name, &choice));
    CHECK_OK(choice.row->variant->create(&args, &state));
    CHECK_OK(choice.row->variant->run(state, &io));
    choice.row->variant->destroy(state);
    tree_clear(&tree);
    return local;
}

void lattice_check(const struct lattice_case *s, const double *right, int size,
                   int kind)
{
    const struct lattice_grid *g = s->grid;
    double most = 0, worst = 0;
    for (int64_t i = 0; i < lattice_numbers(g); i++) {
        double d = fabs(s->local[i] - right[i]);
        most = fmax(most, fabs(right[i]));
        worst = !(d <= worst) ? d : worst;
    }
    CHECK(worst <= (s->precision == FARSUM_F32 ? 2e-6 : 2e-13) * most,
          "%s, %lld x %lld x %lld, %s, p = %d, ws = %d, %d ranks, cut %d: off "
          "by %.3g of %.3g",
          s->precision == FARSUM_F32 ? "f32" : "f64", (long long)g->root[0],
          (long long)g->root[1], (long long)g->root[2],
          g->periodic ? "periodic" : "open", g->p, g->ws, size, kind, worst,
          most);
}
