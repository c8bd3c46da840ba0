/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.h: internal state and functions of farsum_mesh, which NUFFTs also
 * use. */
#ifndef FARSUM_MESH_MESH_H
#define FARSUM_MESH_MESH_H

#include "farsum/mesh.h"

#include "device/device.h"
#include "points/wrap.h"
#include "stage/fft/fft.h"
#include "stage/interp/interp.h"
#include "stage/spread/spread.h"

struct farsum_mesh;
struct mesh_ranks;

/* What the public functions of a mesh over ranks call instead
 * (mesh/ranks/mesh.h); so nothing here depends on that folder. */
struct mesh_over {
    /* Returns the same status on all ranks. */
    farsum_status (*agree)(const struct farsum_mesh *mesh,
                           farsum_status status);
    farsum_status (*points)(struct farsum_mesh *mesh, int64_t n, const void *x);
    farsum_status (*spread)(struct farsum_mesh *mesh, const void *q,
                            void *grid);
    farsum_status (*interp)(struct farsum_mesh *mesh, const void *grid,
                            void *value, void *gradient);
    void (*destroy)(struct mesh_ranks *ranks);
};

/* The stages of a mesh, in the order of the report. */
enum { MESH_SPREAD, MESH_INTERP, MESH_STAGES };

struct farsum_mesh {
    farsum_mesh_problem problem; /* all zeros replaced by defaults */
    farsum_mesh_options options;
    struct device *device; /* borrowed, or owned by the creator of the mesh;
                              NULL: the host */
    int owns_device;
    struct mesh_gpu *gpu; /* owned; NULL: the host */
    struct mesh_ranks *ranks; /* owned; NULL: one process */
    const struct mesh_over *over; /* NULL: one process */
    enum isa isa;
    int threads;
    struct window window;
    double estimated_error; /* 0: the problem names the window */
    struct cell cell;   /* as specified, not reduced: the mesh follows it */
    struct cell mirror; /* its negative inverse: with it, interp's field is the
                           gradient.  Over ranks that of the own cell */
    struct spread_args spread;
    struct interp_args interp;
    const void *args[MESH_STAGES];     /* point to spread and interp above */
    struct choice choice[MESH_STAGES]; /* row NULL: not used */
    int named[MESH_STAGES];            /* 1: named by the caller */
    int asked;                        /* 1: for farsum_mesh_tune, without
                                         states */
    double clustering;                /* clustering factor that the variants
                                         were chosen for */
    void *state[MESH_STAGES];          /* owned */
    double seconds[MESH_STAGES];
    struct points points; /* over ranks those in the own slab */
    int has_points;
    int64_t bytes, device_bytes; /* allocated in total, and on the device */
    double seconds_create, seconds_set_points;
};

/* The status of all ranks; of one process as it is. */
static inline farsum_status mesh_agree(const struct farsum_mesh *mesh,
                                       farsum_status status)
{
    return mesh->over ? mesh->over->agree(mesh, status) : status;
}

/* mesh/check.c: copies the caller's problem and replaces zeros by defaults.
 * Fails with the reason if the problem is invalid. */
farsum_status mesh_problem_check(const farsum_mesh_problem *given,
                                 farsum_mesh_problem *problem);
#define MESH_NUFFT_ONLY                                                        \
    "fft and upsampling are options of a NUFFT; a mesh's upsampling is in "    \
    "its "                                                                     \
    "problem"
farsum_status mesh_options_check(const farsum_mesh_options *given,
                                 farsum_mesh_options *options);
/* The device of checked options; NULL: the host.  *owned: 1 if it was opened
 * here. */
farsum_status mesh_device(const farsum_mesh_options *options,
                          struct device **device, int *owned);
/* Checks *memory of an array called `name`; replaces the default value by
 * `otherwise`. */
farsum_status mesh_memory(farsum_memory *memory, farsum_memory otherwise,
                          const char *name);
/* Sets a cell from any three linearly independent vectors, without
 * reduction. */
farsum_status mesh_cell(struct cell *cell, const double rows[9]);
/* The number of threads to use for that many points. */
int mesh_threads(int wanted, int64_t points);

/* mesh/window.c: (8.1) to (8.4), (8.8) and (8.9) of docs/math.md. */
/* The modes along an axis that a mesh computes. */
struct mesh_band {
    int64_t modes; /* 0: all modes up to a largest one, as a continuum */
    double step;   /* theta, radians per mesh spacing, between modes */
};
/* The usual shape of a prolate window for a transform. */
double mesh_shape(int support, double sigma);
/* The smallest tolerance that a precision can meet. */
double mesh_least(farsum_precision precision);
/* The window of a checked problem.  dry: only as accurate as costs require.
 * estimate: out, the error of a transform; 0 if the problem names the
 * window. */
farsum_status mesh_window(struct window *window,
                          const farsum_mesh_problem *problem,
                          const struct mesh_band band[3], int dry,
                          double *estimate);

/* mesh.c */
/* Sets everything except the variants' states.  m is zeroed, owns nothing and
 * must not move.  modes: modes that the mesh computes, or NULL.  dry: only to
 * predict the cost. */
farsum_status mesh_think(struct farsum_mesh *m,
                         const farsum_mesh_problem *problem,
                         const farsum_mesh_options *options,
                         struct device *device, const int64_t *modes, int dry);
/* The parts of mesh_think: checks and copies the arguments; sets the window;
 * sets the stages' args; chooses variants, by name unless it is NULL. */
farsum_status mesh_prepare(struct farsum_mesh *m,
                           const farsum_mesh_problem *problem,
                           const farsum_mesh_options *options,
                           struct device *device);
farsum_status mesh_set_window(struct farsum_mesh *m, const int64_t *modes,
                              int dry);
void mesh_args(struct farsum_mesh *m);
farsum_status mesh_choose(struct farsum_mesh *m, const char *spread,
                          const char *interp);
/* Creates the variants' states, and forgets the caller's texts. */
farsum_status mesh_states(struct farsum_mesh *m);
farsum_status mesh_create(const farsum_mesh_problem *problem,
                          const farsum_mesh_options *options,
                          struct device *device, const int64_t *modes,
                          struct farsum_mesh **mesh);
/* Allocated bytes on the host and on a device, which may be NULL. */
struct mesh_held {
    int64_t host, device;
};
struct mesh_held mesh_held(const struct device *device);
/* Adds the bytes allocated since `before`. */
void mesh_holds(struct farsum_mesh *mesh, struct mesh_held before);
void mesh_log(const farsum_mesh_options *options, const struct choice *choice);

/* mesh/run.c */
/* Runs a stage and times it, with io as the stage expects it; checks nothing.
 * Asynchronous on a device. */
farsum_status mesh_spread_run(struct farsum_mesh *mesh,
                              const struct spread_io *io);
/* Zeroes interp's outputs first.  io must not have strides. */
farsum_status mesh_interp_run(struct farsum_mesh *mesh,
                              const struct interp_io *io);

/* Fails if no points are set, or if the problem does not name the use
 * (FARSUM_MESH_SPREAD | ...). */
farsum_status mesh_usable(const struct farsum_mesh *mesh, unsigned use);
/* Gives mesh->points to the variants. */
farsum_status mesh_set_stages(struct farsum_mesh *mesh);
/* Fails if a point of the host array x is outside the cell along an open
 * axis. */
farsum_status mesh_inside(const struct farsum_mesh *mesh, int64_t n,
                          const void *x);
/* Fails with the message that point i, at x, is outside the cell along an open
 * axis. */
farsum_status mesh_outside(const struct farsum_mesh *mesh, int64_t i,
                           const double x[3]);
/* Fails with the message that the results called `what` are not finite. */
farsum_status mesh_not_finite(farsum_precision precision, const char *what);
/* Fails unless the n numbers at v are finite; v may be NULL.  what: their
 * name. */
farsum_status mesh_finite(const void *v, farsum_precision precision, int64_t n,
                          int threads, const char *what);
/* Sets *largest to the largest of n strengths on the host, of all channels.
 * Fails if one is not finite. */
farsum_status mesh_strengths(const struct farsum_mesh *mesh, const void *q,
                             int64_t n, double *largest);
/* 1: no sum of n strengths times weights overflows. */
int mesh_small(const struct farsum_mesh *mesh, double largest, int64_t n);
/* Checks that the sums on the first `planes` planes of each channel are finite,
 * except the padding between rows. */
farsum_status mesh_sums_finite(const struct farsum_mesh *mesh, int64_t planes,
                               const void *grid);
/* Bytes of an array with `each` numbers per point and channel. */
int64_t mesh_value_bytes(const struct farsum_mesh *mesh, int64_t each);

/* mesh/choose.c */
/* Chooses a stage's variant from the current args. */
farsum_status mesh_choose_stage(struct farsum_mesh *mesh, int which,
                                const struct stage *stage, const char *name,
                                const void *args);
/* Called after points are set, before the variants get them.  If their number
 * or clustering has changed much since the choice, chooses those variants again
 * that the caller did not name.  On a device, measuring the clustering waits:
 * at the first set, and when the number has changed. */
farsum_status mesh_plan_points(struct farsum_mesh *mesh);

/* mesh/info.c */
void mesh_info_print(const farsum_mesh_info *info, FILE *out);
#endif
