/* SPDX-License-Identifier: Apache-2.0 */
/* fft_modes.c: the products (10.23).  Four modes that are mirrors of each other
 * in two axes share an operator: they are columns of one product. */
#include "stage/lattice/fft_modes.h"

#include "base/mem.h"
#include "base/par.h"
#include "stage/fft/fft.h"
#include "stage/lattice/fft_kern.h"
#include "stage/lattice/fft_symbol.h"

ISA_TABLE(struct lattice_kern, lattice_fft)

struct lattice_modes {
    struct lattice_modes_args args;
    int64_t n[3];    /* modes, without mirrors */
    int64_t rows[3], turn[3]; /* the mirror of mode i: (turn - i) % rows */
    int size, field; /* (p + 1)^2, (2p + 1)^2 */
    size_t real;
    const struct lattice_kern *kern;
    struct lattice_terms terms;
    int32_t *at;     /* owned */
    void *f;         /* owned */
    void *symbol;    /* owned: see fft_symbol.h */
    void *columns;   /* owned: [threads][2][mode][size][COLUMNS] of a row
                           along the half axis */
    double *sign[3]; /* owned, [size]: -1: a mirror of the axis changes the
                           sign */
    int *odd;        /* owned, [size]: 1: the degree is odd */
};

void lattice_mesh(const struct boxes_args *boxes, int64_t mesh[3])
{
    int axes = boxes_axes(boxes);
    for (int c = 0; c < 3; c++) {
        int64_t root = boxes->root[c], open = 2 * root - 1;
        if (axes > 0 && open < 2) /* transforms have two points or more */
            open = 2;
        /* images of one box are its field already, which needs no period */
        mesh[c] = boxes->periodic[c] && (axes == 3 || root > 1)
                      ? root
                      : fft_good_size(open);
    }
}

static void modes_count(const struct lattice_modes_args *args, int64_t n[3])
{
    n[0] = args->mesh[0] / 2 + 1;
    n[1] = args->end - args->first;
    n[2] = args->mesh[2] / 2 + 1;
}

/* Reals of the columns. */
static int64_t modes_columns(const struct lattice_modes_args *args)
{
    return 2 * args->boxes.threads * (args->mesh[args->half] / 2 + 1)
           * multipole_size(args->boxes.p) * LATTICE_COLUMNS;
}

int64_t lattice_modes_bytes(const struct lattice_modes_args *args)
{
    const struct boxes_args *boxes = &args->boxes;
    int64_t n[3], size = multipole_size(boxes->p), real = boxes_real(boxes);
    modes_count(args, n);
    return real
               * (n[0] * n[1] * n[2] * multipole_size(2 * boxes->p)
                  + modes_columns(args))
           + size * size * (8 + 2 * real)
           + lattice_symbol_bytes(boxes, args->mesh, n[1]);
}

void lattice_modes_destroy(struct lattice_modes *m)
{
    if (!m)
        return;
    mem_free(m->at);
    mem_free(m->f);
    mem_free(m->symbol);
    mem_free(m->columns);
    for (int c = 0; c < 3; c++)
        mem_free(m->sign[c]);
    mem_free(m->odd);
    mem_free(m);
}

/* Odd degrees carry a factor i, so that all else is real: L_n of odd n and M_k
 * of odd k.  Where both are odd a sign remains. */
static farsum_status modes_terms(struct lattice_modes *m)
{
    const struct boxes_args *boxes = &m->args.boxes;
    farsum_status status = FARSUM_OK;
    int64_t n = (int64_t)m->size * m->size;
    double *f = NULL;
    GO(MEM_RAW(m->at, 2 * n));
    GO(MEM_RAW(f, 2 * n));
    GO(mem_alloc(&m->f, 2 * n, m->real, 0));
    multipole_m2l_terms(boxes->p, m->at, f);
    for (int64_t i = 0; i < 2 * n; i++) {
        int64_t row = i / 2 / m->size, column = i / 2 % m->size;
        double v = m->odd[row] && m->odd[column] ? -f[i] : f[i];
        boxes_set(boxes, m->f, i, v);
    }
    m->terms = (struct lattice_terms){m->size, m->at, m->f};
done:
    mem_free(f);
    return status;
}

static farsum_status modes_signs(struct lattice_modes *m)
{
    TRY(MEM_RAW(m->odd, m->size));
    for (int c = 0; c < 3; c++)
        TRY(MEM_RAW(m->sign[c], m->size));
    for (int n = 0; n <= m->args.boxes.p; n++)
        for (int k = -n; k <= n; k++) {
            m->odd[multipole_at(n, k)] = n & 1;
            for (int c = 0; c < 3; c++)
                m->sign[c][multipole_at(n, k)] = lattice_odd(n, k, c) ? -1 : 1;
        }
    return FARSUM_OK;
}

farsum_status lattice_modes_create(const struct lattice_modes_args *args,
                                   struct lattice_modes **modes)
{
    const struct boxes_args *boxes = &args->boxes;
    const int64_t *mesh = args->mesh;
    farsum_status status = FARSUM_OK;
    struct lattice_modes *m = NULL;
    GO(MEM_NEW(m, 1));
    m->args = *args;
    modes_count(args, m->n);
    for (int c = 0; c < 3; c++) {
        m->rows[c] = c == 1 ? args->rows : mesh[c];
        m->turn[c] = c == 1 ? args->turn : mesh[c];
    }
    m->size = multipole_size(boxes->p);
    m->field = multipole_size(2 * boxes->p);
    m->real = (size_t)boxes_real(boxes);
    m->kern = isa_lattice_fft[boxes->isa][boxes->precision == FARSUM_F32];
    GO(modes_signs(m));
    GO(modes_terms(m));
    GO(mem_alloc(&m->columns, modes_columns(args), m->real, 0));
    GO(mem_alloc(&m->symbol, m->n[0] * m->n[1] * m->n[2] * m->field, m->real,
                 0));
    double points = (double)mesh[0] * (double)mesh[1] * (double)mesh[2];
    GO(lattice_symbol(boxes, mesh, args->first, args->end, 1 / points,
                      m->symbol));
    *modes = m;
    m = NULL;
done:
    lattice_modes_destroy(m);
    return status;
}

/* Copies columns of a row of modes, with both signs of axes u and v, between
 * the data and [mode][size][COLUMNS], with mirrors' signs, and i for odd
 * degrees. */
static void modes_row(const struct lattice_modes *m, const int64_t mode[3],
                      int u, int v, void *data, void *columns, int back)
{
    const struct lattice_modes_args *args = &m->args;
    const struct boxes_args *boxes = &args->boxes;
    int64_t n = args->mesh[args->half] / 2 + 1, step = args->step[args->half];
    for (int mirror = 0; mirror < 4; mirror++) {
        int64_t at[3] = {mode[0], mode[1], mode[2]};
        if (mirror & 1)
            at[u] = (m->turn[u] - at[u]) % m->rows[u];
        if (mirror & 2)
            at[v] = (m->turn[v] - at[v]) % m->rows[v];
        int64_t first = at[0] * args->step[0] + at[1] * args->step[1]
                        + at[2] * args->step[2];
        for (int64_t k = 0; k < m->size; k++) {
            double sign = (mirror & 1 ? m->sign[u][k] : 1)
                          * (mirror & 2 ? m->sign[v][k] : 1);
            int64_t from = first + k * args->channel;
            for (int64_t x = 0; x < n; x++, from += step) {
                int64_t to = (x * m->size + k) * LATTICE_COLUMNS + 2 * mirror;
                const void *in = back ? columns : data;
                void *out = back ? data : columns;
                int64_t i = back ? to : from, o = back ? from : to;
                double re = sign * boxes_number(boxes, in, i);
                double im = sign * boxes_number(boxes, in, i + 1);
                boxes_set(boxes, out, o, m->odd[k] ? -im : re);
                boxes_set(boxes, out, o + 1, m->odd[k] ? re : im);
            }
        }
    }
}

/* The number of mode in the symbol. */
static int64_t modes_at(const struct lattice_modes *m, const int64_t mode[3])
{
    return (mode[2] * m->n[1] + mode[1]) * m->n[0] + mode[0];
}

void lattice_modes_run(const struct lattice_modes *m, void *data)
{
    int half = m->args.half;
    int u = half == 0 ? 1 : 0, v = half == 2 ? 1 : 2;
    int64_t rows = m->n[u] * m->n[v], id = 0;
    size_t mode = (size_t)m->size * LATTICE_COLUMNS * m->real;
    size_t step = (size_t)m->n[half] * mode;
    PAR_TEAM(m->args.boxes.threads)
    {
        int64_t me;
#pragma omp atomic capture
        me = id++;
        char *in = (char *)m->columns + 2 * (size_t)me * step;
        char *out = in + step;
#pragma omp for schedule(dynamic)
        for (int64_t r = 0; r < rows; r++) {
            int64_t at[3] = {0};
            at[u] = r % m->n[u];
            at[v] = r / m->n[u];
            modes_row(m, at, u, v, data, in, 0);
            for (int64_t x = 0; x < m->n[half]; x++) {
                at[half] = x;
                m->kern->mode(&m->terms,
                              (char *)m->symbol
                                  + (size_t)(modes_at(m, at) * m->field)
                                        * m->real,
                              in + (size_t)x * mode, out + (size_t)x * mode);
            }
            at[half] = 0;
            modes_row(m, at, u, v, data, out, 1);
        }
    }
}
