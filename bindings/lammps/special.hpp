/* SPDX-License-Identifier: Apache-2.0 */
/* special.hpp: special_bonds as Farsum's exclusions. */
#ifndef FARSUM_LAMMPS_SPECIAL_HPP
#define FARSUM_LAMMPS_SPECIAL_HPP

#include <vector>

#include "lammps.hpp"

namespace farsum_lammps
{

/* Pairs by their numbers over all ranks: an atom's index on its rank plus the
 * atoms of lower ranks.  Each pair is on one rank. */
struct special_pairs {
    std::vector<std::int64_t> ends; /* 2 per pair */
    std::vector<double> factors;    /* 1 per pair */
};

/* Finds the bonded pairs whose factor is below 1.  factor: those of 1-2, 1-3
 * and 1-4 pairs, in [1] to [3].  Collective. */
special_pairs find_special(LAMMPS_NS::Atom *atom, MPI_Comm world,
                           const double factor[4]);

} // namespace farsum_lammps
#endif
