/* SPDX-License-Identifier: Apache-2.0 */
/* plans.cc: descriptions, and plans that calls keep. */
#include "plans.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <system_error>

namespace handler
{

/* A kept plan serves other counts and cells if they are this close. */
static const double close = 0.25;
static std::atomic<void (*)(const char *, void *)> log_line{nullptr};

/* Never freed: threads of XLA may outlive the library's destructors. */
store<kept_plan> &plans()
{
    static auto *one = new store<kept_plan>;
    return *one;
}

store<kept_batch> &batches()
{
    static auto *one = new store<kept_batch>;
    return *one;
}

/* A number as Python writes it, whatever the locale. */
template <class T>
static T number(const std::string &name, const std::string &value)
{
    T found = {};
    const char *end = value.data() + value.size();
    const auto read = std::from_chars(value.data(), end, found);
    if (read.ec != std::errc() || read.ptr != end)
        refuse("how: " + name + " is \"" + value + "\", not a number");
    return found;
}

/* Whether the problem has the field, which is then set. */
static bool problem_field(farsum_problem &p, const std::string &name,
                          const std::string &value)
{
    const auto real = [&] { return number<double>(name, value); };
    const auto choice = [&] { return number<int>(name, value); };
    if (name == "kernel")
        p.kernel = value.c_str();
    else if (name == "kappa")
        p.kappa = real();
    else if (name == "coulomb")
        p.coulomb = real();
    else if (name == "softening")
        p.softening = real();
    else if (name == "tolerance")
        p.tolerance = real();
    else if (name == "surface")
        p.surface = static_cast<farsum_surface>(choice());
    else if (name == "precision")
        p.precision = static_cast<farsum_precision>(choice());
    else if (name == "error")
        p.error = static_cast<farsum_error_kind>(choice());
    else if (name == "exclude_coincident")
        p.exclude_coincident = choice();
    else
        return false;
    return true;
}

description::description(std::string_view how) : text(how)
{
    std::size_t begin = 0;
    while (begin < text.size()) {
        std::size_t end = std::min(text.find('\n', begin), text.size());
        std::size_t equals = text.find('=', begin);
        if (equals >= end)
            refuse("how: a line without =");
        const std::string name = text.substr(begin, equals - begin);
        const std::string &value =
            words_.emplace_back(text.substr(equals + 1, end - equals - 1));
        if (!problem_field(sum.problem, name, value))
            farsum::check(
                farsum_options_set(&sum.options, name.c_str(), value.c_str()));
        begin = end + 1;
    }
    sum.options.log = log_line;
}

bool description::has_dipoles(bool in_cell) const
{
    const char *kernel = sum.problem.kernel;
    if (in_cell && sum.problem.softening > 0)
        return false;
    return !kernel || std::string_view(kernel) == "laplace";
}

task description::for_slopes() const
{
    task out;
    out.problem = sum.problem;
    out.problem.precision = farsum_precision();
    out.options.threads = sum.options.threads;
    out.options.memory_limit = sum.options.memory_limit;
    out.options.deterministic = sum.options.deterministic;
    out.options.on_excess = sum.options.on_excess;
    out.options.log = sum.options.log;
    return out;
}

static std::unique_ptr<farsum::device> opened(const std::string &name)
{
    if (name.empty())
        return nullptr;
    return std::make_unique<farsum::device>(name.c_str());
}

static farsum::plan planned(const request &r, farsum_device *device)
{
    farsum::problem p = r.how.problem;
    farsum::options o = r.how.options;
    const part &of = r.of;
    auto [x, q] = r.sample();
    p.n_sources = of.n;
    p.sample_x = x, p.sample_q = q;
    for (int k = 0; of.cell && k < 9; k++)
        p.cell[k] = of.cell[k], p.periodic[k / 3] = 1;
    p.n_exclusions = static_cast<std::int64_t>(of.factors.size());
    p.exclusions = of.pairs.data();
    p.exclusion_factors = of.factors.data();
    if (!p.arrays)
        p.arrays = FARSUM_F64;
    if (device) {
        p.memory = FARSUM_DEVICE;
        o.device.handle = device;
    }
    return farsum::plan(p, o);
}

kept_plan::kept_plan(const request &r, std::string with_pairs)
    : key(std::move(with_pairs)), made_for(r.of.n), device(opened(r.device)),
      plan(planned(r, device ? device->get() : nullptr))
{
    if (r.of.cell)
        std::copy_n(r.of.cell, 9, cell.begin());
    tolerance = plan.info().tolerance;
}

bool kept_plan::fits(const request &r) const
{
    auto had = static_cast<double>(made_for);
    if (std::fabs(static_cast<double>(r.of.n) - had) > close * had)
        return false;
    double size = 0;
    for (double v : cell)
        size = std::max(size, std::fabs(v));
    for (std::size_t k = 0; r.of.cell && k < 9; k++)
        if (std::fabs(r.of.cell[k] - cell[k]) > close * size)
            return false;
    return true;
}

void kept_plan::set(const double *to, std::int64_t n, const void *x)
{
    if (to && !std::equal(cell.begin(), cell.end(), to)) {
        plan.set_cell(farsum::view<const double>(to, 9));
        std::copy_n(to, 9, cell.begin());
    }
    plan.set_points(n, x);
}

/* The bytes of a vector as a part of a key. */
template <class T> static std::string bytes(const std::vector<T> &v)
{
    return std::string(reinterpret_cast<const char *>(v.data()),
                       v.size() * sizeof(T));
}

void by_kept_plan(const request &r,
                  const std::function<double(kept_plan &)> &work)
{
    const std::string key = r.key + (r.of.cell ? "\ncell\n" : "\nopen\n")
                            + r.device + "\n" + bytes(r.of.pairs)
                            + bytes(r.of.factors);
    auto one = plans().take(key, [&](const kept_plan &p) { return p.fits(r); });
    if (one) {
        try {
            if (work(*one) <= one->tolerance)
                return plans().give(std::move(one));
        } catch (const farsum::error &e) {
            if (e.status() != FARSUM_ERR_TOLERANCE) {
                plans().give(std::move(one));
                throw;
            }
        }
        one.reset();
    }
    one = std::make_unique<kept_plan>(r, key);
    work(*one);
    plans().give(std::move(one));
}

static std::unique_ptr<kept_batch> new_batch(const task &how, bool in_cell,
                                             const std::string &on)
{
    auto one = std::make_unique<kept_batch>();
    farsum::problem p = how.problem;
    farsum::options o = how.options;
    farsum_batch *made = nullptr;
    if (!p.arrays)
        p.arrays = FARSUM_F64;
    std::fill_n(p.periodic, 3, in_cell ? 1 : 0);
    one->device = opened(on);
    if (one->device) {
        p.memory = FARSUM_DEVICE;
        o.device.handle = one->device->get();
    }
    farsum_status status = farsum_batch_create(&p, &o, &made);
    if (status == FARSUM_ERR_UNSUPPORTED)
        return nullptr;
    farsum::check(status);
    one->batch.reset(made);
    return one;
}

void kept_batch::sum(const systems &all, std::int64_t rhs, const void *x,
                     const void *q, farsum_result out) const
{
    out.size = sizeof out;
    farsum::check(farsum_batch_set(batch.get(), all.count, all.offsets.data(),
                                   all.cells, x));
    farsum::check(
        farsum_batch_execute(batch.get(), static_cast<int>(rhs), q, &out));
}

bool by_batch(const systems &all, const task &how, const std::string &key,
              const std::string &on,
              const std::function<void(kept_batch &)> &work)
{
    if (all.has_pairs())
        return false;
    const std::string own = key + (all.cells ? "\ncell\n" : "\nopen\n") + on;
    auto one = batches().take(own, [](const kept_batch &) { return true; });
    if (!one)
        one = new_batch(how, all.cells, on);
    if (!one)
        return false;
    one->key = own;
    try {
        work(*one);
    } catch (const farsum::error &) {
        batches().give(std::move(one));
        throw;
    }
    batches().give(std::move(one));
    return true;
}

} // namespace handler

/* Keeps at most this many plans, and as many batches. */
extern "C" FARSUM_API void farsum_xla_keep(std::size_t most)
{
    handler::plans().keep(most);
    handler::batches().keep(most);
}

/* Sets the function that receives the lines of later plans' logs. */
extern "C" FARSUM_API void farsum_xla_log(void (*log)(const char *, void *))
{
    handler::log_line = log;
}
