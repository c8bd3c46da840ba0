/* SPDX-License-Identifier: Apache-2.0 */
/* plans.h: what a call asks for, and the plans and batches that calls keep.
 *
 * A plan is kept by its key.  It is taken out while a thread uses it, so
 * several threads may sum simultaneously. */
#ifndef PLANS_H
#define PLANS_H

#include "systems.h"

#include <farsum/batch.h>

#include <functional>
#include <mutex>

namespace handler
{

/* Problem and options of a sum.  They borrow the texts of a description. */
struct task {
    farsum::problem problem;
    farsum::options options;
};

/* The attribute `how`: lines NAME=VALUE, fields of the problem or options. */
class description
{
  public:
    explicit description(std::string_view how);
    description(const description &) = delete;
    task sum;
    /* For the sums of derivatives: without the choices of a method. */
    task for_slopes() const;
    /* charge_dipole sums the kernel's charges; in a cell not softened ones. */
    bool has_dipoles(bool in_cell) const;
    const std::string text;

  private:
    std::deque<std::string> words_;
};

/* A sum by a plan. */
struct request {
    task how;
    std::string key; /* without the exclusions */
    const part &of;
    /* Positions and strengths of the first set on the host; called for a new
     * plan only. */
    std::function<std::pair<const void *, const void *>()> sample;
    std::string device = {}; /* "cuda:0": arrays are there; empty: the host */
};

/* Numbers on a device, for energies and virials. */
struct scratch {
    double *room(const farsum::device &on, std::size_t count)
    {
        if (count > count_) {
            numbers_ =
                on.alloc(static_cast<std::int64_t>(count * sizeof(double)));
            count_ = count;
        }
        return static_cast<double *>(numbers_.get());
    }

  private:
    farsum::device::array numbers_;
    std::size_t count_ = 0;
};

struct kept_plan {
    kept_plan(const request &r, std::string with_pairs);
    bool fits(const request &r) const;
    /* Sets cell and points, as the positions' addresses. */
    void set(const double *cell, std::int64_t n, const void *x);

    std::string key;
    std::int64_t made_for;
    std::array<double, 9> cell{};
    double tolerance;
    std::unique_ptr<farsum::device> device; /* outlives the plan */
    farsum::plan plan;
    scratch numbers;
};

/* Sums by a kept plan, whose estimate after the sum decides, or by a new one.
 * work: sums and returns the estimated error. */
void by_kept_plan(const request &r,
                  const std::function<double(kept_plan &)> &work);

struct free_batch {
    void operator()(farsum_batch *b) const
    {
        farsum_batch_destroy(b);
    }
};
struct kept_batch {
    /* q: [rhs][N][strengths].  out: the arrays to write. */
    void sum(const systems &all, std::int64_t rhs, const void *x, const void *q,
             farsum_result out) const;

    std::string key;
    std::unique_ptr<farsum::device> device; /* outlives the batch */
    std::unique_ptr<farsum_batch, free_batch> batch;
    scratch numbers;
};

/* Calls work with a kept or a new batch; returns false if batches do not take
 * the task.  on: "cuda:0": arrays are there; empty: the host. */
bool by_batch(const systems &all, const task &how, const std::string &key,
              const std::string &on,
              const std::function<void(kept_batch &)> &work);

/* The plans or batches used last. */
template <class T> class store
{
  public:
    template <class F> std::unique_ptr<T> take(const std::string &key, F fits)
    {
        std::lock_guard<std::mutex> hold(lock_);
        for (auto at = kept_.rbegin(); at != kept_.rend(); ++at)
            if ((*at)->key == key && fits(**at)) {
                std::unique_ptr<T> found = std::move(*at);
                kept_.erase(std::next(at).base());
                return found;
            }
        return nullptr;
    }
    void give(std::unique_ptr<T> one)
    {
        list dropped; /* freed after the lock */
        std::lock_guard<std::mutex> hold(lock_);
        kept_.push_back(std::move(one));
        shrink(dropped);
    }
    /* Keeps at most this many from now on. */
    void keep(std::size_t most)
    {
        list dropped;
        std::lock_guard<std::mutex> hold(lock_);
        most_ = most;
        shrink(dropped);
    }

  private:
    using list = std::deque<std::unique_ptr<T>>;
    std::mutex lock_;
    std::size_t most_ = 8;
    list kept_;

    void shrink(list &dropped)
    {
        while (kept_.size() > most_) {
            dropped.push_back(std::move(kept_.front()));
            kept_.pop_front();
        }
    }
};
store<kept_plan> &plans();
store<kept_batch> &batches();

} // namespace handler
#endif
