/* SPDX-License-Identifier: Apache-2.0 */
/* options.h: options of every subcommand, read into one struct.
 *
 * Each option is a row of the table in options_table.c: its name, its value,
 * its subcommands and its help text.  Parser, help and man page use that
 * row. */
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

enum { MAX_WORDS = 16, MAX_CHARGES = 64, MAX_ROWS = 128 };

/* Zero or NULL: default.  Texts point into argv. */
struct settings {
    int command;               /* FOR_... */
    const char *words[MAX_WORDS];
    int n_words;
    char given[MAX_ROWS];      /* 1: the option of this row was given */
    /* the problem */
    const char *kernel;
    int units, error, precision, surface, exclude; /* index in the row's words,
                                                      from 1 */
    double tolerance;
    int has_cell, has_periodic;
    double cell[9];
    const char *cell_name;     /* gen: a cell of the case notation */
    int periodic[3];
    int threads, ranks;        /* ranks: 0: as started */
    uint64_t seed;
    int has_seed;
    double coulomb;            /* 0: from the units; check: from the file */
    double viscosity;          /* flows only; 0: default */
    double kappa;              /* yukawa only; 0: default */
    int asks_gravity;          /* --kernel gravity, or a synonym */
    double gravity, softening; /* 0: default */
    int exclude_bonds, has_factors;
    const char *exclude_file;
    double factors[IO_JOINS];  /* remaining factor of bonds, angles,
                                  dihedrals */
    /* see farsum_options */
    const char *method, *device, *isa, *split, *window;
    const char *transport;     /* run: between the ranks' devices */
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
    /* options of one subcommand */
    int check, no_virial, particle_virial;
    int64_t check_targets;
    int64_t count, cells[3];
    double net;
    int primitive, masses;
    const char *problem, *plot, *csv, *against, *input, *map;
    int model;
    int nodes, weak;           /* tune --ranks; nodes 0: default (1) */
    double link_latency, link_bandwidth; /* 0: default */
    double patience;                     /* run: seconds; 0: for ever */
    int domain[2];             /* ranks along axes 0 and 1; 0, 0: chosen */
    int64_t modes[3], points;  /* tune --ranks: of a NUFFT; 0: none */
    int components;            /* 0: default (1) */
    double crowding;           /* 0: default (1) */
    int64_t copies[3];         /* 0: default (1) */
    int repeats;
    int arrays;                /* bench: 1 host, 2 device; 0: as the plan */
    int help, man;
};

struct option_row {
    const char *name;          /* without the dashes; NULL: a heading */
    char letter;               /* 0: none */
    const char *takes;         /* name of its value in the help; NULL: none */
    int commands;              /* FOR_... */
    int (*set)(struct settings *s, const struct option_row *row,
               const char *value, char *why, size_t size);
    size_t offset;             /* of the field in struct settings */
    const char *const *words;  /* the allowed values, if they are a list */
    const char *help;
};

/* index 0, 1, ...; NULL beyond the last. */
const struct option_row *options_row(int index);

/* Parses argv[0 .. argc-1], the words after the subcommand.  Returns 0, or -1
 * after printing the reason. */
int options_parse(int argc, char **argv, const char *command,
                  struct settings *s);
/* The first option that was given and is not in the list, which NULL ends.
 * NULL: none. */
const char *options_other(const struct settings *s,
                          const char *const *allowed);
/* Sets missing options to their defaults. */
void options_defaults(struct settings *s);
/* Converts the settings to the options of the library and of the readers. */
farsum_options options_how(const struct settings *s);
struct io_options options_io(const struct settings *s);
/* Options for a file whose cell is ignored, because another file has it. */
struct io_options options_io_points(const struct settings *s);
/* The word of an option that the settings store as a number, from 1; NULL for
 * 0.  which: "units", "error", "precision", "surface", "exclude". */
const char *options_word(const char *which, int value);
/* The number of a word; 0 if it does not exist. */
int options_value(const char *which, const char *word);
#endif
