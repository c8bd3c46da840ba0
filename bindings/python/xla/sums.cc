/* SPDX-License-Identifier: Apache-2.0 */
/* sums.cc: the handlers of sums.
 *
 * Results: energy [R, S], potential [R, N], field [R, N, 3] and virial
 * [R, S, 3, 3], which is 0 if the attribute `virial` is. */
#include "plans.h"

#include <algorithm>

namespace handler
{

/* Results of all systems, on the host. */
struct outputs {
    double *energy, *potential, *field, *virial;
};

static task with_outputs(const description &how, bool virial)
{
    task out = how.sum;
    out.problem.outputs =
        FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY
        | (virial ? static_cast<unsigned>(FARSUM_VIRIAL) : 0u);
    return out;
}

static std::string key_of(const description &how, bool virial)
{
    return (virial ? "sums, virial\n" : "sums\n") + how.text;
}

/* One system by a plan. */
static void by_plan(const systems &all, const part &p, const task &how,
                    const std::string &key, const double *x, const double *q,
                    const outputs &to)
{
    const std::int64_t sets = all.sets;
    const bool virial = how.problem.outputs & FARSUM_VIRIAL;
    reals charges, potential, field;
    reals energy(static_cast<std::size_t>(sets));
    reals w(static_cast<std::size_t>(9 * sets));
    const double *own = cut(q, sets, all.n, p.begin, p.n, 1, charges);
    const double *at = x + 3 * p.begin;
    farsum_result out = {};
    const bool apart = sets > 1 && p.n < all.n;
    if (apart) {
        potential.resize(static_cast<std::size_t>(sets * p.n));
        field.resize(static_cast<std::size_t>(3 * sets * p.n));
    }
    out.potential = apart ? potential.data() : to.potential + p.begin;
    out.field = apart ? field.data() : to.field + 3 * p.begin;
    out.energy = energy.data();
    out.virial = virial ? w.data() : nullptr;
    request r{how, key, p, [&] { return std::make_pair(at, own); }};
    by_kept_plan(r, [&](kept_plan &k) {
        k.set(p.cell, p.n, at);
        k.plan.execute(static_cast<int>(sets), own, out);
        return k.plan.info().estimated_error;
    });
    for (std::int64_t s = 0; s < sets; s++) {
        to.energy[s * all.count + p.at] = energy[static_cast<std::size_t>(s)];
        if (virial)
            std::copy_n(w.data() + 9 * s, 9,
                        to.virial + 9 * (s * all.count + p.at));
        if (!apart)
            continue;
        std::copy_n(potential.data() + s * p.n, p.n,
                    to.potential + s * all.n + p.begin);
        std::copy_n(field.data() + 3 * s * p.n, 3 * p.n,
                    to.field + 3 * (s * all.n + p.begin));
    }
}

static void sums(frame &f)
{
    const description how(f.text("how"));
    const bool virial = f.flag("virial");
    const systems all(f, f.result(0).axes[1]);
    const task task = with_outputs(how, virial);
    const std::string key = key_of(how, virial);
    const outputs to = {f.output(0), f.output(1), f.output(2), f.output(3)};
    const double *x = f.numbers(0), *q = f.numbers(1);
    if (all.n == 0 || all.sets == 0)
        return;
    farsum_result out = {};
    out.potential = to.potential, out.field = to.field;
    out.energy = to.energy, out.virial = virial ? to.virial : nullptr;
    auto together = [&](const kept_batch &b) {
        b.sum(all, all.sets, x, q, out);
    };
    if (all.count > 1 && by_batch(all, task, key, {}, together))
        return;
    for (std::int64_t s = 0; s < all.count; s++) {
        const part p = all[s];
        if (p.n > 0)
            all.named(s, [&] { by_plan(all, p, task, key, x, q, to); });
    }
}

/* Energies, and virials behind them, that a sum wrote on a GPU. */
class on_gpu
{
  public:
    on_gpu(frame &f, const farsum::device &device, scratch &numbers,
           std::int64_t count, bool virial, farsum_result &out)
        : f_(f), count_(count),
          found_(static_cast<std::size_t>(count * (virial ? 10 : 1))),
          at_(numbers.room(device, found_.size()))
    {
        out.energy = at_;
        out.virial = virial ? at_ + count : nullptr;
    }
    /* Copies them to the host. */
    void read(double *energy, double *w)
    {
        f_.read(found_.data(), at_, found_.size() * sizeof(double));
        std::copy_n(found_.data(), count_, energy);
        if (w)
            std::copy_n(found_.data() + count_, 9 * count_, w);
    }

  private:
    frame &f_;
    std::int64_t count_;
    reals found_;
    double *at_;
};

/* All systems by one batch, with arrays on a GPU. */
static bool batch_on_gpu(frame &f, const systems &all, const task &how,
                         const std::string &key, double *energy, double *w)
{
    return by_batch(all, how, key, cuda().current(), [&](kept_batch &b) {
        farsum_result out = {};
        on_gpu both(f, *b.device, b.numbers, all.sets * all.count, w != nullptr,
                    out);
        out.potential = f.result(1).data, out.field = f.result(2).data;
        b.sum(all, all.sets, f.argument(0).data, f.argument(1).data, out);
        both.read(energy, w);
    });
}

/* `sets` sets of one system by a plan, with arrays on a GPU. */
static double plan_on_gpu(frame &f, kept_plan &kept, const part &p,
                          std::int64_t sets, const void *x, const void *q,
                          farsum_result out, double *energy, double *w)
{
    on_gpu both(f, *kept.device, kept.numbers, sets, w != nullptr, out);
    kept.set(p.cell, p.n, x);
    kept.plan.execute(static_cast<int>(sets), q, out);
    kept.plan.finish();
    both.read(energy, w);
    return kept.plan.info().estimated_error;
}

/* With arrays on a GPU.  For plans the sets of a system of several do not lie
 * one behind the other, and are summed one by one. */
static void sums_on_gpu(frame &f)
{
    const description how(f.text("how"));
    const bool virial = f.flag("virial");
    const systems all(f, f.result(0).axes[1]);
    const bool f32 = f.argument(0).type == CALL_F32;
    const std::int64_t size = f32 ? sizeof(float) : sizeof(double);
    double *energy = f.output(0), *w = f.output(3);
    auto shift = [&](const buffer &b, std::int64_t numbers) {
        return static_cast<void *>(static_cast<char *>(b.data)
                                   + size * numbers);
    };
    task task = with_outputs(how, virial);
    task.problem.arrays = f32 ? FARSUM_F32 : FARSUM_F64;
    const std::string key = key_of(how, virial) + (f32 ? "\nf32" : "\nf64");
    if (all.count > 1 && all.n > 0 && all.sets > 0
        && batch_on_gpu(f, all, task, key, energy, virial ? w : nullptr))
        return;
    const std::int64_t together = all.count == 1 ? all.sets : 1;
    std::vector<float> narrow_x, narrow_q;
    for (std::int64_t k = 0; k < all.count * all.sets; k += together) {
        const part p = all[k / all.sets];
        const std::int64_t set = k % all.sets, at = set * all.n + p.begin;
        if (p.n == 0)
            continue;
        request r{task, key, p, {}, cuda().current()};
        r.sample = [&]() -> std::pair<const void *, const void *> {
            const double *x = f.numbers(0) + 3 * p.begin;
            const double *q = f.numbers(1) + at;
            if (!f32)
                return {x, q};
            narrow_x.assign(x, x + 3 * p.n);
            narrow_q.assign(q, q + p.n);
            return {narrow_x.data(), narrow_q.data()};
        };
        farsum_result out = {};
        out.potential = shift(f.result(1), at);
        out.field = shift(f.result(2), 3 * at);
        const std::int64_t place = set * all.count + p.at;
        auto work = [&](kept_plan &kept) {
            return plan_on_gpu(f, kept, p, together,
                               shift(f.argument(0), 3 * p.begin),
                               shift(f.argument(1), at), out, energy + place,
                               virial ? w + 9 * place : nullptr);
        };
        all.named(p.at, [&] { by_kept_plan(r, work); });
    }
}

} // namespace handler

extern "C" FARSUM_API call_error *farsum_xla_sums(const call *c)
{
    return handler::handled<handler::sums, false>(c);
}

extern "C" FARSUM_API call_error *farsum_xla_sums_cuda(const call *c)
{
    return handler::handled<handler::sums_on_gpu, true>(c);
}
