/* SPDX-License-Identifier: Apache-2.0 */
/* pair.hpp: pair_style lj/cut/coul/farsum. */
#ifndef FARSUM_LAMMPS_PAIR_HPP
#define FARSUM_LAMMPS_PAIR_HPP

#include <vector>

#include "inner.hpp"
#include "lammps.hpp"
#include "near.hpp"

namespace farsum_lammps
{

/* Lennard-Jones pairs, and the near part of the Coulomb sum; kspace_style
 * farsum then sums the far part. */
class pair_farsum : public LAMMPS_NS::Pair
{
  public:
    explicit pair_farsum(LAMMPS_NS::LAMMPS *lammps);
    ~pair_farsum() override;
    void compute(int eflag, int vflag) override;
    void settings(int narg, char **arg) override;
    void coeff(int narg, char **arg) override;
    void init_style() override;
    double init_one(int i, int j) override;
    double single(int i, int j, int itype, int jtype, double rsq,
                  double factor_coul, double factor_lj,
                  double &fforce) override;
    void *extract(const char *name, int &dim) override;
    double memory_usage() override;
    double cut_coulomb() const
    {
        return cut_coul_;
    }

  private:
    /* The pairs of two types. */
    struct types {
        double epsilon = 0, sigma = 0, cut = 0, shift = 0;
        double squared = 0; /* cut^2 */
        double f12 = 0, f6 = 0, e12 = 0, e6 = 0;
    };
    /* A pair: force over its distance vector, and energies. */
    struct parts {
        double force, coulomb, lj;
    };
    double cut_lj_ = 0, cut_coul_ = 0;
    std::vector<std::vector<types>> types_;
    inner_pairs inner_;
    inner_limits limits_;
    std::vector<double> lj_; /* of pair_job, in f64 and f32 */
    std::vector<float> lj_f32_;
    bool fits_f32_ = true; /* powers of distances do, in these units */
    void allocate();
    void set_tail(int i, int j, const types &t);
    parts pair(const near_function &near, const types &t, double qq, double rsq,
               double factor_coul, double factor_lj) const;
    const near_function &near() const;
    void make_tables();
    void sum(const near_function &near);
    template <class real>
    void sum_inner(pair_job &job, const pair_kern *kern, const void *lj);
    void sum_apart(const near_function &near);
    void sum_singly(const near_function &near);
};

} // namespace farsum_lammps
#endif
