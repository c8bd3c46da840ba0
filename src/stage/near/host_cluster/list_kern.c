/* SPDX-License-Identifier: Apache-2.0 */
/* list_kern.c: packs points into clusters and lists pairs of clusters within
 * the cutoff.
 *
 * The groups of a column are processed upwards along z.  An index in each
 * surrounding column and image moves up with them and skips clusters below the
 * cutoff.  The remaining candidates are tested pair by pair. */
#include "stage/near/host_cluster/pairs_kern.h"

/* Range factor slightly above 1, so that rounding loses no pair. */
static const double wider = 1 + 1e-5;

static void list_pack(const struct cluster_grid *grid, struct cluster_set *set,
                      int64_t column, int64_t cluster, int count,
                      const int64_t *at, const double *z)
{
    const double *s0 = set->points->s[grid->axis[0]];
    const double *s1 = set->points->s[grid->axis[1]];
    double *box = set->box[column];
    coord *x = cluster_x(set, cluster);
    if (cluster == set->column[column]) {
        box[0] = box[2] = INFINITY;
        box[1] = box[3] = -INFINITY;
    }
    memset(x + 3 * W, 0, (size_t)((set->rows - 3) * W) * sizeof *x);
    for (int l = 0; l < W; l++) {
        int k = l < count ? l : count - 1;
        double a = s0[at[k]], b = s1[at[k]];
        double r[2] = {coord_round(a * grid->p[0][0] + b * grid->p[1][0]),
                       coord_round(b * grid->p[1][1])};
        for (int j = 0; j < 2; j++) {
            box[2 * j] = r[j] < box[2 * j] ? r[j] : box[2 * j];
            box[2 * j + 1] = r[j] > box[2 * j + 1] ? r[j] : box[2 * j + 1];
            x[j * W + l] = coord_of(r[j]);
        }
        x[2 * W + l] = coord_of(z[k]);
        set->order[cluster * W + l] = l < count ? at[k] : -1;
        for (int d = 0; d < 3 && set->listed; d++)
            set->listed[(cluster * 3 + d) * W + l] =
                set->points->s[grid->axis[d]][at[k]];
    }
    set->z[cluster][0] = coord_round(z[0]);
    set->z[cluster][1] = coord_round(z[count - 1]);
}

static void list_charge(const struct cluster_set *set, double scale,
                        double tiny, const void *q, int64_t begin, int64_t end)
{
    for (int64_t c = begin; c < end; c++) {
        real *to = (real *)cluster_x(set, c) + 3 * W;
        const int64_t *at = set->order + c * W;
        for (int l = 0; l < W; l++) {
            double x = at[l] >= 0 ? (double)((const real *)q)[at[l]] : 0;
            x *= scale;
            to[l] = (real)(at[l] < 0 || fabs(x) >= tiny ? x : tiny);
        }
    }
}

/* Rotates vector strengths into the frame.  A charge may precede them. */
static void list_vectors(const struct cluster_grid *grid,
                         const struct cluster_set *set, const void *q,
                         int64_t begin, int64_t end)
{
    const int strengths = set->rows - 3, charges = strengths % 3;
    for (int64_t k = begin * W; k < end * W; k++) {
        real *to = (real *)cluster_x(set, k / W) + 3 * W + k % W;
        int64_t at = set->order[k];
        const real *from = (const real *)q + (at >= 0 ? at : 0) * strengths;
        for (int j = 0; j < charges; j++)
            to[j * W] = at >= 0 ? from[j] : 0;
        for (int j = charges; j < strengths; j++) {
            const real *part = from + charges + (j - charges) / 3 * 3;
            const double *axis = grid->frame[(j - charges) % 3];
            double x = axis[0] * (double)part[0] + axis[1] * (double)part[1]
                       + axis[2] * (double)part[2];
            to[j * W] = (real)(at >= 0 ? x : 0);
        }
    }
}

/* Floor of k / n. */
static int64_t floor_div(int64_t k, int64_t n)
{
    return k >= 0 ? k / n : -((n - 1 - k) / n);
}

/* Appends to the visits the columns of slabs and columns in `range`, image k0,
 * k1, that come near column a, b. */
static int64_t list_columns(struct cluster_lister *l, int64_t a, int64_t b,
                            int64_t k0, int64_t k1, int behind, int64_t n)
{
    const struct cluster_grid *grid = l->grid;
    int64_t r0 = grid->reach[0], r1 = grid->reach[1];
    int64_t lo0 = k0 * grid->n[0] - a, lo1 = k1 * grid->n[1] - b;
    int64_t hi0 = lo0 + grid->n[0] - 1, hi1 = lo1 + grid->n[1] - 1;
    double x = (double)k0 * grid->p[0][0] + (double)k1 * grid->p[1][0];
    double y = (double)k1 * grid->p[1][1];
    lo0 = lo0 > -r0 ? lo0 : -r0;
    hi0 = hi0 < r0 ? hi0 : r0;
    lo1 = lo1 > -r1 ? lo1 : -r1;
    hi1 = hi1 < r1 ? hi1 : r1;
    for (int64_t d0 = lo0; d0 <= hi0; d0++)
        for (int64_t d1 = lo1; d1 <= hi1; d1++) {
            int ahead = d0 > 0 || (d0 == 0 && (d1 > 0 || (d1 == 0 && !behind)));
            int64_t c = (a + d0 - k0 * grid->n[0]) * grid->n[1] + b + d1
                        - k1 * grid->n[1];
            const int64_t *column = l->sources->column + c;
            const double *box = l->sources->box[c];
            if ((l->newton && !ahead) || column[0] == column[1]
                || !grid->near[(d0 + r0) * (2 * r1 + 1) + d1 + r1])
                continue;
            l->visit[n++] = (struct cluster_visit){
                column[1],
                column[0],
                {box[0] + x, box[1] + x, box[2] + y, box[3] + y}};
        }
    return n;
}

/* Finds the images of columns around column (a, b) that reach z[0] .. z[1];
 * returns their number. */
static int64_t list_images(struct cluster_lister *l, int64_t a, int64_t b,
                           const double z[2])
{
    const struct cluster_grid *grid = l->grid;
    const int64_t *n = grid->n;
    int64_t r0 = grid->reach[0], r1 = grid->reach[1], visits = 0, images = 0;
    double height = grid->p[2][2];
    for (int64_t k0 = l->newton ? 0 : floor_div(a - r0, n[0]);
         k0 <= floor_div(a + r0, n[0]); k0++)
        for (int64_t k1 = floor_div(b - r1, n[1]);
             k1 <= floor_div(b + r1, n[1]); k1++) {
            double at = (double)k0 * grid->p[0][2] + (double)k1 * grid->p[1][2];
            double low = floor((z[0] - grid->range * wider - at) / height);
            double high = floor((z[1] + grid->range * wider - at) / height);
            for (double k2 = low; k2 <= high; k2++) {
                struct cluster_image *image = &l->image[images];
                int64_t end = list_columns(l, a, b, k0, k1, k2 < 0, visits);
                if (end == visits)
                    continue;
                images++;
                image->k[0] = (int32_t)k0;
                image->k[1] = (int32_t)k1;
                image->k[2] = (int32_t)k2;
                for (int j = 0; j < 3; j++)
                    image->shift[j] = (double)k0 * grid->p[0][j]
                                      + (double)k1 * grid->p[1][j]
                                      + k2 * grid->p[2][j];
                image->z[0] = image->shift[2];
                image->z[1] = image->shift[2] + height;
                image->begin = visits;
                image->end = visits = end;
            }
        }
    return images;
}

/* A list being written, with its open segment. */
struct row {
    struct cluster_lister *l;
    const struct cluster_image *image;
    uint32_t *head;
    int64_t base, weight;
    int64_t group;
};

static uint32_t *pool_block(struct cluster_pool *pool, uint32_t *spare)
{
    int64_t block;
#pragma omp atomic capture
    block = pool->used++;
    return block < pool->blocks ? pool->word + block * CLUSTER_BLOCK : spare;
}

/* Keeps space for the header of the next segment, a jump and an end. */
static void row_block(struct cluster_lister *l)
{
    l->out = pool_block(l->pool, l->spare);
    l->limit = l->out + CLUSTER_BLOCK - 3 * CLUSTER_HEADER;
}

static void row_open(struct row *row, enum cluster_kind kind, int64_t base)
{
    uint32_t *head = row->l->out;
    head[0] = 0;
    head[1] = kind;
    for (int j = 0; j < 3; j++)
        head[2 + j] = (uint32_t)row->image->k[j];
    head[5] = (uint32_t)base;
    head[6] = (uint32_t)((uint64_t)base >> 32);
    row->head = head;
    row->base = base;
    row->l->out = head + CLUSTER_HEADER;
}

static void row_close(struct row *row)
{
    uint32_t *end = row->head + CLUSTER_HEADER;
    if (row->l->out == end)
        row->l->out = row->head;
    row->head[0] = (uint32_t)(row->l->out - end);
    if (row->l->out < row->l->limit)
        return;
    uint32_t *jump = row->l->out;
    row_block(row->l);
    int64_t to = row->l->out - row->l->pool->word;
    jump[0] = 1;
    jump[1] = CLUSTER_JUMP;
    jump[5] = (uint32_t)to;
    jump[6] = (uint32_t)((uint64_t)to >> 32);
}

/* Writes a cluster with coincident points as a segment of its own. */
static void row_slow(struct row *row, int64_t cluster, unsigned bits)
{
    row_close(row);
    row_open(row, CLUSTER_SLOW, cluster);
    *row->l->out++ = bits;
    row_close(row);
    row_open(row, CLUSTER_PLAIN, cluster);
}

/* The points of a group, as vectors. */
struct group {
    int64_t cluster;
    vcoord x[CLUSTER_GROUP][3]; /* broadcast, moved opposite to the image */
    coord at[CLUSTER_GROUP][3];
    double low[3], high[3];
    unsigned valid;             /* bit mask of the existing points */
};

static void group_set(struct group *group, const struct cluster_set *set,
                      const double box[4], int64_t g)
{
    int64_t c = g / (W / G);
    int sub = (int)(g % (W / G)) * G;
    const coord *x = cluster_x(set, c) + sub;
    const double near[3] = {box[0], box[2], set->z[c][0]};
    group->cluster = c;
    group->valid = 0;
    for (int j = 0; j < 3; j++) {
        group->low[j] = INFINITY;
        group->high[j] = -INFINITY;
    }
    for (int i = 0; i < G; i++) {
        group->valid |= (unsigned)(set->order[c * W + sub + i] >= 0) << i;
        for (int j = 0; j < 3; j++) {
            double r = coord_near(x[j * W + i], near[j]);
            group->at[i][j] = x[j * W + i];
            group->low[j] = r < group->low[j] ? r : group->low[j];
            group->high[j] = r > group->high[j] ? r : group->high[j];
        }
    }
}

/* Checks a cluster with a point close to one of the group.  1: points may
 * coincide; 0: they may coincide later, and the pair is watched. */
static __attribute__((noinline)) int
list_close(struct row *row, const struct group *group, int64_t c, vreal least)
{
    struct cluster_lister *l = row->l;
    vreal close = v_set((real)(l->close * l->close));
    if (v_bits(least <= close) & group->valid)
        return l->found = 1;
    uint32_t *block = l->watching;
    if (!block || (block[0] + 1) * WATCH_ENTRY + 1 > CLUSTER_BLOCK) {
        block = pool_block(l->watched, l->spare + CLUSTER_BLOCK);
        block[0] = 0;
        l->watching = block;
    }
    uint32_t *to = block + 1 + block[0]++ * WATCH_ENTRY;
    to[0] = (uint32_t)row->group;
    to[1] = (uint32_t)((uint64_t)row->group >> 32);
    to[2] = (uint32_t)c;
    to[3] = (uint32_t)((uint64_t)c >> 32);
    for (int j = 0; j < 3; j++)
        to[4 + j] = (uint32_t)row->image->k[j];
    return 0;
}

/* Tests the clusters from `from` on, up to z_max, against the group. */
static void list_test(struct row *row, const struct group *group, int64_t from,
                      int64_t end, double z_max)
{
    const struct cluster_lister *l = row->l;
    const struct cluster_set *set = l->sources;
    double range = l->grid->range;
    vreal cut = v_set((real)(range * range * wider));
    vreal watch = v_set((real)(l->watch * l->watch));
    uint32_t *out = l->out;
    int64_t weight = 0;
    for (int64_t c = from; c < end && set->z[c][0] <= z_max; c++) {
        const coord *x = cluster_x(set, c);
        vcoord xj = c_load(x), yj = c_load(x + W), zj = c_load(x + 2 * W);
        vreal square[CLUSTER_GROUP];
#pragma GCC unroll 4
        for (int i = 0; i < G; i++) {
            vreal dx = v_real(group->x[i][0] - xj);
            vreal dy = v_real(group->x[i][1] - yj);
            vreal dz = v_real(group->x[i][2] - zj);
            square[i] = dx * dx + dy * dy + dz * dz;
        }
        vreal least = v_least(square);
        unsigned bits = v_bits(least < cut) & group->valid;
        if (__builtin_expect(v_bits(least <= watch) & group->valid, 0)
            && list_close(row, group, c, least)) {
            row->l->out = out;
            row_slow(row, c, bits);
            out = row->l->out;
        } else {
            *out = (uint32_t)(c - row->base) << CLUSTER_GROUP | bits;
            out += bits != 0;
        }
        weight += (int64_t)(0x4332322132212110u >> 4 * bits & 15);
        if (__builtin_expect(out >= l->limit, 0)) {
            row->l->out = out;
            row_close(row);
            row_open(row, CLUSTER_PLAIN, c);
            out = row->l->out;
        }
    }
    row->l->out = out;
    row->weight += weight;
}

/* Lists all clusters of one image. */
static void list_image(struct row *row, struct group *group, int home)
{
    const struct cluster_image *image = row->image;
    struct cluster_lister *l = row->l;
    double range = l->grid->range, z = image->shift[2];
    double below = group->low[2] - range * wider - z;
    for (int i = 0; i < G; i++)
        for (int j = 0; j < 3; j++)
            group->x[i][j] = c_set(group->at[i][j] - coord_of(image->shift[j]));
    row_open(row, CLUSTER_PLAIN, l->visit[image->begin].at);
    for (int64_t v = image->begin; v < image->end; v++) {
        struct cluster_visit *visit = &l->visit[v];
        const double *box = visit->box;
        if (home && v == image->begin && visit->at <= group->cluster)
            visit->at = group->cluster + 1;
        while (visit->at < visit->end
               && l->sources->z[visit->at][1] < below)
            visit->at++;
        double dx = fmax(box[0] - group->high[0], group->low[0] - box[1]);
        double dy = fmax(box[2] - group->high[1], group->low[1] - box[3]);
        dx = fmax(dx, 0);
        dy = fmax(dy, 0);
        double square = range * range * wider - dx * dx - dy * dy;
        if (square < 0)
            continue;
        double high = sqrt(square);
        double z_min = group->low[2] - z - high;
        int64_t from = visit->at;
        while (from < visit->end && l->sources->z[from][1] < z_min)
            from++;
        if (visit->end - row->base >= (int64_t)1 << (32 - CLUSTER_GROUP)) {
            row_close(row);
            row_open(row, CLUSTER_PLAIN, from);
        }
        list_test(row, group, from, visit->end, group->high[2] - z + high);
    }
    row_close(row);
}

static void list_group(struct cluster_lister *l, int64_t g, const double box[4],
                       int64_t images)
{
    struct row row = {.l = l, .group = g};
    struct group group;
    double cut = l->grid->range * wider;
    if (l->out >= l->limit)
        row_block(l);
    l->start[g] = l->out - l->pool->word;
    group_set(&group, l->targets, box, g);
    for (int64_t m = 0; group.valid && m < images; m++) {
        const struct cluster_image *image = &l->image[m];
        if (image->z[0] > group.high[2] + cut
            || image->z[1] < group.low[2] - cut)
            continue;
        row.image = image;
        list_image(&row, &group, l->newton && !image->k[0] && !image->k[1]
                                     && !image->k[2]);
    }
    *l->out++ = 0;
    l->weight[g] = row.weight < INT32_MAX ? (int32_t)row.weight : INT32_MAX;
}

static void list_range(struct cluster_lister *l, int64_t begin, int64_t end)
{
    const struct cluster_set *set = l->targets;
    const int per = W / G;
    int64_t lo = 0, hi = l->grid->n[0] * l->grid->n[1];
    while (lo + 1 < hi) { /* find the last column that starts at or before
                             begin */
        int64_t mid = (lo + hi) / 2;
        if (set->column[mid] <= begin / per)
            lo = mid;
        else
            hi = mid;
    }
    for (int64_t column = lo, g = begin; g < end; column++) {
        int64_t stop = set->column[column + 1] * per;
        stop = stop < end ? stop : end;
        if (g >= stop)
            continue;
        const double z[2] = {set->z[g / per][0], set->z[(stop - 1) / per][1]};
        int64_t images = list_images(l, column / l->grid->n[1],
                                     column % l->grid->n[1], z);
        for (; g < stop; g++)
            list_group(l, g, set->box[column], images);
    }
}

const struct cluster_list_kern ISA_NAME(near_host_cluster_list) = {
    W, G, W * (int)sizeof(real), list_pack, list_charge, list_vectors,
    FARSUM_BITS == 64 ? 0x1p-300 : 0x1p-40, list_range};
