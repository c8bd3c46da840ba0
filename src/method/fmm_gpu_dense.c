/* fmm_gpu_dense.c: where points crowd in a dense tree of a device, the host
 * looks at what its boxes hold: errors of evenly filled ones are not theirs. */
#include "base/mem.h"
#include "method/arrays.h"
#include "method/fmm_gpu.h"

/* Sources in the boxes of a target, over those of even boxes, from which on
 * they are looked at. */
#define CROWDED 1.5

/* Leaves' points of a side from the device. */
static farsum_status dense_side(const struct tree *there,
                                const struct tree_gpu_points *from,
                                struct tree_points *to)
{
    farsum_status status = FARSUM_OK;
    int64_t real = array_size(there->precision), n = from->n;
    int64_t leaves = there->n_leaves;
    uint32_t *begin = NULL;
    *to = (struct tree_points){.n = n};
    GO(MEM_RAW(begin, leaves + 1));
    GO(MEM_RAW(to->begin, leaves + 1));
    GO(buf_download(&from->begin, 0, begin, 4 * (leaves + 1)));
    for (int64_t l = 0; l <= leaves; l++)
        to->begin[l] = begin[l];
    for (int d = 0; d < 3; d++) {
        char *x = NULL;
        GO(MEM_RAW(x, n * real));
        to->x[d] = x;
        GO(buf_download(&from->x, d * n * real, x, n * real));
    }
done:
    mem_free(begin);
    return status;
}

static void dense_clear(struct tree_points *p)
{
    mem_free(p->begin);
    for (int d = 0; d < 3; d++)
        mem_free(p->x[d]);
}

/* What targets of their own have around them says nothing of the sources. */
static int dense_crowded(const struct fmm *s)
{
    struct fmm_crowd even;
    if (s->tree.separate)
        return 1;
    fmm_shape_crowd(s, &s->shape, s->source.n, &even);
    for (int k = 0; k < 2; k++)
        if (s->crowd.random[k] > CROWDED * even.random[k])
            return 1;
    return 0;
}

farsum_status fmm_gpu_dense(struct fmm *s)
{
    farsum_status status = FARSUM_OK;
    const struct tree_gpu *g = s->tree.gpu;
    struct tree here = s->tree; /* its own points, all else borrowed */
    if (!dense_crowded(s))
        return FARSUM_OK;
    here.source = here.target = (struct tree_points){0};
    GO(dense_side(&s->tree, &g->source, &here.source));
    if (here.separate)
        GO(dense_side(&s->tree, &g->target, &here.target));
    GO(fmm_crowd(&here, fmm_shape_first(s, &s->shape), &s->crowd));
    /* boxes are not made to suit the crowds: what these lean by is larger */
    s->crowd.sparse = 1;
done:
    dense_clear(&here.source);
    dense_clear(&here.target);
    return status;
}
