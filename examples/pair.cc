/* SPDX-License-Identifier: Apache-2.0 */
#include <farsum/farsum.hpp>

int main() // two opposite charges in a cube of edge 10, and their images
{
    double x[2][3] = {{1, 2, 3}, {4, 5, 6}}, q[2] = {1, -1}, phi[2], e[2][3];
    farsum::problem problem;
    problem.box(10, 10, 10).sample(x, q).tolerance = 1e-8;
    farsum::plan plan(problem);
    plan.set_points(x);
    farsum::result out;
    out.potential = phi, out.field = e;
    plan.execute(q, out);
    std::printf("potentials %g %g, field %g %g %g\n", phi[0], phi[1], e[0][0],
                e[0][1], e[0][2]);
}
