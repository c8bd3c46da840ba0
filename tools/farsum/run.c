/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: sums of all frames of a file with one plan. */
#include "command.h"
#include "files.h"
#include "foreign.h"
#include "kernel.h"
#include "notes.h"
#include "ranks/frames.h"
#include "ranks/run.h"
#include "report.h"
#include "say.h"
#include "stamp.h"
#include "summary.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

/* State that is kept from the first frame to the last. */
struct session {
    struct settings *s;
    struct ranks *ranks;       /* NULL: one process */
    struct spread_reader *sources, *targets;
    struct io_writer *writer;  /* on rank 0 */
    struct io_frame frame, at; /* of the sources and of the targets */
    struct spread where, where_at; /* where their particles are */
    farsum_plan *plan;
    struct system last;        /* that the plan was made or set for */
    struct ranks_work work;    /* this rank's, until the last frame */
    char why[300];             /* reason of the last new plan */
    json_t *report;
    int64_t count, target_frames;
    int units_given, exceeded, usage, foreign;
    char noted[400];           /* the last note of the reader */
    struct summary summary;
    char error[1200];
};

/* Makes all ranks fail if one did: after work on one rank, before the ranks
 * exchange data. */
static int together(struct session *t, int bad)
{
    int mine = !bad ? 0 : t->usage ? EXIT_USAGE : EXIT_FAILED;
    int status = ranks_agree(t->ranks, mine);
    t->usage = status == EXIT_USAGE;
    return status ? -1 : 0;
}

/* Reports the library's message with file and frame.  An unknown name is a
 * usage error. */
static int fail_library(struct session *t, farsum_status status)
{
    t->usage = ranks_end(t->ranks, status) == FARSUM_ERR_UNKNOWN;
    say_error("%s: frame %lld: %s", t->s->words[0], (long long)t->count,
              ranks_words(&t->where, &t->where_at));
    return -1;
}

static int fail_here(const struct session *t, const char *file)
{
    say_error("%s: frame %lld: %s", file, (long long)t->count, t->error);
    return -1;
}

static int make_plan(struct session *t, const struct system *sys)
{
    farsum_problem problem = system_problem(t->s, sys);
    farsum_options how = options_how(t->s);
    farsum_plan_destroy(t->plan);
    t->plan = NULL;
    say_progress("frame %lld: choosing a plan", (long long)t->count);
    memset(&t->work, 0, sizeof t->work);
    farsum_status status = ranks_plan(t->ranks, t->s, &problem, &how, &t->plan);
    return status == FARSUM_OK ? 0 : fail_library(t, status);
}

/* Provides a plan for this frame: the existing one, if it can be reused.  *why
 * is set if it could not. */
static int ready_plan(struct session *t, const struct system *sys,
                      const char **why)
{
    const struct system *last = &t->last;
    *why = NULL;
    if (t->plan && (last->all_n != sys->all_n || last->all_m != sys->all_m))
        *why = "the number of particles changed";
    else if (t->plan && memcmp(last->periodic, sys->periodic,
                               sizeof sys->periodic) != 0)
        *why = "the periodic axes changed";
    else if (t->plan &&
             memcmp(last->cell, sys->cell, sizeof sys->cell) != 0 &&
             ranks_end(t->ranks, farsum_plan_set_cell(t->plan, sys->cell))
                 != FARSUM_OK) {
        snprintf(t->why, sizeof t->why, "%s", words_message());
        *why = t->why;
    }
    if (!t->plan || *why) {
        if (make_plan(t, sys) != 0)
            return -1;
    } else if (sys->exclude.all || last->exclude.all) {
        farsum_status status = farsum_plan_set_exclusions(
            t->plan, sys->exclude.count, sys->exclude.pair,
            sys->exclude.factor);
        if (status != FARSUM_OK)
            return fail_library(t, status);
    }
    t->last = *sys; /* counts and cell; the arrays belong to the frame */
    return 0;
}

/* Makes the arrays that the sum fills. */
static int make_arrays(struct session *t, const struct system *sys,
                       struct outcome *o, farsum_result *out)
{
    size_t targets = (size_t)system_targets(sys);
    o->vector = malloc(3 * targets * sizeof *o->vector + 1);
    if (sys->flow) {
        out->velocity = o->vector;
    } else {
        out->potential = o->potential = malloc(targets * sizeof(double) + 1);
        out->field = o->vector;
    }
    if (sys->moments)
        out->gradient = o->gradient = malloc(6 * targets * sizeof(double) + 1);
    if (sys->moments > 1 && sys->all_m == 0)
        out->third = o->third = malloc(10 * targets * sizeof(double) + 1);
    if (t->s->particle_virial)
        out->particle_virial = o->share =
            malloc(9 * targets * sizeof *o->share + 1);
    o->ranks = t->ranks ? ranks_size(t->ranks) : 0;
    if (o->ranks > 0)
        o->work = malloc((size_t)o->ranks * sizeof *o->work);
    if (!o->vector || !(o->potential || sys->flow)
        || (sys->moments && !o->gradient)
        || (sys->moments > 1 && sys->all_m == 0 && !o->third)
        || (t->s->particle_virial && !o->share) || (o->ranks && !o->work)) {
        snprintf(t->error, sizeof t->error, "no memory for the result");
        return fail_here(t, t->s->words[0]);
    }
    if (sys->all_m == 0 && !sys->flow) {
        out->energy = &o->energy;
        o->has_energy = 1;
        o->has_virial = !t->s->no_virial;
        if (o->has_virial)
            out->virial = o->virial;
    }
    return 0;
}

/* Replaces the field by forces. */
static int make_forces(struct session *t, const struct system *sys,
                       struct outcome *o)
{
    size_t bytes = 3 * (size_t)sys->n * sizeof *o->vector;
    if (t->s->gravity > 0) {
        o->acceleration = malloc(bytes + 1);
        if (!o->acceleration) {
            snprintf(t->error, sizeof t->error, "no memory for the result");
            return fail_here(t, t->s->words[0]);
        }
        memcpy(o->acceleration, o->vector, bytes);
    }
    if (outcome_particles(sys, t->frame.first, o, t->error, sizeof t->error))
        return fail_here(t, t->s->words[0]);
    return 0;
}

/* Along an open axis points may leave the extent that an earlier frame's plan
 * sums.  Then another plan is made, and *why is set. */
static int set_points(struct session *t, const struct system *sys,
                      const char **why)
{
    int kept = t->count > 1 && !*why;
    farsum_status status =
        farsum_plan_set_points(t->plan, sys->n, sys->x, sys->m, sys->y);
    if (status == FARSUM_ERR_POSITION && kept) {
        snprintf(t->why, sizeof t->why, "%s", words_message());
        *why = t->why;
        if (make_plan(t, sys) != 0)
            return -1;
        status =
            farsum_plan_set_points(t->plan, sys->n, sys->x, sys->m, sys->y);
    }
    return status == FARSUM_OK ? 0 : fail_library(t, status);
}

/* Sums one frame into *o. */
static int sum_frame(struct session *t, const struct system *sys,
                     struct outcome *o)
{
    farsum_result out = FARSUM_RESULT_INIT;
    if (ready_plan(t, sys, &o->new_plan) != 0
        || together(t, make_arrays(t, sys, o, &out)) != 0)
        return -1;
    say_progress("frame %lld: setting %lld points", (long long)t->count,
                 (long long)sys->all_n);
    if (set_points(t, sys, &o->new_plan) != 0)
        return -1;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    say_progress("frame %lld: summing", (long long)t->count);
    farsum_status status = farsum_plan_execute(t->plan, 1, sys->q, &out);
    if (status == FARSUM_OK)
        status = farsum_plan_get_info(t->plan, &info);
    if (status != FARSUM_OK)
        return fail_library(t, status);
    o->info = info;
    if (t->ranks)
        ranks_work(t->ranks, t->plan, sys->n, &t->work, o->work);
    if (o->has_energy)
        o->energy_part = outcome_energy_part(t->ranks, sys, o->potential,
                                             o->vector, o->gradient, o->energy);
    if (o->flow)
        outcome_flow(o, t->ranks, system_targets(sys),
                     sys->all_m ? sys->all_m : sys->all_n);
    return together(t, o->has_energy ? make_forces(t, sys, o) : 0);
}

static int check_frame(struct session *t, const struct system *sys,
                       struct outcome *o)
{
    struct verify_request request = {t->s, sys, o->potential, o->vector,
                                     o->has_energy ? &o->energy : NULL,
                                     o->has_virial ? o->virial : NULL};
    if (!t->s->check)
        return 0;
    if (verify(&request, &o->check, t->error, sizeof t->error) != 0)
        return fail_here(t, t->s->words[0]);
    o->has_check = 1;
    return 0;
}

/* Reads the targets' next frame; a file of one frame serves every frame. */
static int read_targets(struct session *t)
{
    struct io_frame next = {0};
    struct spread where = {0};
    int got = spread_read(t->targets, &next, &where, t->error, sizeof t->error);
    if (got < 0) {
        spread_clear(&where);
        if (*t->error)
            say_error("%s", t->error);
        return *t->error ? -1 : 0;
    }
    if (got > 0) {
        io_frame_clear(&t->at);
        spread_clear(&t->where_at);
        t->at = next;
        t->where_at = where;
        t->target_frames++;
        return 0;
    }
    if (t->target_frames == 1) {
        t->at.has_cell = false; /* it belongs to the first frame */
        return 0;
    }
    if (t->count == 1)
        snprintf(t->error, sizeof t->error, "found no targets");
    else
        snprintf(t->error, sizeof t->error, "found fewer frames than in '%s'",
                 t->s->words[0]);
    return fail_here(t, t->s->targets);
}

/* Prints the reader's note on the frame, once. */
static void note_frame(struct session *t)
{
    const char *note = spread_note(t->sources);
    if (!note || strcmp(note, t->noted) == 0)
        return;
    snprintf(t->noted, sizeof t->noted, "%s", note);
    say_note("%s: frame %lld: %s", t->s->words[0], (long long)t->count, note);
}

/* Removes results of another calculation. */
static void drop_foreign(struct session *t, struct io_frame *frame)
{
    char names[400];
    int ours = io_frame_key(frame, "farsum_version") != NULL;
    foreign_drop(frame, kernel_name(t->s), names, sizeof names);
    if (t->s->targets || t->s->has_cell || t->s->has_periodic)
        foreign_drop_geometry(frame);
    if (!*names || ours || t->foreign++ > 0)
        return;
    say_note("%s: results of another calculation are not written: %s",
             t->s->words[0], names);
}

/* Moves the result's arrays to the frame and writes it. */
static int write_frame(struct session *t, const struct system *sys,
                       struct outcome *o)
{
    struct io_frame *frame = sys->all_m ? &t->at : &t->frame;
    const struct spread *where = sys->all_m ? &t->where_at : &t->where;
    if (!t->s->output)
        return 0;
    drop_foreign(t, frame);
    int bad = stamp_write(frame, sys, o, t->s, t->error, sizeof t->error);
    if (bad)
        fail_here(t, t->s->words[0]);
    if (together(t, bad) != 0)
        return -1;
    say_progress("frame %lld: writing", (long long)t->count);
    bad = spread_write(t->ranks, t->writer, frame, where, t->error,
                       sizeof t->error);
    if (bad && *t->error)
        say_error("%s", t->error);
    return bad;
}

/* Prints the result, on rank 0. */
static int tell_frame(struct session *t, const struct outcome *o)
{
    if (ranks_rank(t->ranks) > 0)
        return 0;
    say_progress("%s", "");
    outcome_print(o, t->s, t->plan, t->summary.to);
    if (!t->report || report_frame(t->report, o, t->s, t->plan) == 0)
        return 0;
    say_error("run: no memory for the report");
    return -1;
}

/* Combines the frames and the settings. */
static int make_system(struct session *t, struct system *sys)
{
    const struct exclude_over over = {t->ranks, &t->where, &t->where_at};
    struct io_frame *targets = t->targets ? &t->at : NULL;
    *t->error = '\0';
    int made = system_make_bare(t->s, &t->frame, targets, sys, t->error,
                                sizeof t->error) == 0;
    if (!made)
        fail_here(t, t->s->words[0]);
    if (together(t, !made) == 0) {
        int bad = exclude_make_over(t->s, &t->frame, targets,
                                    t->ranks ? &over : NULL, &sys->exclude,
                                    t->error, sizeof t->error);
        if (bad && *t->error)
            fail_here(t, t->s->words[0]);
        if (together(t, bad && *t->error) == 0)
            return 0;
    }
    if (made)
        system_free(sys);
    return -1;
}

static int do_frame(struct session *t)
{
    struct system sys;
    struct outcome o = {.frame = t->count, .n = t->where.all,
                        .flow = kernel_flow(t->s)};
    note_frame(t);
    if (t->count == 1 && !t->units_given)
        notes_units(t->s, &t->frame);
    if (t->targets && together(t, read_targets(t)) != 0)
        return -1;
    if (make_system(t, &sys) != 0)
        return -1;
    o.m = sys.all_m;
    int failed = sum_frame(t, &sys, &o) != 0 || check_frame(t, &sys, &o) != 0;
    if (!failed) {
        t->exceeded |= outcome_exceeds(&o);
        failed = together(t, tell_frame(t, &o)) != 0
                 || write_frame(t, &sys, &o) != 0;
    }
    outcome_free(&o);
    system_free(&sys);
    return failed ? -1 : 0;
}

/* Opens the inputs, and on rank 0 the outputs. */
static int open_all(struct session *t)
{
    const struct settings *s = t->s;
    struct io_options io = options_io(s), plain = options_io_points(s);
    int first = ranks_rank(t->ranks) == 0;
    if (spread_open(t->ranks, s->words[0], &io, &t->sources, t->error,
                    sizeof t->error) ||
        (s->targets && spread_open(t->ranks, s->targets, &plain, &t->targets,
                                   t->error, sizeof t->error)) ||
        (first && s->output && io_create(s->output, NULL, &t->writer, t->error,
                                         sizeof t->error)) ||
        (first && s->report &&
         report_ready(s->report, t->error, sizeof t->error) != 0)) {
        say_error("%s", t->error);
        return -1;
    }
    if (first && s->report && !(t->report = json_object())) {
        say_error("run: out of memory");
        return -1;
    }
    return 0;
}

/* Writes what appears only when all frames are done. */
static int end_files(struct session *t)
{
    int bad = 0;
    if (t->writer)
        bad = io_commit(t->writer, t->error, sizeof t->error);
    t->writer = NULL;
    if (!bad && t->report)
        bad = report_write(t->report, t->s->report, t->error, sizeof t->error);
    if (bad)
        say_error("%s", t->error);
    return bad;
}

static int all_frames(struct session *t)
{
    int got;
    for (;;) {
        say_progress("frame %lld: reading", (long long)t->count + 1);
        got = spread_read(t->sources, &t->frame, &t->where, t->error,
                          sizeof t->error);
        if (got < 0 && *t->error)
            say_error("%s", t->error);
        if (together(t, got < 0 && *t->error) != 0)
            return -1;
        if (got <= 0)
            break;
        t->count++;
        if (together(t, do_frame(t)) != 0)
            return -1;
    }
    say_progress("%s", "");
    if (t->count == 0) {
        say_error("%s: found no particles", t->s->words[0]);
        return together(t, -1);
    }
    return together(t, end_files(t));
}

/* Runs on each rank. */
static int run_files(struct session *t)
{
    struct settings *s = t->s;
    int first = ranks_rank(t->ranks) == 0;
    t->usage = 1; /* until the options are known to be good */
    if (together(t, ranks_refuse(t->ranks, s) != 0
                    || (first && files_check(s, "run") != 0)) != 0)
        return EXIT_USAGE;
    t->usage = 0;
    if (t->ranks && s->threads == 0)
        s->threads = ranks_threads(t->ranks);
    int failed = summary_open(&t->summary, s->output, s->report);
    if (failed)
        say_error("run: out of memory");
    failed = together(t, failed || open_all(t));
    if (!failed)
        failed = all_frames(t);
    io_abandon(t->writer);
    summary_close(&t->summary);
    spread_close(t->sources);
    spread_close(t->targets);
    io_frame_clear(&t->frame);
    io_frame_clear(&t->at);
    spread_clear(&t->where);
    spread_clear(&t->where_at);
    farsum_plan_destroy(t->plan);
    json_decref(t->report);
    return t->usage    ? EXIT_USAGE
           : failed   ? EXIT_FAILED
           : t->exceeded ? EXIT_EXCEEDED
                      : EXIT_DONE;
}

int run_main(struct settings *s)
{
    struct session t = {.s = s, .units_given = s->units != 0};
    if (s->n_words != 1) {
        say_error("run: expected one file, found %d; see 'farsum help run'",
                  s->n_words);
        return EXIT_USAGE;
    }
    if (kernel_check(s, kernel_name(s), t.error, sizeof t.error) != 0) {
        say_error("run: %s", t.error);
        return EXIT_USAGE;
    }
    options_defaults(s);
    int status = ranks_begin(s, &t.ranks);
    if (status)
        return status;
    int rank = ranks_rank(t.ranks);
    status = run_files(&t);
    ranks_close(t.ranks);
    return rank == 0 ? status : EXIT_DONE; /* one status for all copies */
}
