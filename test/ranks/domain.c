/* SPDX-License-Identifier: Apache-2.0 */
/* domain.c: tests of the cut of the cell: owners, fractions, own cells. */
#include <math.h>

#include "ranks/domain.h"

#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "ranks/given.h"

static void even_cuts(void)
{
    for (const int *size = given_sizes; *size; size++)
        for (int64_t mesh0 = 1; mesh0 < 50; mesh0 += 4) {
            struct domain d;
            CHECK_OK(domain_create(&d, 0, *size, mesh0, 3, NULL));
            int64_t least = mesh0, most = 0;
            for (int r = 0; r < *size; r++) {
                int64_t n = d.begin[r + 1] - d.begin[r];
                least = n < least ? n : least;
                most = n > most ? n : most;
                CHECK(domain_planes(&d, r) == n + 6, "%lld planes of %lld",
                      (long long)domain_planes(&d, r), (long long)n);
            }
            CHECK(d.begin[0] == 0 && d.begin[*size] == mesh0 && least >= 0
                      && most - least <= 1,
                  "%d ranks, %lld planes: slabs of %lld to %lld", *size,
                  (long long)mesh0, (long long)least, (long long)most);
            domain_destroy(&d);
        }
}

/* Each plane lies in its owner's slab, and so do the planes a few periods
 * away. */
static void owners(void)
{
    for (const int *size = given_sizes; *size; size++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            struct given g;
            struct domain d;
            int64_t mesh0 = 1 + (int64_t)seed * 3 % 23;
            given_make(&g, *size, mesh0, 0, CUT_UNEVEN, 0, SHARE_EVEN,
                       PLACES_UNIFORM, seed);
            CHECK_OK(domain_create(&d, 0, *size, mesh0, 0, g.begin));
            g.begin[0] = 99; /* it was copied */
            for (int64_t k = 0; k < mesh0; k++)
                for (int64_t image = -3; image <= 3; image++) {
                    int r = domain_owner(&d, k + image * mesh0);
                    CHECK(r >= 0 && r < *size && d.begin[r] <= k
                              && k < d.begin[r + 1],
                          "plane %lld of %lld: owner %d", (long long)k,
                          (long long)mesh0, r);
                }
            domain_destroy(&d);
            given_free(&g);
        }
}

static void planes(void)
{
    struct domain d;
    CHECK_OK(domain_create(&d, 0, 1, 48, 0, NULL));
    CHECK(domain_plane(&d, 0) == 0, "0");
    CHECK(domain_plane(&d, 0.5) == 24, "1/2");
    CHECK(domain_plane(&d, nextafter(0.5, 0)) == 23, "below 1/2");
    CHECK(domain_plane(&d, 1 - 0x1p-53) == 47, "below 1");
    CHECK(domain_plane(&d, 1) == -1, "1");
    CHECK(domain_plane(&d, -0x1p-1074) == -1, "below 0");
    CHECK(domain_plane(&d, (double)NAN) == -1, "NaN");
    CHECK(domain_plane(&d, (double)INFINITY) == -1, "infinity");
    domain_destroy(&d);
    /* the product with the largest fraction does not round to mesh0 */
    for (int64_t mesh0 = 1; mesh0 < 5000; mesh0++) {
        d.mesh0 = mesh0;
        CHECK(domain_plane(&d, 1 - 0x1p-53) == mesh0 - 1, "mesh %lld",
              (long long)mesh0);
    }
}

/* All images of points on and next to planes that a rank computes on: their
 * fractions lie in [0, 1) and are right to rounding. */
static void fractions_of(const struct given *g, const struct domain *d, int r)
{
    int64_t low = g->begin[r] - g->halo, count = domain_planes(d, r);
    double most = 2e-16 * (double)(g->mesh0 + count) / (double)count + 2e-16;
    int64_t reach = g->halo / g->mesh0 + 2;
    for (int64_t i = 0; i < g->n; i++)
        for (int64_t image = -reach; image <= reach; image++) {
            int64_t plane = given_plane(g, i) + image * g->mesh0;
            if (plane < low || plane >= low + count)
                continue;
            double s = domain_fraction(d, r, g->s[0][i], image);
            long double wanted =
                ((long double)g->s[0][i] * (long double)g->mesh0
                 + (long double)(image * g->mesh0 - low))
                / (long double)count;
            CHECK(s >= 0 && s < 1, "fraction %.17g", s);
            CHECK_NEAR(s, (double)wanted, most);
            if (g->s[0][i] * (double)g->mesh0 == (double)given_plane(g, i))
                CHECK(fma(s, (double)count, (double)(low - plane)) <= 0,
                      "%.17g is beyond plane %lld", s,
                      (long long)(plane - low));
        }
}

static void fractions(void)
{
    static const int64_t halos[] = {0, 1, 7, 60};
    for (const int *size = given_sizes; *size; size++)
        for (int64_t mesh0 = 3; mesh0 < 60; mesh0 += 14)
            for (int h = 0; h < 4; h++) {
                struct given g;
                struct domain d;
                given_make(&g, *size, mesh0, halos[h], CUT_UNEVEN, 60,
                           SHARE_EVEN, PLACES_EDGES, (uint64_t)mesh0);
                CHECK_OK(domain_create(&d, 0, *size, mesh0, halos[h], g.begin));
                for (int r = 0; r < *size; r++)
                    fractions_of(&g, &d, r);
                domain_destroy(&d);
                given_free(&g);
            }
}

/* inv is a's inverse; the volume and heights are those of a. */
static void cell_is_whole(const struct cell *c)
{
    const double *a = c->a, *v = c->inv;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(a[3 * i] * v[j] + a[3 * i + 1] * v[3 + j]
                           + a[3 * i + 2] * v[6 + j],
                       i == j, 1e-15);
    double volume = a[0] * (a[4] * a[8] - a[5] * a[7])
                    - a[1] * (a[3] * a[8] - a[5] * a[6])
                    + a[2] * (a[3] * a[7] - a[4] * a[6]);
    CHECK_NEAR(c->volume, volume, 1e-15 * volume);
    for (int d = 0; d < 3; d++) {
        double height =
            1 / sqrt(v[d] * v[d] + v[3 + d] * v[3 + d] + v[6 + d] * v[6 + d]);
        CHECK_NEAR(c->height[d], height, 1e-15 * height);
    }
}

static void own_cells(void)
{
    static const double rows[9] = {2, 0.1, 0.3, 0.5, 3, -0.2, 0.4, -0.6, 2.5};
    static const int64_t begin[] = {0, 5, 5, 20, 24};
    struct cell whole, own;
    CHECK_OK(cell_set(&whole, rows, 1));
    whole.unit = 0.25;
    for (int r = 0; r < 4; r++)
        for (int64_t halo = 0; halo < 80; halo += 13) {
            struct domain d;
            CHECK_OK(domain_create(&d, r, 4, 24, halo, begin));
            domain_cell(&d, &whole, &own);
            int64_t n = begin[r + 1] - begin[r] + 2 * halo;
            n = n > 0 ? n : 1;
            cell_is_whole(&own);
            CHECK_NEAR(own.volume, whole.volume * (double)n / 24,
                       1e-15 * own.volume);
            CHECK(memcmp(own.a + 3, whole.a + 3, 6 * sizeof(double)) == 0,
                  "b or c changed");
            CHECK(own.unit == 0.25 && own.reduced == whole.reduced,
                  "unit %g, reduced %d", own.unit, own.reduced);
            domain_destroy(&d);
        }
}

static void refused(void)
{
    static const int64_t late[] = {1, 2, 4}, short_[] = {0, 2, 3};
    static const int64_t back[] = {0, 5, 4};
    struct domain d;
    int64_t before = mem_bytes();
    CHECK_FAILS(domain_create(&d, 0, 2, 4, 0, late), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(domain_create(&d, 0, 2, 4, 0, short_), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(domain_create(&d, 0, 2, 4, 0, back), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(domain_create(&d, 2, 2, 4, 0, NULL), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(domain_create(&d, 0, 2, 0, 0, NULL), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(domain_create(&d, 0, 2, 4, -1, NULL), FARSUM_ERR_ARGUMENT);
    mem_fail_at(1);
    CHECK_FAILS(domain_create(&d, 0, 2, 4, 0, NULL), FARSUM_ERR_MEMORY);
    mem_fail_at(0);
    domain_destroy(&d);
    CHECK(mem_bytes() == before, "a refused domain keeps memory");
}

int main(void)
{
    RUN(even_cuts);
    RUN(owners);
    RUN(planes);
    RUN(fractions);
    RUN(own_cells);
    RUN(refused);
    return check_end();
}
