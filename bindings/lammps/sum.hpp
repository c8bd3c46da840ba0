/* SPDX-License-Identifier: Apache-2.0 */
/* sum.hpp: the sum of one of Farsum's kernels over the atoms of LAMMPS. */
#ifndef FARSUM_LAMMPS_SUM_HPP
#define FARSUM_LAMMPS_SUM_HPP

#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <farsum/farsum.hpp>

#include "lammps.hpp"
#include "near.hpp"

namespace farsum_lammps
{

/* What kspace_modify farsum sets.  0 and "": Farsum chooses. */
struct choices {
    std::string method, device;
    farsum_precision precision = FARSUM_F64;
    double cutoff = 0, skin = -1, bandwidth = 0; /* skin < 0: not set */
    std::array<std::int64_t, 3> mesh{};
    int support = 0, threads = 0, deterministic = 0, verify = 0;

    auto all() const
    {
        return std::tie(method, device, precision, cutoff, skin, bandwidth,
                        mesh, support, threads, deterministic, verify);
    }
};

/* What a plan is made for.  Any other needs another plan. */
struct aim {
    choices how;
    double constant = 0;  /* Farsum's `coulomb` */
    double tolerance = 0; /* RMS error of a force, in LAMMPS' unit */
    double unit = 1;      /* force that LAMMPS' accuracies are relative to */
    double squares = 0;   /* sum of the squared strengths */
    std::array<double, 4> factor{}; /* of 1-2, 1-3, 1-4 pairs, from [1] on */
    LAMMPS_NS::bigint atoms = 0;
    std::array<int, 3> periodic{};
    bool far = false; /* without the pairs within the cutoff */

    bool operator==(const aim &b) const
    {
        return how.all() == b.how.all()
               && std::tie(constant, tolerance, unit, squares, factor, atoms,
                           periodic, far)
                      == std::tie(b.constant, b.tolerance, b.unit, b.squares,
                                  b.factor, b.atoms, b.periodic, b.far);
    }
};

/* What a sum writes besides the forces.  NULL: not needed. */
struct sums {
    double *energy = nullptr, *virial = nullptr; /* 1; xx yy zz xy xz yz */
    double *each = nullptr; /* the energy of each atom; is added to */
    double **virials = nullptr; /* the virial of each atom; is added to */
};

class sum : protected LAMMPS_NS::Pointers
{
  public:
    sum(LAMMPS_NS::LAMMPS *lammps, const char *kernel)
        : Pointers(lammps), kernel_(kernel)
    {
    }
    /* States what the next run needs.  Keeps the plan if it fits. */
    void prepare(const aim &to);
    /* Adds the forces times `scale` to the atoms, and writes `out`. */
    void compute(const double *strengths, double scale, const sums &out);
    /* The plan's near function in the box of now.  Collective. */
    const near_function &near(const double *strengths);
    double bytes() const;
    /* Why the last sum left out the virial of each atom; empty: it did not. */
    const std::string &no_virials() const
    {
        return no_virials_;
    }

  private:
    using cell = std::array<double, 9>;
    std::string kernel_;
    aim aim_;
    std::unique_ptr<farsum::plan> plan_;
    cell cell_{};                   /* of the plan */
    LAMMPS_NS::bigint builds_ = -1; /* of neighbour lists, at the last pairs */
    LAMMPS_NS::bigint atoms_ = 0;   /* at the last pairs */
    bool reported_ = true;
    bool virials_ = false;   /* the plan sums the virial of each atom */
    std::string no_virials_; /* why no plan does */
    near_function near_;
    std::vector<double> field_, potential_, shares_;

    void make(const double *strengths);
    farsum::plan *plan_of(const farsum::problem &problem,
                          const farsum::options &options);
    void want_virials();
    std::vector<double> sample() const;
    void current(const double *strengths);
    void follow(const double *strengths);
    void set_pairs();
    void sum_up(const double *strengths, double scale, const sums &out);
    void report(const double *strengths) const;
    cell cell_now() const;
    bool is_open() const; /* no periodic axes */
    const double *positions() const
    {
        return atom->nlocal ? atom->x[0] : nullptr;
    }
};

} // namespace farsum_lammps
#endif
