/* SPDX-License-Identifier: Apache-2.0 */
/* gen.c: output of crystals, assemblies and random particles. */
#include "command.h"
#include "assembly.h"
#include "case.h"
#include "crystal.h"
#include "kernel.h"
#include "nearest.h"
#include "say.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Names of crystals, assemblies, then distributions; for `nearest`. */
static const char *name_at(int k, const void *data)
{
    (void)data;
    int crystals = 0, assemblies = 0;
    while (crystal_get(crystals))
        crystals++;
    while (assembly_get(assemblies))
        assemblies++;
    if (k < crystals)
        return crystal_name(crystal_get(k));
    if (k - crystals < assemblies)
        return assembly_name(assembly_get(k - crystals));
    const struct case_name *dist = case_dists(k - crystals - assemblies);
    return dist ? dist->name : NULL;
}

/* The kernel of the strengths. */
static const char *gen_kernel(const struct settings *s)
{
    const struct assembly *assembly =
        s->n_words && !s->kernel ? assembly_find(s->words[0]) : NULL;
    return assembly ? assembly_kernel(assembly) : kernel_name(s);
}

static int is_dist(const char *name)
{
    for (int k = 0; case_dists(k); k++)
        if (strcmp(case_dists(k)->name, name) == 0)
            return 1;
    return 0;
}

/* Checks words and options, and prints usage errors. */
static int check_words(const struct settings *s)
{
    const char *name = s->n_words ? s->words[0] : NULL;
    if (s->n_words > 1 || (!name && !s->problem) || (name && s->problem)) {
        say_error("gen: expected one crystal, assembly or distribution, or "
                  "--case; see 'farsum help gen'");
        return -1;
    }
    if (s->problem) {
        if (s->count || s->cells[0] || s->primitive || s->has_cell
            || s->cell_name || s->has_seed || s->kernel || s->net != 0
            || s->masses) {
            say_error("gen: --case excludes the other options of gen; put "
                      "their values into the case");
            return -1;
        }
        return 0;
    }
    int crystal = crystal_find(name) != NULL;
    const struct assembly *assembly = assembly_find(name);
    int fixed = crystal || assembly;
    const char *kind = crystal ? "a crystal" : "an assembly";
    const char *own = assembly ? assembly_kernel(assembly) : "laplace";
    if (!fixed && !is_dist(name)) {
        char text[160];
        nearest(name, name_at, NULL, text, sizeof text);
        say_error("gen: unknown crystal, assembly or distribution '%s'%s%s",
                  name, *text ? "; similar names: " : "; see 'farsum help gen'",
                  text);
        return -1;
    }
    if (s->masses && (s->kernel || s->net != 0)) {
        say_error("gen: --masses excludes --kernel and --net");
        return -1;
    }
    if (fixed
        && (strengths_of(gen_kernel(s))->count != strengths_of(own)->count
            || s->net != 0 || s->masses)) {
        say_error("gen: %s is %s with fixed %s; --kernel, --net "
                  "and --masses require a distribution",
                  name, kind, strcmp(own, "laplace") ? "dipoles" : "charges");
        return -1;
    }
    if (fixed && (s->count || s->has_cell || s->cell_name)) {
        say_error("gen: %s is %s; set its size by --cells%s", name, kind,
                  crystal ? " and --primitive" : "");
        return -1;
    }
    if ((crystal && s->has_seed) || (!crystal && fixed && s->primitive)) {
        say_error("gen: %s is %s; it has no %s", name, kind,
                  crystal ? "seed" : "primitive cell");
        return -1;
    }
    if (!fixed && (s->cells[0] || s->primitive)) {
        say_error("gen: %s is a distribution; set its size by --count and "
                  "--cell",
                  name);
        return -1;
    }
    return 0;
}

static int make(const struct settings *s, const struct case_spec *spec,
                struct case_particles *p, const char ***species, char *error,
                size_t size)
{
    if (s->problem)
        return case_make(spec, p, error, size);
    const char *name = s->words[0];
    uint64_t seed = s->has_seed ? s->seed : 1;
    if (assembly_find(name))
        return assembly_make(assembly_find(name), s->cells, seed, p, species,
                             error, size);
    if (crystal_find(name)) {
        int64_t cells[3];
        for (int d = 0; d < 3; d++)
            cells[d] = s->cells[d] ? s->cells[d] : 1;
        return crystal_make(crystal_find(name), cells, s->primitive, p, species,
                            error, size);
    }
    int64_t n = s->count ? s->count : 1000;
    double cell[9];
    int periodic[3] = {1, 1, 1};
    if (s->has_cell)
        memcpy(cell, s->cell, sizeof cell);
    else if (case_cell(s->cell_name ? s->cell_name : "cubic", (double)n, cell,
                       periodic, error, size) != 0)
        return -1;
    if (case_fill(name, n, cell, seed, p, error, size) != 0 ||
        case_draw(kernel_name(s), s->net, seed, p, error, size) != 0)
        return -1;
    memcpy(p->periodic, periodic, sizeof periodic);
    return 0;
}

/* Stores strengths that are not only charges: vectors as columns. */
static int put_columns(const struct case_particles *p,
                       const struct strengths *row, struct io_frame *frame)
{
    int at = 0;
    for (int k = 0; k < STRENGTHS_COLUMNS && row->columns[k].name; k++) {
        size_t width = (size_t)row->columns[k].width;
        double *data = malloc((size_t)p->n * width * sizeof *data);
        if (!data)
            return -1;
        for (int64_t i = 0; i < p->n; i++)
            memcpy(data + (size_t)i * width, p->q + i * p->strengths + at,
                   width * sizeof *data);
        at += row->columns[k].width;
        if (row->moments && k == 0) {
            frame->q = data;
            continue;
        }
        if (io_frame_set_column(frame, row->columns[k].name, IO_REAL,
                                row->columns[k].width, data) != 0) {
            free(data);
            return -1;
        }
    }
    return 0;
}

/* Stores equal masses with a sum of 1. */
static int put_masses(const struct case_particles *p, struct io_frame *frame)
{
    double *data = malloc((size_t)p->n * sizeof *data);
    if (!data)
        return -1;
    for (int64_t i = 0; i < p->n; i++)
        data[i] = 1 / (double)p->n;
    if (io_frame_set_column(frame, "mass", IO_REAL, 1, data) == 0)
        return 0;
    free(data);
    return -1;
}

/* Moves the particles to a frame; the frame owns copies of the species.  kernel
 * is NULL for masses. */
static int to_frame(struct case_particles *p, const char *kernel,
                    const char **species, struct io_frame *frame)
{
    frame->n = p->n;
    frame->x = p->x;
    p->x = NULL;
    if (!kernel) {
        if (put_masses(p, frame) != 0)
            return -1;
    } else if (strengths_of(kernel)->count == 1) {
        frame->q = p->q;
        p->q = NULL;
    } else if (put_columns(p, strengths_of(kernel), frame) != 0) {
        return -1;
    }
    memcpy(frame->cell, p->cell, sizeof frame->cell);
    memcpy(frame->periodic, p->periodic, sizeof frame->periodic);
    frame->has_cell = true;
    if (!species)
        return 0;
    char **names = calloc((size_t)p->n, sizeof *names);
    int bad = !names;
    for (int64_t i = 0; !bad && i < p->n; i++)
        bad = !(names[i] = strdup(species[i]));
    if (!bad &&
        io_frame_set_column(frame, "species", IO_TEXT, 1, names) == 0)
        return 0;
    for (int64_t i = 0; names && i < p->n; i++)
        free(names[i]);
    free(names);
    return -1;
}

static int write_frame(const struct settings *s, const struct io_frame *frame,
                       char *error, size_t size)
{
    struct io_writer *writer = NULL;
    const char *path = s->output ? s->output : "-";
    if (io_create(path, s->format, &writer, error, size) != 0)
        return -1;
    say_progress("writing %lld particles", (long long)frame->n);
    int bad = io_write(writer, frame, error, size);
    if (bad)
        io_abandon(writer);
    else
        bad = io_commit(writer, error, size);
    say_progress("%s", "");
    return bad;
}

int gen_main(struct settings *s)
{
    struct case_particles particles = {0};
    struct io_frame frame = {0};
    const char **species = NULL;
    char error[1200] = "out of memory";
    struct case_spec spec;
    if (check_words(s) != 0)
        return EXIT_USAGE;
    int bad = s->problem && case_parse(s->problem, &spec, error, sizeof error);
    const char *kernel = s->problem ? spec.kernel : gen_kernel(s);
    if (s->asks_gravity) {
        say_error("gen: kernel gravity has no strengths of its own; --masses "
                  "writes masses");
        return EXIT_USAGE;
    }
    if (bad || kernel_known(kernel, error, sizeof error) != 0) {
        say_error("gen: %s", error);
        return EXIT_USAGE;
    }
    bad = make(s, &spec, &particles, &species, error, sizeof error);
    if (bad) {
        say_error("gen: %s", error);
        return EXIT_FAILED;
    }
    if (s->has_periodic)
        memcpy(particles.periodic, s->periodic, sizeof s->periodic);
    bad = to_frame(&particles, s->masses ? NULL : kernel, species, &frame);
    if (!bad && s->n_words && assembly_find(s->words[0]))
        bad = io_frame_set_key(&frame, "units", "real");
    if (bad)
        say_error("gen: out of memory");
    else if ((bad = write_frame(s, &frame, error, sizeof error)) != 0)
        say_error("%s", error);
    free(species);
    case_free(&particles);
    io_frame_clear(&frame);
    return bad ? EXIT_FAILED : EXIT_DONE;
}
