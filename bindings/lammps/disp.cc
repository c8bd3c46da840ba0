/* SPDX-License-Identifier: Apache-2.0 */
/* disp.cc: kspace_style farsum/disp.
 *
 * Pairs attract by -sqrt(C_i C_j) / r^6, as by geometric mixing; C_i is that of
 * two atoms of one type, 4 epsilon sigma^6 for Lennard-Jones.  So strengths are
 * sqrt(C_i), and Farsum's constant is -1. */
#include <cmath>

#include "kspace.hpp"

using LAMMPS_NS::LAMMPS;
namespace utils = LAMMPS_NS::utils;

namespace farsum_lammps
{

kspace_farsum_disp::kspace_farsum_disp(LAMMPS *lammps)
    : kspace_farsum(lammps), dispersion_(lammps, "r6")
{
    needs_charges_ = false;
    warn_nocharge = 0;
}

/* c6 TYPES VALUE: sets C of the types. */
int kspace_farsum_disp::take(int narg, char **arg)
{
    if (std::string(arg[0]) != "c6")
        return kspace_farsum::take(narg, arg);
    if (narg < 3)
        utils::missing_cmd_args(FLERR, "kspace_modify farsum c6", error);
    int low = 0, high = 0;
    utils::bounds(FLERR, arg[1], 1, atom->ntypes, low, high, error);
    double c = utils::numeric(FLERR, arg[2], false, lmp);
    if (c < 0)
        error->all(FLERR, "kspace_modify farsum c6 of type {} is {}, below 0",
                   arg[1], c);
    c6_.resize(static_cast<std::size_t>(atom->ntypes) + 1, -1);
    for (int type = low; type <= high; type++)
        c6_[static_cast<std::size_t>(type)] = c;
    return 3;
}

void kspace_farsum_disp::init()
{
    kspace_farsum::init();
    c6_.resize(static_cast<std::size_t>(atom->ntypes) + 1, -1);
    double mine = 0, squares = 0;
    for (int type = 1; type <= atom->ntypes; type++)
        if (c6_[static_cast<std::size_t>(type)] < 0)
            error->all(FLERR,
                       "kspace_style {} needs kspace_modify farsum c6 "
                       "of type {}",
                       force->kspace_style, type);
    for (int i = 0; i < atom->nlocal; i++)
        mine += c6_[static_cast<std::size_t>(atom->type[i])];
    MPI_Allreduce(&mine, &squares, 1, MPI_DOUBLE, MPI_SUM, world);
    dispersion_.prepare(aim_of(-1, squares, force->special_lj));
}

void kspace_farsum_disp::compute(int eflag, int vflag)
{
    sums out = begin(eflag, vflag);
    add_coulomb(out);
    strengths_.resize(static_cast<std::size_t>(atom->nlocal));
    for (std::size_t i = 0; i < strengths_.size(); i++)
        strengths_[i] = std::sqrt(c6_[static_cast<std::size_t>(atom->type[i])]);
    dispersion_.compute(strengths_.data(), 1, out);
    end(out, no_virials().empty() ? dispersion_.no_virials() : no_virials());
}

double kspace_farsum_disp::memory_usage()
{
    return kspace_farsum::memory_usage() + dispersion_.bytes();
}

} // namespace farsum_lammps
