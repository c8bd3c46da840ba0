/* SPDX-License-Identifier: Apache-2.0 */
// stretch.cc: a crystal of salt that is stretched, in C++.  The plan follows
// the cell as long as its mesh and cutoff keep the tolerance; then a new plan
// replaces it.  Last, the reference method sums the longest crystal.
#include <farsum/farsum.hpp>

#include <cmath>
#include <vector>

using vec = std::array<double, 3>;
static const int side = 6, ions = side * side * side;

struct crystal {
    std::vector<vec> x = std::vector<vec>(ions);
    std::vector<double> q = std::vector<double>(ions);
    double length = 0;

    explicit crystal(double stretch) : length(side * stretch)
    {
        for (int i = 0; i < ions; i++) {
            int a = i % side, b = i / side % side, c = i / side / side;
            x[i] = {double(a), double(b), c * stretch};
            q[i] = (a + b + c) % 2 ? -1 : 1;
        }
    }
    std::array<double, 9> cell() const
    {
        return {side, 0, 0, 0, side, 0, 0, 0, length};
    }
    farsum::plan plan(const char *method) const
    {
        farsum::problem problem;
        problem.box(side, side, length).sample(x, q);
        problem.tolerance = 1e-8;
        problem.error = FARSUM_ERROR_POTENTIAL; // forces vanish in a crystal
        farsum::options options;
        options.method = method;
        return farsum::plan(problem, options);
    }
    double energy(farsum::plan &plan) const
    {
        double sum = 0;
        farsum::result out;
        out.energy = farsum::view(&sum, 1);
        plan.set_points(x);
        plan.execute(q, out);
        return sum / ions;
    }
};

int main()
try {
    farsum::plan plan = crystal(1).plan("spectral");
    double energy = 0;
    int plans = 1;
    for (double stretch = 1; stretch < 2; stretch += 0.15) {
        crystal salt(stretch);
        try {
            plan.set_cell(salt.cell());
        } catch (const farsum::error &e) {
            if (e.status() != FARSUM_ERR_TOLERANCE)
                throw;
            plan = salt.plan("spectral");
            plans++;
        }
        energy = salt.energy(plan);
        std::printf("stretch %.2f: energy per ion %.8f\n", stretch, energy);
    }
    crystal salt(1.9);
    farsum::plan reference = salt.plan("ewald");
    double other = salt.energy(reference);
    std::printf("by ewald      energy per ion %.8f; %d plans\n", other, plans);
    return std::fabs(energy - other) < 1e-7 && plans > 1 ? 0 : 1;
} catch (const farsum::error &e) {
    std::fprintf(stderr, "%s: %s\n", farsum_status_text(e.status()), e.what());
    return 1;
}
