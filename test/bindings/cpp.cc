/* SPDX-License-Identifier: Apache-2.0 */
/* cpp.cc: farsum.hpp: its sums have the bits of C's, it refuses wrong types and
 * counts with the name of the argument, and errors leave plans usable. */
#include <farsum/farsum.hpp>

#include <cmath>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

using vec = std::array<double, 3>;
static int failures;

static void expect(bool right, const char *what)
{
    if (!right) {
        std::printf("FAILED: %s\n", what);
        failures++;
    }
}

/* The call throws `status` with a message that starts with `text`. */
template <class F>
static void refuses(F call, farsum_status status, const char *text)
{
    try {
        call();
        std::printf("not refused: %s\n", text);
        failures++;
    } catch (const farsum::error &e) {
        bool same =
            e.status() == status && std::string(e.what()).rfind(text, 0) == 0;
        if (!same)
            std::printf("status %d: %s, not: %s\n", e.status(), e.what(), text);
        failures += !same;
    }
}

static const std::vector<vec> x = {
    {0.1, 0.2, 0.3}, {1, 1.5, 2}, {3, 2.9, 0.4}, {2, 0.7, 3.1}, {0.2, 3, 2}};
static const std::vector<double> q = {1, -2, 0.5, 1.5, -1};

static farsum::problem cell_of_4()
{
    farsum::problem problem;
    problem.box(4, 4, 4).sample(x, q);
    problem.outputs =
        FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL;
    return problem;
}

static farsum::options one_thread()
{
    farsum::options options;
    options.threads = 1;
    options.deterministic = 1;
    return options;
}

static void same_bits_as_c()
{
    farsum::problem problem = cell_of_4();
    farsum::plan plan(problem, one_thread());
    std::vector<double> phi(5), w(9);
    std::vector<vec> field(5);
    double energy[1];
    farsum::result out;
    out.potential = phi, out.field = field;
    out.energy = energy, out.virial = w;
    plan.set_points(x);
    plan.execute(q, out);

    farsum_options options = one_thread();
    farsum_plan *c = nullptr;
    farsum_result to{};
    double phi_c[5], field_c[5][3], w_c[9], energy_c;
    to.size = sizeof to;
    to.potential = phi_c, to.field = field_c;
    to.energy = &energy_c, to.virial = w_c;
    farsum::check(farsum_plan_create(&problem, &options, &c));
    farsum::check(farsum_plan_set_points(c, 5, x.data(), 0, nullptr));
    farsum::check(farsum_plan_execute(c, 1, q.data(), &to));
    expect(!std::memcmp(phi.data(), phi_c, sizeof phi_c), "potentials");
    expect(!std::memcmp(field.data(), field_c, sizeof field_c), "fields");
    expect(!std::memcmp(w.data(), w_c, sizeof w_c), "virial");
    expect(energy[0] == energy_c, "energy");
    expect(plan.info().n_sources == 5, "info");
    expect(plan.text().size() == farsum_plan_print_text(c, nullptr, 0), "text");
    expect(plan.get_options().method != nullptr, "options");
    farsum_plan_destroy(c);
}

static void types_and_counts()
{
    farsum::plan plan(cell_of_4(), one_thread());
    std::vector<float> xf(15), qf(5);
    std::vector<double> phi(5), more(6);
    farsum::result out;
    out.potential = phi;
    refuses([&] { plan.execute(q, out); }, FARSUM_ERR_STATE, "");
    refuses([&] { plan.set_points(more, phi); }, FARSUM_ERR_ARGUMENT,
            "y: 5 numbers, must be 3");
    refuses([&] { plan.set_points(phi); }, FARSUM_ERR_ARGUMENT,
            "x: 5 numbers, must be 3");
    refuses([&] { plan.set_points(xf); }, FARSUM_ERR_ARGUMENT,
            "the problem's arrays are f64, not float");
    plan.set_points(x);
    refuses([&] { plan.execute(more, out); }, FARSUM_ERR_ARGUMENT,
            "q: 6 numbers, must be 5");
    refuses([&] { plan.execute(q, out, 2); }, FARSUM_ERR_ARGUMENT,
            "q: 5 numbers, must be 10");
    out.potential = more;
    refuses([&] { plan.execute(q, out); }, FARSUM_ERR_ARGUMENT,
            "potential: 6 numbers, must be 5");
    out.potential = phi, out.virial = more;
    refuses([&] { plan.execute(q, out); }, FARSUM_ERR_ARGUMENT,
            "virial: 6 numbers, must be 9");
    out.virial = {};
    refuses([&] { plan.set_cell(more); }, FARSUM_ERR_ARGUMENT,
            "cell: 6 numbers, must be 9");
    const std::int64_t pair[2] = {0, 1};
    refuses([&] { plan.set_exclusions(pair, more); }, FARSUM_ERR_ARGUMENT,
            "factors: 6 numbers, must be 1");
    plan.execute(q, out);
    double with = phi[0];
    plan.set_exclusions(pair);
    plan.execute(q, out);
    double r2 = 0;
    for (int d = 0; d < 3; d++)
        r2 += std::pow(x[0][d] - x[1][d], 2);
    expect(std::fabs(with - phi[0] - q[1] / std::sqrt(r2)) < 1e-12,
           "an excluded pair");
    plan.set_exclusions({});
    plan.execute(q, out);
    expect(phi[0] == with, "no exclusions");
    const double widths[5] = {}; /* points */
    plan.set_widths(widths);
    plan.set_points(x);
    plan.execute(q, out);
    expect(phi[0] == with, "clouds without a width");
    refuses(
        [&] {
            plan.set_widths(more);
            plan.set_points(x);
        },
        FARSUM_ERR_ARGUMENT,
        "5 sources, but 6 widths were set; call farsum_plan_set_widths first");
}

static void hessian()
{
    std::vector<std::array<double, 4>> moments(5, {1, 0.1, 0.2, 0.3});
    const std::vector<vec> v = {
        {1, 0, 2}, {0.5, 1, 0}, {-1, 0, 1}, {0, 2, 1}, {1, 1, 1}};
    farsum::problem problem;
    problem.box(4, 4, 4).sample(x, moments);
    problem.kernel = "charge_dipole";
    problem.outputs = FARSUM_FIELD | FARSUM_GRADIENT;
    farsum::plan plan(problem, one_thread());
    std::vector<vec> product(5), again(5);
    refuses([&] { plan.hvp(q, v, product); }, FARSUM_ERR_STATE, "no points");
    plan.set_points(x);
    plan.hvp(q, v, product);
    farsum::check(farsum_plan_hvp(plan.get(), q.data(), v.data(), &again[0]));
    expect(product == again, "bits of the Hessian's product");
    refuses([&] { plan.hvp(q, q, product); }, FARSUM_ERR_ARGUMENT,
            "v: 5 numbers, must be 15");
    std::vector<double> short_by_one(14);
    refuses([&] { plan.hvp(q, v, short_by_one); }, FARSUM_ERR_ARGUMENT,
            "product: 14 numbers, must be 15");
    std::vector<float> f(15);
    refuses([&] { plan.hvp(f, f, f); }, FARSUM_ERR_ARGUMENT,
            "the problem's arrays are f64");
}

static void near_function()
{
    const std::vector<double> r2 = {0.01, 0.04, 1e6};
    std::vector<double> u(3), du(3), again(3);
    farsum::problem problem;
    farsum::options options;
    const std::vector<vec> at = {{0, 0, 0}, {1, 1, 1}};
    const double one[2] = {1, -1};
    problem.box(2, 2, 2).sample(at, farsum::view<const double>(one, 2));
    problem.part = FARSUM_FAR;
    options.method = "spectral";
    farsum::plan plan(problem, options);
    plan.near(r2, u, du);
    farsum::check(
        farsum_plan_near(plan.get(), 3, r2.data(), &again[0], nullptr));
    expect(u == again && u[0] > u[1] && u[1] > 0 && u[2] == 0 && du[0] < 0,
           "the near function");
    plan.near(r2, {}, again);
    expect(du == again, "the near function's derivative");
    refuses([&] { plan.near(r2, farsum::view<double>(u.data(), 2)); },
            FARSUM_ERR_ARGUMENT, "u: 2 numbers, must be 3");
}

static void f32_and_targets()
{
    const std::vector<std::array<float, 3>> xs = {{1, 2, 3}, {4, 5, 6}};
    const float qs[4] = {1, -1, 2, 0};
    const float y[1][3] = {{1, 2, 5}};
    float phi[2];
    farsum::problem problem;
    problem.sample(xs, farsum::view<const float>(qs, 2));
    problem.n_targets = 1;
    problem.outputs = FARSUM_POTENTIAL;
    farsum::plan plan(problem);
    farsum::result<float> out;
    out.potential = phi;
    plan.set_points(xs, y);
    plan.execute(qs, out, 2);
    float far = 1 / std::sqrt(19.0f);
    expect(std::fabs(phi[0] - (0.5f - far)) < 1e-5f, "first charges");
    expect(std::fabs(phi[1] - 1) < 1e-5f, "second charges");
    farsum::result<> wrong;
    refuses([&] { plan.execute(q, wrong); }, FARSUM_ERR_ARGUMENT,
            "the problem's arrays are f32, not double");
}

static void vectors()
{
    farsum::problem problem;
    problem.kernel = "stokeslet";
    std::vector<vec> f(5, {1, 0, 0}), u(5);
    problem.sample(x, f);
    farsum::plan plan(problem);
    farsum::result out;
    out.velocity = u;
    plan.set_points(x);
    plan.execute(f, out);
    expect(u[0][0] > 0, "a velocity");
    refuses([&] { plan.execute(q, out); }, FARSUM_ERR_ARGUMENT,
            "q: 5 numbers, must be 15");
}

static void life()
{
    farsum::problem problem = cell_of_4();
    problem.kernel = "laplaze";
    refuses([&] { farsum::plan plan(problem); }, FARSUM_ERR_UNKNOWN, "");
    problem.kernel = nullptr;
    farsum::plan a(problem), b = std::move(a);
    expect(!a.get() && b.get(), "a plan moves");
    refuses([&] { a.set_points(x); }, FARSUM_ERR_ARGUMENT, "");
    a = farsum::plan::tune(problem);
    expect(a.info().estimated_error > 0, "tune");
    static_assert(!std::is_copy_constructible_v<farsum::plan>, "move only");
    static_assert(!std::is_constructible_v<farsum::view<double>,
                                           const std::vector<double> &>,
                  "results are not constant");
    static_assert(!std::is_constructible_v<farsum::view<const double>,
                                           const std::vector<float> &>,
                  "numbers keep their type");
#if __cplusplus >= 202002L
    b.set_points(std::span<const vec>(x));
#endif
    refuses([] { farsum::device gpu("cuba:0"); }, FARSUM_ERR_UNKNOWN, "");
}

static void meshes()
{
    farsum::mesh_problem problem;
    for (int d = 0; d < 3; d++) {
        problem.cell[4 * d] = 4;
        problem.periodic[d] = 1;
        problem.mesh[d] = 8;
    }
    farsum::mesh mesh = farsum::make_mesh(problem);
    std::vector<double> grid(512);
    farsum::check(farsum_mesh_set_points(mesh.get(), 5, x.data()));
    farsum::check(farsum_mesh_spread(mesh.get(), q.data(), grid.data()));
    farsum::nufft_problem modes;
    modes.type = 3;
    refuses([&] { farsum::make_nufft(modes); }, FARSUM_ERR_ARGUMENT, "");
}

/* Arrays on a device, by their addresses; without a device nothing. */
static void on_device(const char *name)
{
    farsum::device gpu(name);
    farsum::problem problem = cell_of_4();
    problem.memory = FARSUM_DEVICE;
    farsum::options options;
    options.device.handle = gpu.get();
    farsum::device::array xs = gpu.alloc(sizeof(vec) * 5, x.data()),
                          qs = gpu.alloc(sizeof(double) * 5, q.data()),
                          phi = gpu.alloc(sizeof(double) * 5);
    farsum::plan plan(problem, options);
    refuses([&] { plan.set_points(x); }, FARSUM_ERR_ARGUMENT,
            "the problem's memory is a device");
    farsum_result out{};
    out.potential = phi.get();
    plan.set_points(5, xs.get());
    plan.execute(1, qs.get(), out);
    plan.finish();
    expect(gpu.info().used > 0, "device memory");
}

int main(int argc, char **argv)
{
    same_bits_as_c();
    types_and_counts();
    hessian();
    near_function();
    f32_and_targets();
    vectors();
    life();
    meshes();
    if (argc > 1)
        on_device(argv[1]);
    std::printf("farsum.hpp: %d failures\n", failures);
    return failures != 0;
}
