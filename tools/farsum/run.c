/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: sums of all frames of a file with one plan. */
#include "command.h"
#include "foreign.h"
#include "kernel.h"
#include "report.h"
#include "say.h"
#include "stamp.h"
#include "summary.h"
#include "units.h"
#include "words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* State that is kept from the first frame to the last. */
struct session {
    struct settings *s;
    struct io_reader *sources, *targets;
    struct io_writer *writer;
    struct io_frame frame, at; /* of the sources and of the targets */
    farsum_plan *plan;
    struct system last;        /* the system that the plan was made or set
                                  for */
    char why[300];             /* reason of the last new plan */
    json_t *report;
    int64_t count, target_frames;
    int units_given, exceeded, usage, foreign;
    char noted[400];           /* the last note of the reader */
    struct summary summary;
    char error[1200];
};

/* Reports the library's message with file and frame.  An unknown name is a
 * usage error. */
static int fail_library(struct session *t, farsum_status status)
{
    t->usage = status == FARSUM_ERR_UNKNOWN;
    say_error("%s: frame %lld: %s", t->s->words[0], (long long)t->count,
              words_message());
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
    farsum_status status = farsum_plan_create(&problem, &how, &t->plan);
    return status == FARSUM_OK ? 0 : fail_library(t, status);
}

/* Provides a plan for this frame: the existing one, if it can be reused.  *why
 * is set if it could not. */
static int ready_plan(struct session *t, const struct system *sys,
                      const char **why)
{
    const struct system *last = &t->last;
    *why = NULL;
    if (t->plan && (last->n != sys->n || last->m != sys->m))
        *why = "the number of particles changed";
    else if (t->plan && memcmp(last->periodic, sys->periodic,
                               sizeof sys->periodic) != 0)
        *why = "the periodic axes changed";
    else if (t->plan &&
             memcmp(last->cell, sys->cell, sizeof sys->cell) != 0 &&
             farsum_plan_set_cell(t->plan, sys->cell) != FARSUM_OK) {
        snprintf(t->why, sizeof t->why, "%s", words_message());
        *why = t->why;
    }
    if (!t->plan || *why) {
        if (make_plan(t, sys) != 0)
            return -1;
    } else if (sys->exclude.count || last->exclude.count) {
        farsum_status status = farsum_plan_set_exclusions(
            t->plan, sys->exclude.count, sys->exclude.pair,
            sys->exclude.factor);
        if (status != FARSUM_OK)
            return fail_library(t, status);
    }
    t->last = *sys; /* counts and cell; the arrays belong to the frame */
    return 0;
}

/* Sums one frame into *o. */
static int sum_frame(struct session *t, const struct system *sys,
                     struct outcome *o)
{
    size_t targets = (size_t)system_targets(sys);
    farsum_result out = FARSUM_RESULT_INIT;
    if (ready_plan(t, sys, &o->new_plan) != 0)
        return -1;
    o->vector = malloc(targets * 3 * sizeof *o->vector);
    if (sys->flow) {
        out.velocity = o->vector;
    } else {
        out.potential = o->potential = malloc(targets * sizeof *o->potential);
        out.field = o->vector;
    }
    if (!o->vector || !(o->potential || sys->flow)) {
        snprintf(t->error, sizeof t->error, "no memory for the result");
        return fail_here(t, t->s->words[0]);
    }
    if (sys->m == 0 && !sys->flow) {
        out.energy = &o->energy;
        o->has_energy = 1;
        o->has_virial = !t->s->no_virial;
        if (o->has_virial)
            out.virial = o->virial;
    }
    say_progress("frame %lld: setting %lld points", (long long)t->count,
                 (long long)sys->n);
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_status status =
        farsum_plan_set_points(t->plan, sys->n, sys->x, sys->m, sys->y);
    if (status == FARSUM_OK) {
        say_progress("frame %lld: summing", (long long)t->count);
        status = farsum_plan_execute(t->plan, 1, sys->q, &out);
    }
    if (status == FARSUM_OK)
        status = farsum_plan_get_info(t->plan, &info);
    if (status != FARSUM_OK)
        return fail_library(t, status);
    o->info = info;
    if (o->has_energy)
        o->energy_part = outcome_energy_part(sys->n, sys->q, o->potential,
                                             o->energy);
    if (o->has_energy && t->s->gravity > 0) {
        o->acceleration = malloc(targets * 3 * sizeof *o->acceleration);
        if (!o->acceleration) {
            snprintf(t->error, sizeof t->error, "no memory for the result");
            return fail_here(t, t->s->words[0]);
        }
        memcpy(o->acceleration, o->vector, targets * 3 * sizeof *o->vector);
    }
    if (o->has_energy
        && outcome_forces(sys->n, sys->q, o->vector, o->vector, t->error,
                          sizeof t->error) != 0)
        return fail_here(t, t->s->words[0]);
    return 0;
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
    int got = io_read(t->targets, &next, t->error, sizeof t->error);
    if (got < 0) {
        say_error("%s", t->error);
        return -1;
    }
    if (got > 0) {
        io_frame_clear(&t->at);
        t->at = next;
        t->target_frames++;
        return 0;
    }
    if (t->target_frames == 1)
        return 0;
    if (t->count == 1)
        snprintf(t->error, sizeof t->error, "found no targets");
    else
        snprintf(t->error, sizeof t->error, "found fewer frames than in '%s'",
                 t->s->words[0]);
    return fail_here(t, t->s->targets);
}

/* Compares the file's units with those of the command.  A constant of another
 * system would give wrong numbers unnoticed. */
static void note_units(const struct session *t)
{
    char says[60];
    if (t->count > 1 || t->units_given || kernel_flow(t->s)
        || t->s->gravity > 0)
        return;
    units_of_frame(&t->frame, says, sizeof says);
    const char *key = io_frame_key(&t->frame, "units");
    if (*says)
        say_note("%s has %s, but Coulomb's constant is 1; give --units %s to "
                 "change it",
                 t->s->words[0], says,
                 key && units_find(key) ? key : "NAME");
}

/* Prints the reader's note on the frame, once. */
static void note_frame(struct session *t)
{
    const char *note = io_reader_note(t->sources);
    if (!note || strcmp(note, t->noted) == 0)
        return;
    snprintf(t->noted, sizeof t->noted, "%s", note);
    say_note("%s: frame %lld: %s", t->s->words[0], (long long)t->count, note);
}

/* Notes that targets use the cell of the particles. */
static void note_targets(const struct session *t)
{
    const struct io_frame *a = &t->frame, *b = &t->at;
    double most = 0, off = 0;
    if (t->count > 1 || !t->targets || t->s->has_cell || !b->has_cell)
        return;
    for (int k = 0; k < 9; k++) {
        most = fmax(most, fabs(a->cell[k]));
        off = fmax(off, fabs(a->cell[k] - b->cell[k]));
    }
    if (off > 1e-6 * most)
        say_note("%s has another cell than the particles; the particles' cell "
                 "is used",
                 t->s->targets);
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
    struct io_frame *frame = sys->m ? &t->at : &t->frame;
    if (!t->writer)
        return 0;
    drop_foreign(t, frame);
    if (stamp_write(frame, sys, o, t->s, t->error, sizeof t->error) != 0)
        return fail_here(t, t->s->words[0]);
    say_progress("frame %lld: writing", (long long)t->count);
    if (io_write(t->writer, frame, t->error, sizeof t->error) != 0) {
        say_error("%s", t->error);
        return -1;
    }
    return 0;
}

static int do_frame(struct session *t)
{
    struct system sys;
    struct outcome o = {.frame = t->count, .n = t->frame.n,
                        .flow = kernel_flow(t->s)};
    const struct settings *s = t->s;
    int failed = -1;
    note_frame(t);
    note_units(t);
    if (t->targets && read_targets(t) != 0)
        return -1;
    note_targets(t);
    if (system_make(s, &t->frame, t->targets ? &t->at : NULL, &sys, t->error,
                    sizeof t->error) != 0)
        return fail_here(t, s->words[0]);
    o.m = sys.m;
    if (sum_frame(t, &sys, &o) != 0 || check_frame(t, &sys, &o) != 0)
        goto done;
    t->exceeded |= outcome_exceeds(&o);
    say_progress("%s", "");
    outcome_print(&o, s, t->plan, t->summary.to);
    if (t->report && report_frame(t->report, &o, s, t->plan) != 0) {
        say_error("run: no memory for the report");
        goto done;
    }
    failed = write_frame(t, &sys, &o);
done:
    outcome_free(&o);
    system_free(&sys);
    return failed;
}

static int open_all(struct session *t)
{
    const struct settings *s = t->s;
    struct io_options io = options_io(s), plain = options_io_points(s);
    if (io_open(s->words[0], &io, &t->sources, t->error, sizeof t->error) ||
        (s->targets && io_open(s->targets, &plain, &t->targets, t->error,
                               sizeof t->error)) ||
        (s->output && io_create(s->output, NULL, &t->writer, t->error,
                                sizeof t->error)) ||
        (s->report &&
         report_ready(s->report, t->error, sizeof t->error) != 0)) {
        say_error("%s", t->error);
        return -1;
    }
    if (s->report && !(t->report = json_object())) {
        say_error("run: out of memory");
        return -1;
    }
    return 0;
}

static int all_frames(struct session *t)
{
    int got;
    for (;;) {
        say_progress("frame %lld: reading", (long long)t->count + 1);
        got = io_read(t->sources, &t->frame, t->error, sizeof t->error);
        if (got <= 0)
            break;
        t->count++;
        if (do_frame(t) != 0)
            return -1;
    }
    say_progress("%s", "");
    if (got == 0 && t->count == 0) {
        snprintf(t->error, sizeof t->error, "%s: found no particles",
                 t->s->words[0]);
        got = -1;
    }
    if (got == 0 && t->writer) {
        got = io_commit(t->writer, t->error, sizeof t->error);
        t->writer = NULL;
    }
    if (got == 0 && t->report)
        got = report_write(t->report, t->s->report, t->error, sizeof t->error);
    if (got != 0)
        say_error("%s", t->error);
    return got;
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
    int failed = summary_open(&t.summary, s->output, s->report);
    if (failed)
        say_error("run: out of memory");
    failed = failed || open_all(&t);
    if (!failed)
        failed = all_frames(&t);
    io_abandon(t.writer);
    summary_close(&t.summary);
    io_close(t.sources);
    io_close(t.targets);
    io_frame_clear(&t.frame);
    io_frame_clear(&t.at);
    farsum_plan_destroy(t.plan);
    json_decref(t.report);
    return t.usage    ? EXIT_USAGE
           : failed   ? EXIT_FAILED
           : t.exceeded ? EXIT_EXCEEDED
                      : EXIT_DONE;
}
