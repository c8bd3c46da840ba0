/* machine.h: how this machine differs from the one whose constants stand in the
 * variants' cost functions: a factor a room, measured once and kept in a file.
 *
 * The file is $FARSUM_CACHE_DIR/machine, else $XDG_CACHE_HOME/farsum/machine,
 * else $HOME/.cache/farsum/machine: a line for each processor, instruction
 * set, precision and number of threads. */
#ifndef FARSUM_METHOD_MACHINE_H
#define FARSUM_METHOD_MACHINE_H

#include "base/isa.h"

enum { MACHINE_NEAR, MACHINE_ROOMS = 5 }; /* in the order of tuned.h */

struct machine {
    double factor[MACHINE_ROOMS]; /* measured seconds over modelled ones */
    int measured;                 /* 0: all factors are 1 */
};

/* The processor's; "unknown" if the system does not tell. */
void machine_name(char *name, size_t size);
/* Factors of 1 if nothing is kept or the file cannot be understood. */
void machine_load(struct machine *machine, enum isa isa,
                  farsum_precision precision, int threads);
/* Measures (about a second), keeps, and returns what it found.  A file that
 * cannot be written is no failure: the factors hold for this plan. */
farsum_status machine_measure(struct machine *machine, enum isa isa,
                              farsum_precision precision, int threads);
#endif
