/* SPDX-License-Identifier: Apache-2.0 */
/* near.cc: the near function of a plan as polynomials. */
#include "near.hpp"

#include <cmath>

namespace farsum_lammps
{
namespace
{

/* Powers of v from the coefficients of Chebyshev polynomials. */
std::vector<double> powers(const std::vector<double> &chebyshev)
{
    std::size_t n = chebyshev.size();
    std::vector<double> sum(n), last(n), now(n), next(n);
    now[0] = 1; /* T_0; then T_(k+1) = 2 v T_k - T_(k-1) */
    for (std::size_t k = 0; k < n; k++) {
        for (std::size_t i = 0; i < n; i++)
            sum[i] += chebyshev[k] * now[i];
        double twice = k ? 2 : 1;
        for (std::size_t i = 0; i < n; i++)
            next[i] = (i ? twice * now[i - 1] : 0) - (k ? last[i] : 0);
        last = now;
        now = next;
    }
    return sum;
}

} // namespace

void near_function::take(const farsum::plan &plan)
{
    farsum::plan_info info = plan.info();
    std::size_t n = static_cast<std::size_t>(info.near_coefficients);
    double square = info.cutoff * info.cutoff, count = static_cast<double>(n);
    std::vector<double> angle(n), r2(n), u(n), chebyshev(n);
    for (std::size_t k = 0; k < n; k++) {
        angle[k] = M_PI * (static_cast<double>(k) + 0.5) / count;
        r2[k] = square * (1 + std::cos(angle[k])) / 2;
    }
    plan.near(r2, u);
    for (std::size_t j = 0; j < n; j++) {
        for (std::size_t k = 0; k < n; k++)
            chebyshev[j] += (1 / std::sqrt(r2[k]) - u[k])
                            * std::cos(static_cast<double>(j) * angle[k]);
        chebyshev[j] *= (j ? 2 : 1) / count;
    }
    per_ = 2 / square;
    f32_ = info.precision != FARSUM_F64;
    isa_ = info.isa;
    coefficients_ = powers(chebyshev);
    slopes_.assign(n, 0);
    for (std::size_t k = 1; k < n; k++)
        slopes_[k - 1] = 2 * per_ * static_cast<double>(k) * coefficients_[k];
}

} // namespace farsum_lammps
