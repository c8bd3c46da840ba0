/* SPDX-License-Identifier: Apache-2.0 */
/* plain: reference variant.  (10.7) as written: for each pair of boxes all (p +
 * 1)^4 products of a multipole's and the field's coefficients, complex,
 * unscaled, one thread.  Never the fastest. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "stage/expansions/expansions.h"

struct state {
    struct boxes_args args;
    double *field;       /* owned: [offset][(2p + 1)^2]: S, unscaled */
    double *scale;       /* owned: [(2p + 1)^2]: inverse of the scaling of S */
    struct tree_far *list; /* owned */
};

static int64_t plain_field(const struct boxes_args *a)
{
    return multipole_size(2 * a->p);
}

static int64_t plain_offsets(const struct boxes_args *a)
{
    int64_t side = boxes_far_side(a->ws);
    return side * side * side;
}

static int64_t plain_list(const struct boxes_args *a)
{
    int64_t side = 2 * a->ws + 1;
    return 7 * side * side * side;
}

static double plain_cost(const void *args)
{
    const struct boxes_args *a = args;
    double size = multipole_size(a->p);
    return boxes_plain_cost((double)a->n_boxes * (double)plain_list(a) * size
                            * size);
}

static int64_t plain_bytes(const void *args)
{
    const struct boxes_args *a = args;
    return 8 * (plain_offsets(a) + 1) * plain_field(a)
           + plain_list(a) * (int64_t)sizeof(struct tree_far);
}

static void plain_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    mem_free(s->field);
    mem_free(s->scale);
    mem_free(s->list);
    mem_free(s);
}

/* sqrt((n - m)! (n + m)!), (10.4) */
static void plain_scale(struct state *s)
{
    for (int n = 0; n <= 2 * s->args.p; n++)
        for (int m = -n; m <= n; m++)
            s->scale[multipole_at(n, m)] =
                (double)expl((lgammal(n - m + 1.0L) + lgammal(n + m + 1.0L))
                             / 2);
}

static void plain_fields(struct state *s)
{
    int most = 2 * s->args.ws + 1;
    int32_t d[3];
    for (d[2] = -most; d[2] <= most; d[2]++)
        for (d[1] = -most; d[1] <= most; d[1]++)
            for (d[0] = -most; d[0] <= most; d[0]++) {
                double *field = s->field
                                + boxes_far_number(s->args.ws, d)
                                      * plain_field(&s->args);
                double r[3];
                if (!boxes_far(s->args.ws, d))
                    continue;
                for (int a = 0; a < 3; a++)
                    r[a] = d[a] * s->args.box[a];
                multipole_singular(2 * s->args.p, r, field);
                for (int64_t k = 0; k < plain_field(&s->args); k++)
                    field[k] *= s->scale[k];
            }
}

static farsum_status plain_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct boxes_args *)args;
    GO(MEM_RAW(s->scale, plain_field(&s->args)));
    GO(MEM_NEW(s->field, plain_offsets(&s->args) * plain_field(&s->args)));
    GO(MEM_RAW(s->list, plain_list(&s->args)));
    plain_scale(s);
    plain_fields(s);
    *state = s;
    s = NULL;
done:
    plain_destroy(s);
    return status;
}

static double complex coefficient(const double *x, int n, int m)
{
    if (m < 0)
        return (m % 2 ? -1 : 1) * conj(coefficient(x, n, -m));
    return x[multipole_at(n, m)] + (m ? x[multipole_at(n, -m)] : 0) * I;
}

/* L_n^m += (-1)^n sum_k,l conj(M_k^l) S_{n+k}^{m+l} */
static void plain_pair(int p, const double *multipole, const double *field,
                       double *local)
{
    for (int n = 0; n <= p; n++)
        for (int m = 0; m <= n; m++) {
            double complex sum = 0;
            for (int k = 0; k <= p; k++)
                for (int l = -k; l <= k; l++)
                    sum += conj(coefficient(multipole, k, l))
                           * coefficient(field, n + k, m + l);
            sum = n % 2 ? -sum : sum;
            local[multipole_at(n, m)] += creal(sum);
            if (m > 0)
                local[multipole_at(n, -m)] += cimag(sum);
        }
}

static void plain_box(const struct state *s, const struct boxes_io *io,
                      int level, int64_t box)
{
    const struct boxes_args *a = &s->args;
    double sum[MULTIPOLE_SIZE] = {0}, from[MULTIPOLE_SIZE];
    int64_t n = tree_far(io->tree, level, box, s->list);
    for (int64_t i = 0; i < n; i++) {
        boxes_get(a, io->multipole, io->stride, s->list[i].box, from);
        for (int k = 0; k < multipole_size(a->p); k++)
            from[k] /= s->scale[k];
        plain_pair(a->p, from,
                   s->field
                       + boxes_far_number(a->ws, s->list[i].d)
                             * plain_field(a),
                   sum);
    }
    for (int k = 0; k < multipole_size(a->p); k++)
        sum[k] /= s->scale[k];
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

const struct variant m2l_plain = {
    .fits = boxes_host_fits,
    .cost = plain_cost,
    .bytes = plain_bytes,
    .create = plain_create,
    .run = plain_run,
    .destroy = plain_destroy,
    .deterministic = 1,
    .needs = "",
};
