/* SPDX-License-Identifier: Apache-2.0 */
/* report.c: JSON output of results and plans. */
#include "report.h"

#include "io/output.h"
#include "units.h"

#include "base/c_locale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

json_t *report_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *report_text(const char *text)
{
    /* a user's text may not be valid UTF-8; it is then omitted, without
     * failing */
    json_t *out = text ? json_string(text) : NULL;
    return out ? out : json_null();
}

/* The value, or NULL if a part of it could not be created. */
static json_t *whole(json_t *value, int bad)
{
    if (!bad)
        return value;
    json_decref(value);
    return NULL;
}

static const char *precision_name(farsum_precision p)
{
    return options_word("precision", p ? (int)p : FARSUM_F64);
}

static json_t *stages_of(const farsum_plan_info *info, int seconds)
{
    json_t *list = json_array();
    int bad = !list;
    for (int k = 0; list && k < info->n_stages; k++) {
        const farsum_stage_info *stage = &info->stages[k];
        json_t *row = json_object();
        bad |= json_object_set_new(row, "stage", report_text(stage->stage));
        bad |= json_object_set_new(row, "variant", report_text(stage->variant));
        if (seconds) {
            bad |= json_object_set_new(row, "seconds",
                                       report_real(stage->seconds));
        } else {
            bad |=
                json_object_set_new(row, "reason", report_text(stage->reason));
            bad |= json_object_set_new(row, "deterministic",
                                       json_boolean(stage->deterministic));
        }
        bad |= json_array_append_new(list, row);
    }
    return whole(list, bad);
}

/* The lines of farsum_plan_print. */
static json_t *lines_of(const farsum_plan *plan)
{
    char *text = NULL, *rest = NULL;
    size_t size = 0;
    json_t *list = json_array();
    FILE *f = open_memstream(&text, &size);
    int bad = !list || !f;
    if (f)
        farsum_plan_print(plan, f);
    bad |= f && fclose(f) != 0;
    if (!bad)
        for (char *line = strtok_r(text, "\n", &rest); line;
             line = strtok_r(NULL, "\n", &rest))
            bad |= json_array_append_new(list, report_text(line));
    free(text);
    return whole(list, bad);
}

json_t *report_plan(const farsum_plan *plan, const farsum_plan_info *info)
{
    json_t *p = json_object();
    int bad = 0;
    bad |= json_object_set_new(p, "method_reason",
                               report_text(info->method_reason));
    if (info->precision_reason)
        bad |= json_object_set_new(p, "precision_reason",
                                   report_text(info->precision_reason));
    bad |= json_object_set_new(p, "isa", report_text(info->isa));
    bad |= json_object_set_new(p, "split", report_text(info->split));
    bad |= json_object_set_new(p, "window", report_text(info->window));
    bad |= json_object_set_new(p, "cutoff", report_real(info->cutoff));
    bad |= json_object_set_new(p, "bandwidth", report_real(info->bandwidth));
    bad |= json_object_set_new(p, "mesh",
                               json_pack("[I,I,I]", (json_int_t)info->mesh[0],
                                         (json_int_t)info->mesh[1],
                                         (json_int_t)info->mesh[2]));
    bad |= json_object_set_new(p, "upsampling", report_real(info->upsampling));
    bad |= json_object_set_new(p, "support", json_integer(info->support));
    bad |= json_object_set_new(p, "shape", report_real(info->shape));
    bad |= json_object_set_new(p, "near_coefficients",
                               json_integer(info->near_coefficients));
    bad |= json_object_set_new(p, "tree", report_text(info->tree));
    bad |= json_object_set_new(p, "order", json_integer(info->order));
    bad |= json_object_set_new(p, "separation", json_integer(info->separation));
    bad |= json_object_set_new(p, "levels", json_integer(info->levels));
    bad |= json_object_set_new(p, "leaves", json_integer(info->leaves));
    bad |= json_object_set_new(p, "boxes",
                               json_pack("[I,I,I]", (json_int_t)info->boxes[0],
                                         (json_int_t)info->boxes[1],
                                         (json_int_t)info->boxes[2]));
    if (info->bound > 0)
        bad |= json_object_set_new(p, "bound", report_real(info->bound));
    bad |= json_object_set_new(p, "norm", report_real(info->norm));
    bad |=
        json_object_set_new(p, "net_strength", report_real(info->net_strength));
    bad |=
        json_object_set_new(p, "bytes", json_integer((json_int_t)info->bytes));
    bad |= json_object_set_new(p, "seconds_create",
                               report_real(info->seconds_create));
    bad |= json_object_set_new(p, "queues", json_integer(info->queues));
    bad |= json_object_set_new(p, "skin", report_real(info->skin));
    bad |= json_object_set_new(p, "stages", stages_of(info, 0));
    bad |= json_object_set_new(p, "text", lines_of(plan));
    return whole(p, bad);
}

static json_t *seconds_of(const farsum_plan_info *info)
{
    json_t *t = json_object();
    int bad = 0;
    bad |= json_object_set_new(t, "set_points",
                               report_real(info->seconds_set_points));
    bad |=
        json_object_set_new(t, "execute", report_real(info->seconds_execute));
    bad |= json_object_set_new(t, "stages", stages_of(info, 1));
    bad |= json_object_set_new(t, "all_stages",
                               report_real(info->seconds_stages));
    return whole(t, bad);
}

/* A number that is >= 0 if known. */
static json_t *known(double value)
{
    return value >= 0 ? report_real(value) : json_null();
}

/* Adds energy and virial errors: estimates, and those measured by --check. */
static int put_energies(json_t *to, const struct outcome *o)
{
    const farsum_plan_info *info = &o->info;
    const struct verify_result *c = &o->check;
    double energy = o->has_energy ? info->estimated_energy_error : -1;
    double virial = o->has_virial ? info->estimated_virial_error : -1;
    double checked = o->has_check ? c->energy_error : -1;
    int bad = 0;
    bad |= json_object_set_new(to, "estimated_energy_error", known(energy));
    bad |= json_object_set_new(
        to, "estimated_energy_error_of_itself",
        known(outcome_of_itself(energy, o->energy_part)));
    bad |= json_object_set_new(to, "estimated_virial_error", known(virial));
    bad |= json_object_set_new(to, "checked_energy_error", known(checked));
    bad |= json_object_set_new(
        to, "checked_energy_error_of_itself",
        known(outcome_of_itself(checked, o->energy_part)));
    bad |= json_object_set_new(to, "checked_virial_error",
                               known(o->has_check ? c->virial_error : -1));
    return bad;
}

/* What each rank did; null in one process. */
static json_t *ranks_of(const struct outcome *o)
{
    json_t *list = o->ranks ? json_array() : json_null();
    int bad = !list;
    for (int r = 0; r < o->ranks; r++) {
        const struct ranks_work *w = &o->work[r];
        json_t *row = json_object(), *parts = json_object();
        bad |= json_object_set_new(row, "rank", json_integer(r));
        bad |= json_object_set_new(row, "particles", json_integer(w->own));
        bad |= json_object_set_new(row, "ghosts", json_integer(w->ghosts));
        bad |= json_object_set_new(row, "of_file", json_integer(w->given));
        bad |= json_object_set_new(row, "threads", json_integer(w->threads));
        bad |= json_object_set_new(row, "device", report_text(w->device));
        bad |= json_object_set_new(row, "device_model",
                                   report_text(*w->model ? w->model : NULL));
        bad |= json_object_set_new(row, "set_points",
                                   report_real(w->set_points));
        bad |= json_object_set_new(row, "execute", report_real(w->execute));
        for (int k = 0; k < COMM_PARTS; k++) {
            json_t *part = json_object();
            bad |= json_object_set_new(part, "bytes",
                                       json_integer(w->spent[k].bytes));
            bad |= json_object_set_new(part, "seconds",
                                       report_real(w->spent[k].seconds));
            bad |= json_object_set_new(parts, ranks_work_names[k], part);
        }
        bad |= json_object_set_new(row, "exchanges", parts);
        bad |= json_array_append_new(list, row);
    }
    return whole(list, bad);
}

/* Adds the values that the report and its list of frames have in common. */
static int put_results(json_t *to, const struct outcome *o)
{
    int bad = 0;
    json_t *virial = o->has_virial ? json_array() : json_null();
    for (int k = 0; o->has_virial && k < 9; k++)
        bad |= json_array_append_new(virial, report_real(o->virial[k]));
    bad |= json_object_set_new(to, "n_sources", json_integer(o->n));
    bad |=
        json_object_set_new(to, "n_targets", json_integer(o->m ? o->m : o->n));
    bad |= json_object_set_new(
        to, "energy", o->has_energy ? report_real(o->energy) : json_null());
    bad |= json_object_set_new(to, "virial", virial);
    bad |= json_object_set_new(to, "estimated_error",
                               report_real(o->info.estimated_error));
    bad |= json_object_set_new(to, "verified_error",
                               o->info.checked_error >= 0
                                   ? report_real(o->info.checked_error)
                                   : json_null());
    bad |= json_object_set_new(to, "checked_error",
                               o->has_check ? report_real(o->check.measured)
                                            : json_null());
    bad |= put_energies(to, o);
    bad |= json_object_set_new(to, "seconds", seconds_of(&o->info));
    bad |= json_object_set_new(to, "ranks", ranks_of(o));
    bad |= json_object_set_new(
        to, "imbalance",
        o->ranks ? report_real(outcome_imbalance(o)) : json_null());
    bad |= json_object_set_new(
        to, "domain",
        o->ranks ? json_pack("[i, i]", o->ranks / o->work[0].across,
                             o->work[0].across)
                 : json_null());
    const char *by = o->ranks ? o->work[0].transport : "";
    bad |= json_object_set_new(to, "transport", report_text(*by ? by : NULL));
    return bad;
}

static json_t *check_of(const struct outcome *o)
{
    if (!o->has_check)
        return json_null();
    json_t *c = json_object();
    int bad = 0;
    bad |= json_object_set_new(c, "targets", json_integer(o->check.count));
    bad |= json_object_set_new(c, "method", report_text(o->check.method));
    bad |= json_object_set_new(c, "tolerance", report_real(o->check.reference));
    bad |= json_object_set_new(c, "norm", report_real(o->check.norm));
    bad |= json_object_set_new(c, "seconds", report_real(o->check.seconds));
    return whole(c, bad);
}

int report_frame(json_t *report, const struct outcome *o,
                 const struct settings *s, const farsum_plan *plan)
{
    const farsum_plan_info *info = &o->info;
    const struct units *units =
        units_find(s->units ? options_word("units", s->units) : "reduced");
    int bad = 0;
    bad |=
        json_object_set_new(report, "version", report_text(farsum_version()));
    bad |= json_object_set_new(report, "kernel", report_text(info->kernel));
    bad |= json_object_set_new(report, "method", report_text(info->method));
    bad |= json_object_set_new(report, "device", report_text(info->device));
    bad |= json_object_set_new(report, "device_model",
                               report_text(info->device_model));
    bad |= json_object_set_new(report, "precision",
                               report_text(precision_name(info->precision)));
    bad |= json_object_set_new(report, "threads", json_integer(info->threads));
    bad |=
        json_object_set_new(report, "tolerance", report_real(info->tolerance));
    bad |= json_object_set_new(report, "error",
                               report_text(options_word("error", s->error)));
    bad |= json_object_set_new(report, "units", report_text(units->name));
    bad |=
        json_object_set_new(report, "coulomb", report_real(system_coulomb(s)));
    bad |=
        json_object_set_new(report, "coulomb_source",
                            report_text(s->viscosity > 0 ? "1/(8 pi viscosity)"
                                        : s->gravity > 0 ? "-gravity"
                                                         : units->source));
    bad |= json_object_set_new(report, "softening",
                               s->softening > 0 ? report_real(s->softening)
                                                : json_null());
    bad |= json_object_set_new(
        report, "viscosity",
        s->viscosity > 0 ? report_real(s->viscosity) : json_null());
    bad |= json_object_set_new(
        report, "kappa",
        s->kappa > 0 ? report_real(s->kappa) : json_null());
    bad |= json_object_set_new(report, "order_misses_tolerance",
                               json_boolean(s->order != 0
                                            && outcome_misses(info)));
    bad |= put_results(report, o);
    bad |= json_object_set_new(report, "check", check_of(o));
    bad |= json_object_set_new(report, "plan", report_plan(plan, info));
    json_t *frames = json_object_get(report, "frames"), *frame = json_object();
    if (!frames) {
        frames = json_array();
        bad |= json_object_set_new(report, "frames", frames);
    }
    bad |= json_object_set_new(frame, "frame", json_integer(o->frame));
    bad |= json_object_set_new(frame, "new_plan", report_text(o->new_plan));
    bad |= put_results(frame, o);
    bad |= json_array_append_new(frames, frame);
    return bad ? -1 : 0;
}

int report_ready(const char *path, char *error, size_t size)
{
    struct output *out = NULL;
    struct stat st;
    if (output_descriptor(path) >= 0 ||
        (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
        return 0;
    int failed = output_create(path, &out);
    if (failed)
        snprintf(error, size, "%s",
                 out && *out->message ? out->message : "out of memory");
    output_destroy(out);
    return failed;
}

static int put(const char *text, size_t length, void *output)
{
    return output_put(output, text, length);
}

/* Jansson prints reals in the current locale, and corrects only one byte of the
 * decimal point. */
static int put_report(const json_t *report, struct output *out)
{
    void *before = c_locale_enter();
    int failed = json_dump_callback(report, put, out,
                                    JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    c_locale_leave(before);
    return failed;
}

int report_write(const json_t *report, const char *path, char *error,
                 size_t size)
{
    struct output *out = NULL;
    int failed = output_create(path, &out) || put_report(report, out) ||
             output_put(out, "\n", 1) || output_commit(out);
    if (failed)
        snprintf(error, size, "%s",
                 out && *out->message ? out->message : "out of memory");
    output_destroy(out);
    return failed ? -1 : 0;
}
