/* SPDX-License-Identifier: Apache-2.0 */
/* wanted.c: a search of all points and images. */
#include "ranks/wanted.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

/* 1: rank r needs this image of a point, which rank `owner` owns. */
static int needs(const struct given *g, int r, int owner, int64_t plane,
                 int64_t image)
{
    return g->begin[r] < g->begin[r + 1] && plane >= g->begin[r] - g->halo
           && plane < g->begin[r + 1] + g->halo && !(r == owner && image == 0);
}

/* Calls for all ghosts in order: by owner, by its points, by image. */
static void search(const struct given *g, int rank, struct wanted *w)
{
    int64_t reach = g->halo / g->mesh0 + 2;
    w->n_ghosts = w->n_sent = 0;
    for (int owner = 0; owner < g->size; owner++)
        for (int64_t i = 0; i < g->n; i++)
            for (int64_t k = -reach; k <= reach; k++) {
                if (given_owner(g, i) != owner)
                    break;
                int64_t plane = given_plane(g, i) + k * g->mesh0;
                for (int r = 0; owner == rank && r < g->size; r++)
                    w->n_sent += needs(g, r, owner, plane, k);
                if (!needs(g, rank, owner, plane, k))
                    continue;
                if (w->ghost) {
                    w->ghost[w->n_ghosts] = i;
                    w->image[w->n_ghosts] = k;
                }
                w->n_ghosts++;
            }
}

struct wanted wanted_of(const struct given *g, int rank)
{
    struct wanted w = {.first = g->first[rank]};
    w.n = g->first[rank + 1] - w.first;
    search(g, rank, &w);
    w.ghost = check_memory((size_t)w.n_ghosts + 1, sizeof(int64_t));
    w.image = check_memory((size_t)w.n_ghosts + 1, sizeof(int64_t));
    search(g, rank, &w);
    /* own points are ordered by giver and its index: by global number */
    w.own = check_memory((size_t)g->n + 1, sizeof(int64_t));
    for (int64_t i = 0; i < g->n; i++)
        if (given_owner(g, i) == rank)
            w.own[w.n_own++] = i;
    for (int d = 0; d < 3; d++) {
        w.given_s[d] = w.n > 0 ? g->s[d] + w.first : NULL;
        w.s[d] = check_memory((size_t)w.n_own + 1, sizeof(double));
        for (int64_t k = 0; k < w.n_own; k++)
            w.s[d][k] = g->s[d][w.own[k]];
    }
    return w;
}

void wanted_free(struct wanted *w)
{
    free(w->own);
    free(w->ghost);
    free(w->image);
    for (int d = 0; d < 3; d++)
        free(w->s[d]);
}

void wanted_route(const struct wanted *w, const struct given *g,
                  const struct route *route)
{
    CHECK(route->n == w->n && route->n_own == w->n_own,
          "%lld points given, %lld own, not %lld, %lld", (long long)route->n,
          (long long)route->n_own, (long long)w->n, (long long)w->n_own);
    CHECK(route->first == w->first && route->n_all == g->n,
          "first %lld of %lld", (long long)route->first,
          (long long)route->n_all);
}

void wanted_ghosts(const struct wanted *w, const struct given *g, int rank,
                   const struct ghosts *ghosts)
{
    int64_t low = g->begin[rank] - g->halo, wrong = 0;
    int64_t planes = g->begin[rank + 1] - g->begin[rank] + 2 * g->halo;
    /* 1e-15 of the whole cell or of the own one, the longer of both */
    double most = 1e-15 * fmax(1, (double)g->mesh0 / (double)planes), off = 0;
    if (!CHECK(ghosts->n == w->n_ghosts, "%lld ghosts, not %lld",
               (long long)ghosts->n, (long long)w->n_ghosts))
        return;
    for (int64_t k = 0; k < w->n_ghosts; k++) {
        int64_t i = w->ghost[k], from = w->image[k] * g->mesh0 - low;
        long double s = ((long double)g->s[0][i] * (long double)g->mesh0
                         + (long double)from)
                        / (long double)planes;
        off = fmax(off, fabs((double)(ghosts->s[0][k] - s)));
        wrong += ghosts->s[1][k] != g->s[1][i] || ghosts->s[2][k] != g->s[2][i]
                 || !(ghosts->s[0][k] >= 0 && ghosts->s[0][k] < 1);
    }
    CHECK(wrong == 0, "%lld ghosts at wrong places", (long long)wrong);
    CHECK(off <= most, "a ghost is off by %.3g, above %.3g", off, most);
}

char *wanted_values(const int64_t *numbers, int64_t n, int64_t bytes)
{
    char *values = check_memory((size_t)n + 1, (size_t)bytes);
    for (int64_t k = 0; k < n; k++) {
        memset(values + k * bytes, (int)(numbers[k] % 251), (size_t)bytes);
        memcpy(values + k * bytes, &numbers[k], bytes < 8 ? (size_t)bytes : 8);
    }
    return values;
}
