/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: what 'farsum run' does in another way over ranks. */
#include "ranks/run.h"

#include "command.h"
#include "say.h"
#include "words.h"

#include "base/number.h"
#include "comm/exported.h"
#include "plan/exported.h"

#include <stdio.h>
#include <string.h>

int ranks_begin(const struct settings *s, struct ranks **ranks)
{
    struct ranks_marks marks = ranks_marks();
    const char *name = command_name(s->command);
    if (s->ranks > 1 && marks.size > 0 && s->ranks != marks.size) {
        say_error("%s: --ranks %d, but the launcher started %d copies (%s)",
                  name, s->ranks, marks.size, marks.name);
        return EXIT_USAGE;
    }
    if (s->ranks == 1 || !ranks_are_marked(&marks))
        return 0;
    int status = ranks_open(&marks, name, ranks);
    if (status == 0)
        ranks_patience(*ranks, s->patience);
    return status;
}

int ranks_refuse(struct ranks *ranks, const struct settings *s)
{
    const struct {
        int given;
        const char *option;
    } rows[] = {
        {s->check, "--check"},
        {s->method && strcmp(s->method, "spectral") != 0
             && strcmp(s->method, "fmm") != 0 && strcmp(s->method, "auto") != 0,
         "--method other than spectral and fmm"},
    };
    const char *several = s->transport                      ? "transport"
                          : s->patience > 0                 ? "patience"
                          : s->domain[0] + s->domain[1] > 0 ? "domain"
                          : s->link_latency > 0             ? "link-latency"
                          : s->link_bandwidth > 0           ? "link-bandwidth"
                                                            : NULL;
    if (!ranks && several) {
        say_error("run: --%s requires several copies; see 'farsum help run'",
                  several);
        return -1;
    }
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (ranks && rows[k].given) {
            say_error("run: %s does not work over ranks yet (%d copies); leave "
                      "it out, or start one copy",
                      rows[k].option, ranks_size(ranks));
            return -1;
        }
    return 0;
}

int ranks_link(const struct settings *s, struct link *link)
{
    if (s->link_latency > 0)
        link->latency = s->link_latency;
    if (s->link_bandwidth > 0)
        link->bandwidth = s->link_bandwidth;
    return s->link_latency > 0 || s->link_bandwidth > 0;
}

struct ranks_shape ranks_domain(const struct settings *s)
{
    return (struct ranks_shape){{s->domain[0], s->domain[1]}};
}

farsum_status ranks_plan(struct ranks *ranks, const struct settings *s,
                         const farsum_problem *problem,
                         const farsum_options *how, farsum_plan **plan)
{
    struct links links;
    if (!ranks)
        return farsum_plan_create(problem, how, plan);
    struct comm *comm = ranks_comm(ranks);
    if (!comm)
        return FARSUM_ERR_COMM;
    farsum_status status = farsum_comm_patience(comm, s->patience);
    if (status == FARSUM_OK
        && farsum_ranks_links(how, comm->size, 1, &links) == FARSUM_OK
        && ranks_link(s, &links.within))
        comm->links = &links;
    const struct ranks_shape shape = ranks_domain(s);
    if (status == FARSUM_OK)
        status = farsum_ranks_plan_create(comm, problem, how, s->transport,
                                          &shape, plan);
    comm->links = NULL; /* only create reads them */
    if (status != FARSUM_OK)
        farsum_comm_destroy(comm);
    return status;
}

/* --- the report --- */

const char *const ranks_work_names[COMM_PARTS] = {
    [COMM_TALK] = "agreements",
    [COMM_ROUTE] = "route",
    [COMM_GHOSTS] = "ghosts",
    [COMM_PLANES] = "planes",
    [COMM_TRANSFORM] = "transform"};

void ranks_work(struct ranks *ranks, const farsum_plan *plan, int64_t given,
                struct ranks_work *before, struct ranks_work *all)
{
    struct ranks_info info;
    farsum_plan_info times = FARSUM_PLAN_INFO_INIT;
    struct ranks_work now, mine;
    memset(&now, 0, sizeof now);
    if (farsum_ranks_get_info(plan, &info) == FARSUM_OK
        && farsum_plan_get_info(plan, &times) == FARSUM_OK) {
        now.given = given;
        now.own = info.own;
        now.ghosts = info.ghosts;
        now.across = info.across > 1 ? info.across : 1;
        now.threads = times.threads;
        snprintf(now.device, sizeof now.device, "%s", times.device);
        snprintf(now.model, sizeof now.model, "%s",
                 times.device_model ? times.device_model : "");
        snprintf(now.transport, sizeof now.transport, "%s", info.transport);
        now.set_points = times.seconds_set_points;
        now.execute = times.seconds_execute;
        memcpy(now.spent, info.spent, sizeof now.spent);
    }
    mine = now;
    for (int k = 0; k < COMM_PARTS; k++) {
        mine.spent[k].bytes -= before->spent[k].bytes;
        mine.spent[k].seconds -= before->spent[k].seconds;
    }
    *before = now;
    ranks_gather(ranks, &mine, all, sizeof mine);
}

/* --- numbers of particles in messages --- */

/* Copies the number at *p, a row of a rank or (rank -1) the plan's number, as
 * that of the file. */
static size_t put_number(const struct spread *where, int rank, const char **p,
                         char *out, size_t size)
{
    uint64_t at = 0;
    (void)number_count(*p, p, &at);
    int64_t row = (int64_t)at;
    int64_t number = rank < 0 ? spread_filed(where, row)
                              : spread_number(where, rank, row);
    int used = snprintf(out, size, "%lld", (long long)number - 1);
    return (size_t)used < size ? (size_t)used : size - 1;
}

/* Length of a word at p before a row's number; 0: none. */
static size_t word_before_row(const char *p)
{
    static const char *const words[] = {"source ", "sources ", "target ",
                                        "targets ", "and "};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        size_t n = strlen(words[k]);
        if (strncmp(p, words[k], n) == 0 && p[n] >= '0' && p[n] <= '9')
            return n;
    }
    return 0;
}

const char *ranks_words(const struct spread *sources,
                        const struct spread *targets)
{
    const char *p = farsum_message(), *end = p;
    char text[1200];
    const struct spread *where = sources;
    uint64_t rank = 0;
    size_t used = 0, numbers = 0;
    if (sources->n_runs == 0 || strncmp(p, "rank ", 5) != 0
        || number_count(p + 5, &end, &rank) != NUMBER_OK
        || strncmp(end, ": ", 2) != 0)
        return words_message();
    /* such pairs may be of two ranks, so the plan's numbers name them */
    int together = strstr(end, " coincide") != NULL;
    for (p = end + 2; *p && used + 32 < sizeof text;) {
        size_t n = word_before_row(p);
        if (n)
            where = *p == 't' && targets->n_runs ? targets
                    : *p == 'a'                  ? where
                                                 : sources;
        memcpy(text + used, p, n ? n : 1);
        used += n ? n : 1;
        p += n ? n : 1;
        numbers += n > 0;
        if (n)
            used += put_number(where, together ? -1 : (int)rank, &p,
                               text + used,
                               sizeof text - used);
    }
    text[used] = '\0';
    return numbers > 0 ? words_text(text) : words_message();
}
