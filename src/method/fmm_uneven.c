/* fmm_uneven.c: how far from uniform points in open space are. */
#include "base/mem.h"
#include "method/arrays.h"
#include "method/fmm.h"

static double uneven_low(const void *x, farsum_precision type, int64_t n,
                         int axis)
{
    double low = array_get(x, type, axis);
    for (int64_t i = 1; i < n; i++) {
        double v = array_get(x, type, 3 * i + axis);
        low = v < low ? v : low;
    }
    return low;
}

double fmm_crowding(const int32_t count[FMM_CELLS], int64_t n)
{
    double pairs = 0;
    for (int k = 0; k < FMM_CELLS; k++)
        pairs += (double)count[k] * (double)(count[k] - 1);
    return pairs * FMM_CELLS / ((double)n * (double)n);
}

farsum_status fmm_uneven(int64_t n, const void *x, farsum_precision type,
                         const double edge[3], int *uneven)
{
    int32_t *count = NULL;
    double low[3];
    TRY(MEM_NEW(count, FMM_CELLS));
    for (int d = 0; d < 3; d++)
        low[d] = uneven_low(x, type, n, d);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = 0;
        for (int d = 0; d < 3; d++) {
            double f = (array_get(x, type, 3 * i + d) - low[d]) / edge[d];
            int64_t k = (int64_t)(f * FMM_CELL);
            at = at * FMM_CELL + (k < FMM_CELL ? k : FMM_CELL - 1);
        }
        count[at]++;
    }
    *uneven = fmm_crowding(count, n) > FMM_FAR_FROM_UNIFORM;
    mem_free(count);
    return FARSUM_OK;
}
