/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_level_walk.h: loop over the pairs of the near sum in one precision.
 *
 * Before including, define struct target and pair(job, target, d, r2, j), which
 * adds source j at the distance d, and the macros of ewald_level_table.h. */

/* Adds sources j0 to j1 at a target x, an unevaluated sum of high and low
 * parts. */
static void box_pairs(const struct ewald_job *job, struct target *t,
                      const real x[3], const real x_low[3], int64_t j0,
                      int64_t j1)
{
    const struct ewald_points *p = job->sources;
    real rc2 = (real)job->rc * job->rc;
    for (int64_t j = j0; j < j1; j += W) {
        vreal d[3], r2 = v_set(0);
        for (int a = 0; a < 3; a++) {
            d[a] = (v_set(x[a]) - v_from_double(p->hi[a] + j)) +
                   (v_set(x_low[a]) - v_from_double(p->lo[a] + j));
            r2 += d[a] * d[a];
        }
        if (!v_any(r2 < v_set(rc2)))
            continue;
        for (int l = 0; l < W && j + l < j1; l++) {
            real e[3] = {LANE(d[0], l), LANE(d[1], l), LANE(d[2], l)};
            if (LANE(r2, l) < rc2)
                pair(job, t, e, LANE(r2, l), j + l);
        }
    }
}

static void near_target(const struct ewald_job *job, int64_t i,
                        struct target *t)
{
    const struct ewald_points *p = job->targets;
    const struct ewald_boxes *b = job->boxes;
    int32_t at[3] = {p->box[i] / b->grid[2] / b->grid[1],
                     p->box[i] / b->grid[2] % b->grid[1],
                     p->box[i] % b->grid[2]};
    for (int64_t o = 0; o < b->offsets; o++) {
        int32_t image[3];
        int64_t box = 0;
        for (int d = 0; d < 3; d++) {
            int32_t c = at[d] + b->offset[o][d], g = b->grid[d];
            image[d] = (c >= 0 ? c : c - g + 1) / g; /* rounded down */
            box = box * g + (c - image[d] * g);
        }
        const int64_t *start = job->sources->start + box;
        int64_t j0 = start[0], j1 = start[1];
        if (j0 == j1)
            continue;
        /* An image's sources lie at +v, so x - v is used for the target. */
        const double *v = b->image + 6 * ewald_image(b, image);
        real x[3], low[3];
        for (int d = 0; d < 3; d++) {
            x[d] = p->hi[d][i];
            low[d] = (real)p->lo[d][i] - v[3 + d];
            add(&x[d], &low[d], -v[d]);
        }
        box_pairs(job, t, x, low, j0, j1);
    }
}
