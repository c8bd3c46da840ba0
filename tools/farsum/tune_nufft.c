/* SPDX-License-Identifier: Apache-2.0 */
/* tune_nufft.c: bytes and seconds of a rank in NUFFTs of both types, and in a
 * spread and an interp over a real mesh as that of type 2. */
#include "tune_nufft.h"

#include "say.h"
#include "tune_ranks.h"
#include "words.h"

#include "base/c_locale.h"
#include "mesh/exported.h"

#include <string.h>

#define PERIOD (2 * 3.14159265358979323846)
enum { TYPE_1, TYPE_2, SPREAD, INTERP, ROWS };
static const char *const names[ROWS] = {"type 1", "type 2", "spread", "interp"};

static double tolerance_of(const struct settings *s)
{
    return s->tolerance > 0 ? s->tolerance : 1e-5;
}

static farsum_status take_nufft(const struct settings *s,
                                const farsum_mesh_options *how,
                                const struct links *links, int type,
                                struct ranks_model *m)
{
    farsum_nufft_problem p = FARSUM_NUFFT_PROBLEM_INIT;
    p.type = type;
    p.sign = -1;
    p.n_points = s->points;
    p.tolerance = tolerance_of(s);
    p.precision = s->precision ? (farsum_precision)s->precision : FARSUM_F64;
    p.channels = s->components > 0 ? s->components : 1;
    memcpy(p.modes, s->modes, sizeof p.modes);
    return farsum_ranks_nufft_model(&p, how, links, m);
}

static farsum_status take_mesh(const struct settings *s,
                               const farsum_mesh_options *how,
                               const struct links *links, int64_t mesh0,
                               struct ranks_model m[2])
{
    farsum_mesh_problem p = FARSUM_MESH_PROBLEM_INIT;
    double sigma = (double)mesh0 / (double)s->modes[0];
    for (int d = 0; d < 3; d++) {
        p.cell[4 * d] = PERIOD;
        p.periodic[d] = 1;
        p.mesh[d] = (int64_t)(sigma * (double)s->modes[d] + 0.5);
    }
    p.ldz = p.mesh[2] + p.mesh[2] % 2;
    p.n_points = s->points;
    p.tolerance = tolerance_of(s);
    p.upsampling = sigma;
    p.precision = s->precision ? (farsum_precision)s->precision : FARSUM_F64;
    p.channels = s->components > 0 ? s->components : 1;
    p.uses = FARSUM_MESH_SPREAD | FARSUM_MESH_VALUE;
    return farsum_ranks_mesh_model(&p, how, links, m);
}

static void print_row(const char *name, const struct ranks_model *m)
{
    double stages = 0, alone = 0, sum = ranks_model_seconds(m);
    for (int k = 0; k < m->stages; k++) {
        stages += m->seconds[k];
        alone += m->alone[k];
    }
    printf("%-7s %7lld %7lld %5lld", name, (long long)m->mesh0,
           (long long)m->planes, (long long)m->halo);
    c_locale_write(stdout, " %9.4g %9.4g %9.4g %9.4g %9.4g %9.4g %9.4g %6.3f\n",
                   1e-6 * m->bytes[COMM_ROUTE], 1e-6 * m->bytes[COMM_PLANES],
                   1e-6 * m->bytes[COMM_TRANSFORM], stages, sum - stages, sum,
                   alone, alone / (m->links.ranks * sum));
}

static void print_all(const struct settings *s,
                      const struct ranks_model rows[ROWS])
{
    struct links assumed = rows[0].links;
    const struct links *l = &assumed;
    assumed.beside = 0; /* each exchange follows the stage before */
    printf("ranks     %d on %d node%s; %lld points, %lld x %lld x %lld modes; "
           "the rank with the most planes:\n",
           l->ranks, links_nodes(l), links_nodes(l) == 1 ? "" : "s",
           (long long)s->points, (long long)s->modes[0],
           (long long)s->modes[1], (long long)s->modes[2]);
    printf("%-7s %7s %7s %5s %9s %9s %9s %9s %9s %9s %9s %6s\n", "", "mesh",
           "planes", "halo", "route MB", "planes", "transform", "stages s",
           "exch. s", "sum s", "alone s", "eff.");
    for (int k = 0; k < ROWS; k++)
        print_row(names[k], &rows[k]);
    tune_ranks_assumptions(s, l, stdout);
}

int tune_nufft(const struct settings *s)
{
    struct ranks_model rows[ROWS];
    struct links links;
    farsum_options device = FARSUM_OPTIONS_INIT;
    farsum_mesh_options how = FARSUM_MESH_OPTIONS_INIT;
    device.device.name = s->device;
    how.device = s->device;
    how.isa = s->isa;
    how.threads = s->threads;
    how.deterministic = s->deterministic;
    if (s->points < 1) {
        say_error("tune: --modes requires --points");
        return EXIT_USAGE;
    }
    farsum_status status = tune_ranks_links(s, &device, s->ranks, &links);
    for (int type = 1; type <= 2 && status == FARSUM_OK; type++)
        status = take_nufft(s, &how, &links, type, &rows[type - 1]);
    if (status == FARSUM_OK)
        status = take_mesh(s, &how, &links, rows[TYPE_2].mesh0, &rows[SPREAD]);
    if (status != FARSUM_OK) {
        say_error("tune: %s", words_message());
        return EXIT_FAILED;
    }
    print_all(s, rows);
    return EXIT_DONE;
}
