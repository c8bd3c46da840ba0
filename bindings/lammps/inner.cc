/* SPDX-License-Identifier: Apache-2.0 */
/* inner.cc: the pairs that are near now, and records of the atoms. */
#include "inner.hpp"

#include <algorithm>
#include <cstring>

namespace farsum_lammps
{
namespace
{

/* Appends atoms at no distance to a multiple of width. */
int filled(int *list, int count, int width, int nowhere)
{
    for (; count % width; count++)
        list[count] = nowhere;
    return count;
}

/* The mean of n positions. */
void middle(const double *x, int n, double mean[3])
{
    for (int i = 0; i < n; i++, x += 3)
        for (int d = 0; d < 3; d++)
            mean[d] += x[d] / n;
}

} // namespace

/* Records lie at multiples of 64 bytes, so that none crosses a cache line. */
void inner_pairs::make_room(std::size_t record)
{
    std::size_t bytes = (static_cast<std::size_t>(atoms()) + 1) * record;
    bytes = (bytes + 63) / 64 * 64;
    if (room_.size() < 2 * bytes + 64)
        room_.resize(2 * bytes + bytes / 8 + 64);
    std::size_t space = room_.size();
    void *at = room_.data();
    x_ = std::align(64, 2 * bytes, at, space);
    f_ = static_cast<char *>(x_) + bytes;
    std::memset(f_, 0, bytes);
}

/* No atom has moved by more than `reach`, or changed its type. */
bool inner_pairs::fits(double reach) const
{
    std::size_t n = static_cast<std::size_t>(atoms());
    if (builds_ != neighbor->ncalls || built_at_.size() != 3 * n)
        return false;
    if (n == 0)
        return true;
    if (std::memcmp(type_.data(), atom->type, n * sizeof(int)) != 0)
        return false;
    const double *x = atom->x[0], *then = built_at_.data();
    double most = 0;
    for (std::size_t i = 0; i < 3 * n; i += 3) {
        double a = x[i] - then[i], b = x[i + 1] - then[i + 1],
               c = x[i + 2] - then[i + 2], moved = a * a + b * b + c * c;
        most = moved > most ? moved : most;
    }
    return most <= reach * reach;
}

template <class real>
void inner_pairs::follow(const LAMMPS_NS::NeighList *list,
                         const inner_limits &limits, const pair_kern *kern)
{
    int n = atoms();
    make_room(4 * sizeof(real));
    real *to = static_cast<real *>(x_);
    const double *x = n > 0 ? atom->x[0] : nullptr, *q = atom->q;
    std::fill_n(origin_, 3, 0);
    if (sizeof(real) < sizeof(double)) /* the box may lie far from 0 */
        middle(x, n, origin_);
    for (int i = 0; i < n; i++, to += 4, x += 3) {
        for (int d = 0; d < 3; d++)
            to[d] = static_cast<real>(x[d] - origin_[d]);
        to[3] = static_cast<real>(q[i]);
    }
    std::fill_n(to, 3, static_cast<real>(1e9)); /* far from all atoms */
    to[3] = 0;
    if (!fits(limits.skin / 2)) /* without atoms too: it empties the lists */
        build(list, limits, kern);
}

void inner_pairs::build(const LAMMPS_NS::NeighList *list,
                        const inner_limits &limits, const pair_kern *kern)
{
    std::size_t n = static_cast<std::size_t>(atoms());
    builds_ = neighbor->ncalls;
    built_at_.clear();
    if (n > 0)
        built_at_.assign(atom->x[0], atom->x[0] + 3 * n);
    type_.assign(atom->type, atom->type + n);
    type_.push_back(0);
    atom_.clear();
    apart_.clear();
    start_.assign(1, 0);
    pair_limits to = {};
    to.x = x_;
    to.type = type_.data();
    to.coulomb = limits.coulomb;
    to.mask = NEIGHMASK;
    to.shift = SBBITS;
    to.apart = limits.apart;
    std::ptrdiff_t types = atom->ntypes + 1;
    for (int k = 0; k < list->inum; k++) {
        int i = list->ilist[k];
        const double *lj = limits.lj.data() + atom->type[i] * types;
        bool any =
            std::any_of(lj, lj + types, [](double r2) { return r2 > 0; });
        to.lj = any ? lj : nullptr;
        build_one(i, list->firstneigh[i], list->numneigh[i], to, kern);
    }
}

/* Appends the pairs of atom i. */
void inner_pairs::build_one(int i, const int *others, int count,
                            const pair_limits &limits, const pair_kern *kern)
{
    std::size_t from = static_cast<std::size_t>(start_.back()),
                room = static_cast<std::size_t>(count + kern->width);
    if (other_.size() < from + 2 * room)
        other_.resize(2 * (from + 2 * room));
    if (one_.size() < 2 * room)
        one_.resize(2 * room);
    pair_kept kept = {};
    kept.with = other_.data() + from;
    kept.without = one_.data();
    kept.apart = one_.data() + room;
    kern->keep(&limits, i, others, count, &kept);
    int with = filled(kept.with, kept.n_with, kern->width, atoms());
    int without = filled(kept.without, kept.n_without, kern->width, atoms());
    std::copy_n(kept.without, without, kept.with + with);
    for (int k = 0; k < kept.n_apart; k++)
        apart_.push_back(
            {i, kept.apart[k] & NEIGHMASK, kept.apart[k] >> SBBITS & 3});
    if (with + without == 0)
        return;
    atom_.push_back(i);
    start_.push_back(start_.back() + with);
    start_.push_back(start_.back() + without);
}

void inner_pairs::tell(pair_job *job) const
{
    job->count = static_cast<std::int64_t>(atom_.size());
    job->atom = atom_.data();
    job->start = start_.data();
    job->other = other_.data();
    job->type = type_.data();
    job->x = x_;
    job->f = f_;
}

template <class real> void inner_pairs::add_forces(int n)
{
    double *f = n > 0 ? atom->f[0] : nullptr;
    const real *from = static_cast<const real *>(f_);
    std::fill_n(net_, 3, 0);
    for (int i = 0; i < n; i++, f += 3, from += 4)
        for (int d = 0; d < 3; d++) {
            f[d] += static_cast<double>(from[d]);
            net_[d] += static_cast<double>(from[d]);
        }
}

void inner_pairs::refer_to_middle(double *virial) const
{
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2},
                                 {0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 6; k++)
        virial[k] -= origin_[at[k][0]] * net_[at[k][1]];
}

template void inner_pairs::follow<double>(const LAMMPS_NS::NeighList *,
                                          const inner_limits &,
                                          const pair_kern *);
template void inner_pairs::follow<float>(const LAMMPS_NS::NeighList *,
                                         const inner_limits &,
                                         const pair_kern *);
template void inner_pairs::add_forces<double>(int);
template void inner_pairs::add_forces<float>(int);

double inner_pairs::bytes() const
{
    return static_cast<double>(
        room_.capacity() + built_at_.capacity() * sizeof(double)
        + (atom_.capacity() + other_.capacity() + type_.capacity())
              * sizeof(int)
        + start_.capacity() * sizeof(std::int64_t)
        + apart_.capacity() * sizeof(bonded));
}

} // namespace farsum_lammps
