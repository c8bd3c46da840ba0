/* SPDX-License-Identifier: Apache-2.0 */
/* farsum.hpp: farsum.h for C++17, in one header.
 *
 *     std::vector<std::array<double, 3>> x = ...;
 *     std::vector<double> q = ..., phi(q.size());
 *     farsum::problem problem;
 *     problem.box(10, 10, 10).sample(x, q);
 *     problem.tolerance = 1e-8;
 *     farsum::plan plan(problem);
 *     plan.set_points(x);
 *     farsum::result out;
 *     out.potential = phi;
 *     plan.execute(q, out);
 *
 * Structs have the fields of C, with the same names, and start from their
 * initial values.  A failed call throws farsum::error, which has the status.
 * Calls with arrays check types and counts.  Calls with pointers do not: they
 * take arrays on devices too.  Plans, devices and arrays on devices are freed
 * by their destructors.  Any other function of C goes through farsum::check:
 *
 *     farsum::check(farsum_mesh_spread(mesh.get(), q, grid));
 *
 * Exceptions must not leave the callbacks log and progress.  farsum.h describes
 * fields and functions; docs/cpp.md has complete programs. */
#ifndef FARSUM_HPP
#define FARSUM_HPP

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "farsum/device.h"
#include "farsum/expert.h"
#include "farsum/farsum.h"
#include "farsum/mesh.h"

namespace farsum
{

/* A failed call: what() is its message. */
class error : public std::runtime_error
{
  public:
    error(farsum_status status, const std::string &message)
        : std::runtime_error(message), status_(status)
    {
    }
    farsum_status status() const noexcept
    {
        return status_;
    }

  private:
    farsum_status status_;
};

/* Throws the calling thread's last error, unless status is FARSUM_OK. */
inline void check(farsum_status status)
{
    if (status != FARSUM_OK)
        throw error(status, farsum_message());
}

namespace detail
{
/* The numbers that an array consists of. */
template <class T> struct number {
    using type = T;
};
template <class T, std::size_t N> struct number<T[N]> : number<T> {
};
template <class T, std::size_t N>
struct number<std::array<T, N>> : number<std::remove_const_t<T>> {
};
template <class C>
using element = std::remove_pointer_t<decltype(std::data(
    std::declval<std::add_lvalue_reference_t<C>>()))>;
/* Whether a view<T> may be made of a C. */
template <class C, class T, class U = element<C>>
constexpr bool viewable =
    std::is_same_v<typename number<std::remove_const_t<U>>::type,
                   std::remove_const_t<T>>
    && (std::is_const_v<T> || !std::is_const_v<U>);

/* Throws if an array has not `want` numbers. */
inline void require(const char *name, std::int64_t have, std::int64_t want)
{
    if (have != want)
        throw error(FARSUM_ERR_ARGUMENT,
                    std::string(name) + ": " + std::to_string(have)
                        + " numbers, must be " + std::to_string(want));
}
} // namespace detail

/* Numbers that others own: a pointer and their count.  Made from vectors,
 * arrays, spans and matrices whose elements lie one behind the other, also if
 * these are arrays of numbers, as in std::vector<std::array<double, 3>>. */
template <class T> class view
{
  public:
    view() = default;
    view(T *data, std::int64_t size) : data_(data), size_(size)
    {
    }
    template <class C, class = std::enable_if_t<
                           detail::viewable<C, T>
                           && !std::is_same_v<std::decay_t<C>, view>>>
    view(C &&c)
        : data_(reinterpret_cast<T *>(std::data(c))),
          size_(static_cast<std::int64_t>(
              std::size(c) * (sizeof *std::data(c) / sizeof(T))))
    {
    }
    T *data() const noexcept
    {
        return data_;
    }
    std::int64_t size() const noexcept
    {
        return size_;
    }

  private:
    T *data_ = nullptr;
    std::int64_t size_ = 0;
};

/* A struct of C with its initial value. */
template <class S> struct initial : S {
    initial() : S{}
    {
        this->size = sizeof(S);
    }
};
using options = initial<farsum_options>;
using plan_info = initial<farsum_plan_info>;
using device_info = initial<farsum_device_info>;
using mesh_problem = initial<farsum_mesh_problem>;
using mesh_options = initial<farsum_mesh_options>;
using mesh_info = initial<farsum_mesh_info>;
using nufft_problem = initial<farsum_nufft_problem>;

struct problem : initial<farsum_problem> {
    /* Sets a periodic cell with right angles. */
    problem &box(double a, double b, double c)
    {
        const double edges[3] = {a, b, c};
        for (int i = 0; i < 9; i++)
            cell[i] = i % 4 ? 0 : edges[i / 4];
        periodic[0] = periodic[1] = periodic[2] = 1;
        return *this;
    }
    /* Sets the representative configuration: positions and strengths of the
     * sources, which create reads, and their number and type. */
    problem &sample(view<const double> x, view<const double> q)
    {
        return sample_of(x, q, FARSUM_F64);
    }
    problem &sample(view<const float> x, view<const float> q)
    {
        return sample_of(x, q, FARSUM_F32);
    }

  private:
    template <class T>
    problem &sample_of(view<T> x, view<T> q, farsum_precision type)
    {
        detail::require("sample_x", x.size(), x.size() / 3 * 3);
        n_sources = x.size() / 3;
        sample_x = x.data();
        sample_q = q.data();
        arrays = type;
        return *this;
    }
};

/* Where results go: the fields of farsum_result.  Empty: not computed. */
template <class T = double> struct result {
    view<T> potential, field;
    view<double> energy, virial;
    view<T> velocity, gradient, particle_virial, third;
};

/* An open device.  It must outlive the plans and arrays on it. */
class device
{
  public:
    explicit device(const char *name)
    {
        farsum_device *opened = nullptr;
        check(farsum_device_open(name, &opened));
        handle_.reset(opened);
    }
    /* On the caller's context and queue: farsum_device_adopt. */
    device(const char *name, void *context, void *queue)
    {
        farsum_device *opened = nullptr;
        check(farsum_device_adopt(name, context, queue, &opened));
        handle_.reset(opened);
    }
    farsum_device *get() const noexcept
    {
        return handle_.get();
    }
    device_info info() const
    {
        device_info out;
        check(farsum_device_get_info(get(), &out));
        return out;
    }

    struct free {
        farsum_device *on;
        void operator()(void *array) const
        {
            farsum_device_free(on, array);
        }
    };
    using array = std::unique_ptr<void, free>;
    /* Allocates device memory for `bytes` bytes, with the contents of `from`,
     * or undefined contents. */
    array alloc(std::int64_t bytes, const void *from = nullptr) const
    {
        void *out = nullptr;
        check(farsum_device_alloc(get(), bytes, from, &out));
        return array(out, free{get()});
    }

  private:
    struct close {
        void operator()(farsum_device *d) const
        {
            farsum_device_close(d);
        }
    };
    std::unique_ptr<farsum_device, close> handle_;
};

class plan
{
  public:
    /* farsum_plan_create. */
    explicit plan(const farsum_problem &problem,
                  const farsum_options &how = options())
    {
        farsum_plan *made = nullptr;
        check(farsum_plan_create(&problem, &how, &made));
        own(made, problem);
    }
    /* Takes over a plan of farsum_mpi_plan_create for the problem.  A count or
     * type that is refused here throws on its rank only: the others wait. */
    plan(farsum_plan *made, const farsum_problem &problem) : ranks_(true)
    {
        own(made, problem);
    }
    /* farsum_plan_tune. */
    static plan tune(const farsum_problem &problem,
                     const farsum_options &how = options())
    {
        farsum_plan *made = nullptr;
        check(farsum_plan_tune(&problem, &how, &made));
        return plan(made, problem);
    }

    /* x: 3 numbers per source.  y: 3 numbers per target; none: the targets are
     * the sources. */
    void set_points(view<const double> x, view<const double> y = {})
    {
        set_points_of(x, y);
    }
    void set_points(view<const float> x, view<const float> y = {})
    {
        set_points_of(x, y);
    }
    /* Arrays by their addresses, in the problem's memory and of its type. */
    void set_points(std::int64_t n, const void *x, std::int64_t m = 0,
                    const void *y = nullptr)
    {
        n_ = -1;
        check(farsum_plan_set_points(get(), n, x, m, y));
        n_ = n;
        targets_ = y ? m : n;
    }
    /* Rows a, b, c.  Set the points again after it. */
    void set_cell(view<const double> cell)
    {
        detail::require("cell", cell.size(), 9);
        check(farsum_plan_set_cell(get(), cell.data()));
    }
    /* pairs: 2 indices per pair; none: no exclusions.  factors: 1 number per
     * pair, or none: all 0. */
    void set_exclusions(view<const std::int64_t> pairs,
                        view<const double> factors = {})
    {
        std::int64_t count = pairs.size() / 2;
        detail::require("pairs", pairs.size(), 2 * count);
        if (factors.size() > 0)
            detail::require("factors", factors.size(), count);
        check(farsum_plan_set_exclusions(get(), count, pairs.data(),
                                         factors.data()));
    }
    /* Gaussian clouds; one width per source, or none: points. */
    void set_widths(view<const double> widths)
    {
        check(farsum_plan_set_widths(get(), widths.size(), widths.data()));
    }
    /* q: rhs sets of strengths. */
    void execute(view<const double> q, const result<double> &out, int rhs = 1)
    {
        execute_of(q, out, rhs);
    }
    void execute(view<const float> q, const result<float> &out, int rhs = 1)
    {
        execute_of(q, out, rhs);
    }
    /* Arrays by their addresses, in the problem's memory and of its type. */
    void execute(int rhs, const void *q, farsum_result out)
    {
        out.size = sizeof out;
        check(farsum_plan_execute(get(), rhs, q, &out));
    }
    /* farsum_plan_hvp.  q: 1 charge per source; v, product: 3 numbers per
     * source. */
    void hvp(view<const double> q, view<const double> v, view<double> product)
    {
        hvp_of(q, v, product);
    }
    void hvp(view<const float> q, view<const float> v, view<float> product)
    {
        hvp_of(q, v, product);
    }
    /* farsum_plan_near.  u, du: as many numbers as r2, or none. */
    void near(view<const double> r2, view<double> u, view<double> du = {}) const
    {
        if (u.size() > 0)
            detail::require("u", u.size(), r2.size());
        if (du.size() > 0)
            detail::require("du", du.size(), r2.size());
        check(
            farsum_plan_near(get(), r2.size(), r2.data(), u.data(), du.data()));
    }
    void finish()
    {
        check(farsum_plan_finish(get()));
    }

    /* The plan owns the texts. */
    plan_info info() const
    {
        plan_info out;
        check(farsum_plan_get_info(get(), &out));
        return out;
    }
    /* Options that repeat the plan's choice. */
    options get_options() const
    {
        options out;
        check(farsum_plan_get_options(get(), &out));
        return out;
    }
    /* One line per choice, with its reason. */
    std::string text() const
    {
        std::string out(farsum_plan_print_text(get(), nullptr, 0), '\0');
        farsum_plan_print_text(get(), &out[0], out.size() + 1);
        return out;
    }
    farsum_plan *get() const noexcept
    {
        return handle_.get();
    }

  private:
    struct destroy {
        void operator()(farsum_plan *p) const
        {
            farsum_plan_destroy(p);
        }
    };
    std::unique_ptr<farsum_plan, destroy> handle_;
    bool f32_ = false, host_ = true, ranks_ = false;
    int strengths_ = 1;
    std::int64_t n_ = -1, targets_ = 0; /* n_ < 0: no points */

    void own(farsum_plan *made, const farsum_problem &problem)
    {
        handle_.reset(made);
        farsum_precision arrays = problem.arrays;
        f32_ = (arrays ? arrays : problem.precision) == FARSUM_F32;
        host_ = problem.memory != FARSUM_DEVICE;
        initial<farsum_kernel_info> kernel;
        const char *name = problem.kernel ? problem.kernel : "laplace";
        for (int i = 0; farsum_list_kernels(i, &kernel) == FARSUM_OK; i++)
            if (!std::strcmp(kernel.name, name))
                strengths_ = kernel.strengths;
    }
    template <class T> void require_type() const
    {
        if (!host_)
            throw error(FARSUM_ERR_ARGUMENT,
                        "the problem's memory is a device: pass addresses");
        if (std::is_same_v<T, float> != f32_)
            throw error(FARSUM_ERR_ARGUMENT,
                        f32_ ? "the problem's arrays are f32, not double"
                             : "the problem's arrays are f64, not float");
    }
    template <class T> void set_points_of(view<const T> x, view<const T> y)
    {
        require_type<T>();
        detail::require("x", x.size(), x.size() / 3 * 3);
        detail::require("y", y.size(), y.size() / 3 * 3);
        set_points(x.size() / 3, x.data(), y.size() / 3,
                   y.size() > 0 ? y.data() : nullptr);
    }
    template <class T>
    T *array(const char *name, view<T> v, std::int64_t rhs, std::int64_t each)
    {
        /* Over ranks, targets may be those of other ranks only. */
        if (v.size() > 0 && !ranks_)
            detail::require(name, v.size(), rhs * each);
        return v.size() > 0 ? v.data() : nullptr;
    }
    template <class T>
    void execute_of(view<const T> q, const result<T> &to, int rhs)
    {
        require_type<T>();
        if (n_ < 0) /* C knows why */
            return execute(rhs, q.data(), farsum_result{});
        detail::require("q", q.size(), rhs * n_ * strengths_);
        farsum_result out{};
        out.potential = array("potential", to.potential, rhs, targets_);
        out.field = array("field", to.field, rhs, 3 * targets_);
        out.energy = array("energy", to.energy, rhs, 1);
        out.virial = array("virial", to.virial, rhs, 9);
        out.velocity = array("velocity", to.velocity, rhs, 3 * targets_);
        out.gradient = array("gradient", to.gradient, rhs, 6 * targets_);
        out.particle_virial =
            array("particle_virial", to.particle_virial, rhs, 9 * targets_);
        out.third = array("third", to.third, rhs, 10 * targets_);
        execute(rhs, q.data(), out);
    }
    template <class T>
    void hvp_of(view<const T> q, view<const T> v, view<T> product)
    {
        require_type<T>();
        if (n_ >= 0) { /* else C knows why */
            detail::require("q", q.size(), n_);
            detail::require("v", v.size(), 3 * n_);
            detail::require("product", product.size(), 3 * n_);
        }
        check(farsum_plan_hvp(get(), q.data(), v.data(), product.data()));
    }
};

/* Meshes and NUFFTs: freed by their destructors, used by the functions of C. */
struct destroy {
    void operator()(farsum_mesh *m) const
    {
        farsum_mesh_destroy(m);
    }
    void operator()(farsum_nufft *n) const
    {
        farsum_nufft_destroy(n);
    }
};
using mesh = std::unique_ptr<farsum_mesh, destroy>;
using nufft = std::unique_ptr<farsum_nufft, destroy>;

inline mesh make_mesh(const farsum_mesh_problem &problem,
                      const farsum_mesh_options &how = mesh_options())
{
    farsum_mesh *made = nullptr;
    check(farsum_mesh_create(&problem, &how, &made));
    return mesh(made);
}
inline nufft make_nufft(const farsum_nufft_problem &problem,
                        const farsum_mesh_options &how = mesh_options())
{
    farsum_nufft *made = nullptr;
    check(farsum_nufft_create(&problem, &how, &made));
    return nufft(made);
}

} // namespace farsum
#endif
