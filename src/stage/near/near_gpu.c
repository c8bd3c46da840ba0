/* near_gpu.c: what the rows on a device share. */
#include "stage/near/near_gpu.h"

#include <stdio.h>

/* Coefficients without the zeros at the end. */
static int near_terms(const struct near_poly *poly, int k)
{
    int n = poly->n;
    while (n > 1 && poly->c[k][n - 1] == 0)
        n--;
    return n;
}

void near_gpu_defines(struct jit *jit, const struct near_args *args)
{
    const struct pair *pair = near_kernel(args);
    jit_define(jit, "PAIR", "%s", pair->name);
    jit_define(jit, "STRENGTHS", "%d", pair->strengths);
    jit_define(jit, "VALUES", "%d", pair->values);
    for (int k = 0; k < pair->polys; k++) {
        int terms = near_terms(args->poly, k);
        char name[24];
        snprintf(name, sizeof name, "TERMS_%d", k);
        jit_define(jit, name, "%d", terms);
        snprintf(name, sizeof name, "NEAR_%d", k);
        jit_define_table(jit, name, args->poly->c[k], terms);
    }
}

double near_work(const struct near_args *args)
{
    const struct pair *pair = near_kernel(args);
    double coefficients = pair->polys * (double)args->poly->n;
    return 25 + coefficients + 6 * (pair->strengths - 1);
}
