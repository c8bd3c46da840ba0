/* SPDX-License-Identifier: Apache-2.0 */
/* plain_field.c: fields between root boxes, one difference after another. */
#include "stage/lattice/plain_field.h"

#include "base/mem.h"
#include "stage/lattice/image_fields.h"

/* S at r mirrored in some axes.  Real parts of order m change by (-1)^m in x
 * and by 1 in y, imaginary parts the other way; both change by (-1)^(n + m) in
 * z. */
static void fields_mirror(int p, const int flip[3], const double *from,
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

/* Sets the field for a difference d >= 0 of positions. */
static farsum_status fields_difference(const struct boxes_args *a,
                                       const struct image_fields *images,
                                       const int64_t d[3], double *field)
{
    double r[3], cell[3], near[3];
    int64_t image[3];
    int far = 0, flip[3];
    for (int c = 0; c < 3; c++) {
        r[c] = (double)d[c] * a->box[c];
        cell[c] = (double)a->root[c] * a->box[c];
        near[c] = (a->ws + 0.5) * a->box[c];
        far |= d[c] > a->ws;
        flip[c] = a->periodic[c] && 2 * d[c] > a->root[c];
        image[c] = flip[c] ? a->root[c] - d[c] : d[c];
    }
    if (boxes_axes(a) == 3)
        return multipole_lattice(2 * a->p, cell, near, r, field);
    if (images->field)
        fields_mirror(2 * a->p, flip, image_field(images, image), field);
    else if (far)
        multipole_singular(2 * a->p, r, field);
    return FARSUM_OK;
}

double *lattice_field(const struct lattice_fields *f, const int64_t d[3])
{
    int64_t at = 0;
    for (int c = 2; c >= 0; c--)
        at = at * f->side[c] + d[c] + f->root[c] - 1;
    return f->field + at * f->size;
}

farsum_status lattice_fields_make(const struct boxes_args *a,
                                  struct lattice_fields *f)
{
    const int64_t *root = a->root;
    farsum_status status = FARSUM_OK;
    struct image_fields images = {.field = NULL};
    int64_t d[3], fields = 1;
    *f = (struct lattice_fields){.size = multipole_size(2 * a->p)};
    for (int c = 0; c < 3; c++) {
        f->root[c] = root[c];
        f->side[c] = 2 * root[c] - 1;
        fields *= f->side[c];
    }
    GO(MEM_NEW(f->field, fields * f->size));
    if (boxes_axes(a) % 3 != 0)
        GO(image_fields_make(a, &images));
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
                    fields_mirror(2 * a->p, flip, lattice_field(f, b),
                                  lattice_field(f, d));
                else
                    GO(fields_difference(a, &images, d, lattice_field(f, d)));
            }
done:
    image_fields_clear(&images);
    if (status != FARSUM_OK)
        lattice_fields_clear(f);
    return status;
}

void lattice_fields_clear(struct lattice_fields *f)
{
    mem_free(f->field);
    f->field = NULL;
}
