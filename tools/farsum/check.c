/* SPDX-License-Identifier: Apache-2.0 */
/* check.c: check of a written result, with the settings stored in it. */
#include "command.h"
#include "files.h"
#include "kernel.h"
#include "report.h"
#include "say.h"
#include "stamp.h"
#include "summary.h"

#include "base/c_locale.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct session {
    const struct settings *s;
    struct io_reader *reader, *sources;
    struct io_frame frame, particles; /* the result; the summed particles, if
                                         they come from another file */
    json_t *rows;
    double worst, tolerance;
    int64_t count;
    int exceeded;
    struct summary summary;
    double energy, virial[9]; /* of the frame */
    char error[1200];
};

static int fail_here(const struct session *t)
{
    say_error("%s: frame %lld: %s", t->s->words[0], (long long)t->count,
              t->error);
    return -1;
}

static const double *real_column(struct session *t, const char *name, int width)
{
    struct io_column *c = io_frame_column(&t->frame, name);
    if (c && c->type == IO_REAL && c->width == width)
        return c->data;
    int targets = strcmp(name, "forces") == 0 &&
                  io_frame_column(&t->frame, "field") != NULL;
    snprintf(t->error, sizeof t->error, "no column '%s' of %d real number%s; "
             "%s", name, width, width == 1 ? "" : "s",
             targets ? "for separate targets give --sources FILE"
                     : "is it the output of 'farsum run'?");
    return NULL;
}

/* Reads the summed particles from a file of their own. */
static int read_sources(struct session *t, const struct settings *now)
{
    struct io_options io = options_io(t->s);
    io.cell_given = io.periodic_given = true; /* those of the result's frame */
    if (t->s->report && files_are_one(now->sources, t->s->report)) {
        snprintf(t->error, sizeof t->error,
                 "its particles and --report are one file, '%s'; give the "
                 "report a file of its own", t->s->report);
        return fail_here(t);
    }
    if (!t->sources && io_open(now->sources, &io, &t->sources, t->error,
                               sizeof t->error) != 0) {
        say_error("%s", t->error);
        return -1;
    }
    int got = io_read(t->sources, &t->particles, t->error, sizeof t->error);
    if (got == 0) {
        snprintf(t->error, sizeof t->error, "found fewer frames in '%s'",
                 now->sources);
        return fail_here(t);
    }
    if (got < 0)
        say_error("%s", t->error);
    return got > 0 ? 0 : -1;
}

static void tell(const struct session *t, const struct settings *now,
                 const struct verify_result *r, int64_t targets)
{
    FILE *out = t->summary.to;
    const char *estimate = io_frame_key(&t->frame, "farsum_estimated_error");
    c_locale_write(out, "frame %lld  tolerance %.3g, ", (long long)t->count,
                   r->tolerance);
    if (estimate)
        c_locale_write(out, "estimated %.3g, ", number_of(estimate));
    c_locale_write(out,
                   "measured %.3g%s",
                   r->measured,
                   verify_exceeds(r) ? " (ABOVE the tolerance)" : "");
    if (r->energy_error >= 0)
        c_locale_write(out, ", energy %.3g", r->energy_error);
    if (r->virial_error >= 0)
        c_locale_write(out, ", virial %.3g", r->virial_error);
    c_locale_write(out,
                   "  (%s, %lld of %lld targets against %s at "
                   "%.3g in %.3g s)\n",
                   options_word("error", now->error), (long long)r->count,
                   (long long)targets, r->method, r->reference, r->seconds);
}

static int keep(struct session *t, const struct verify_result *r)
{
    if (!(t->worst != t->worst) && !(r->measured <= t->worst)) /* NaN stays */
        t->worst = r->measured;
    t->tolerance = r->tolerance;
    t->exceeded |= verify_exceeds(r);
    json_t *row = json_pack(
        "{s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:s, s:b}", "frame",
        (json_int_t)t->count, "tolerance", report_real(r->tolerance),
        "checked_error", report_real(r->measured), "checked_energy_error",
        r->energy_error >= 0 ? report_real(r->energy_error) : json_null(),
        "checked_virial_error",
        r->virial_error >= 0 ? report_real(r->virial_error) : json_null(),
        "reference", report_real(r->reference),
        "targets", (json_int_t)r->count, "method", r->method, "exceeded",
        verify_exceeds(r));
    if (!row || json_array_append_new(t->rows, row) != 0) {
        snprintf(t->error, sizeof t->error, "out of memory");
        return fail_here(t);
    }
    return 0;
}

/* Finds energy and virial in the comment line, if they exist. */
static void find_energy(struct session *t, struct verify_request *request)
{
    const char *energy = io_frame_key(&t->frame, "energy");
    const char *virial = io_frame_key(&t->frame, "virial"), *end;
    if (!energy || isnan(t->energy = number_of(energy)))
        return;
    request->energy = &t->energy;
    int count = 0;
    for (; virial && count < 9; count++, virial = end) {
        virial += strspn(virial, " ");
        t->virial[count] = number_take(virial, &end);
        if (end == virial)
            break;
    }
    request->virial = count == 9 ? t->virial : NULL;
}

/* Finds the computed columns. */
static int find_result(struct session *t, const struct settings *now,
                       struct verify_request *request)
{
    if (kernel_flow(now)) {
        snprintf(t->error, sizeof t->error, "out of memory");
        if (kernel_rename(now->kernel, &t->frame) != 0)
            return -1;
        request->vector = real_column(t, "velocity", 3);
    } else if ((request->potential = real_column(t, "potential", 1))) {
        request->vector =
            real_column(t, now->sources ? "field" : "forces", 3);
        find_energy(t, request);
    }
    return request->vector ? 0 : -1;
}

static int check_frame(struct session *t)
{
    struct settings now = *t->s; /* completed from the frame */
    now.check = 1;
    struct system sys = {0};
    struct verify_result result;
    if (stamp_read(&t->frame, &now, t->error, sizeof t->error) != 0 ||
        kernel_check(&now, now.kernel, t->error, sizeof t->error) != 0)
        return fail_here(t);
    if (now.sources && read_sources(t, &now) != 0)
        return -1;
    /* The targets' frame contains the cell that was used.  In a result of ours
     * no cell means open space. */
    struct io_frame *particles = now.sources ? &t->particles : &t->frame;
    if (now.sources
        && (t->frame.has_cell || io_frame_key(&t->frame, "farsum_version"))) {
        memcpy(particles->cell, t->frame.cell, sizeof particles->cell);
        memcpy(particles->periodic, t->frame.periodic,
               sizeof particles->periodic);
        particles->has_cell = t->frame.has_cell;
    }
    struct verify_request request = {.settings = &now, .system = &sys};
    options_defaults(&now);
    int bad = find_result(t, &now, &request) ||
              system_make(&now, particles, now.sources ? &t->frame : NULL, &sys,
                          t->error, sizeof t->error) ||
              verify(&request, &result, t->error, sizeof t->error);
    if (!bad)
        tell(t, &now, &result, system_targets(&sys));
    system_free(&sys);
    return bad ? fail_here(t) : keep(t, &result);
}

static int all_frames(struct session *t)
{
    struct io_options io = options_io(t->s);
    int got;
    if (io_open(t->s->words[0], &io, &t->reader, t->error, sizeof t->error)) {
        say_error("%s", t->error);
        return -1;
    }
    while ((got = io_read(t->reader, &t->frame, t->error, sizeof t->error)) >
           0) {
        t->count++;
        if (check_frame(t) != 0)
            return -1;
    }
    if (got == 0 && t->count == 0) {
        snprintf(t->error, sizeof t->error, "%s: found no particles",
                 t->s->words[0]);
        got = -1;
    }
    if (got == 0 && t->s->report) {
        json_t *report = json_pack(
            "{s:s, s:s, s:o, s:o, s:O}", "version", farsum_version(), "file",
            t->s->words[0], "tolerance", report_real(t->tolerance),
            "checked_error", report_real(t->worst), "frames", t->rows);
        snprintf(t->error, sizeof t->error, "out of memory");
        got = report ? report_write(report, t->s->report, t->error,
                                    sizeof t->error) : -1;
        json_decref(report);
    }
    if (got != 0)
        say_error("%s", t->error);
    return got;
}

int check_main(struct settings *s)
{
    struct session t = {.s = s, .worst = 0};
    if (s->n_words != 1) {
        say_error("check: expected one file, found %d; see 'farsum help "
                  "check'", s->n_words);
        return EXIT_USAGE;
    }
    if (!(t.rows = json_array())
        || summary_open(&t.summary, NULL, s->report) != 0) {
        say_error("check: out of memory");
        return EXIT_FAILED;
    }
    int failed = all_frames(&t);
    summary_close(&t.summary);
    io_close(t.reader);
    io_close(t.sources);
    io_frame_clear(&t.frame);
    io_frame_clear(&t.particles);
    json_decref(t.rows);
    return failed ? EXIT_FAILED : t.exceeded ? EXIT_EXCEEDED : EXIT_DONE;
}
