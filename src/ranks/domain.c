/* SPDX-License-Identifier: Apache-2.0 */
/* domain.c: the cut of the mesh, its owners, and a rank's own cell. */
#include "ranks/domain.h"

#include "base/mem.h"
#include "base/par.h"

static farsum_status begin_check(const int64_t *begin, int size, int64_t mesh0)
{
    if (begin[0] != 0 || begin[size] != mesh0)
        FAIL(ERR_ARGUMENT,
             "slabs of ranks: planes %lld .. %lld, not 0 .. %lld as the mesh",
             (long long)begin[0], (long long)begin[size], (long long)mesh0);
    for (int r = 0; r < size; r++)
        if (begin[r + 1] < begin[r])
            FAIL(ERR_ARGUMENT,
                 "slabs of ranks: rank %d begins at plane %lld and ends at "
                 "plane %lld",
                 r, (long long)begin[r], (long long)begin[r + 1]);
    return FARSUM_OK;
}

farsum_status domain_create(struct domain *domain, int rank, int size,
                            int64_t mesh0, int64_t halo, const int64_t *begin)
{
    *domain = (struct domain){
        .rank = rank, .size = size, .mesh0 = mesh0, .halo = halo};
    if (size < 1 || rank < 0 || rank >= size || mesh0 < 1 || halo < 0)
        FAIL(ERR_ARGUMENT,
             "slabs of ranks: rank %d of %d, %lld planes, a halo of %lld", rank,
             size, (long long)mesh0, (long long)halo);
    if (begin)
        TRY(begin_check(begin, size, mesh0));
    TRY(MEM_RAW(domain->begin, size + 1));
    for (int r = 0; r <= size; r++)
        domain->begin[r] = begin ? begin[r] : mesh0 * r / size;
    return FARSUM_OK;
}

farsum_status domain_create_pencils(struct domain *domain, int rank,
                                    const int ranks[2], const int64_t mesh[2],
                                    const int64_t halo[2],
                                    const int64_t *const begin[2])
{
    *domain = (struct domain){.rank = 0};
    if (ranks[0] < 1 || ranks[1] < 1 || rank < 0 || rank / ranks[1] >= ranks[0])
        FAIL(ERR_ARGUMENT, "pencils of ranks: rank %d of %d x %d", rank,
             ranks[0], ranks[1]);
    TRY(domain_create(domain, rank / ranks[1], ranks[0], mesh[0], halo[0],
                      begin[0]));
    if (ranks[1] == 1)
        return FARSUM_OK;
    farsum_status status = MEM_NEW(domain->across, 1);
    if (status == FARSUM_OK)
        status = domain_create(domain->across, rank % ranks[1], ranks[1],
                               mesh[1], halo[1], begin[1]);
    if (status != FARSUM_OK)
        domain_destroy(domain);
    return status;
}

void domain_place(const struct domain *domain, double *s0, int64_t n,
                  int threads)
{
    PAR_FOR(threads, schedule(static))
    for (int64_t i = 0; i < n; i++)
        s0[i] = domain_fraction(domain, domain->rank, s0[i], 0);
}

void domain_destroy(struct domain *domain)
{
    mem_free(domain->begin);
    if (domain->across)
        mem_free(domain->across->begin);
    mem_free(domain->across);
    domain->begin = NULL;
    domain->across = NULL;
}

int domain_owner(const struct domain *domain, int64_t plane)
{
    plane %= domain->mesh0;
    if (plane < 0)
        plane += domain->mesh0;
    /* the last rank that begins at the plane or before it: among ranks that
     * begin there, the only one whose slab is not empty */
    int low = 0, high = domain->size;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (domain->begin[middle] <= plane)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void domain_cell(const struct domain *domain, const struct cell *whole,
                 struct cell *own)
{
    *own = *whole;
    for (int d = 0; d < 2; d++) {
        const struct domain *cut = domain_axis(domain, d);
        if (!cut)
            return;
        int64_t planes = domain_planes(cut, cut->rank);
        double mesh = (double)cut->mesh0;
        double width = (double)(planes > 0 ? planes : 1);
        for (int j = 0; j < 3; j++) {
            own->a[3 * d + j] = whole->a[3 * d + j] * width / mesh;
            own->inv[3 * j + d] = whole->inv[3 * j + d] * mesh / width;
        }
        own->volume = own->volume * width / mesh;
        own->height[d] = whole->height[d] * width / mesh;
    }
}
