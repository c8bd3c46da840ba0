/* SPDX-License-Identifier: Apache-2.0 */
/* same.c: checks of arguments that all ranks pass.  Each rank may set its own
 * n_points, threads, isa and log, and another device of the same back end. */
#include "mesh/ranks/same.h"

#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/number.h"
#include "mesh/nufft.h"
#include "ranks/same.h"

/* Fields of this rank, as texts. */
struct list {
    int n;
    struct same_field field[SAME_MOST];
};

static struct same_field *list_add(struct list *list, const char *name)
{
    struct same_field *field = &list->field[list->n++];
    snprintf(field->name, sizeof field->name, "%s", name);
    return field;
}

static void list_text(struct list *list, const char *name, const char *text)
{
    snprintf(list_add(list, name)->text, SAME_TEXT, "%s",
             text ? text : "not set");
}

static void list_whole(struct list *list, const char *name, int64_t value)
{
    snprintf(list_add(list, name)->text, SAME_TEXT, "%lld", (long long)value);
}

static void list_real(struct list *list, const char *name, double value)
{
    snprintf(list_add(list, name)->text, SAME_TEXT, "%s",
             number_text(value).text);
}

static const char *element(char name[32], const char *array, int i)
{
    snprintf(name, 32, "%s[%d]", array, i);
    return name;
}

/* The back end: only it must be the same. */
static void list_device(struct list *list, const farsum_mesh_options *o)
{
    const char *name = o->on_device ? o->on_device->device->backend->name
                       : o->device  ? o->device
                                    : "host";
    snprintf(list_add(list, "device")->text, SAME_TEXT, "%.*s",
             (int)strcspn(name, ":"), name);
}

static void list_options(struct list *list, const farsum_mesh_options *o,
                         const char *transport)
{
    list_device(list, o);
    list_text(list, "spread", o->spread);
    list_text(list, "interp", o->interp);
    list_text(list, "fft", o->fft);
    list_whole(list, "deterministic", o->deterministic);
    list_whole(list, "measure", o->measure);
    list_real(list, "options.upsampling", o->upsampling);
    list_text(list, "transport", transport);
}

static void list_mesh(struct list *list, const farsum_mesh_problem *p)
{
    char name[32];
    for (int i = 0; i < 9; i++)
        list_real(list, element(name, "cell", i), p->cell[i]);
    for (int d = 0; d < 3; d++)
        list_whole(list, element(name, "periodic", d), p->periodic[d]);
    for (int d = 0; d < 3; d++)
        list_whole(list, element(name, "mesh", d), p->mesh[d]);
    list_whole(list, "ldz", p->ldz);
    list_whole(list, "precision", p->precision);
    list_whole(list, "is_complex", p->is_complex);
    list_whole(list, "channels", p->channels);
    list_real(list, "repeats", p->repeats);
    list_real(list, "crowding", p->crowding);
    list_whole(list, "uses", p->uses);
    list_real(list, "tolerance", p->tolerance);
    list_real(list, "upsampling", p->upsampling);
    list_text(list, "window", p->window);
    list_whole(list, "support", p->support);
    list_real(list, "shape", p->shape);
}

static void list_nufft(struct list *list, const farsum_nufft_problem *p)
{
    char name[32];
    list_whole(list, "type", p->type);
    list_whole(list, "sign", p->sign);
    for (int d = 0; d < 3; d++)
        list_whole(list, element(name, "modes", d), p->modes[d]);
    list_real(list, "tolerance", p->tolerance);
    list_whole(list, "precision", p->precision);
    list_whole(list, "channels", p->channels);
}

/* Checks this rank's options. */
static farsum_status options_take(const farsum_mesh_options *given,
                                  const char *transport,
                                  farsum_mesh_options *options)
{
    TRY(mesh_options_check(given, options));
    int host = !options->on_device && device_is_host(options->device);
    if (transport && host)
        FAIL(ERR_UNSUPPORTED,
             "transport \"%s\" is between devices; this mesh or NUFFT runs on "
             "the host",
             transport);
    return FARSUM_OK;
}

/* Fails if this rank failed, or if the lists differ; sums n_points, which 0
 * leaves to the library. */
static farsum_status list_compare(struct comm *comm, farsum_status status,
                                  const struct list *list, int64_t *n_points)
{
    TRY(comm_agree(comm, status));
    TRY(same_check(comm, list->field, list->n));
    return comm_agree(comm, comm_sum_counts(comm, n_points, 1));
}

farsum_status mesh_ranks_same(struct comm *comm,
                              const farsum_mesh_problem *problem,
                              const farsum_mesh_options *options,
                              const char *transport, farsum_mesh_problem *to,
                              farsum_mesh_options *how)
{
    struct list list = {.n = 0};
    farsum_mesh_problem checked;
    farsum_status status = mesh_problem_check(problem, &checked);
    if (status == FARSUM_OK)
        status = options_take(options, transport, how);
    if (status == FARSUM_OK && (how->fft || how->upsampling > 0))
        status = status_fail(FARSUM_ERR_ARGUMENT, "%s", MESH_NUFFT_ONLY);
    if (status == FARSUM_OK) {
        status = struct_take(to, sizeof *to, problem, problem->size,
                             "FARSUM_MESH_PROBLEM_INIT");
        list_mesh(&list, &checked);
        list_options(&list, how, transport);
    }
    return list_compare(comm, status, &list, &to->n_points);
}

farsum_status nufft_ranks_same(struct comm *comm,
                               const farsum_nufft_problem *problem,
                               const farsum_mesh_options *options,
                               const char *transport, farsum_nufft_problem *to,
                               farsum_mesh_options *how)
{
    struct list list = {.n = 0};
    farsum_nufft_problem checked;
    farsum_status status = nufft_check(problem, &checked);
    if (status == FARSUM_OK)
        status = options_take(options, transport, how);
    if (status == FARSUM_OK) {
        status = struct_take(to, sizeof *to, problem, problem->size,
                             "FARSUM_NUFFT_PROBLEM_INIT");
        list_nufft(&list, &checked);
        list_options(&list, how, transport);
    }
    return list_compare(comm, status, &list, &to->n_points);
}
