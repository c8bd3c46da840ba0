/* SPDX-License-Identifier: Apache-2.0 */
/* tune_ranks.c: bytes and seconds of a sum over ranks, and of the same points
 * per rank over more and more ranks, from plans of one process. */
#include "tune_ranks.h"

#include "ranks/run.h"
#include "report.h"
#include "say.h"
#include "words.h"

#include "base/c_locale.h"
#include "plan/exported.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTICLES = 1 << 22, MOST_RANKS = 1000000, MOST_SUMS = 22 };

/* A limit of memory for plans that no machine makes. */
#define MOST_BYTES (UINT64_MAX / 4)

int tune_ranks_check(const struct settings *s)
{
    static const char *const for_modes[] = {
        "ranks",          "nodes",     "modes",         "points",
        "tolerance",      "precision", "components",    "device",
        "threads",        "isa",       "deterministic", "link-latency",
        "link-bandwidth", NULL};
    const char *other = s->model ? "model" : s->map ? "map" : NULL;
    int domain = s->domain[0] + s->domain[1] > 0;
    int modes = s->modes[0] > 0;
    const char *unread = modes ? options_other(s, for_modes) : NULL;
    const char *needs = s->nodes > 0            ? "nodes"
                        : modes                 ? "modes"
                        : domain                ? "domain"
                        : s->link_latency > 0   ? "link-latency"
                        : s->link_bandwidth > 0 ? "link-bandwidth"
                        : s->weak               ? "weak"
                                                : NULL;
    if (s->ranks > 0 && other)
        say_error("tune: --ranks and --%s exclude each other; see 'farsum help "
                  "tune'", other);
    else if (s->ranks == 0 && needs)
        say_error("tune: --%s requires --ranks", needs);
    else if (modes && s->n_words > 0)
        say_error("tune: --modes accepts no file; give --points");
    else if (unread)
        say_error("tune: --modes does not accept --%s; see 'farsum help tune'",
                  unread);
    else if (s->points > 0 && !modes)
        say_error("tune: --points requires --modes");
    else if (s->weak && domain)
        say_error("tune: --weak and --domain exclude each other");
    else if (s->ranks > MOST_RANKS)
        say_error("tune: --ranks %d is above %d", s->ranks, (int)MOST_RANKS);
    else if (s->nodes > s->ranks)
        say_error("tune: --nodes %d is above --ranks %d; each node has at "
                  "least one rank", s->nodes, s->ranks);
    else
        return 0;
    return -1;
}

void tune_ranks_options(const struct settings *s, farsum_options *how)
{
    if (s->ranks > 0 && how->memory_limit == 0)
        how->memory_limit = MOST_BYTES;
}

int tune_ranks_large(const struct settings *s, const struct case_spec *spec)
{
    return s->ranks > 0 && spec->n > MOST_PARTICLES;
}

farsum_status tune_ranks_links(const struct settings *s,
                               const farsum_options *how, int ranks,
                               struct links *links)
{
    farsum_status status =
        farsum_ranks_links(how, s->ranks, s->nodes > 0 ? s->nodes : 1, links);
    if (status != FARSUM_OK)
        return status;
    links->ranks = ranks;
    if (links->ranks_a_node > ranks)
        links->ranks_a_node = ranks;
    ranks_link(s, s->nodes > 1 ? &links->between : &links->within);
    return FARSUM_OK;
}

struct sum {
    struct ranks_model m;
    int64_t points, mesh[3]; /* mesh: or root boxes */
    char method[32];
    double stages, exchanges, seconds; /* of a rank: of both; of the sum */
    double alone, efficiency;    /* seconds of one process */
};

struct tune_ranks {
    int n;
    struct sum sums[MOST_SUMS];
};

/* alone: of one process. */
static void complete(const farsum_plan_info *info,
                     const struct ranks_model *alone, struct sum *sum)
{
    struct ranks_model *m = &sum->m;
    int ranks = m->links.ranks;
    sum->points = info->n_sources;
    memcpy(sum->mesh, m->boxes ? info->boxes : info->mesh, sizeof sum->mesh);
    snprintf(sum->method, sizeof sum->method, "%s", info->method);
    for (int k = 0; k < m->stages; k++) {
        if (ranks == 1)
            m->seconds[k] = m->alone[k];
        sum->stages += m->seconds[k];
    }
    for (int k = 0; k < alone->stages; k++)
        sum->alone += alone->alone[k];
    for (int k = 0; k < COMM_PARTS; k++)
        sum->exchanges += m->exchange[k];
    sum->seconds = sum->stages + sum->exchanges - m->hidden;
    sum->efficiency = sum->alone / (ranks * sum->seconds);
}

static void print_thin(const struct ranks_model *m, FILE *out)
{
    int ranks = m->links.ranks, pencils = m->shape[1] > 1;
    int64_t busy = (m->shape[0] < m->mesh0 ? m->shape[0] : m->mesh0)
                   * (m->shape[1] < m->mesh1 ? m->shape[1] : m->mesh1);
    if (ranks > busy) {
        fprintf(out, "note      %d ranks share %lld %s", ranks,
                (long long)m->mesh0, m->boxes ? "layers" : "planes");
        if (pencils)
            fprintf(out, " of %lld rows", (long long)m->mesh1);
        fprintf(out, ": %lld ranks have none and wait\n",
                (long long)(ranks - busy));
    } else if ((m->shape[0] > 1 && m->planes < m->halo)
               || (pencils && m->rows < m->row_halo))
        fprintf(out,
                "note      a %s is thinner than its halo: a rank "
                "computes mostly on planes of others\n",
                pencils ? "pencil" : "slab");
}

static void print_part(const struct ranks_model *m, FILE *out)
{
    int pencils = m->shape[1] > 1;
    fprintf(out, "%-10s%lld of %lld %s", pencils ? "pencil" : "slab",
            (long long)m->planes, (long long)m->mesh0,
            m->boxes ? "layers of root boxes" : "planes");
    if (pencils)
        fprintf(out, ", %lld of %lld rows, halos of %lld and %lld",
                (long long)m->rows, (long long)m->mesh1, (long long)m->halo,
                (long long)m->row_halo);
    else
        fprintf(out, ", a halo of %lld", (long long)m->halo);
    c_locale_write(out, " on each side, %.4g points, %.4g ghosts\n", m->points,
                   m->ghosts);
    print_thin(m, out);
}

void tune_ranks_assumptions(const struct settings *s, const struct links *links,
                            FILE *out)
{
    c_locale_write(out, "assumes   within a node %.3g s a message and %.3g "
                   "bytes/s a rank", links->within.latency,
                   links->within.bandwidth);
    if (s->nodes > 1)
        c_locale_write(out, "\n          between nodes %.3g s and %.3g bytes/s "
                       "a node's port", links->between.latency,
                       links->between.bandwidth);
    fprintf(out, "\n          uniform points, which any rank gives; %s;\n"
            "          ranks on machines as this one; stages by the tuner's "
            "costs\n",
            links->beside ? "near pairs\n          concurrent with exchanges "
                            "of planes and columns"
                          : "exchanges\n          that hide nothing");
}

static void print_rank(const struct sum *sum, FILE *out)
{
    const struct ranks_model *m = &sum->m;
    int nodes = links_nodes(&m->links);
    fprintf(out, "ranks     %d on %d node%s, ", m->links.ranks, nodes,
            nodes == 1 ? "" : "s");
    if (m->threads > 0)
        fprintf(out, "%d thread%s each", m->threads,
                m->threads == 1 ? "" : "s");
    else
        fprintf(out, "a device each");
    if (m->shape[1] > 1)
        fprintf(out, "; %d x %d pencils", m->shape[0], m->shape[1]);
    fprintf(out, "; the rank with the most %s:\n",
            m->boxes ? "layers" : "planes");
    print_part(m, out);
    c_locale_write(out,
                   "stores    %s %.4g MB, spectrum %.4g MB, buffers "
                   "%.4g MB\n",
                   m->boxes ? "expansions" : "mesh", 1e-6 * m->mesh,
                   1e-6 * m->spectrum, 1e-6 * m->buffers);
    fprintf(out, "%-11s %12s %12s\n", "stage", "alone s", "a rank s");
    for (int k = 0; k < m->stages; k++) {
        fprintf(out, "%-11s", m->stage[k]);
        c_locale_write(out, " %12.4g %12.4g\n", m->alone[k], m->seconds[k]);
    }
    fprintf(out, "%-11s %12s %12s\n", "exchange", "sent bytes", "s");
    for (int k = 0; k < COMM_PARTS; k++) {
        fprintf(out, "%-11s", ranks_work_names[k]);
        if (k == COMM_TALK)
            fprintf(out, " %12s", "-"); /* a few numbers */
        else
            c_locale_write(out, " %12.4g", m->bytes[k]);
        c_locale_write(out, " %12.4g\n", m->exchange[k]);
    }
    c_locale_write(out,
                   "sum       %.4g s, of which exchanges %.4g s; one process "
                   "alone %.4g s; efficiency %.3g\n",
                   sum->seconds, sum->exchanges - m->hidden, sum->alone,
                   sum->efficiency);
}

static void print_weak(const struct tune_ranks *sums, FILE *out)
{
    fprintf(out, "\n%6s %6s %10s %14s %9s %7s %5s %9s %9s %9s %9s %6s\n",
            "ranks", "nodes", "points", "mesh", "domain", "planes", "halo",
            "MB", "stages s", "exch. s", "sum s", "eff.");
    for (int k = 0; k < sums->n; k++) {
        const struct sum *sum = &sums->sums[k];
        const struct ranks_model *m = &sum->m;
        char mesh[80], domain[32];
        snprintf(domain, sizeof domain, "%dx%d", m->shape[0], m->shape[1]);
        snprintf(mesh, sizeof mesh, "%lldx%lldx%lld", (long long)sum->mesh[0],
                 (long long)sum->mesh[1], (long long)sum->mesh[2]);
        fprintf(out, "%6d %6d", m->links.ranks, links_nodes(&m->links));
        c_locale_write(out, " %10.4g", (double)sum->points);
        fprintf(out, " %14s %9s %7lld %5lld", mesh, domain,
                (long long)m->planes, (long long)m->halo);
        c_locale_write(out, " %9.4g %9.4g %9.4g %9.4g %6.3f\n",
                       1e-6 * (m->mesh + m->spectrum + m->buffers), sum->stages,
                       sum->exchanges - m->hidden, sum->seconds,
                       sum->efficiency);
    }
    print_thin(&sums->sums[sums->n - 1].m, out);
}

void tune_ranks_print(const struct settings *s, const struct tune_ranks *sums,
                      FILE *out)
{
    if (s->weak)
        print_weak(sums, out);
    else
        print_rank(&sums->sums[0], out);
    tune_ranks_assumptions(s, &sums->sums[sums->n - 1].m.links, out);
}

static json_t *report_sum(const struct sum *sum)
{
    const struct ranks_model *m = &sum->m;
    json_t *stages = json_object(), *exchanges = json_object();
    int bad = !stages || !exchanges;
    for (int k = 0; k < m->stages && !bad; k++)
        bad = json_object_set_new(stages, m->stage[k],
                                  json_pack("{s:o, s:o}", "alone",
                                            report_real(m->alone[k]), "rank",
                                            report_real(m->seconds[k])));
    for (int k = 0; k < COMM_PARTS && !bad; k++)
        bad = json_object_set_new(
            exchanges, ranks_work_names[k],
            json_pack("{s:o, s:o}", "bytes",
                      k == COMM_TALK ? json_null() : report_real(m->bytes[k]),
                      "seconds", report_real(m->exchange[k])));
    json_t *all = json_pack(
        "{s:i, s:i, s:i, s:I, s:[I,I,I], s:I, s:I, s:o, s:o, s:o, s:o, s:o, "
        "s:O?, s:O?, s:o, s:o, s:o, s:o, s:[i,i], s:I, s:I, s:s}",
        "ranks", m->links.ranks, "nodes", links_nodes(&m->links), "threads",
        m->threads, "n_sources", (json_int_t)sum->points, "mesh",
        (json_int_t)sum->mesh[0], (json_int_t)sum->mesh[1],
        (json_int_t)sum->mesh[2], "planes", (json_int_t)m->planes, "halo",
        (json_int_t)m->halo, "particles", report_real(m->points), "ghosts",
        report_real(m->ghosts), "mesh_bytes", report_real(m->mesh),
        "spectrum_bytes", report_real(m->spectrum), "buffer_bytes",
        report_real(m->buffers), "stages", stages, "exchanges", exchanges,
        "hidden_seconds", report_real(m->hidden), "seconds",
        report_real(sum->seconds), "alone", report_real(sum->alone),
        "efficiency", report_real(sum->efficiency), "domain", m->shape[0],
        m->shape[1], "rows", (json_int_t)m->rows, "row_halo",
        (json_int_t)m->row_halo, "method", sum->method);
    json_decref(stages);
    json_decref(exchanges);
    return bad ? (json_decref(all), NULL) : all;
}

json_t *tune_ranks_report(const struct tune_ranks *sums)
{
    json_t *rows = json_array();
    for (int k = 0; rows && k < sums->n; k++)
        if (json_array_append_new(rows, report_sum(&sums->sums[k])) != 0) {
            json_decref(rows);
            return NULL;
        }
    return rows;
}

/* Tunes one process without ranks, for a method that ranks would choose among
 * theirs.  method: receives its name, and must outlive the plan. */
static farsum_status alone_tune(const farsum_problem *problem,
                                const farsum_options *how,
                                const struct links *links, char method[32],
                                farsum_plan **plan)
{
    const struct ranks_shape any = {{0, 0}};
    farsum_options alone = *how;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    alone.memory_limit = MOST_BYTES; /* a rank's limit is for its part */
    if (!how->method || strcmp(how->method, "auto") == 0) {
        farsum_status status =
            farsum_ranks_tune(problem, &alone, links, &any, plan);
        if (status == FARSUM_OK)
            status = farsum_plan_get_info(*plan, &info);
        if (status == FARSUM_OK)
            snprintf(method, 32, "%s", info.method);
        farsum_plan_destroy(*plan);
        *plan = NULL;
        if (status != FARSUM_OK)
            return status;
        alone.method = method;
    }
    return farsum_plan_tune(problem, &alone, plan);
}

/* The model of a plan for so many ranks, or of one process without ranks. */
static farsum_status model_take(const struct settings *s,
                                const farsum_problem *problem,
                                const farsum_options *how, int ranks,
                                farsum_plan_info *info, struct ranks_model *m)
{
    const struct ranks_shape any = {{0, 0}};
    struct links links;
    char method[32];
    farsum_plan *plan = NULL;
    farsum_status status = tune_ranks_links(s, how, ranks, &links);
    if (status == FARSUM_OK)
        status = ranks > 1
                     ? farsum_ranks_tune(problem, how, &links, &any, &plan)
                     : alone_tune(problem, how, &links, method, &plan);
    if (status == FARSUM_OK)
        status = farsum_plan_get_info(plan, info);
    if (status == FARSUM_OK)
        status = farsum_ranks_model(plan, &links, m);
    farsum_plan_destroy(plan);
    return status;
}

/* The sum of all ranks' points: in a larger cell, and at assumed positions. */
static farsum_status weak_sum(const struct settings *s,
                              const farsum_problem *one,
                              const farsum_options *how, int ranks,
                              struct sum *sum)
{
    farsum_problem p = *one;
    farsum_options quiet = *how;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    quiet.log = NULL; /* it has notes on a sum by one process */
    p.n_sources *= ranks;
    p.n_targets *= ranks;
    p.sample_x = p.sample_q = NULL;
    p.n_exclusions = 0;
    p.exclusions = NULL;
    p.exclusion_factors = NULL;
    for (int k = 0; k < 9; k++)
        p.cell[k] *= cbrt(ranks);
    farsum_status status = model_take(s, &p, &quiet, ranks, &info, &sum->m);
    if (status == FARSUM_OK)
        complete(&info, &sum->m, sum);
    return status;
}

static farsum_status take_weak(const struct settings *s,
                               const farsum_problem *one,
                               const farsum_options *how,
                               struct tune_ranks *sums)
{
    for (int ranks = 1;; ranks = ranks > s->ranks / 2 ? s->ranks : 2 * ranks) {
        struct sum *sum = &sums->sums[sums->n++];
        say_progress("choosing a plan for %d ranks", ranks);
        farsum_status status = weak_sum(s, one, how, ranks, sum);
        if (status != FARSUM_OK)
            return status;
        sum->efficiency = sums->sums[0].seconds / sum->seconds;
        if (ranks == s->ranks)
            return FARSUM_OK;
    }
}

farsum_status tune_ranks_plan(const struct settings *s,
                              const farsum_problem *problem,
                              const farsum_options *how, farsum_plan **plan)
{
    const struct ranks_shape shape = ranks_domain(s);
    struct links links;
    farsum_status status = tune_ranks_links(s, how, s->ranks, &links);
    return status == FARSUM_OK
               ? farsum_ranks_tune(problem, how, &links, &shape, plan)
               : status;
}

struct tune_ranks *tune_ranks_take(const struct settings *s,
                                   const farsum_problem *problem,
                                   const farsum_options *how,
                                   const farsum_plan *plan)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT, one = info;
    struct ranks_model alone;
    struct tune_ranks *sums = calloc(1, sizeof *sums);
    if (!sums) {
        say_error("tune: out of memory");
        return NULL;
    }
    farsum_options quiet = *how;
    struct links links;
    quiet.log = NULL;
    farsum_status status = tune_ranks_links(s, how, s->ranks, &links);
    if (status == FARSUM_OK)
        status = farsum_plan_get_info(plan, &info);
    quiet.method = info.method; /* the plan's own */
    if (status == FARSUM_OK)
        status = model_take(s, problem, &quiet, 1, &one, &alone);
    if (status == FARSUM_OK)
        status = farsum_ranks_model(plan, &links, &sums->sums[0].m);
    if (status == FARSUM_OK && s->weak) {
        memset(sums, 0, sizeof *sums);
        status = take_weak(s, problem, how, sums);
    } else if (status == FARSUM_OK) {
        sums->n = 1;
        complete(&info, &alone, &sums->sums[0]);
    }
    say_progress("%s", "");
    if (status == FARSUM_OK)
        return sums;
    say_error("tune: %s", words_message());
    free(sums);
    return NULL;
}
