/* SPDX-License-Identifier: Apache-2.0 */
/* variants_mesh.h: cases of spread and interp. */
#ifndef FARSUM_TEST_VARIANTS_MESH_H
#define FARSUM_TEST_VARIANTS_MESH_H

#include "device/buf.h"
#include "math/window.h"
#include "stage/interp/interp.h"
#include "stage/spread/spread.h"
#include "variants.h"

/* The last cases are charges with dipoles: slopes and second derivatives. */
enum { MESH_MOMENTS = 8, MESH_CASES = 120 + MESH_MOMENTS };
/* P = 3 with three channels, 5 without points, 6 and 7 with open axes and
 * clusters, 2 with one point, 8 dense. */
#define MESH_ON_DEVICE                                                         \
    (1ull << 1 | 1ull << 3 | 1ull << 4 | 1ull << 15 | 1ull << 19 | 1ull << 20  \
     | 1ull << 36)

/* P = 4, 7, 16, 8, 6, and no points. */
#define MESH_MORE_ON_DEVICE (95ull << (MESH_CASES - MESH_MOMENTS - 64))

struct mesh_case {
    int support, channels, parts, open[3], padded;
    int64_t mesh[3], ldz, n;
    const char *dist, *window;
    unsigned outputs;
    int moments;
};

/* Numbers in a trial's precision, on its device. */
struct mesh_array {
    int64_t n;
    void *host;     /* owned */
    struct buf buf; /* owned */
};

struct mesh_work {
    struct mesh_case c;
    struct trial trial;
    struct cell cell;
    struct window window;
    struct points points;
    struct mesh_array q, mesh, potential, field, gradient;
    struct spread_args spread;
    struct interp_args interp;
    struct spread_io spread_io;
    struct interp_io interp_io;
};

struct mesh_case mesh_case(int k);
void mesh_name(int k, char *text, size_t size);
/* Points, strengths, a mesh of random numbers, results to add to, and the
 * stages' arguments. */
farsum_status mesh_make(int k, const struct trial *trial,
                        struct mesh_work **work);
void mesh_free(struct mesh_work *w); /* NULL is legal */

double mesh_get(const struct mesh_work *w, const struct mesh_array *a,
                int64_t i);
void mesh_put(const struct mesh_work *w, struct mesh_array *a, int64_t i,
              double v);
/* Points of a lattice may be at the end of a window.  Rounding then decides
 * which of two mesh points gets its last, small value (or slope).  Returns the
 * resulting relative error; 0 if there are no such points. */
double mesh_edge(const struct mesh_case *c);
/* Copies to the device and back; no-op on the host. */
void mesh_up(struct mesh_work *w, struct mesh_array *a);
void mesh_down(struct mesh_work *w, struct mesh_array *a);
/* The array for an io. */
void *mesh_io(struct mesh_work *w, struct mesh_array *a);
/* Real (channel, row, z, part) of the mesh. */
int64_t mesh_at(const struct mesh_work *w, int ch, int64_t row, int64_t z,
                int part);

/* <spread q, g> = <q, interp g> for the trial's variant of spread and every
 * variant of interp. */
void mesh_adjoint(int k, const struct trial *trial, const char *row);
#endif
