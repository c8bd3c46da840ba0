/* plain: (10.8), an operator of each octant times one box
 * after another.  The oracle; wins never. */
#include <string.h>

#include "base/mem.h"
#include "stage/boxes.h"

struct state {
    struct boxes_args args;
    double *shift; /* owned: [8][size][size], to from from */
};

static double plain_cost(const void *args)
{
    const struct boxes_args *a = args;
    double size = multipole_size(a->p);
    return boxes_plain_cost((double)a->n_boxes * size * size);
}

static int64_t plain_bytes(const void *args)
{
    const struct boxes_args *a = args;
    int64_t size = multipole_size(a->p);
    return 64 * size * size;
}

static void plain_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    mem_free(s->shift);
    mem_free(s);
}

static farsum_status plain_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct boxes_args *)args;
    int64_t size = multipole_size(s->args.p);
    GO(MEM_RAW(s->shift, 8 * size * size));
    for (int octant = 0; octant < 8; octant++) {
        double d[3];
        boxes_child(&s->args, octant, d);
        multipole_l2l(s->args.p, d, 0.5, s->shift + octant * size * size);
    }
    *state = s;
    s = NULL;
done:
    plain_destroy(s);
    return status;
}

static void plain_box(const struct state *s, const struct boxes_io *io,
                      int level, int64_t box)
{
    const struct boxes_args *a = &s->args;
    int64_t size = multipole_size(a->p);
    const double *t =
        s->shift + tree_octant(io->tree, level, box) * size * size;
    double sum[MULTIPOLE_SIZE], from[MULTIPOLE_SIZE];
    boxes_get(a, io->local, io->stride, tree_parent(io->tree, level, box),
              from);
    boxes_get(a, io->local, io->stride, box, sum);
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j < size; j++)
            sum[i] += t[i * size + j] * from[j];
    boxes_put(a, io->local, io->stride, box, sum);
}

static farsum_status plain_run(void *state, const void *data)
{
    const struct boxes_io *io = data;
    const struct tree *tree = io->tree;
    for (int level = 1; level <= tree->depth; level++)
        for (int64_t b = tree->first[level]; b < tree->first[level + 1]; b++)
            plain_box(state, io, level, b);
    return FARSUM_OK;
}

const struct variant l2l_plain = {
    .fits = boxes_host_fits,
    .cost = plain_cost,
    .bytes = plain_bytes,
    .create = plain_create,
    .run = plain_run,
    .destroy = plain_destroy,
    .deterministic = 1,
    .needs = "",
};
