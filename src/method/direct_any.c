/* direct_any.c: shares the targets among threads. */
#include "method/direct_any.h"
#include "base/par.h"

ISA_TABLE(struct direct_any_kern, direct_any)

void direct_any_sum(const struct exact_kind *kind,
                    const struct direct_any *args, double *values)
{
    const struct direct_args *p = &args->pairs;
    direct_any_run *run =
        isa_direct_any[p->isa][0]->run[exact_kind_index(kind)];
    int64_t m = p->y ? p->m : p->n, tiles = (m + DIRECT_TILE - 1) / DIRECT_TILE;
    int threads = par_threads(p->threads);
    PAR_FOR(threads, schedule(dynamic))
    for (int64_t t = 0; t < tiles; t++)
        run(args, t, t + 1, values);
}
