/* SPDX-License-Identifier: Apache-2.0 */
/* ghosts.c: who needs a rank's points. */
#include "ranks/ghosts.h"

#include "base/mem.h"

farsum_status ghosts_create(struct ghosts *ghosts, const struct comm *comm,
                            int64_t bytes_most, int threads)
{
    *ghosts = (struct ghosts){.n = 0};
    return sends_create(&ghosts->sends, COMM_GHOSTS, comm->size, bytes_most,
                        threads);
}

void ghosts_destroy(struct ghosts *ghosts)
{
    sends_destroy(&ghosts->sends);
    for (int d = 0; d < 2; d++)
        targets_clear(&ghosts->targets[d]);
    for (int d = 0; d < 3; d++)
        mem_free(ghosts->s[d]);
    *ghosts = (struct ghosts){.n = 0};
}

/* Counts a plane's targets, and writes them to `list` unless it is NULL.
 * Part r needs plane k, moved to p = k + image * mesh0, if it meets planes
 * p - halo .. p + halo.  So the images are a range, and so are the parts of
 * each image. */
static int64_t plane_targets(const struct domain *domain, int64_t plane,
                             int with_own, struct target *list)
{
    int64_t mesh0 = domain->mesh0, halo = domain->halo, n = 0;
    int64_t least = -((plane + halo) / mesh0);
    int64_t most = (mesh0 - 1 + halo - plane) / mesh0;
    if (domain->open)
        least = most = 0;
    for (int64_t image = least; image <= most; image++) {
        int64_t p = plane + image * mesh0;
        int64_t low = p - halo > 0 ? p - halo : 0;
        int64_t high = p + halo < mesh0 ? p + halo + 1 : mesh0;
        for (int64_t k = low; k < high;) {
            int r = domain_owner(domain, k);
            k = domain->begin[r + 1];
            if (!with_own && r == domain->rank && image == 0)
                continue;
            if (list)
                list[n] = (struct target){r, image};
            n++;
        }
    }
    return n;
}

farsum_status ghosts_targets(struct targets *targets,
                             const struct domain *domain, int with_own)
{
    int64_t first = domain->begin[domain->rank];
    int64_t planes = domain->begin[domain->rank + 1] - first;
    TRY(MEM_RESERVE(targets->start, &targets->start_capacity, planes + 1));
    targets->first = first;
    targets->planes = planes;
    targets->start[0] = 0;
    for (int64_t p = 0; p < planes; p++)
        targets->start[p + 1] =
            targets->start[p]
            + plane_targets(domain, first + p, with_own, NULL);
    TRY(MEM_RESERVE(targets->list, &targets->list_capacity,
                    targets->start[planes]));
    for (int64_t p = 0; p < planes; p++)
        plane_targets(domain, first + p, with_own,
                      targets->list + targets->start[p]);
    return FARSUM_OK;
}

static farsum_status ghosts_sort(struct ghosts *ghosts,
                                 const struct domain *domain, int64_t n_own,
                                 double *const s[3])
{
    int pencils = domain->across != NULL;
    for (int d = 0; d <= pencils; d++)
        TRY(ghosts_targets(&ghosts->targets[d], domain_axis(domain, d),
                           pencils));
    return sends_sort(&ghosts->sends, domain, ghosts->targets, n_own, s,
                      pencils, SENDS_AXIS_0);
}

static farsum_status ghosts_reserve(struct ghosts *ghosts)
{
    for (int d = 0; d < 3; d++)
        TRY(MEM_RESERVE(ghosts->s[d], &ghosts->capacity[d],
                        ghosts->sends.n_got));
    return FARSUM_OK;
}

/* Sends positions.  The sort has packed the fractions of axis 0; for those of
 * axis 1 of pencils the same sort runs again.  A rank whose first exchange
 * failed still takes part in the others. */
static farsum_status ghosts_positions(struct ghosts *ghosts, struct comm *comm,
                                      const struct domain *domain,
                                      int64_t n_own, double *const s[3])
{
    struct sends *sends = &ghosts->sends;
    farsum_status status =
        sends_packed(sends, comm, sizeof(double), ghosts->s[0]);
    if (domain->across) {
        KEEP_ON(sends_sort(sends, domain, ghosts->targets, n_own, s, 1,
                           SENDS_AXIS_1));
        KEEP_ON(sends_packed(sends, comm, sizeof(double), ghosts->s[1]));
    }
    for (int d = domain->across ? 2 : 1; d < 3; d++) {
        farsum_status next =
            sends_there(sends, comm, s[d], sizeof(double), ghosts->s[d]);
        status = status != FARSUM_OK ? status : next;
    }
    return status;
}

farsum_status ghosts_set(struct ghosts *ghosts, struct comm *comm,
                         const struct domain *domain, int64_t n_own,
                         double *const s[3])
{
    sends_forget(&ghosts->sends);
    ghosts->n = 0;
    /* no return before the agreement: each rank calls all collectives */
    farsum_status status = ghosts_sort(ghosts, domain, n_own, s);
    farsum_status counts = sends_count(&ghosts->sends, comm);
    status = status != FARSUM_OK ? status : counts;
    if (status == FARSUM_OK)
        status = ghosts_reserve(ghosts);
    status = comm_agree(comm, status);
    if (status == FARSUM_OK)
        status =
            comm_agree(comm, ghosts_positions(ghosts, comm, domain, n_own, s));
    if (status != FARSUM_OK) {
        sends_forget(&ghosts->sends);
        return status;
    }
    ghosts->n = ghosts->sends.n_got;
    return FARSUM_OK;
}

farsum_status ghosts_send(struct ghosts *ghosts, struct comm *comm,
                          const void *own, int64_t bytes_each, void *values)
{
    return sends_there(&ghosts->sends, comm, own, bytes_each, values);
}
