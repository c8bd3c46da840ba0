/* SPDX-License-Identifier: Apache-2.0 */
/* systems.cc: the systems of a call. */
#include "systems.h"

#include <algorithm>
#include <cmath>

namespace handler
{

const double *cut(const double *from, std::int64_t sets, std::int64_t all,
                  std::int64_t begin, std::int64_t n, int width, reals &own)
{
    if (!from || sets == 1 || n == all)
        return from ? from + width * begin : nullptr;
    own.resize(static_cast<std::size_t>(sets * n * width));
    for (std::int64_t r = 0; r < sets; r++)
        std::copy_n(from + width * (r * all + begin), width * n,
                    own.data() + width * r * n);
    return own.data();
}

double part::spacing(const double *x) const
{
    double size = 0;
    if (cell) {
        const double *a = cell, *b = cell + 3, *c = cell + 6;
        size = std::fabs(a[0] * (b[1] * c[2] - b[2] * c[1])
                         + a[1] * (b[2] * c[0] - b[0] * c[2])
                         + a[2] * (b[0] * c[1] - b[1] * c[0]));
        return std::cbrt(size / static_cast<double>(n));
    }
    for (int d = 0; d < 3; d++) {
        double low = x[d], high = x[d];
        for (std::int64_t i = 1; i < n; i++) {
            low = std::min(low, x[3 * i + d]);
            high = std::max(high, x[3 * i + d]);
        }
        size = std::max(size, high - low);
    }
    return size > 0 ? size / std::cbrt(static_cast<double>(n)) : 1;
}

systems::systems(frame &f, std::int64_t number)
    : n(f.argument(0).axes[0]), sets(f.argument(1).axes[0]), count(number),
      cells(f.numbers(2)), pairs_(f.integers(4)), factors_(f.numbers(5))
{
    for (std::int64_t i : pairs_)
        if (i < 0 || i >= n)
            refuse("exclude names source " + std::to_string(i)
                   + ", but there are " + std::to_string(n));
    std::vector<std::int64_t> index = f.integers(3);
    if (index.empty()) {
        offsets.assign(static_cast<std::size_t>(count + 1), n);
        offsets[0] = 0;
        return;
    }
    offsets.assign(static_cast<std::size_t>(count + 1), 0);
    for (std::size_t i = 0; i < index.size(); i++) {
        if (index[i] < 0 || (i > 0 && index[i] < index[i - 1]))
            refuse("batch must be sorted: the systems come one after another");
        if (index[i] >= count)
            refuse("batch names system " + std::to_string(index[i])
                   + ", but there are " + std::to_string(count));
        offsets[static_cast<std::size_t>(index[i] + 1)]++;
    }
    for (std::size_t s = 1; s < offsets.size(); s++)
        offsets[s] += offsets[s - 1];
}

part systems::operator[](std::int64_t s) const
{
    auto k = static_cast<std::size_t>(s);
    std::int64_t begin = offsets[k], end = offsets[k + 1];
    part p{s, begin, end - begin, cells ? cells + 9 * s : nullptr, {}, {}};
    for (std::size_t i = 0; i + 1 < pairs_.size(); i += 2) {
        bool in[2];
        for (std::size_t e = 0; e < 2; e++)
            in[e] = pairs_[i + e] >= begin && pairs_[i + e] < end;
        if (in[0] != in[1])
            refuse("exclude: a pair joins two systems");
        if (!in[0])
            continue;
        p.pairs.push_back(pairs_[i] - begin);
        p.pairs.push_back(pairs_[i + 1] - begin);
        p.factors.push_back(factors_ ? factors_[i / 2] : 0);
    }
    return p;
}

} // namespace handler
