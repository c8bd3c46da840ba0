/* SPDX-License-Identifier: Apache-2.0 */
/* kspace.hpp: the styles of kspace_style. */
#ifndef FARSUM_LAMMPS_KSPACE_HPP
#define FARSUM_LAMMPS_KSPACE_HPP

#include "sum.hpp"

namespace farsum_lammps
{

/* kspace_style farsum: the whole Coulomb sum. */
class kspace_farsum : public LAMMPS_NS::KSpace
{
  public:
    explicit kspace_farsum(LAMMPS_NS::LAMMPS *lammps);
    void settings(int narg, char **arg) override;
    int modify_param(int narg, char **arg) override;
    void init() override;
    void setup() override
    {
    }
    void compute(int eflag, int vflag) override;
    double memory_usage() override;
    /* 1: this pair style sums the near part, and this style only the rest. */
    virtual bool sums_far_part_of(const LAMMPS_NS::Pair *pair) const;
    /* The near function now, for this pair style.  Collective. */
    const near_function &near();

  protected:
    choices how_;
    bool needs_charges_ = true;
    aim aim_of(double constant, double squares, const double *factor) const;
    sums begin(int eflag, int vflag);
    /* After the sums: of each atom there may be no virial. */
    void end(const sums &out, const std::string &why);
    void add_coulomb(const sums &out);
    const std::string &no_virials() const
    {
        return coulomb_.no_virials();
    }
    /* Takes one keyword of kspace_modify farsum and its values; returns the
     * number of arguments, or 0 if it is not known. */
    virtual int take(int narg, char **arg);

  private:
    sum coulomb_;
    bool warned_ = false;
    farsum_precision precision_of(const std::string &name) const;
    int axes() const; /* that are periodic */
    void refuse() const;
    void refuse_pairs() const;
    void refuse_far() const;
};

/* kspace_style farsum/disp: the same and dispersion, -sqrt(C_i C_j) / r^6. */
class kspace_farsum_disp : public kspace_farsum
{
  public:
    explicit kspace_farsum_disp(LAMMPS_NS::LAMMPS *lammps);
    void init() override;
    void compute(int eflag, int vflag) override;
    double memory_usage() override;
    bool sums_far_part_of(const LAMMPS_NS::Pair *) const override
    {
        return false;
    }

  protected:
    int take(int narg, char **arg) override;

  private:
    sum dispersion_;
    std::vector<double> c6_;        /* of each type; < 0: not set */
    std::vector<double> strengths_; /* of each atom: sqrt(c6) */
};

} // namespace farsum_lammps
#endif
