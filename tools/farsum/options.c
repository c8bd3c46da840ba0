/* SPDX-License-Identifier: Apache-2.0 */
/* options.c: parser of the command line, driven by the table of options. */
#include "options.h"

#include "kernel.h"
#include "nearest.h"
#include "say.h"

#include <string.h>

/* The option names of a subcommand, for `nearest`. */
static const char *name_at(int k, const void *data)
{
    int commands = *(const int *)data;
    for (int j = 0; options_row(j); j++) {
        const struct option_row *row = options_row(j);
        if (row->name && (row->commands & commands) && k-- == 0)
            return row->name;
    }
    return NULL;
}

static const struct option_row *find(const char *name, size_t length,
                                     char letter)
{
    for (int k = 0; options_row(k); k++) {
        const struct option_row *row = options_row(k);
        if (!row->name)
            continue;
        if (letter ? row->letter == letter
                   : strlen(row->name) == length &&
                         strncmp(row->name, name, length) == 0)
            return row;
    }
    return NULL;
}

static int refuse(const char *argument, size_t length, const char *command,
                  int elsewhere, int commands)
{
    char word[64], text[160];
    const char *name = argument + strspn(argument, "-");
    size_t n = length - (size_t)(name - argument);
    if (elsewhere) {
        say_error("%s: %.*s is not an option of this subcommand; see 'farsum "
                  "help %s'", command, (int)length, argument, command);
        return -1;
    }
    snprintf(word, sizeof word, "%.*s", (int)(n < 60 ? n : 60), name);
    nearest_prefixed(word, "--", name_at, &commands, text, sizeof text);
    if (*text)
        say_error("%s: unknown option %.*s; did you mean %s?",
                  command, (int)length,
                  argument, text);
    else
        say_error("%s: unknown option %.*s; see 'farsum help %s'", command,
                  (int)length, argument, command);
    return -1;
}

/* Parses one option at argv[*at] and advances past its value. */
static int parse_option(int argc, char **argv, int *at, const char *command,
                        struct settings *s)
{
    const char *argument = argv[*at], *value = NULL;
    const struct option_row *row;
    size_t length = strlen(argument);
    char why[256];
    if (argument[1] == '-') {
        const char *equal = strchr(argument, '=');
        length = equal ? (size_t)(equal - argument) : length;
        value = equal ? equal + 1 : NULL;
        row = find(argument + 2, length - 2, 0);
    } else {
        row = find(NULL, 0, argument[1]);
        value = argument[2] ? argument + 2 : NULL;
        length = 2;
    }
    if (!row || !(row->commands & s->command))
        return refuse(argument, length, command, row != NULL, s->command);
    if (!row->takes && value) {
        say_error("%s: --%s takes no value", command, row->name);
        return -1;
    }
    if (row->takes && !value) {
        if (*at + 1 >= argc) {
            say_error("%s: --%s needs a value, %s", command, row->name,
                      row->takes);
            return -1;
        }
        value = argv[++*at];
    }
    if (row->set(s, row, value, why, sizeof why) != 0) {
        say_error("%s: --%s: %s", command, row->name, why);
        return -1;
    }
    s->given[row - options_row(0)] = 1;
    return 0;
}

int options_parse(int argc, char **argv, const char *command,
                  struct settings *s)
{
    int plain = 0; /* after "--" all words are arguments */
    for (int i = 0; i < argc; i++) {
        if (!plain && strcmp(argv[i], "--") == 0) {
            plain = 1;
        } else if (!plain && argv[i][0] == '-' && argv[i][1]) {
            if (parse_option(argc, argv, &i, command, s) != 0)
                return -1;
        } else if (s->n_words == MAX_WORDS) {
            say_error("%s: found more than %d arguments",
                      command, (int)MAX_WORDS);
            return -1;
        } else {
            s->words[s->n_words++] = argv[i];
        }
    }
    return 0;
}

const char *options_other(const struct settings *s, const char *const *allowed)
{
    for (int k = 0; options_row(k); k++) {
        int j = 0;
        while (s->given[k] && allowed[j]
               && strcmp(allowed[j], options_row(k)->name) != 0)
            j++;
        if (s->given[k] && !allowed[j])
            return options_row(k)->name;
    }
    return NULL;
}

void options_defaults(struct settings *s)
{
    if (!s->has_factors) /* bonds and angles are excluded, dihedrals stay */
        s->factors[IO_DIHEDRALS] = 1;
    s->tolerance = s->tolerance > 0 ? s->tolerance : 1e-5;
    s->kernel = kernel_name(s);
    s->error = s->error        ? s->error
               : kernel_flow(s) ? (int)FARSUM_ERROR_VELOCITY
                                : (int)FARSUM_ERROR_FORCE;
    s->precision = s->precision ? s->precision : (int)FARSUM_F64;
    s->surface = s->surface ? s->surface : (int)FARSUM_TINFOIL;
    s->units = s->units ? s->units : 1;
    s->seed = s->has_seed ? s->seed : 1;
}

static void options_spectral(const struct settings *s,
                             farsum_spectral_options *how)
{
    how->split = s->split;
    how->window = s->window;
    how->bandwidth = s->bandwidth;
    memcpy(how->mesh, s->mesh, sizeof how->mesh);
    how->upsampling = s->upsampling;
    how->support = s->support;
    how->shape = s->shape;
    how->near = s->near;
    how->near_cells = s->near_cells;
    memcpy(how->near_team, s->near_team, sizeof how->near_team);
    how->spread = s->spread;
    how->fft = s->fft;
    how->scale = s->scale;
    how->interp = s->interp;
    how->skin = s->skin;
}

static void options_fmm(const struct settings *s, farsum_fmm_options *how)
{
    how->order = s->order;
    how->separation = s->separation;
    how->levels = s->levels;
    memcpy(how->boxes, s->boxes, sizeof how->boxes);
    how->leaf = s->leaf;
    how->tree = s->tree;
    how->p2p = s->p2p;
    how->p2m = s->p2m;
    how->m2m = s->m2m;
    how->m2l = s->m2l;
    how->lattice = s->lattice;
    how->l2l = s->l2l;
    how->l2p = s->l2p;
}

farsum_options options_how(const struct settings *s)
{
    farsum_options how = FARSUM_OPTIONS_INIT;
    options_spectral(s, &how.spectral);
    options_fmm(s, &how.fmm);
    how.method = s->method;
    how.device.name = s->device;
    how.device.queues = s->queues;
    how.cutoff = s->cutoff;
    how.isa = s->isa;
    how.threads = s->threads;
    how.strict = s->strict;
    /* auto, on, off; 0: default */
    how.verify = s->verify == 2 ? 1 : s->verify == 3 ? FARSUM_VERIFY_OFF : 0;
    how.deterministic = s->deterministic;
    how.measure = s->measure;
    how.repeats = s->executes;
    how.memory_limit = s->memory_limit;
    how.log = say_log;
    if (say_listens())
        how.progress = say_step;
    return how;
}

struct io_options options_io(const struct settings *s)
{
    struct io_options io = {
        .format = s->format,
        .atom_style = s->atom_style,
        .group = s->group,
        .joins = s->exclude_bonds,
        .cell_given = s->has_cell,
        .periodic_given = s->has_periodic,
        .periodic = {s->periodic[0], s->periodic[1], s->periodic[2]},
        .open_given = s->has_periodic && !s->periodic[0] && !s->periodic[1]
                      && !s->periodic[2],
        .n_type_charges = s->n_charges,
        .type_charges = s->charges,
    };
    return io;
}

struct io_options options_io_points(const struct settings *s)
{
    (void)s;
    return (struct io_options){.cell_given = true, .periodic_given = true};
}
