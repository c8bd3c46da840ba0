/* SPDX-License-Identifier: Apache-2.0 */
/* image_fields.c: fields of root boxes with one or two periodic axes, one
 * difference of positions after another.
 *
 * They depend on the order and on the shapes of the box and the grid, but not
 * on lengths.  The process keeps the last FIELDS results of at most
 * FIELDS_NUMBERS numbers (16 MB). */
#include "stage/lattice/image_fields.h"

#include <math.h>

#include "base/kept.h"
#include "base/mem.h"
#include "base/par.h"
#include "base/progress.h"

enum { FIELDS = 4, FIELDS_NUMBERS = 1 << 21 };

struct fields_key {
    int64_t p, ws, periodic[3], root[3];
    double box[3];
};
static uint64_t fields_used[FIELDS];
static struct fields_key fields_key[FIELDS];
static double fields_value[FIELDS][FIELDS_NUMBERS];
static struct kept fields = KEPT(fields);

/* The arguments of multipole_images_create. */
struct region {
    double cell[3], near[3], reach[3];
};

static struct region region_of(const struct boxes_args *a)
{
    struct region r;
    for (int c = 0; c < 3; c++) {
        r.cell[c] = (double)a->root[c] * a->box[c];
        r.near[c] = (a->ws + 0.5) * a->box[c];
        r.reach[c] = r.cell[c] - a->box[c];
    }
    return r;
}

/* The number of differences. */
static int64_t fields_shape(const struct boxes_args *a, struct image_fields *f)
{
    int64_t all = 1;
    *f = (struct image_fields){.size = multipole_size(2 * a->p)};
    for (int c = 0; c < 3; c++) {
        f->side[c] = a->periodic[c] ? a->root[c] / 2 + 1 : a->root[c];
        all *= f->side[c];
    }
    return all;
}

static farsum_status fields_sum(const struct boxes_args *a, int64_t all,
                                struct image_fields *f)
{
    const struct region r = region_of(a);
    struct multipole_images *images = NULL;
    TRY(multipole_images_create(2 * a->p, a->periodic, r.cell, r.near, r.reach,
                                &images));
    struct progress *progress =
        progress_phase(all, "summing the images of root boxes");
    PAR_FOR(a->threads, schedule(dynamic))
    for (int64_t i = 0; i < all; i++) {
        int64_t left = i;
        double at[3];
        if (progress_stopped(progress))
            continue;
        for (int c = 0; c < 3; c++) {
            at[c] = (double)(left % f->side[c]) * a->box[c];
            left /= f->side[c];
        }
        multipole_images_field(images, at, f->field + i * f->size);
        progress_add(progress, 1);
    }
    multipole_images_destroy(images);
    return progress_check(progress);
}

farsum_status image_fields_make(const struct boxes_args *a,
                                struct image_fields *f)
{
    farsum_status status = FARSUM_OK;
    int64_t all = fields_shape(a, f), numbers = all * f->size;
    size_t bytes = (size_t)numbers * sizeof *f->field;
    struct fields_key key = {.p = a->p, .ws = a->ws};
    for (int c = 0; c < 3; c++) {
        key.periodic[c] = a->periodic[c];
        key.root[c] = a->root[c];
        key.box[c] = a->box[c];
    }
    GO(MEM_RAW(f->field, numbers));
    if (!kept_find(&fields, &key, f->field, bytes)) {
        GO(fields_sum(a, all, f));
        kept_store(&fields, &key, f->field, bytes);
    }
done:
    if (status != FARSUM_OK)
        image_fields_clear(f);
    return status;
}

void image_fields_clear(struct image_fields *f)
{
    mem_free(f->field);
    f->field = NULL;
}

int64_t image_fields_bytes(const struct boxes_args *a)
{
    const struct region r = region_of(a);
    struct image_fields f;
    int64_t all = fields_shape(a, &f);
    return 8 * all * f.size
           + multipole_images_bytes(2 * a->p, a->periodic, r.cell, r.near,
                                    r.reach);
}

double image_fields_cost(const struct boxes_args *a)
{
    const struct region r = region_of(a);
    struct image_fields f;
    double all = (double)fields_shape(a, &f);
    if (boxes_axes(a) % 3 == 0)
        return 0;
    return multipole_images_cost(
        2 * a->p, a->periodic, r.cell, r.near, r.reach,
        all / pow(a->threads > 0 ? a->threads : 1, 0.9));
}

void image_fields_counts(uint64_t *there, uint64_t *made)
{
    kept_counts(&fields, there, made);
}
