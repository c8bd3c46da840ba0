/* error.h: the a-priori error of the spectral method, docs/math.md section 6.
 *
 * All in units of the cutoff.  For charges without order the RMS over the
 * particles of the error of the field is sqrt(Q K2), Q = sum q^2, where K2 is
 * the sum of the parts below; of the potential likewise. */
#ifndef FARSUM_METHOD_ERROR_H
#define FARSUM_METHOD_ERROR_H

#include "math/split.h"
#include "math/window.h"
#include "points/cell.h"

enum { ALIAS_NODES = 65 };

/* How strongly a mode of theta = k h (h the mesh spacing) is taken for its
 * aliases theta + 2 pi m: logs of sums over m of (what(theta + 2 pi m) /
 * what(theta))^2 times 1 and m^2, and the mean m; at theta = pi i/(NODES - 1).
 */
struct alias {
    double log0[ALIAS_NODES], log2[ALIAS_NODES], mean[ALIAS_NODES];
};
void alias_set(struct alias *alias, const struct window *window);

struct error_parts {
    double cut_near; /* what lies beyond the cutoff */
    double cut_far;  /* modes beyond the bandwidth */
    double mesh;     /* aliases of the window */
};

/* volume and mesh of `cell` (units of the cutoff).  potential: 1 for the
 * potential, 0 for the field.  Each part is a square, per unit of Q. */
void error_cut(const struct split *split, double volume, int potential,
               struct error_parts *parts);
double error_mesh(const struct split *split, const struct alias *alias,
                  const struct cell *cell, const int64_t mesh[3],
                  int potential);
#endif
