/* host_dense: a dense operator of each octant times tiles of boxes that lie
 * side by side, SIMD over them, a thread a tile. */
#include <omp.h>
#include <string.h>

#include "base/mem.h"
#include "stage/boxes_kern.h"

/* What one thread works in; owned. */
struct thread {
    void *from, *to;      /* [size][tile], [padded][tile] */
    int64_t *box, *other; /* [tile] */
};

struct state {
    struct boxes_args args;
    const struct boxes_kern *kern;
    void *shift[8];        /* owned: packed */
    struct thread *thread; /* owned, [threads] */
};

static size_t dense_real(const struct boxes_args *a)
{
    return a->precision == FARSUM_F32 ? 4 : 8;
}

static double dense_cost(const void *args)
{
    const struct boxes_args *a = args;
    static const double width[ISA_COUNT] = {16, 32, 64};
    double size = multipole_size(a->p);
    double lanes = width[a->isa] / (double)dense_real(a);
    return (double)a->n_boxes * (size * size * 0.6e-9 / lanes + size * 4e-9)
               / a->threads
           + 1e-6;
}

static int64_t dense_bytes(const void *args)
{
    const struct boxes_args *a = args;
    int64_t size = multipole_size(a->p), tile = boxes_kern(a)->tile;
    int64_t real = (int64_t)dense_real(a);
    return 8 * boxes_padded((int)size) * size * real
           + a->threads * tile * ((2 * size + BOXES_ROWS) * real + 16);
}

static void dense_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    for (int octant = 0; octant < 8; octant++)
        mem_free(s->shift[octant]);
    for (int t = 0; s->thread && t < s->args.threads; t++) {
        mem_free(s->thread[t].from);
        mem_free(s->thread[t].to);
        mem_free(s->thread[t].box);
        mem_free(s->thread[t].other);
    }
    mem_free(s->thread);
    mem_free(s);
}

static farsum_status dense_threads(struct state *s)
{
    int size = multipole_size(s->args.p);
    int64_t tile = s->kern->tile;
    TRY(MEM_NEW(s->thread, s->args.threads));
    for (int i = 0; i < s->args.threads; i++) {
        struct thread *t = &s->thread[i];
        TRY(mem_alloc(&t->from, size * tile, dense_real(&s->args), 1));
        TRY(mem_alloc(&t->to, boxes_padded(size) * tile, dense_real(&s->args),
                      1));
        TRY(MEM_RAW(t->box, tile));
        TRY(MEM_RAW(t->other, tile));
    }
    return FARSUM_OK;
}

static farsum_status dense_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    double *t = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct boxes_args *)args;
    s->kern = boxes_kern(&s->args);
    int64_t size = multipole_size(s->args.p);
    GO(MEM_RAW(t, size * size));
    for (int octant = 0; octant < 8; octant++) {
        double d[3];
        boxes_child(&s->args, octant, d);
        multipole_l2l(s->args.p, d, 0.5, t);
        GO(mem_alloc(&s->shift[octant], boxes_padded((int)size) * size,
                     dense_real(&s->args), 0));
        boxes_pack(&s->args, t, s->shift[octant]);
    }
    GO(dense_threads(s));
    *state = s;
    s = NULL;
done:
    mem_free(t);
    dense_destroy(s);
    return status;
}

/* Parents `first` .. `first` + n - 1 to their children. */
static void dense_tile(const struct state *s, const struct boxes_io *io,
                       int level, int64_t first, int64_t n, struct thread *t)
{
    int size = multipole_size(s->args.p), tile = s->kern->tile;
    for (int b = 0; b < tile; b++)
        t->box[b] = b < n ? first + b : -1;
    boxes_load(&s->args, io->local, io->stride, t->box, tile, t->from);
    for (int octant = 0; octant < 8; octant++) {
        int any = 0;
        for (int b = 0; b < tile; b++) {
            t->other[b] = b < n ? tree_child(io->tree, level, first + b,
                                             octant)
                                : -1;
            any |= t->other[b] >= 0;
        }
        if (!any)
            continue;
        memset(t->to, 0,
               (size_t)boxes_padded(size) * (size_t)tile
                   * dense_real(&s->args));
        s->kern->product(size, s->shift[octant], t->from, t->to);
        boxes_store(&s->args, io->local, io->stride, t->other, tile, t->to, 1);
    }
}

static farsum_status dense_run(void *state, const void *data)
{
    const struct state *s = state;
    const struct boxes_io *io = data;
    const struct tree *tree = io->tree;
    int64_t tile = s->kern->tile;
    for (int level = 0; level < tree->depth; level++) {
        int64_t end = tree->first[level + 1];
#pragma omp parallel for num_threads(s->args.threads) schedule(dynamic)
        for (int64_t b = tree->first[level]; b < end; b += tile)
            dense_tile(s, io, level, b, end - b < tile ? end - b : tile,
                       &s->thread[omp_get_thread_num()]);
    }
    return FARSUM_OK;
}

const struct variant l2l_host_dense = {
    .fits = boxes_host_fits,
    .cost = dense_cost,
    .bytes = dense_bytes,
    .create = dense_create,
    .run = dense_run,
    .destroy = dense_destroy,
    .deterministic = 1,
    .needs = "",
};
