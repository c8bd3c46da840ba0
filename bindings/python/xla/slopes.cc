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

/* One system's arguments and results. */
struct slopes {
    const part &of;
    std::int64_t sets, n; /* points of the system */
    bool by_cell;
    const double *x, *q; /* [n][3], [sets][n] */
    reals gx, gq;        /* [n][3], [sets][n] */
    mat gcell{};
};

/* Derivatives of f.F by one sum with two right-hand sides per set: charges q
 * with dipoles -c and with c = s q f.  s makes both of like strength. */
static void by_dipoles(const description &how, const double *f, slopes &to)
{
    const std::int64_t n = to.n, sets = to.sets;
    const auto count = static_cast<std::size_t>(2 * sets * n);
    reals strengths(4 * count), phi(count), e(3 * count), grad(6 * count);
    reals w(static_cast<std::size_t>(18 * sets)),
        s(static_cast<std::size_t>(sets));
    const double spacing = to.of.spacing(to.x);
    for (std::int64_t r = 0; r < sets; r++) {
        const double *q = to.q + r * n, *fr = f + 3 * r * n;
        double c2 = 0, q2 = 0;
        for (std::int64_t i = 0; i < n; i++) {
            q2 += q[i] * q[i];
            for (std::int64_t d = 0; d < 3; d++)
                c2 += q[i] * q[i] * fr[3 * i + d] * fr[3 * i + d];
        }
        /* where the charges do not feel f, s does not matter */
        double &scale = s[static_cast<std::size_t>(r)];
        scale = c2 > 0 ? dipole * spacing * std::sqrt(q2 / c2) : 1;
        for (std::int64_t i = 0; i < n; i++)
            for (int side = 0; side < 2; side++) {
                double *at = strengths.data() + 4 * ((r + side * sets) * n + i);
                at[0] = q[i];
                for (std::int64_t d = 0; d < 3; d++)
                    at[1 + d] = (side ? scale : -scale) * q[i] * fr[3 * i + d];
            }
    }
    task task = how.for_slopes();
    task.problem.kernel = "charge_dipole";
    task.problem.outputs = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_GRADIENT;
    if (to.by_cell)
        task.problem.outputs |= FARSUM_VIRIAL;
    farsum_result out = {};
    out.potential = phi.data(), out.field = e.data();
    out.gradient = grad.data(), out.virial = to.by_cell ? w.data() : nullptr;
    request r{task, (to.by_cell ? "dipoles, virial\n" : "dipoles\n") + how.text,
              to.of, [&] { return std::make_pair(to.x, strengths.data()); }};
    by_kept_plan(r, [&](kept_plan &k) {
        k.set(to.of.cell, n, to.x);
        k.plan.execute(static_cast<int>(2 * sets), strengths.data(), out);
        return k.plan.info().estimated_error;
    });
    static const std::int64_t sym[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    reals g(static_cast<std::size_t>(3 * n)); /* of this f alone */
    mat virial{};
    for (std::int64_t j = 0; j < sets * n; j++) {
        const std::int64_t i = j % n, minus = j, plus = j + sets * n;
        const double half = 0.5 / s[static_cast<std::size_t>(j / n)];
        double slope = half * (phi.data()[minus] - phi.data()[plus]);
        for (std::int64_t a = 0; a < 3; a++) {
            const double *em = e.data() + 3 * minus, *ep = e.data() + 3 * plus;
            slope += f[3 * j + a] * (em[a] + ep[a]) / 2;
            double force = to.q[j] * (em[a] - ep[a]); /* q E - G p */
            for (std::int64_t b = 0; b < 3; b++)
                force -= grad.data()[6 * minus + sym[3 * a + b]]
                             * strengths.data()[4 * minus + 1 + b]
                         - grad.data()[6 * plus + sym[3 * a + b]]
                               * strengths.data()[4 * plus + 1 + b];
            g.data()[3 * i + a] -= half * force;
        }
        to.gq.data()[j] += slope;
    }
    for (std::size_t k = 0; k < g.size(); k++)
        to.gx[k] += g[k];
    if (!to.by_cell)
        return;
    for (std::size_t k = 0; k < 9 * static_cast<std::size_t>(sets); k++)
        virial[k % 9] +=
            (w[k] - w[k + 9 * static_cast<std::size_t>(sets)]) * 0.5 / s[k / 9];
    const mat slope = cell_slope(n, to.x, to.of.cell, g.data(), virial.data());
    for (std::size_t k = 0; k < 9; k++)
        to.gcell[k] += slope[k];
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
        const double size = std::max(most_f / of.of.spacing(of.x), most_w);
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
    if (to.of.cell)
        h = times_transposed(to.of.cell, strain);
    farsum_result out = {};
    out.potential = phi.data(), out.field = g.data();
    out.virial = to.by_cell ? virial.data() : nullptr;
    k.set(to.of.cell ? h.data() : nullptr, n, x.data());
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
                           const double *w, slopes &to)
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
    const reals gx = to.gx, gq = to.gq;
    const mat gcell = to.gcell;
    request r{task,
              (to.by_cell ? "differences, virial\n" : "differences\n")
                  + how.text,
              to.of, [&] { return std::make_pair(to.x, first); }};
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

static void one_system(const description &how, const systems &all,
                       std::int64_t s, bool by_cell, frame &f, double *gx,
                       double *gq, double *gcell)
{
    const part p = all[s];
    reals own_q, own_f, own_w;
    const double *q =
        cut(f.numbers(1), all.sets, all.n, p.begin, p.n, 1, own_q);
    if (p.n == 0 || !any(q, all.sets * p.n))
        return;
    const double *along =
        cut(f.numbers(6), all.sets, all.n, p.begin, p.n, 3, own_f);
    const double *w = cut(f.numbers(7), all.sets, all.count, s, 1, 9, own_w);
    const auto n = static_cast<std::size_t>(p.n);
    slopes to{p,
              all.sets,
              p.n,
              by_cell && p.cell,
              f.numbers(0) + 3 * p.begin,
              q,
              reals(3 * n),
              reals(n * static_cast<std::size_t>(all.sets))};
    const char *kernel = how.sum.problem.kernel;
    const bool charges = !kernel || std::string_view(kernel) == "laplace";
    if (!any(along, 3 * all.sets * p.n))
        along = nullptr;
    if (!any(w, 9 * all.sets))
        w = nullptr;
    if (along && charges)
        by_dipoles(how, along, to);
    if (w || (along && !charges))
        by_differences(how, charges ? nullptr : along, w, to);
    std::copy(to.gx.begin(), to.gx.end(), gx + 3 * p.begin);
    for (std::int64_t r = 0; r < all.sets; r++)
        std::copy_n(to.gq.data() + r * p.n, p.n, gq + r * all.n + p.begin);
    std::copy(to.gcell.begin(), to.gcell.end(), gcell + 9 * s);
}

static void pull_back(frame &f)
{
    const description how(f.text("how"));
    const systems all(f, f.result(2).axes[0]);
    double *gx = f.output(0), *gq = f.output(1), *gcell = f.output(2);
    const bool by_cell = f.flag("by_cell");
    for (std::int64_t s = 0; s < all.count; s++)
        all.named(s,
                  [&] { one_system(how, all, s, by_cell, f, gx, gq, gcell); });
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
