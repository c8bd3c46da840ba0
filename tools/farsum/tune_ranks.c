/* SPDX-License-Identifier: Apache-2.0 */
/* tune_ranks.c: bytes and seconds of a sum over ranks, and of the same points
 * per rank over more and more ranks, from plans of one process. */
#include "tune_ranks.h"

#include "ranks_run.h"
#include "say.h"
#include "summary.h"
#include "words.h"

#include "base/c_locale.h"
#include "plan/exported.h"

#include <math.h>
#include <string.h>

/* Messages within a node: through shared memory, measured by 'bench exchange'
 * on two cores.  Between nodes: a port of 100 Gb/s, of which 80 % is usual. */
static const struct link {
    double latency;   /* seconds per message */
    double bandwidth; /* bytes per second: of a rank, of a node's port */
} within_node = {3e-6, 3e9}, between_nodes = {2e-6, 1e10};

enum { MOST_PARTICLES = 1 << 22 };

struct network {
    int nodes, ranks_a_node;
    struct link in, out;
};

static const char *const stage_names[RANKS_STAGES] = {
    "near", "spread", "transform", "scale", "interp"};

int tune_ranks_check(const struct settings *s)
{
    const char *other = s->model ? "model" : s->map ? "map" : NULL;
    const char *needs = s->nodes > 0            ? "nodes"
                        : s->link_latency > 0   ? "link-latency"
                        : s->link_bandwidth > 0 ? "link-bandwidth"
                        : s->weak               ? "weak"
                                                : NULL;
    if (s->ranks > 0 && other)
        say_error("tune: --ranks and --%s exclude each other; see 'farsum help "
                  "tune'", other);
    else if (s->ranks == 0 && needs)
        say_error("tune: --%s requires --ranks", needs);
    else if (s->nodes > s->ranks)
        say_error("tune: --nodes %d is above --ranks %d; each node has at "
                  "least one rank", s->nodes, s->ranks);
    else
        return 0;
    return -1;
}

void tune_ranks_options(const struct settings *s, farsum_options *how)
{
    const uint64_t most = UINT64_MAX / 4;
    uint64_t ranks = (uint64_t)s->ranks;
    if (s->ranks == 0)
        return;
    if (!how->method || strcmp(how->method, "auto") == 0)
        how->method = "spectral";
    if (how->memory_limit == 0 || how->memory_limit > most / ranks)
        how->memory_limit = most;
    else
        how->memory_limit *= ranks;
}

int tune_ranks_large(const struct settings *s, const struct case_spec *spec)
{
    return s->ranks > 0 && spec->n > MOST_PARTICLES;
}

static struct network network_of(const struct settings *s, int ranks)
{
    struct network net = {.in = within_node, .out = between_nodes};
    int a_node = s->nodes > 0 ? (s->ranks + s->nodes - 1) / s->nodes : s->ranks;
    net.ranks_a_node = a_node < ranks ? a_node : ranks;
    net.nodes = (ranks + a_node - 1) / a_node;
    struct link *slowest = s->nodes > 1 ? &net.out : &net.in;
    if (s->link_latency > 0)
        slowest->latency = s->link_latency;
    if (s->link_bandwidth > 0)
        slowest->bandwidth = s->link_bandwidth;
    return net;
}

/* Seconds of the exchanges of a part.  Ranks of a node follow one another, and
 * its port is shared. */
static double exchange_seconds(const struct network *net,
                               const struct ranks_model *m, int part)
{
    const struct link *in = &net->in, *out = &net->out;
    const struct link *slowest = net->nodes > 1 ? out : in;
    double ranks = m->ranks, here = net->ranks_a_node;
    double others = fmax(ranks - 1, 1), bytes = m->bytes[part];
    double reach = fmin(ceil((double)m->halo / (double)m->planes), others);
    if (m->ranks == 1)
        return 0;
    if (part == COMM_TALK)
        return m->exchanges[part] * ceil(log2(ranks)) * slowest->latency;
    if (part == COMM_PLANES || part == COMM_GHOSTS) {
        double peers = fmin(2 * reach, others);
        double most = net->nodes > 1 ? fmin(here, reach) : 0;
        return m->exchanges[part] * peers * slowest->latency
               + (here > 1 ? bytes / in->bandwidth : 0)
               + most * bytes / out->bandwidth;
    }
    double inside = (here - 1) / others;
    return m->exchanges[part]
               * ((here - 1) * in->latency + (ranks - here) * out->latency)
           + bytes * inside / in->bandwidth
           + bytes * (1 - inside) * here / out->bandwidth;
}

struct totals {
    double stages, exchange, alone, bytes;
};

static struct totals totals_of(const struct network *net,
                               const struct ranks_model *m)
{
    struct totals t = {0, 0, 0, m->mesh + m->spectrum + m->buffers};
    for (int k = 0; k < RANKS_STAGES; k++) {
        t.stages += m->ranks == 1 ? m->alone[k] : m->seconds[k];
        t.alone += m->alone[k];
    }
    for (int k = 0; k < COMM_PARTS; k++)
        t.exchange += exchange_seconds(net, m, k);
    return t;
}

static void print_thin(const struct ranks_model *m, FILE *out)
{
    if (m->ranks > m->mesh0)
        fprintf(out, "note      %d ranks share %lld planes: %lld ranks have "
                "none and wait\n", m->ranks, (long long)m->mesh0,
                (long long)(m->ranks - m->mesh0));
    else if (m->ranks > 1 && m->planes < m->halo)
        fprintf(out, "note      a slab is thinner than its halo: a rank "
                "computes mostly on planes of others\n");
}

static void print_assumptions(const struct settings *s,
                              const struct network *net, FILE *out)
{
    c_locale_write(out, "assumes   within a node %.3g s a message and %.3g "
                   "bytes/s a rank", net->in.latency, net->in.bandwidth);
    if (s->nodes > 1)
        c_locale_write(out, "\n          between nodes %.3g s and %.3g bytes/s "
                       "a node's port", net->out.latency, net->out.bandwidth);
    fprintf(out, "\n          uniform points, which any rank gives; exchanges "
            "that hide nothing; ranks on\n          machines as this one, each "
            "with its threads; stages by the tuner's costs\n");
}

static void print_rank(const struct network *net, const struct ranks_model *m,
                       FILE *out)
{
    struct totals t = totals_of(net, m);
    fprintf(out, "ranks     %d on %d node%s, %d thread%s each; the rank with "
            "the most planes:\n", m->ranks, net->nodes,
            net->nodes == 1 ? "" : "s", m->threads, m->threads == 1 ? "" : "s");
    c_locale_write(out, "slab      %lld of %lld planes, a halo of %lld on each "
                   "side, %.4g points, %.4g ghosts\n", (long long)m->planes,
                   (long long)m->mesh0, (long long)m->halo, m->points,
                   m->ghosts);
    print_thin(m, out);
    c_locale_write(out, "stores    mesh %.4g MB, spectrum %.4g MB, buffers "
                   "%.4g MB\n", 1e-6 * m->mesh, 1e-6 * m->spectrum,
                   1e-6 * m->buffers);
    fprintf(out, "%-11s %12s %12s\n", "stage", "alone s", "a rank s");
    for (int k = 0; k < RANKS_STAGES; k++) {
        fprintf(out, "%-11s", stage_names[k]);
        c_locale_write(out, " %12.4g %12.4g\n", m->alone[k],
                       m->ranks == 1 ? m->alone[k] : m->seconds[k]);
    }
    fprintf(out, "%-11s %12s %12s\n", "exchange", "sent bytes", "s");
    for (int k = 0; k < COMM_PARTS; k++) {
        fprintf(out, "%-11s", ranks_work_names[k]);
        c_locale_write(out, " %12.4g %12.4g\n", m->bytes[k],
                       exchange_seconds(net, m, k));
    }
    c_locale_write(out, "sum       %.4g s, of which exchanges %.4g s; one rank "
                   "alone %.4g s; efficiency %.3g\n", t.stages + t.exchange,
                   t.exchange, t.alone,
                   t.alone / (m->ranks * (t.stages + t.exchange)));
}

/* The problem of all ranks' points: a larger cell, and assumed points. */
static farsum_status weak_model(const farsum_problem *one,
                                const farsum_options *how, int ranks,
                                farsum_plan_info *info,
                                struct ranks_model *model)
{
    farsum_problem p = *one;
    farsum_options quiet = *how;
    farsum_plan *plan = NULL;
    quiet.log = NULL; /* it has notes on a sum by one process */
    p.n_sources *= ranks;
    p.n_targets *= ranks;
    p.sample_x = p.sample_q = NULL;
    p.n_exclusions = 0;
    p.exclusions = NULL;
    p.exclusion_factors = NULL;
    for (int k = 0; k < 9; k++)
        p.cell[k] *= cbrt(ranks);
    farsum_status status = farsum_plan_tune(&p, &quiet, &plan);
    if (status == FARSUM_OK)
        status = farsum_plan_get_info(plan, info);
    if (status == FARSUM_OK)
        status = farsum_ranks_model(plan, ranks, model);
    farsum_plan_destroy(plan);
    return status;
}

static farsum_status print_weak(const struct settings *s,
                                const farsum_problem *one,
                                const farsum_options *how, FILE *out)
{
    double first = 0;
    fprintf(out, "\n%6s %6s %10s %14s %7s %5s %9s %9s %9s %9s %6s\n", "ranks",
            "nodes", "points", "mesh", "planes", "halo", "MB", "stages s",
            "exch. s", "sum s", "eff.");
    for (int ranks = 1, more = 1; more;
         ranks = ranks > s->ranks / 2 ? s->ranks : 2 * ranks) {
        farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
        struct ranks_model m;
        char mesh[80];
        say_progress("choosing a plan for %d ranks", ranks);
        farsum_status status = weak_model(one, how, ranks, &info, &m);
        say_progress("%s", "");
        if (status != FARSUM_OK)
            return status;
        struct network net = network_of(s, ranks);
        struct totals t = totals_of(&net, &m);
        double sum = t.stages + t.exchange;
        first = ranks == 1 ? sum : first;
        snprintf(mesh, sizeof mesh, "%lldx%lldx%lld", (long long)info.mesh[0],
                 (long long)info.mesh[1], (long long)info.mesh[2]);
        fprintf(out, "%6d %6d", ranks, net.nodes);
        c_locale_write(out, " %10.4g", (double)info.n_sources);
        fprintf(out, " %14s %7lld %5lld", mesh, (long long)m.planes,
                (long long)m.halo);
        c_locale_write(out, " %9.4g %9.4g %9.4g %9.4g %6.3f\n", 1e-6 * t.bytes,
                       t.stages, t.exchange, sum, first / sum);
        if (ranks == s->ranks)
            print_thin(&m, out);
        more = ranks < s->ranks;
    }
    return FARSUM_OK;
}

int tune_ranks_print(const struct settings *s, const farsum_problem *problem,
                     const farsum_options *how, const farsum_plan *plan)
{
    FILE *out = summary_stream(NULL, s->report);
    struct network net = network_of(s, s->ranks);
    struct ranks_model model;
    farsum_status status;
    if (s->weak)
        status = print_weak(s, problem, how, out);
    else if ((status = farsum_ranks_model(plan, s->ranks, &model)) == FARSUM_OK)
        print_rank(&net, &model, out);
    if (status != FARSUM_OK)
        say_error("tune: %s", words_message());
    else
        print_assumptions(s, &net, out);
    return status == FARSUM_OK ? 0 : -1;
}
