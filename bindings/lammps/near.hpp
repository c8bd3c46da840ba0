/* SPDX-License-Identifier: Apache-2.0 */
/* near.hpp: the near function of a plan as polynomials, for a pair loop. */
#ifndef FARSUM_LAMMPS_NEAR_HPP
#define FARSUM_LAMMPS_NEAR_HPP

#include <vector>

#include <farsum/farsum.hpp>

namespace farsum_lammps
{

/* u = 1/r - P, where P is a polynomial in v = 2 (r/cutoff)^2 - 1. */
class near_function
{
  public:
    /* Takes the function of a plan of laplace: P has as many coefficients as
     * the plan's near field, so values at as many nodes determine it. */
    void take(const farsum::plan &plan);
    /* P, and if `slope` is not NULL dP/d(r^2). */
    double smooth(double r2, double *slope) const
    {
        double v = r2 * per_ - 1, p = 0, d = 0;
        for (std::size_t k = coefficients_.size(); k-- > 0;) {
            d = d * v + p;
            p = p * v + coefficients_[k];
        }
        if (slope)
            *slope = d * per_;
        return p;
    }

    /* The coefficients of P, and of 2 dP/d(r^2). */
    const std::vector<double> &values() const
    {
        return coefficients_;
    }
    const std::vector<double> &slopes() const
    {
        return slopes_;
    }
    double per() const
    {
        return per_;
    }
    /* The plan sums in f32, or in part. */
    bool f32() const
    {
        return f32_;
    }
    const char *isa() const
    {
        return isa_;
    }

  private:
    double per_ = 0; /* 2 / cutoff^2 */
    bool f32_ = false;
    const char *isa_ = nullptr; /* instruction set of the plan */
    std::vector<double> coefficients_, slopes_;
};

} // namespace farsum_lammps
#endif
