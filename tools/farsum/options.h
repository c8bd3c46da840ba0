/* SPDX-License-Identifier: Apache-2.0 */
/* options.h: the options of every subcommand, read into one struct.
 *
 * An option is a row of the table in options_table.c: its name, what it takes,
 * which subcommands have it and the help.  Parsing, help and man page all come
 * from that row. */
#ifndef FARSUM_TOOLS_OPTIONS_H
#define FARSUM_TOOLS_OPTIONS_H

#include <farsum/farsum.h>

#include "io/io.h"

/* Subcommands, as bits of an option's row. */
enum {
    FOR_RUN = 1,
    FOR_GEN = 2,
    FOR_LIST = 4,
    FOR_BENCH = 8,
    FOR_TUNE = 16,
    FOR_CHECK = 32,
    FOR_HELP = 64,
    FOR_CACHE = 128,
};

enum { MAX_WORDS = 16, MAX_CHARGES = 64 };

/* Zero or NULL: not given.  Texts point into argv. */
struct settings {
    int command;               /* FOR_... */
    const char *words[MAX_WORDS];
    int n_words;
    /* the problem */
    const char *kernel;
    int units, error, precision, surface, exclude; /* place in the row's words,
                                                      from 1 */
    double tolerance;
    int has_cell, has_periodic;
    double cell[9];
    const char *cell_name;     /* gen: a cell of the case notation */
    int periodic[3];
    int threads;
    uint64_t seed;
    int has_seed;
    double coulomb;            /* 0: as the units say; check: the file's */
    double viscosity;          /* of flows; 0: not given */
    double kappa;              /* of yukawa; 0: not given */
    int asks_gravity;          /* --kernel gravity, or what is called so */
    double gravity, softening; /* 0: not given */
    int exclude_bonds, has_factors;
    const char *exclude_file;
    double factors[IO_JOINS];  /* what stays of bonds, angles, dihedrals */
    /* how: as farsum_options */
    const char *method, *device, *isa, *split, *window;
    const char *near, *spread, *fft, *scale, *interp;
    int near_cells, near_team[2];
    double cutoff, bandwidth, upsampling, shape, executes;
    int order, separation, levels;
    int64_t boxes[3], leaf;
    const char *tree, *p2p, *p2m, *m2m, *m2l, *lattice, *l2l, *l2p;
    int64_t mesh[3];
    int support, strict, verify, deterministic, measure, queues;
    double skin;
    uint64_t memory_limit;
    /* files */
    const char *output, *report, *targets, *sources, *format, *atom_style;
    const char *group;
    struct io_type_charge charges[MAX_CHARGES];
    int n_charges;
    /* one subcommand's own */
    int check, no_virial;
    int64_t check_targets;
    int64_t count, cells[3];
    double net;
    int primitive, masses;
    const char *problem, *plot, *csv, *against, *input, *map;
    int model;
    int components;            /* 0: one */
    double crowding;           /* 0: 1 */
    int64_t copies[3];         /* 0: one */
    int repeats;
    int arrays;                /* bench: 1 host, 2 device; 0: the plan's */
    int help, man;
};

struct option_row {
    const char *name;          /* without the dashes; NULL: a heading */
    char letter;               /* 0: none */
    const char *takes;         /* what the help calls its value; NULL: none */
    int commands;              /* FOR_... */
    int (*set)(struct settings *s, const struct option_row *row,
               const char *value, char *why, size_t size);
    size_t offset;             /* of the field in struct settings */
    const char *const *words;  /* the values it takes, if they are a list */
    const char *help;
};

/* index 0, 1, ...; NULL past the last. */
const struct option_row *options_row(int index);

/* Reads argv[0 .. argc-1], what follows the subcommand.  0, or -1 after
 * saying what is wrong. */
int options_parse(int argc, char **argv, const char *command,
                  struct settings *s);
/* What is not given becomes what is summed without it. */
void options_defaults(struct settings *s);
/* What the library and the readers are asked for. */
farsum_options options_how(const struct settings *s);
struct io_options options_io(const struct settings *s);
/* Of a file whose cell does not count, as another has it. */
struct io_options options_io_points(const struct settings *s);
/* The words of the options that the settings keep as numbers, from 1; NULL for
 * 0.  which: "units", "error", "precision", "surface", "exclude". */
const char *options_word(const char *which, int value);
/* The number of a word, 0 if there is none. */
int options_value(const char *which, const char *word);
#endif
