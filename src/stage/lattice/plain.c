/* plain: (10.7) between all pairs of root boxes that are not near, with the
 * field of one box (open) or of it and all its images (periodic, (10.13)): a
 * dense operator for each difference of places.  The oracle. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "stage/boxes.h"

struct state {
    struct boxes_args args;
    int64_t side[3];  /* differences of places along each axis */
    double *field;    /* owned: [difference][(2p + 1)^2] */
    double *matrix;   /* owned: [size][size] */
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
    return boxes_plain_cost(roots * (roots + 50) * size * size);
}

static int64_t plain_bytes(const void *args)
{
    const struct boxes_args *a = args;
    int64_t size = multipole_size(a->p);
    return 8 * 8 * plain_roots(a) * plain_field(a) + 8 * size * size;
}

static farsum_status plain_fits(const void *args)
{
    const struct boxes_args *a = args;
    int axes = a->periodic[0] + a->periodic[1] + a->periodic[2];
    if (axes == 1 || axes == 2)
        FAIL(ERR_UNSUPPORTED, "%d periodic axes; three or none are possible",
             axes);
    return boxes_host_fits(args);
}

static void plain_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    mem_free(s->field);
    mem_free(s->matrix);
    mem_free(s);
}

/* Places differ by d. */
static farsum_status plain_difference(struct state *s, const int64_t d[3],
                                      double *field)
{
    const struct boxes_args *a = &s->args;
    double r[3], cell[3], near[3];
    int far = 0;
    for (int c = 0; c < 3; c++) {
        r[c] = (double)d[c] * a->box[c];
        cell[c] = (double)a->root[c] * a->box[c];
        near[c] = (a->ws + 0.5) * a->box[c];
        far |= d[c] > a->ws || d[c] < -a->ws;
    }
    if (a->periodic[0])
        return multipole_lattice(2 * a->p, cell, near, r, field);
    if (far)
        multipole_singular(2 * a->p, r, field);
    return FARSUM_OK;
}

/* S at r mirrored in some axes: real parts of order m go as (-1)^m in x, 1 in
 * y, imaginary ones the other way, both as (-1)^(n + m) in z. */
static void plain_mirror(int p, const int flip[3], const double *from,
                         double *to)
{
    for (int n = 0; n <= p; n++)
        for (int m = -n; m <= n; m++) {
            int odd = flip[0] * (m < 0 ? m + 1 : m) + flip[1] * (m < 0)
                      + flip[2] * (n + m);
            double v = from[multipole_at(n, m)];
            to[multipole_at(n, m)] = odd % 2 ? -v : v;
        }
}

static double *plain_at(const struct state *s, const int64_t d[3])
{
    int64_t at = 0;
    for (int c = 2; c >= 0; c--)
        at = at * s->side[c] + d[c] + s->args.root[c] - 1;
    return s->field + at * plain_field(&s->args);
}

/* What is not negative is summed, what is follows by mirrors. */
static farsum_status plain_fields(struct state *s)
{
    const int64_t *root = s->args.root;
    int64_t d[3];
    for (d[2] = root[2] - 1; d[2] > -root[2]; d[2]--)
        for (d[1] = root[1] - 1; d[1] > -root[1]; d[1]--)
            for (d[0] = root[0] - 1; d[0] > -root[0]; d[0]--) {
                int64_t b[3];
                int flip[3], any = 0;
                for (int c = 0; c < 3; c++) {
                    flip[c] = d[c] < 0;
                    any |= flip[c];
                    b[c] = flip[c] ? -d[c] : d[c];
                }
                if (any)
                    plain_mirror(2 * s->args.p, flip, plain_at(s, b),
                                 plain_at(s, d));
                else
                    TRY(plain_difference(s, d, plain_at(s, d)));
            }
    return FARSUM_OK;
}

static farsum_status plain_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    int64_t fields = 1, size;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct boxes_args *)args;
    size = multipole_size(s->args.p);
    for (int c = 0; c < 3; c++) {
        s->side[c] = 2 * s->args.root[c] - 1;
        fields *= s->side[c];
    }
    GO(MEM_NEW(s->field, fields * plain_field(&s->args)));
    GO(MEM_RAW(s->matrix, size * size));
    GO(plain_fields(s));
    *state = s;
    s = NULL;
done:
    plain_destroy(s);
    return status;
}

/* All pairs of root boxes whose places differ by d. */
static void plain_pairs(struct state *s, const struct boxes_io *io,
                        const int64_t d[3])
{
    const struct boxes_args *a = &s->args;
    int64_t size = multipole_size(a->p), t[3];
    double from[MULTIPOLE_SIZE], sum[MULTIPOLE_SIZE];
    multipole_m2l(a->p, plain_at(s, d), s->matrix);
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
                if (far || s->args.periodic[0])
                    plain_pairs(s, io, d);
            }
    return FARSUM_OK;
}

const struct variant lattice_plain = {
    .fits = plain_fits,
    .cost = plain_cost,
    .bytes = plain_bytes,
    .create = plain_create,
    .run = plain_run,
    .destroy = plain_destroy,
    .deterministic = 1,
    .needs = "",
};
