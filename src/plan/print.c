/* SPDX-License-Identifier: Apache-2.0 */
/* print.c: text description of a plan, and lists of names. */
#include <math.h>
#include <string.h>

#include "base/args.h"
#include "base/fpenv.h"
#include "base/text.h"
#include "base/c_locale.h"
#include "math/pair.h"
#include "math/split.h"
#include "math/window.h"
#include "task/method.h"
#include "plan/plan.h"
#include "stage/stage.h"

/* Prints how a periodic sum treats a net strength, and its value. */
static void print_zero_mode(const struct farsum_plan *plan, FILE *out)
{
    const struct pair_kind *kind = plan->task.pair.kind;
    const char *net, *rule;
    if (task_axes(&plan->task) < 3) {
        net = "net strength", rule = "counted, no background";
    } else if (kind->charged) {
        net = "net charge", rule = "neutralised by a uniform background";
    } else if (kind->limit) {
        net = "net strength", rule = "counted, the sum converges";
    } else if (kind->flux) {
        net = "net flux q.n";
        rule = "with the mean flow that vanishes outside closed surfaces";
    } else if (kind->power == 1) {
        net = "net force";
        rule = "no mean flow, balanced by a mean pressure gradient";
    } else {
        net = "net torque", rule = "no mean flow";
    }
    fprintf(out, "zero mode: %s ", net);
    /* the caller's numbers may be rounded to f32 */
    double least = plan->task.problem.arrays == FARSUM_F32 ? 1e-7 : 1e-14;
    farsum_plan_info all = plan->report.info;
    plan_units_info(plan, &all);
    if (plan->report.net_size >= 0)
        c_locale_write(out, "%.3g%s", all.net_strength,
                       fabs(plan->report.info.net_strength)
                               <= least * plan->report.net_size
                           ? " (none)"
                           : "");
    fprintf(out, "%s%s%s\n", plan->report.net_size >= 0 ? ": " : "is ", rule,
            plan->task.problem.surface == FARSUM_VACUUM ? "; vacuum outside"
                                                        : "");
}

void farsum_plan_print(const farsum_plan *plan, FILE *out)
{
    FP_GUARD;
    if (!plan || !out)
        return;
    farsum_plan_info all = plan->report.info;
    const farsum_plan_info *i = &all;
    plan_units_info(plan, &all);
    plan_reasons_info(plan, &all);
    plan_beside_info(plan, &all);
    fprintf(out, "kernel %s, method %s, %s, %s, %d thread%s, isa %s\n",
            i->kernel, i->method, i->device,
            i->precision == FARSUM_F32   ? "f32"
            : i->precision == FARSUM_F64 ? "f64"
                                         : "mixed (near pairs f32, sums f64)",
            i->threads,
            i->threads == 1 ? "" : "s", i->isa);
    if (i->precision_reason)
        fprintf(out, "precision: %s\n", i->precision_reason);
    fprintf(out, "method: %s\n", i->method_reason);
    if (i->device_model)
        fprintf(out, "device %s: %s\n", i->device, i->device_model);
    fprintf(out, "%lld sources, %lld targets\n", (long long)i->n_sources,
            (long long)i->n_targets);
    if (i->n_exclusions)
        fprintf(out, "%lld pairs excluded\n", (long long)i->n_exclusions);
    c_locale_write(out, "tolerance %.3g, estimated error %.3g\n", i->tolerance,
                   i->estimated_error);
    if (i->checked_error >= 0)
        c_locale_write(out,
                       "second sum: error %.3g at %lld targets; parameters "
                       "are for tolerance %.3g\n",
                       i->checked_error, (long long)i->checked_targets,
                       i->tolerance / plan->task.finer);
    if (i->bound > 0)
        c_locale_write(
            out,
            "strict: error at most %.3g, proved, with an allowance for "
            "rounding\n",
            i->bound);
    if (plan_misses(plan))
        fprintf(out,
                "WARNING: order %d, set by an option, does not keep the "
                "tolerance\n",
                i->order);
    if (plan->task.sign < 0)
        c_locale_write(out, "strengths attract (gravity): constant %.6g\n",
                       plan->task.given.coulomb);
    if (plan->task.problem.softening > 0)
        c_locale_write(out,
                       task_axes(&plan->task) > 0
                           ? "softened: 1/r from r = %.6g on\n"
                           : "softened: r is sqrt(r^2 + %.6g^2)\n",
                       plan->task.given.softening);
    if (plan->task.given.part != FARSUM_WHOLE)
        fprintf(out,
                "part: %s field; tolerance and error are the whole sum's\n",
                plan->task.given.part == FARSUM_NEAR ? "near" : "far");
    if (task_axes(&plan->task) > 0)
        print_zero_mode(plan, out);
    if (i->split)
        c_locale_write(
            out,
            "split %s, bandwidth %.4g, cutoff %.6g, near field of %d "
            "coefficients\n",
            i->split, i->bandwidth, i->cutoff, i->near_coefficients);
    if (i->window)
        c_locale_write(out,
                       "window %s, support %d, shape %.4g, mesh %lld x %lld x "
                       "%lld, upsampling %.3g\n",
                       i->window, i->support, i->shape, (long long)i->mesh[0],
                       (long long)i->mesh[1], (long long)i->mesh[2],
                       i->upsampling);
    if (i->tree)
        fprintf(out, "order %d, separation %d; %s tree, %d level%s, %lld x "
                     "%lld x %lld root boxes, %lld leaves\n",
                i->order, i->separation, i->tree, i->levels,
                i->levels == 1 ? "" : "s", (long long)i->boxes[0],
                (long long)i->boxes[1], (long long)i->boxes[2],
                (long long)i->leaves);
    if (i->skin > 0)
        c_locale_write(out,
                       "skin %.6g: neighbour lists built by %lld, reused by "
                       "%lld calls of set_points\n",
                       i->skin, (long long)i->lists_made,
                       (long long)i->lists_kept);
    else if (plan->task.options.spectral.skin > 0)
        c_locale_write(out, "skin %.6g: this plan reuses no neighbour lists\n",
                       plan->task.given_skin);
    if (plan->report.ranks.work > RANKS_UNEVEN)
        c_locale_write(out,
                       "WARNING: the slowest rank has %.2f times the mean work "
                       "of a rank\n",
                       plan->report.ranks.work);
    c_locale_write(out, "memory %.3g MB", 1e-6 * (double)i->bytes);
    if (i->device_bytes)
        c_locale_write(out, ", %.3g MB of it on the device",
                       1e-6 * (double)i->device_bytes);
    fputc('\n', out);
    for (int s = 0; s < i->n_stages; s++)
        fprintf(out, "  %s: %s (%s)\n", i->stages[s].stage,
                i->stages[s].variant, i->stages[s].reason);
}

static farsum_status variant_give(farsum_variant_info *to,
                                  const farsum_variant_info *from)
{
    return struct_give(to, to->size, from, sizeof *from,
                       "FARSUM_VARIANT_INFO_INIT");
}

farsum_status farsum_list_variants(const char *stage, int index,
                                   farsum_variant_info *info)
{
    if (!stage || !info)
        FAIL(ERR_ARGUMENT, "stage or info is NULL");
    farsum_variant_info found;
    int i = 0;
    if (strcmp(stage, "method") == 0) {
        for (const struct method_row *r = method_rows; r->name; r++, i++)
            if (i == index) {
                found = (farsum_variant_info){sizeof found, r->name, r->note,
                                              r->needs, 1};
                return variant_give(info, &found);
            }
        FAIL(ERR_ARGUMENT, "method index %d is out of range", index);
    }
    const struct stage *s = stage_find(stage);
    if (!s) {
        const char *names[32] = {"method"};
        for (int k = 0; k < 30 && all_stages[k]; k++)
            names[k + 1] = all_stages[k]->name;
        return text_unknown("stage", stage, names);
    }
    for (const struct variant_row *r = s->rows; r->name; r++, i++)
        if (i == index) {
            found = (farsum_variant_info){sizeof found, r->name, r->note,
                                          r->variant->needs,
                                          r->variant->deterministic};
            return variant_give(info, &found);
        }
    FAIL(ERR_ARGUMENT, "variant index %d of stage %s is out of range", index,
         stage);
}

farsum_status farsum_list_kernels(int index, farsum_kernel_info *info)
{
    if (!info)
        FAIL(ERR_ARGUMENT, "info is NULL");
    for (int i = 0; pair_rows[i].name && i <= index; i++)
        if (i == index) {
            const struct pair *p = &pair_rows[i];
            farsum_kernel_info found = {sizeof found, p->name, p->note,
                                        p->strengths, pair_outputs(p)};
            return struct_give(info, info->size, &found, sizeof found,
                               "FARSUM_KERNEL_INFO_INIT");
        }
    FAIL(ERR_ARGUMENT, "kernel index %d is out of range", index);
}

const char *farsum_list_stages(int index)
{
    int n = 0;
    while (all_stages[n])
        n++;
    return index >= 0 && index < n ? all_stages[index]->name : NULL;
}

const char *farsum_list_names(const char *kind, int index)
{
    if (!kind)
        return NULL;
    const char *const *names = strcmp(kind, "split") == 0    ? split_names
                               : strcmp(kind, "window") == 0 ? window_names
                                                             : NULL;
    for (int i = 0; names && names[i] && i <= index; i++)
        if (i == index)
            return names[i];
    return NULL;
}
