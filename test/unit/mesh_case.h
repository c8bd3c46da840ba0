/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_case.h: initial mesh of the tests of the public mesh. */
#ifndef FARSUM_TEST_UNIT_MESH_CASE_H
#define FARSUM_TEST_UNIT_MESH_CASE_H

#include <string.h>

#include "farsum/mesh.h"

/* A cell that lattice reduction would change. */
static inline farsum_mesh_problem skewed(void)
{
    farsum_mesh_problem p = FARSUM_MESH_PROBLEM_INIT;
    const double cell[9] = {3, 0.5, 0, 7, 4, -1, 0.3, 0.2, 5};
    const int64_t mesh[3] = {7, 10, 9};
    memcpy(p.cell, cell, sizeof p.cell);
    memcpy(p.mesh, mesh, sizeof p.mesh);
    for (int d = 0; d < 3; d++)
        p.periodic[d] = 1;
    p.window = "prolate";
    p.support = 6;
    return p;
}
#endif
