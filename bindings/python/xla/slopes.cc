/* SPDX-License-Identifier: Apache-2.0 */
/* slopes.cc: the handlers of derivatives of forces and virials.
 *
 * Further arguments: f [R, N, 3] and w [R, S, 3, 3]; without numbers: zero.
 * Results: the derivatives of f.F + w.W by x [N, 3], q [R, N] and cell
 * [S, 3, 3].  farsum/_systems.py has the formulas and the constants' reasons.
 * All is summed on the host. */
#include "plans.h"

#include <algorithm>
#include <cmath>

namespace handler
{

using mat = std::array<double, 9>;

static const double step_size = 3e-4, stricter = 1e-2, finest = 1e-13;
static const double dipole = 0.25;

/* a b^T */
static mat times_transposed(const double *a, const mat &b)
{
    mat c{};
    for (std::size_t i = 0; i < 3; i++)
        for (std::size_t j = 0; j < 3; j++)
            for (std::size_t k = 0; k < 3; k++)
                c[3 * i + j] += a[3 * i + k] * b[3 * j + k];
    return c;
}

/* h^-T m; the rows of h^-T are cross products of those of h. */
static mat solved(const double *h, const mat &m)
{
    mat u{}, out{};
    double det = 0;
    for (std::size_t i = 0; i < 3; i++)
        for (std::size_t k = 0; k < 3; k++) {
            const double *b = h + (i + 1) % 3 * 3, *c = h + (i + 2) % 3 * 3;
            const std::size_t k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            u[3 * i + k] = b[k1] * c[k2] - b[k2] * c[k1];
        }
    for (std::size_t k = 0; k < 3; k++)
        det += h[k] * u[k];
    for (std::size_t i = 0; i < 3; i++)
        for (std::size_t j = 0; j < 3; j++)
            for (std::size_t k = 0; k < 3; k++)
                out[3 * i + j] += u[3 * i + k] * m[3 * k + j] / det;
    return out;
}

/* dU/dh from g = dU/dx and the virial. */
static mat cell_slope(std::int64_t n, const double *x, const double *h,
                      const double *g, const double *virial)
{
    mat m;
    for (std::size_t a = 0; a < 3; a++)
        for (std::size_t b = 0; b < 3; b++)
            m[3 * a + b] = -virial[3 * b + a];
    for (std::int64_t i = 0; i < n; i++)
        for (std::size_t a = 0; a < 3; a++)
            for (std::size_t b = 0; b < 3; b++)
                m[3 * a + b] -= x[3 * i + static_cast<std::int64_t>(a)]
                                * g[3 * i + static_cast<std::int64_t>(b)];
    return solved(h, m);
}

/* Arguments and results of one system, or of all. */
struct slopes {
    std::int64_t sets, n;              /* points */
    std::vector<std::int64_t> offsets; /* of systems, [m + 1] */
    reals spacing;                     /* [m] */
    const double *cells;               /* [m][9]; NULL: open space */
    bool by_cell;
    const double *x, *q; /* [n][3], [sets][n] */
    reals gx{}, gq{};    /* [n][3], [sets][n] */
    reals gcell{};       /* [m][9] */

    std::int64_t systems() const
    {
        return static_cast<std::int64_t>(spacing.size());
    }
    void clear()
    {
        gx.assign(static_cast<std::size_t>(3 * n), 0);
        gq.assign(static_cast<std::size_t>(sets * n), 0);
        gcell.assign(9 * spacing.size(), 0);
    }
};

/* Charges q with dipoles -c, then with c = s q f, [2 sets][n][4].  s
 * [sets][m] makes charges and dipoles of a system of like strength. */
static reals with_dipoles(const slopes &of, const double *f, reals &s)
{
    const std::int64_t n = of.n, m = of.systems();
    reals strengths(static_cast<std::size_t>(8 * of.sets * n));
    for (std::int64_t k = 0; k < of.sets * m; k++) {
        const auto at = static_cast<std::size_t>(k % m);
        const std::int64_t set = k / m, first = set * n + of.offsets[at],
                           last = set * n + of.offsets[at + 1];
        double c2 = 0, q2 = 0;
        for (std::int64_t i = first; i < last; i++) {
            q2 += of.q[i] * of.q[i];
            for (std::int64_t d = 0; d < 3; d++)
                c2 += of.q[i] * of.q[i] * f[3 * i + d] * f[3 * i + d];
        }
        /* where the charges do not feel f, s does not matter */
        const double scale =
            c2 > 0 ? dipole * of.spacing[at] * std::sqrt(q2 / c2) : 1;
        s.data()[k] = scale;
        for (std::int64_t i = first; i < last; i++)
            for (int side = 0; side < 2; side++) {
                double *to = strengths.data() + 4 * (i + side * of.sets * n);
                to[0] = of.q[i];
                for (std::int64_t d = 0; d < 3; d++)
                    to[1 + d] =
                        (side ? scale : -scale) * of.q[i] * f[3 * i + d];
            }
    }
    return strengths;
}

/* Results of the sums of charges with dipoles. */
struct dipole_sums {
    reals potential, field, gradient, virial;
    dipole_sums(const slopes &of)
        : potential(static_cast<std::size_t>(2 * of.sets * of.n)),
          field(3 * potential.size()), gradient(6 * potential.size()),
          virial(18 * of.spacing.size() * static_cast<std::size_t>(of.sets))
    {
    }
    farsum_result arrays(bool by_cell)
    {
        farsum_result out = {};
        out.potential = potential.data(), out.field = field.data();
        out.gradient = gradient.data();
        out.virial = by_cell ? virial.data() : nullptr;
        return out;
    }
};

/* Adds the slopes of f.F, half the differences of both sums by s. */
static void add_slopes(const dipole_sums &r, const reals &strengths,
                       const reals &s, const double *f, slopes &to)
{
    static const std::int64_t sym[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    const std::int64_t n = to.n, m = to.systems(), all = to.sets * n;
    reals g(static_cast<std::size_t>(3 * n)); /* of this f alone */
    for (std::int64_t k = 0; k < to.sets * m; k++) {
        const auto at = static_cast<std::size_t>(k % m);
        const double half = 0.5 / s.data()[k];
        for (std::int64_t i = to.offsets[at]; i < to.offsets[at + 1]; i++) {
            const std::int64_t j = k / m * n + i, p = j + all;
            const double *em = r.field.data() + 3 * j,
                         *ep = r.field.data() + 3 * p;
            double slope =
                half * (r.potential.data()[j] - r.potential.data()[p]);
            for (std::int64_t a = 0; a < 3; a++) {
                slope += f[3 * j + a] * (em[a] + ep[a]) / 2;
                double force = to.q[j] * (em[a] - ep[a]); /* q E - G p */
                for (std::int64_t b = 0; b < 3; b++)
                    force -= r.gradient.data()[6 * j + sym[3 * a + b]]
                                 * strengths.data()[4 * j + 1 + b]
                             - r.gradient.data()[6 * p + sym[3 * a + b]]
                                   * strengths.data()[4 * p + 1 + b];
                g.data()[3 * i + a] -= half * force;
            }
            to.gq.data()[j] += slope;
        }
    }
    for (std::size_t k = 0; k < g.size(); k++)
        to.gx[k] += g[k];
    for (std::int64_t k = 0; to.by_cell && k < m; k++) {
        const std::int64_t first = to.offsets[static_cast<std::size_t>(k)];
        const std::int64_t last = to.offsets[static_cast<std::size_t>(k + 1)];
        mat w{};
        for (std::int64_t set = 0; set < to.sets; set++)
            for (std::int64_t c = 0; c < 9; c++) {
                const double *at = r.virial.data() + 9 * (set * m + k) + c;
                w.data()[c] +=
                    (at[0] - at[9 * to.sets * m]) * 0.5 / s.data()[set * m + k];
            }
        const mat slope =
            cell_slope(last - first, to.x + 3 * first, to.cells + 9 * k,
                       g.data() + 3 * first, w.data());
        for (std::int64_t c = 0; c < 9 && last > first; c++)
            to.gcell.data()[9 * k + c] += slope.data()[c];
    }
}

/* Derivatives of f.F by one sum with two right-hand sides per set.  of: the
 * system, or NULL for all by a batch; false: batches do not take them. */
static bool by_dipoles(const description &how, const systems &all,
                       const part *of, const double *f, slopes &to)
{
    reals s(static_cast<std::size_t>(to.sets * to.systems()));
    const reals strengths = with_dipoles(to, f, s);
    dipole_sums sums(to);
    const farsum_result out = sums.arrays(to.by_cell);
    task task = how.for_slopes();
    task.problem.kernel = "charge_dipole";
    task.problem.outputs = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_GRADIENT;
    if (to.by_cell)
        task.problem.outputs |= FARSUM_VIRIAL;
    const std::string key =
        (to.by_cell ? "dipoles, virial\n" : "dipoles\n") + how.text;
    if (!of) {
        auto together = [&](const kept_batch &b) {
            b.sum(all, 2 * to.sets, to.x, strengths.data(), out);
        };
        if (!by_batch(all, task, key, {}, together))
            return false;
    } else {
        request r{task, key, *of,
                  [&] { return std::make_pair(to.x, strengths.data()); }};
        by_kept_plan(r, [&](kept_plan &k) {
            k.set(of->cell, to.n, to.x);
            k.plan.execute(static_cast<int>(2 * to.sets), strengths.data(),
                           out);
            return k.plan.info().estimated_error;
        });
    }
    add_slopes(sums, strengths, s, f, to);
    return true;
}

/* One set of charges along its f and w. */
struct direction {
    const double *q, *f; /* f: NULL for zero */
    mat w;
    double step;

    direction(const slopes &of, std::int64_t set, const double *all_f,
              const double *all_w)
        : q(of.q + set * of.n), f(all_f ? all_f + 3 * set * of.n : nullptr), w{}
    {
        double most_f = 0, most_w = 0;
        for (std::int64_t k = 0; f && k < 3 * of.n; k++)
            most_f = std::max(most_f, std::fabs(f[k]));
        for (std::size_t k = 0; all_w && k < 9; k++) {
            w[k] = all_w[9 * set + static_cast<std::int64_t>(k)];
            most_w = std::max(most_w, std::fabs(w[k]));
        }
        const double size = std::max(most_f / of.spacing[0], most_w);
        const bool charged =
            std::any_of(q, q + of.n, [](double v) { return v != 0; });
        step = size > 0 && charged ? step_size / size : 0;
    }
};

/* Adds `weight` times the slopes of the energy at t; returns the estimate. */
static double at_step(kept_plan &k, const direction &d, double t, double weight,
                      std::int64_t set, slopes &to)
{
    const std::int64_t n = to.n;
    reals x(static_cast<std::size_t>(3 * n)), g(x.size()), phi(x.size() / 3);
    mat strain, h{}, virial{};
    for (std::size_t k9 = 0; k9 < 9; k9++)
        strain[k9] = (k9 % 4 == 0) + t * d.w[k9];
    for (std::int64_t i = 0; i < n; i++)
        for (std::int64_t a = 0; a < 3; a++) {
            double sum = d.f ? t * d.f[3 * i + a] : 0;
            for (std::int64_t b = 0; b < 3; b++)
                sum += to.x[3 * i + b] * strain.data()[3 * a + b];
            x.data()[3 * i + a] = sum;
        }
    if (to.cells)
        h = times_transposed(to.cells, strain);
    farsum_result out = {};
    out.potential = phi.data(), out.field = g.data();
    out.virial = to.by_cell ? virial.data() : nullptr;
    k.set(to.cells ? h.data() : nullptr, n, x.data());
    k.plan.execute(1, d.q, out);
    for (std::int64_t i = 0; i < n; i++) {
        to.gq.data()[set * n + i] += weight * phi.data()[i];
        for (std::int64_t a = 0; a < 3; a++)
            g.data()[3 * i + a] *= -d.q[i];
        for (std::int64_t a = 0; a < 3; a++)
            for (std::int64_t b = 0; b < 3; b++)
                to.gx.data()[3 * i + a] +=
                    weight * g.data()[3 * i + b] * strain.data()[3 * b + a];
    }
    if (to.by_cell) {
        const mat slope =
            cell_slope(n, x.data(), h.data(), g.data(), virial.data());
        for (std::size_t a = 0; a < 3; a++)
            for (std::size_t b = 0; b < 3; b++)
                for (std::size_t c = 0; c < 3; c++)
                    to.gcell[3 * a + c] +=
                        weight * slope[3 * a + b] * strain[3 * b + c];
    }
    return k.plan.info().estimated_error;
}

/* Derivatives of f.F + w.W by differences of the fourth order. */
static void by_differences(const description &how, const double *f,
                           const double *w, const part &of, slopes &to)
{
    static const double at[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
    std::vector<direction> all;
    const double *first = nullptr;
    for (std::int64_t r = 0; r < to.sets; r++) {
        all.emplace_back(to, r, f, w);
        if (!first && all.back().step > 0)
            first = all.back().q;
    }
    if (!first)
        return;
    task task = how.for_slopes();
    double &tolerance = task.problem.tolerance;
    tolerance = std::max(stricter * (tolerance > 0 ? tolerance : 1e-5), finest);
    task.problem.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    if (to.by_cell)
        task.problem.outputs |= FARSUM_VIRIAL;
    const reals gx = to.gx, gq = to.gq, gcell = to.gcell;
    request r{task,
              (to.by_cell ? "differences, virial\n" : "differences\n")
                  + how.text,
              of, [&] { return std::make_pair(to.x, first); }};
    by_kept_plan(r, [&](kept_plan &k) {
        double error = 0;
        to.gx = gx, to.gq = gq, to.gcell = gcell;
        for (std::int64_t s = 0; s < to.sets; s++) {
            const direction &d = all[static_cast<std::size_t>(s)];
            for (int p = 0; d.step > 0 && p < 4; p++)
                error =
                    std::max(error, at_step(k, d, at[p] * d.step,
                                            -weight[p] / (12 * d.step), s, to));
        }
        return error;
    });
}

static bool any(const double *v, std::int64_t n)
{
    return v && std::any_of(v, v + n, [](double one) { return one != 0; });
}

static void add(const reals &from, std::int64_t first, std::int64_t n,
                double *to)
{
    for (std::int64_t k = 0; k < n; k++)
        to[k] += from.data()[first + k];
}

/* What pull_back() is called with: f or w NULL are zero. */
struct request_of_slopes {
    const systems &all;
    bool by_cell;
    const double *x, *q, *f, *w;
    double *gx, *gq, *gcell;
};

static void one_system(const description &how, const request_of_slopes &c,
                       std::int64_t s)
{
    const systems &all = c.all;
    const part p = all[s];
    reals own_q, own_f, own_w;
    const double *q = cut(c.q, all.sets, all.n, p.begin, p.n, 1, own_q);
    if (p.n == 0 || !any(q, all.sets * p.n))
        return;
    const double *f = cut(c.f, all.sets, all.n, p.begin, p.n, 3, own_f);
    const double *w = cut(c.w, all.sets, all.count, s, 1, 9, own_w);
    const double *x = c.x + 3 * p.begin;
    slopes to{
        all.sets, p.n, {0, p.n}, {p.spacing(x)}, p.cell, c.by_cell && p.cell,
        x,        q};
    to.clear();
    if (!any(f, 3 * all.sets * p.n))
        f = nullptr;
    if (!any(w, 9 * all.sets))
        w = nullptr;
    if (f && how.has_dipoles(p.cell != nullptr)) {
        by_dipoles(how, all, &p, f, to);
        f = nullptr;
    }
    if (f || w)
        by_differences(how, f, w, p, to);
    add(to.gx, 0, 3 * p.n, c.gx + 3 * p.begin);
    for (std::int64_t r = 0; r < all.sets; r++)
        add(to.gq, r * p.n, p.n, c.gq + r * all.n + p.begin);
    add(to.gcell, 0, 9, c.gcell + 9 * s);
}

/* f.F of all systems by a batch; false: batches do not take it. */
static bool all_systems(const description &how, const request_of_slopes &c)
{
    const systems &all = c.all;
    slopes to{all.sets, all.n,     all.offsets,
              {},       all.cells, c.by_cell && all.cells,
              c.x,      c.q};
    for (std::int64_t s = 0; s < all.count; s++) {
        const part p = all[s];
        to.spacing.push_back(p.n ? p.spacing(c.x + 3 * p.begin) : 1);
    }
    to.clear();
    if (!by_dipoles(how, all, nullptr, c.f, to))
        return false;
    add(to.gx, 0, 3 * all.n, c.gx);
    add(to.gq, 0, all.sets * all.n, c.gq);
    add(to.gcell, 0, 9 * all.count, c.gcell);
    return true;
}

static void pull_back(frame &f)
{
    const description how(f.text("how"));
    const systems all(f, f.result(2).axes[0]);
    request_of_slopes c{all,          f.flag("by_cell"), f.numbers(0),
                        f.numbers(1), f.numbers(6),      f.numbers(7),
                        f.output(0),  f.output(1),       f.output(2)};
    if (all.n == 0 || all.sets == 0)
        return;
    if (all.count > 1 && how.has_dipoles(all.cells != nullptr)
        && !all.has_pairs() && c.f && all_systems(how, c))
        c.f = nullptr;
    for (std::int64_t s = 0; (c.f || c.w) && s < all.count; s++)
        all.named(s, [&] { one_system(how, c, s); });
}

} // namespace handler

extern "C" FARSUM_API call_error *farsum_xla_pull_back(const call *c)
{
    return handler::handled<handler::pull_back, false>(c);
}

extern "C" FARSUM_API call_error *farsum_xla_pull_back_cuda(const call *c)
{
    return handler::handled<handler::pull_back, true>(c);
}
