/* SPDX-License-Identifier: Apache-2.0 */
/* lattice.c: every rank computes the lattice of the whole cell, from all
 * multipoles, and keeps its layers. */
#include "ranks/lattice.h"

#include <string.h>

#include "base/mem.h"

struct ranks_lattice {
    struct ranks_lattice_args args;
    int64_t *begin;      /* owned, [size + 1] */
    int64_t most;        /* layers of the rank that has most */
    int64_t size, boxes; /* (p + 1)^2; in the whole cell */
    size_t real;
    struct tree tree; /* owned: of the whole cell, without points */
    struct choice choice;
    void *state;     /* owned, of the variant */
    char *own, *all; /* owned: [rank][size][z][y][most], of one, of all */
    char *multipole, *local; /* owned: [size][boxes] */
};

static farsum_status lattice_tree(struct ranks_lattice *l)
{
    const struct boxes_args *boxes = &l->args.boxes;
    const double none[1] = {0};
    const struct tree_given given = {0, {none, none, none}, 1, 0};
    struct tree_args args = {.dense = 1,
                             .ws = boxes->ws,
                             .precision = boxes->precision,
                             .threads = 1};
    for (int c = 0; c < 3; c++) {
        args.periodic[c] = boxes->periodic[c];
        args.root[c] = boxes->root[c];
        args.edge[c] = (double)boxes->root[c] * boxes->box[c];
    }
    return tree_set(&l->tree, &args, &given, NULL);
}

static farsum_status lattice_arrays(struct ranks_lattice *l)
{
    const struct boxes_args *boxes = &l->args.boxes;
    int size = l->args.comm->size;
    l->size = multipole_size(boxes->p);
    l->boxes = boxes->root[0] * boxes->root[1] * boxes->root[2];
    l->real = (size_t)boxes_real(boxes);
    TRY(MEM_NEW(l->begin, size + 1));
    memcpy(l->begin, l->args.begin, (size_t)(size + 1) * sizeof *l->begin);
    for (int r = 0; r < size; r++)
        if (l->begin[r + 1] - l->begin[r] > l->most)
            l->most = l->begin[r + 1] - l->begin[r];
    int64_t piece = l->size * l->most * boxes->root[1] * boxes->root[2];
    TRY(mem_alloc((void **)&l->own, piece, l->real, 1));
    TRY(mem_alloc((void **)&l->all, size * piece, l->real, 0));
    TRY(mem_alloc((void **)&l->multipole, l->size * l->boxes, l->real, 0));
    return mem_alloc((void **)&l->local, l->size * l->boxes, l->real, 0);
}

farsum_status ranks_lattice_create(const struct ranks_lattice_args *args,
                                   struct ranks_lattice **lattice)
{
    farsum_status status = FARSUM_OK;
    const struct choose_options any = {0};
    struct ranks_lattice *l = NULL;
    GO(MEM_NEW(l, 1));
    l->args = *args;
    l->args.boxes.dense = 1;
    GO(lattice_tree(l));
    GO(lattice_arrays(l));
    GO(choose(&lattice_stage, &l->args.boxes, &any, &l->choice));
    GO(l->choice.row->variant->create(&l->args.boxes, &l->state));
done:
    status = comm_agree(args->comm, status);
    if (status != FARSUM_OK) {
        ranks_lattice_destroy(l);
        return status;
    }
    l->args.begin = NULL;
    *lattice = l;
    return FARSUM_OK;
}

void ranks_lattice_destroy(struct ranks_lattice *l)
{
    if (!l)
        return;
    if (l->state)
        l->choice.row->variant->destroy(l->state);
    tree_clear(&l->tree);
    mem_free(l->begin);
    mem_free(l->own);
    mem_free(l->all);
    mem_free(l->multipole);
    mem_free(l->local);
    mem_free(l);
}

/* Copies rows of `n` boxes along axis 0 of all coefficients. */
static void lattice_rows(const struct ranks_lattice *l, int64_t n,
                         const char *from, int64_t from_row,
                         int64_t from_stride, char *to, int64_t to_row,
                         int64_t to_stride)
{
    int64_t rows = l->args.boxes.root[1] * l->args.boxes.root[2];
    for (int64_t k = 0; k < l->size; k++)
        for (int64_t i = 0; i < rows; i++)
            memcpy(to + (size_t)(k * to_stride + i * to_row) * l->real,
                   from + (size_t)(k * from_stride + i * from_row) * l->real,
                   (size_t)n * l->real);
}

farsum_status ranks_lattice_run(struct ranks_lattice *l,
                                const struct boxes_io *io)
{
    struct comm *comm = l->args.comm;
    const int64_t *root = l->args.boxes.root, *begin = l->begin;
    int64_t rows = root[1] * root[2], piece = l->most * rows;
    int64_t first = begin[comm->rank], n = begin[comm->rank + 1] - first;
    int64_t row = n + 2 * l->args.halo, shift = l->args.halo;
    const struct boxes_io whole = {.tree = &l->tree,
                                   .multipole = l->multipole,
                                   .local = l->local,
                                   .stride = l->boxes};
    farsum_status status = FARSUM_OK;
    if (n > 0)
        lattice_rows(l, n, (char *)io->multipole + (size_t)shift * l->real, row,
                     io->stride, l->own, l->most, piece);
    KEEP_ON(
        comm_gather(comm, l->own, l->all, l->size * piece * (int64_t)l->real));
    for (int r = 0; r < comm->size; r++)
        lattice_rows(l, begin[r + 1] - begin[r],
                     l->all + (size_t)(r * l->size * piece) * l->real, l->most,
                     piece, l->multipole + (size_t)begin[r] * l->real, root[0],
                     l->boxes);
    KEEP_ON(l->choice.row->variant->run(l->state, &whole));
    if (n > 0)
        lattice_rows(l, n, l->local + (size_t)first * l->real, root[0],
                     l->boxes, (char *)io->local + (size_t)shift * l->real, row,
                     io->stride);
    return status;
}
