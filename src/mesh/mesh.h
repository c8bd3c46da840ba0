/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.h: the inside of a farsum_mesh, which a NUFFT stands on. */
#ifndef FARSUM_MESH_MESH_H
#define FARSUM_MESH_MESH_H

#include "farsum/mesh.h"

#include "device/device.h"
#include "points/wrap.h"
#include "stage/fft/fft.h"
#include "stage/interp/interp.h"
#include "stage/spread/spread.h"

/* What a mesh does, in the order it is reported. */
enum { MESH_SPREAD, MESH_INTERP, MESH_ROOMS };

struct farsum_mesh {
    farsum_mesh_problem problem; /* every zero replaced */
    farsum_mesh_options options;
    struct device *device; /* borrowed, or owned by who made the mesh; NULL:
                              the host */
    int owns_device;
    struct mesh_gpu *gpu; /* owned; NULL: the host */
    enum isa isa;
    int threads;
    struct window window;
    struct cell cell;   /* as given, not reduced: the mesh follows it */
    struct cell mirror; /* its negative inverse: interp's field in that unit
                            is the gradient */
    struct spread_args spread;
    struct interp_args interp;
    const void *args[MESH_ROOMS];     /* spread and interp above */
    struct choice choice[MESH_ROOMS]; /* row NULL: not used */
    int named[MESH_ROOMS];            /* 1: by the caller */
    int asked;                        /* 1: by farsum_mesh_tune, no states */
    double crowd;                     /* that the rows were chosen for */
    void *state[MESH_ROOMS];          /* owned */
    double seconds[MESH_ROOMS];
    struct points points;
    int has_points;
    int64_t bytes, device_bytes; /* held: in all, and of it there */
    double seconds_create, seconds_set_points;
};

/* mesh/check.c: a copy of what is given with every zero replaced, or why it
 * cannot be. */
farsum_status mesh_problem_check(const farsum_mesh_problem *given,
                                 farsum_mesh_problem *problem);
farsum_status mesh_options_check(const farsum_mesh_options *given,
                                 farsum_mesh_options *options);
/* The device of checked options; NULL: the host.  *owned: opened here. */
farsum_status mesh_device(const farsum_mesh_options *options,
                          struct device **device, int *owned);
/* `memory`, or what it is by default, for an array called `name`. */
farsum_status mesh_memory(farsum_memory *memory, farsum_memory otherwise,
                          const char *name);
/* Any three vectors that span space, not reduced. */
farsum_status mesh_cell(struct cell *cell, const double rows[9]);
/* Threads for that many points. */
int mesh_threads(int wanted, int64_t points);

/* mesh/window.c: (8.1) to (8.3) of docs/math.md. */
/* The modes that a mesh is for, along an axis. */
struct mesh_band {
    int64_t modes; /* 0: all, without a break, up to one */
    double step;   /* of theta, radians a mesh spacing, from mode to mode */
};
/* The usual shape of a prolate for a transform. */
double mesh_shape(int support, double sigma);
/* The tolerance that a precision holds. */
double mesh_least(farsum_precision precision);
/* The window of a checked problem; dry: good for costs alone. */
farsum_status mesh_window(struct window *window,
                          const farsum_mesh_problem *problem,
                          const struct mesh_band band[3], int dry);

/* mesh.c */
/* All but the states: m is zeroed, holds nothing, and stays where it is.
 * modes: what the mesh is for, or NULL.  dry: to ask what it costs. */
farsum_status mesh_think(struct farsum_mesh *m,
                         const farsum_mesh_problem *problem,
                         const farsum_mesh_options *options,
                         struct device *device, const int64_t *modes, int dry);
farsum_status mesh_create(const farsum_mesh_problem *problem,
                          const farsum_mesh_options *options,
                          struct device *device, const int64_t *modes,
                          struct farsum_mesh **mesh);
/* Bytes that are allocated, on the host and on a device that may be NULL. */
struct mesh_held {
    int64_t host, device;
};
struct mesh_held mesh_held(const struct device *device);
/* Adds what has come since. */
void mesh_holds(struct farsum_mesh *mesh, struct mesh_held before);
void mesh_log(const farsum_mesh_options *options, const struct choice *choice);

/* mesh/run.c */
/* A room's run, timed, with io as the room has it; no checks.  On a device it
 * waits for nothing. */
farsum_status mesh_spread_run(struct farsum_mesh *mesh,
                              const struct spread_io *io);
/* Sets what interp adds to: io without strides of its own. */
farsum_status mesh_interp_run(struct farsum_mesh *mesh,
                              const struct interp_io *io);

/* Fails: point i, at x, is off the cell along an open axis. */
farsum_status mesh_outside(const struct farsum_mesh *mesh, int64_t i,
                           const double x[3]);
/* Fails: results called `what` are not finite. */
farsum_status mesh_not_finite(farsum_precision precision, const char *what);
/* Fails unless the n numbers at v, or NULL, are finite; what: their name. */
farsum_status mesh_finite(const void *v, farsum_precision precision, int64_t n,
                          int threads, const char *what);
/* Bytes of an array with `each` numbers for every point and channel. */
int64_t mesh_value_bytes(const struct farsum_mesh *mesh, int64_t each);

/* mesh/choose.c */
/* A room's variant, by what is known now. */
farsum_status mesh_plan_room(struct farsum_mesh *mesh, int room,
                             const struct stage *stage, const char *name,
                             const void *args);
/* Of points that are set, before the rows get them: where their number or
 * crowding is far from what the rows were chosen for, chooses those that were
 * not named again.  On a device it waits when it looks at the crowding: at the
 * first set, and when the number has changed. */
farsum_status mesh_plan_points(struct farsum_mesh *mesh);

/* mesh/info.c */
void mesh_info_print(const farsum_mesh_info *info, FILE *out);
#endif
