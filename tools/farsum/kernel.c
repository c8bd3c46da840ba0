/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.c: the options and columns of each pair kernel. */
#include "kernel.h"

#include "nearest.h"

#include "base/c_locale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *kernel_name(const struct settings *s)
{
    return s->kernel ? s->kernel : "laplace";
}

int kernel_moments(const struct settings *s)
{
    return strengths_of(kernel_name(s))->moments;
}

int kernel_flow(const struct settings *s)
{
    return strengths_of(kernel_name(s))->flow;
}

static const char *name_at(int k, const void *data)
{
    (void)data;
    farsum_kernel_info info = FARSUM_KERNEL_INFO_INIT;
    return farsum_list_kernels(k, &info) == FARSUM_OK ? info.name : NULL;
}

int kernel_known(const char *name, char *error, size_t size)
{
    char text[160];
    for (int k = 0; name_at(k, NULL); k++)
        if (strcmp(name_at(k, NULL), name) == 0)
            return 0;
    nearest(name, name_at, NULL, text, sizeof text);
    snprintf(error, size, "unknown kernel '%s'%s%s", name,
             *text ? "; similar names: " : "; see 'farsum list kernels'", text);
    return -1;
}

/* 0: the library expects as many numbers per source as the columns have, or
 * does not know the kernel. */
static int strangers(const char *kernel)
{
    farsum_kernel_info info = FARSUM_KERNEL_INFO_INIT;
    for (int k = 0; farsum_list_kernels(k, &info) == FARSUM_OK; k++)
        if (strcmp(info.name, kernel) == 0)
            return info.strengths != strengths_of(kernel)->count;
    return 0;
}

int kernel_check(const struct settings *s, const char *kernel, char *error,
                 size_t size)
{
    int flow = strengths_of(kernel)->flow;
    int moments = strengths_of(kernel)->moments;
    if (s->asks_gravity && !(s->gravity > 0))
        snprintf(error, size, "gravity is no kernel; --gravity G sums the "
                              "column mass by 1/r (G in the file's units; "
                              "4.30091e-6 in kpc, km/s and solar masses)");
    else if (strangers(kernel))
        snprintf(error, size, "the command knows no columns for kernel %s",
                 kernel);
    else if (s->kappa > 0 && !strengths_of(kernel)->kappa)
        snprintf(error, size,
                 "--kappa requires kernel yukawa or yukawa_dipole, not %s",
                 kernel);
    else if ((s->gravity > 0 || (s->softening > 0 && !moments))
             && strcmp(kernel, "laplace") != 0)
        snprintf(error, size,
                 "--gravity and --softening require kernel laplace, not %s",
                 kernel);
    else if (s->gravity > 0 && s->units > 1)
        snprintf(error, size,
                 "--units %s and --gravity both set the constant; give one of "
                 "them",
                 options_word("units", s->units));
    else if (!flow && s->viscosity > 0)
        snprintf(error, size, "--viscosity requires a flow (stokeslet, rotlet "
                              "or stresslet), not kernel %s", kernel);
    else if (!flow && s->error == FARSUM_ERROR_VELOCITY)
        snprintf(error, size, "--error velocity: kernel %s has no velocities; "
                              "give force, potential, absolute, energy, "
                              "pressure or each", kernel);
    else if (flow && s->error && s->error != FARSUM_ERROR_VELOCITY &&
             s->error != FARSUM_ERROR_ABSOLUTE &&
             s->error != FARSUM_ERROR_EACH)
        snprintf(error, size, "--error %s: kernel %s has velocities only; "
                              "give velocity, absolute or each",
                              options_word("error", s->error),
                 kernel);
    else if ((flow || strcmp(kernel, "r6") == 0) && s->units > 1)
        snprintf(error, size, "--units %s sets Coulomb's constant, which "
                              "kernel %s does not have%s",
                              options_word("units", s->units), kernel,
                 flow ? "; give --viscosity instead" : "");
    else if (flow && s->particle_virial)
        snprintf(error, size,
                 "--particle-virial: kernel %s has velocities only", kernel);
    else if (strcmp(kernel, "laplace") != 0 && !moments
             && s->surface == FARSUM_VACUUM)
        snprintf(error, size,
                 "--surface vacuum requires kernel laplace, charge_dipole or "
                 "charge_quadrupole, not %s",
                 kernel);
    else
        return 0;
    return -1;
}

static int rename_column(struct io_frame *frame, const char *from,
                         const char *to)
{
    struct io_column *c = io_frame_column(frame, from);
    if (!c || io_frame_column(frame, to))
        return 0;
    char *name = strdup(to);
    if (!name)
        return -1;
    free(c->name);
    c->name = name;
    return 0;
}

int kernel_rename(const char *kernel, struct io_frame *frame)
{
    const struct strengths *row = strengths_of(kernel);
    if (!row->flow || !frame->format || strcmp(frame->format, "hdf5") != 0)
        return 0;
    if (rename_column(frame, "velo", "velocity") != 0)
        return -1;
    return strcmp(row->columns[0].name, "force") == 0
               ? rename_column(frame, "forces", "force")
               : 0;
}

static const char *column_at(int k, const void *data)
{
    const struct io_frame *frame = data;
    return k < frame->n_columns ? frame->columns[k].name : NULL;
}

/* Reports why a column is missing. */
static void tell_missing(const struct strengths *row, const char *name,
                         const struct io_frame *frame, char *error, size_t size)
{
    char needs[80], text[160];
    const char *format = frame->format ? frame->format : "";
    strengths_print(row, needs, sizeof needs);
    if (strcmp(format, "lammps") == 0 || strcmp(format, "pqr") == 0) {
        snprintf(error, size, "kernel %s needs %s, which extended XYZ and HDF5 "
                 "can hold; %s has charges only", row->kernel, needs,
                 *format == 'l' ? "LAMMPS data" : "PQR");
        return;
    }
    nearest(name, column_at, frame, text, sizeof text);
    snprintf(error, size, "found no column '%s'; kernel %s needs %s%s%s",
             name, row->kernel, needs, *text ? "; similar names: " : "", text);
}

static const double *find_column(const struct strengths *row,
                                 const struct strengths_column *wanted,
                                 const struct io_frame *frame, char *error,
                                 size_t size)
{
    static const char letters[] = {
        [IO_REAL] = 'R', [IO_INT] = 'I', [IO_TEXT] = 'S', [IO_BOOL] = 'L'};
    const struct io_column *c = io_frame_column(frame, wanted->name);
    char needs[80];
    if (!c) {
        tell_missing(row, wanted->name, frame, error, size);
        return NULL;
    }
    if (c->type != IO_REAL || c->width != wanted->width) {
        strengths_print(row, needs, sizeof needs);
        snprintf(error, size, "the column '%s' is %s:%c:%d: kernel %s needs "
                 "%s", c->name, c->name, letters[c->type], c->width,
                 row->kernel, needs);
        return NULL;
    }
    const double *v = c->data;
    for (int64_t i = 0; i < frame->n * c->width; i++) {
        if (isfinite(v[i]))
            continue;
        char line[40] = "";
        int64_t at = i / c->width;
        if (frame->line)
            snprintf(line, sizeof line, "line %lld: ",
                     (long long)(frame->line + at));
        c_locale_text(error, size,
                      "%sexpected a finite number for %s[%lld] of "
                      "particle %lld, found %g",
                      line, c->name, (long long)(i % c->width) + 1,
                      (long long)(frame->first + at) + 1, v[i]);
        return NULL;
    }
    return v;
}

/* Reports missing charges; the frame may have strengths of another kernel. */
static void tell_uncharged(const struct io_frame *frame, char *error,
                           size_t size)
{
    const struct strengths *row = NULL;
    for (int k = 1; strengths_get(k) && !row; k++)
        if (strengths_get(k)->flow &&
            io_frame_column(frame, strengths_get(k)->columns[0].name))
            row = strengths_get(k);
    if (row)
        snprintf(error, size, "found no charges but a column '%s'; --kernel "
                              "%s sums it", row->columns[0].name, row->kernel);
    else
        snprintf(error, size, "found no charges; give a column 'charge', or "
                              "--charge TYPE=Q for LAMMPS atom types");
}

/* The charges, or the values of the only column. */
static int one_column(const struct strengths *row,
                      const struct io_frame *frame, const double **q,
                      char *error, size_t size)
{
    if (row->flow)
        *q = find_column(row, &row->columns[0], frame, error, size);
    else if (!(*q = frame->q))
        tell_uncharged(frame, error, size);
    return *q ? 0 : -1;
}

int kernel_masses(const struct io_frame *frame, const double **q, char *error,
                  size_t size)
{
    static const struct strengths row = {
        .kernel = "laplace", .count = 1, .columns = {{"mass", 1, 0, ""}}};
    *q = find_column(&row, &row.columns[0], frame, error, size);
    return *q ? 0 : -1;
}

int kernel_strengths(const char *kernel, const struct io_frame *frame,
                     const double **q, double **own, char *error, size_t size)
{
    const struct strengths *row = strengths_of(kernel);
    const double *data[STRENGTHS_COLUMNS] = {NULL};
    int columns = 0, at = 0;
    *own = NULL;
    if (!row->columns[1].name)
        return one_column(row, frame, q, error, size);
    if (row->moments)
        data[columns++] = frame->q;
    for (; columns < STRENGTHS_COLUMNS && row->columns[columns].name; columns++)
        if (!(data[columns] = find_column(row, &row->columns[columns], frame,
                                          error, size)))
            return -1;
    if ((uint64_t)frame->n < SIZE_MAX / 64)
        *own = malloc((size_t)(frame->n * row->count + 1) * sizeof **own);
    if (!*own) {
        snprintf(error, size, "no memory for the strengths");
        return -1;
    }
    for (int k = 0; k < columns; at += row->columns[k++].width)
        for (int64_t i = 0; i < frame->n; i++) {
            double *to = *own + i * row->count + at;
            size_t bytes = (size_t)row->columns[k].width * sizeof **own;
            if (data[k])
                memcpy(to, data[k] + i * row->columns[k].width, bytes);
            else
                memset(to, 0, bytes);
        }
    *q = *own;
    return 0;
}
