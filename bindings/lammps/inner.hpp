/* SPDX-License-Identifier: Apache-2.0 */
/* inner.hpp: the pairs that are near now, and records of the atoms. */
#ifndef FARSUM_LAMMPS_INNER_HPP
#define FARSUM_LAMMPS_INNER_HPP

#include <cstddef>
#include <memory>
#include <vector>

#include "lammps.hpp"
#include "pair_kern.h"

namespace farsum_lammps
{

/* What of LAMMPS' neighbour list is kept. */
struct inner_limits {
    /* For [type][type]: squared distance of pairs with Lennard-Jones
     * interactions; 0: none. */
    std::vector<double> lj;
    double coulomb = 0;       /* the same of the others */
    double skin = 0;          /* is part of these distances */
    unsigned apart = 0; /* bits of pairs of special_bonds that are apart */
};

/* A shorter list than LAMMPS', built when an atom has moved by half of its own,
 * smaller skin.  Pairs of the lists are in the order of pair_job. */
class inner_pairs : protected LAMMPS_NS::Pointers
{
  public:
    using Pointers::Pointers;
    struct bonded {
        int i, j, bond;
    };
    /* The list of no step fits any more. */
    void forget()
    {
        builds_ = -1;
    }
    /* Copies the atoms to records of `real`, with no forces, and builds the
     * list if it does not fit. */
    template <class real>
    void follow(const LAMMPS_NS::NeighList *list, const inner_limits &limits,
                const pair_kern *kern);
    /* Says where the list and the records are. */
    void tell(pair_job *job) const;
    /* Adds the records' forces to the first n atoms of LAMMPS. */
    template <class real> void add_forces(int n);
    /* Takes from sum x f what the distance to 0 adds: f32 leaves a net force.
     * virial: as LAMMPS'. */
    void refer_to_middle(double *virial) const;
    /* Pairs of special_bonds, which are not in the lists. */
    const std::vector<bonded> &apart() const
    {
        return apart_;
    }
    double bytes() const;

  private:
    LAMMPS_NS::bigint builds_ = -1; /* LAMMPS' count at the last list */
    std::vector<double> built_at_;  /* positions then */
    std::vector<int> atom_, other_, type_, one_;
    std::vector<std::int64_t> start_;
    std::vector<bonded> apart_;
    std::vector<char> room_;
    double origin_[3] = {0, 0, 0}; /* of the records */
    double net_[3] = {0, 0, 0};    /* force of all records */
    void *x_ = nullptr,
         *f_ = nullptr; /* in room_; one record more than atoms */

    int atoms() const
    {
        return atom->nlocal + atom->nghost;
    }
    void make_room(std::size_t record);
    bool fits(double reach) const;
    void build(const LAMMPS_NS::NeighList *list, const inner_limits &limits,
               const pair_kern *kern);
    void build_one(int i, const int *others, int count,
                   const pair_limits &limits, const pair_kern *kern);
};

} // namespace farsum_lammps
#endif
