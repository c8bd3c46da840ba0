/* SPDX-License-Identifier: Apache-2.0 */
// main.cc: use of the header in C++.
#include <farsum/farsum.h>

#include <cstdio>

int main()
{
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_plan *plan = nullptr;
    if (farsum_plan_create(&problem, nullptr, &plan) != FARSUM_ERR_ARGUMENT)
        return 1; // there is no particle in it
    std::printf("farsum %s: %s\n", farsum_version(), farsum_message());
    farsum_plan_destroy(plan);
    return 0;
}
