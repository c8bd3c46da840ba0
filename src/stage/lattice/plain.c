/* SPDX-License-Identifier: Apache-2.0 */
/* plain: reference variant.  (10.7) between all pairs of root boxes that are
 * not near, with the field of one box (open) or of it and all its images
 * (periodic, (10.13), (10.51)); one dense operator per difference of
 * positions. */
#include <string.h>

#include "base/mem.h"
#include "stage/lattice/image_fields.h"
#include "stage/lattice/plain_field.h"

struct state {
    struct boxes_args args;
    struct lattice_fields fields; /* owned */
    double *matrix;               /* owned: [size][size] */
};

static int64_t plain_field(const struct boxes_args *a)
{
    return multipole_size(2 * a->p);
}

static int64_t plain_roots(const struct boxes_args *a)
{
    return a->root[0] * a->root[1] * a->root[2];
}

static double plain_cost(const void *args)
{
    const struct boxes_args *a = args;
    double size = multipole_size(a->p), roots = (double)plain_roots(a);
    if (!boxes_roots_far(a))
        return 1e-6;
    return boxes_plain_cost(roots * (roots + 50) * size * size);
}

static int64_t plain_bytes(const void *args)
{
    const struct boxes_args *a = args;
    int64_t size = multipole_size(a->p);
    return 8 * 8 * plain_roots(a) * plain_field(a) + 8 * size * size
           + (boxes_axes(a) % 3 ? image_fields_bytes(a) : 0);
}

static void plain_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    lattice_fields_clear(&s->fields);
    mem_free(s->matrix);
    mem_free(s);
}

static farsum_status plain_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    int64_t size;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct boxes_args *)args;
    size = multipole_size(s->args.p);
    GO(MEM_RAW(s->matrix, size * size));
    GO(lattice_fields_make(&s->args, &s->fields));
    *state = s;
    s = NULL;
done:
    plain_destroy(s);
    return status;
}

/* All pairs of root boxes whose positions differ by d. */
static void plain_pairs(struct state *s, const struct boxes_io *io,
                        const int64_t d[3])
{
    const struct boxes_args *a = &s->args;
    int64_t size = multipole_size(a->p), t[3];
    double from[MULTIPOLE_SIZE], sum[MULTIPOLE_SIZE];
    multipole_m2l(a->p, lattice_field(&s->fields, d), s->matrix);
    for (int64_t target = 0; target < tree_boxes(io->tree, 0); target++) {
        int inside = 1;
        tree_place(io->tree, 0, target, t);
        for (int c = 0; c < 3; c++) {
            t[c] -= d[c];
            inside &= t[c] >= 0 && t[c] < a->root[c];
        }
        int64_t source = inside ? tree_find(io->tree, 0, t) : -1;
        if (source < 0)
            continue;
        boxes_get(a, io->multipole, io->stride, source, from);
        boxes_get(a, io->local, io->stride, target, sum);
        for (int64_t i = 0; i < size; i++)
            for (int64_t j = 0; j < size; j++)
                sum[i] += s->matrix[i * size + j] * from[j];
        boxes_put(a, io->local, io->stride, target, sum);
    }
}

static farsum_status plain_run(void *state, const void *data)
{
    struct state *s = state;
    const struct boxes_io *io = data;
    const int64_t *root = s->args.root;
    const double zero[MULTIPOLE_SIZE] = {0};
    int64_t d[3];
    for (int64_t b = 0; b < tree_boxes(io->tree, 0); b++)
        boxes_put(&s->args, io->local, io->stride, b, zero);
    for (d[2] = 1 - root[2]; d[2] < root[2]; d[2]++)
        for (d[1] = 1 - root[1]; d[1] < root[1]; d[1]++)
            for (d[0] = 1 - root[0]; d[0] < root[0]; d[0]++) {
                int64_t far = 0;
                for (int c = 0; c < 3; c++)
                    far |= d[c] > s->args.ws || d[c] < -s->args.ws;
                if (far || boxes_axes(&s->args) > 0)
                    plain_pairs(s, io, d);
            }
    return FARSUM_OK;
}

const struct variant lattice_plain = {
    .fits = boxes_host_fits,
    .cost = plain_cost,
    .bytes = plain_bytes,
    .create = plain_create,
    .run = plain_run,
    .destroy = plain_destroy,
    .deterministic = 1,
    .needs = "",
};
