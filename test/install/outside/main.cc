/* SPDX-License-Identifier: Apache-2.0 */
// main.cc: use of the headers in C++.
#include <farsum/farsum.hpp>

#include <cstdio>

int main()
{
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_plan *plan = nullptr;
    if (farsum_plan_create(&problem, nullptr, &plan) != FARSUM_ERR_ARGUMENT)
        return 1; // there is no particle in it
    std::printf("farsum %s: %s\n", farsum_version(), farsum_message());
    try {
        farsum::plan made{farsum::problem()};
    } catch (const farsum::error &e) {
        return e.status() == FARSUM_ERR_ARGUMENT ? 0 : 1;
    }
    return 1;
}
