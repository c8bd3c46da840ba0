/* SPDX-License-Identifier: Apache-2.0 */
/* systems.h: the systems of a call.
 *
 * The first arguments of all handlers are x [N, 3], q [R, N], cell [S, 3, 3],
 * index [N], exclude [k, 2] and factors [k].  No cell: open space; no index:
 * one system; no factors: all 0. */
#ifndef SYSTEMS_H
#define SYSTEMS_H

#include "frame.h"

namespace handler
{

/* Numbers of one system, [sets][n][width], of an array over all systems; a copy
 * only if they do not lie one behind the other. */
const double *cut(const double *from, std::int64_t sets, std::int64_t all,
                  std::int64_t begin, std::int64_t n, int width, reals &own);

struct part {
    std::int64_t at, begin, n;
    const double *cell; /* [9]; NULL: open space */
    std::vector<std::int64_t> pairs;
    reals factors;
    /* A typical distance of points. */
    double spacing(const double *x) const;
};

class systems
{
  public:
    systems(frame &f, std::int64_t number);
    part operator[](std::int64_t s) const;

    std::int64_t n, sets, count;
    const double *cells;
    std::vector<std::int64_t> offsets; /* [count + 1] */
    bool has_pairs() const
    {
        return !pairs_.empty();
    }

    /* Calls work(); its error names system s if there are several. */
    template <class F> void named(std::int64_t s, F work) const
    {
        try {
            work();
        } catch (const farsum::error &e) {
            if (count == 1)
                throw;
            throw farsum::error(e.status(), "system " + std::to_string(s) + ": "
                                                + e.what());
        }
    }

  private:
    std::vector<std::int64_t> pairs_;
    const double *factors_;
};

} // namespace handler
#endif
