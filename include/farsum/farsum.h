/* SPDX-License-Identifier: Apache-2.0 */
/* farsum.h: sums long-range interactions of many particles.
 *
 * A problem says what to sum, options say how (zero: "choose for me"), a plan
 * is the choice made.  Points are set once, strengths are summed many times:
 *
 *     farsum_problem problem = FARSUM_PROBLEM_INIT;
 *     ... fill cell, periodic, tolerance, n_sources, sample ...
 *     farsum_plan *plan = NULL;
 *     farsum_plan_create(&problem, NULL, &plan);
 *     farsum_plan_set_points(plan, n, x, 0, NULL);
 *     farsum_result out = FARSUM_RESULT_INIT;
 *     out.potential = phi; out.field = e;
 *     farsum_plan_execute(plan, 1, q, &out);
 *     farsum_plan_destroy(plan);
 *
 * Kernels, d = x_i - x_j, r = |d|:
 *
 *     laplace    phi_i = C sum_j q_j / r
 *     yukawa     phi_i = C sum_j q_j e^(-kappa r) / r
 *     r6         phi_i = C sum_j q_j / r^6
 *     stokeslet  u_i = C sum_j f_j / r + (f_j.d) d / r^3
 *     rotlet     u_i = C sum_j t_j x d / r^3
 *     stresslet  u_i = -6 C sum_j (q_j.d) (n_j.d) d / r^5
 *
 * (no 1/2), field E = -grad phi, energy (C/2) sum q phi, virial
 * W = -dE/d(strain), row-major.  Periodic sums are Ewald's: of laplace with
 * tin-foil surroundings unless asked otherwise, a net charge neutralised by a
 * uniform background; of yukawa and r6 just the sum, which converges (the sign
 * of dispersion is the caller's); of the stokeslet with no mean flow, a net
 * force balanced by a mean gradient of pressure; of the stresslet with the mean
 * flow that makes a closed surface's flow vanish outside.  Units are the
 * caller's, of any size: lengths times 2^k and strengths times 2^m leave all
 * digits of the results as they are.  Where a result is not finite in its type,
 * or the largest of an output is below the type's normal numbers, execute, or
 * of arrays on a device finish, fails.  C is the problem's `coulomb`
 * (1/(8 pi viscosity) makes the velocities those of a fluid, -G potentials and
 * fields those of gravity).
 *
 * Every function returns a status; what went wrong in words is kept for the
 * calling thread (farsum_message).  Outputs on the host are untouched on
 * failure.
 * Different plans may be used by different threads at once, one plan by one
 * thread at a time.
 *
 * The caller's floating-point environment (rounding, traps, flush to zero,
 * flags) is put aside in each call and is as before when it returns, also in
 * OpenMP's threads; callbacks run in it.  Results do not depend on it.
 *
 * A forked child whose parent ran threads sums with one thread, also by the
 * parent's plans; what the parent had on a device is refused there with
 * FARSUM_ERR_STATE, a device with FARSUM_ERR_DEVICE.
 *
 * A struct begins with its size, set by its macro.  One of an older header ends
 * in zeros; one of a newer header is refused where it sets what this version
 * does not know.  Counts above 2^48 are refused with FARSUM_ERR_MEMORY. */
#ifndef FARSUM_H
#define FARSUM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef FARSUM_API
#if defined(__GNUC__)
#define FARSUM_API __attribute__((visibility("default")))
#define FARSUM_MUST_CHECK __attribute__((warn_unused_result))
#else
#define FARSUM_API
#define FARSUM_MUST_CHECK
#endif
#endif

#define FARSUM_VERSION_MAJOR 0
#define FARSUM_VERSION_MINOR 1
#define FARSUM_VERSION_PATCH 0

/* Status codes: X(name, text). */
#define FARSUM_STATUS_LIST(X)                                                  \
    X(OK, "success")                                                           \
    X(ERR_ARGUMENT, "an argument is not valid")                                \
    X(ERR_MEMORY, "out of memory")                                             \
    X(ERR_UNKNOWN, "no such method, variant, kernel, split or window")         \
    X(ERR_UNSUPPORTED, "not possible with this method or variant")             \
    X(ERR_CELL, "the cell is not valid")                                       \
    X(ERR_POSITION, "a position is not finite or not in range")                \
    X(ERR_STRENGTH, "a strength or a result is not in range")                  \
    X(ERR_COINCIDENT, "two particles coincide")                                \
    X(ERR_TOLERANCE, "the tolerance cannot be reached")                        \
    X(ERR_DEVICE, "no such device, or it failed")                              \
    X(ERR_STATE, "the call comes too early or too late")                       \
    X(ERR_INTERNAL, "an invariant of the library is broken")

typedef enum farsum_status {
#define FARSUM_STATUS_ENUM(name, text) FARSUM_##name,
    FARSUM_STATUS_LIST(FARSUM_STATUS_ENUM)
#undef FARSUM_STATUS_ENUM
    FARSUM_STATUS_COUNT
} farsum_status;

/* The text of a status, and this thread's last message ("" if none). */
FARSUM_API const char *farsum_status_text(farsum_status status);
FARSUM_API const char *farsum_message(void);
/* "MAJOR.MINOR.PATCH" of the library that is running. */
FARSUM_API const char *farsum_version(void);

/* Zero in any enum below means "choose for me". */
typedef enum farsum_precision {
    FARSUM_F64 = 1, /* the default; of near pairs it may sum those in f32 of
                       which the tolerance does not see it */
    FARSUM_F32 = 2,
    FARSUM_MIXED = 3, /* of spectral: near pairs as in f32; their sums, the mesh
                         and the rest in f64.  Other methods: f64 */
    FARSUM_AUTO = 4,  /* of a problem's sums: of these the fastest that keeps
                         the tolerance, by estimates */
} farsum_precision;

typedef enum farsum_error_kind {
    FARSUM_ERROR_FORCE = 1, /* the default of potentials: RMS of the force
                               difference over max(RMS|F|, C q_rms^2
                               (N/V)^(2/3)), or in place of the latter
                               q_rms^2 times the unit's force at a distance of
                               (V/N)^(1/3), yukawa and r6 */
    FARSUM_ERROR_POTENTIAL = 2, /* RMS of the difference over RMS potential */
    FARSUM_ERROR_ABSOLUTE = 3, /* RMS of the difference of forces (q_rms E at
                               targets apart) or velocities, caller's units */
    FARSUM_ERROR_VELOCITY = 4, /* the default of flows: RMS of the difference
                               over the RMS velocity or, if that is larger and
                               there is a cell, over C s_rms (N/V)^(1/3) of
                               stokeslet, (N/V)^(2/3) of rotlet and stresslet:
                               of a lattice velocities vanish.  s: the strength,
                               of stresslet |q| |n| */
    FARSUM_ERROR_ENERGY = 5, /* |dU| over half the sum of |q_i phi_i| */
    FARSUM_ERROR_PRESSURE = 6, /* |d tr W| over it, of r6 over 6 times it */
    FARSUM_ERROR_EACH = 7, /* of 99 of 100 targets: |dF_i|, of flows |du_i|,
                              over |F_i| or a tenth of FORCE's norm */
} farsum_error_kind;

typedef enum farsum_surface {
    FARSUM_TINFOIL = 1, /* the default: conducting surroundings */
    FARSUM_VACUUM = 2,  /* adds the dipole term 2 pi C |M|^2 / (3 V) */
} farsum_surface;

/* Where the caller's arrays are. */
typedef enum farsum_memory {
    FARSUM_HOST = 1,   /* the default */
    FARSUM_DEVICE = 2, /* on the plan's device: CUDA and HIP pointers, or, cast
                          to void *, OpenCL's cl_mem */
} farsum_memory;

/* A device that the caller has opened: farsum/device.h. */
typedef struct farsum_device farsum_device;

/* Outputs a plan is asked for: bits of `outputs` below. */
enum {
    FARSUM_POTENTIAL = 1,
    FARSUM_FIELD = 2,
    FARSUM_ENERGY = 4,
    FARSUM_VIRIAL = 8,
    FARSUM_VELOCITY = 16, /* of stokeslet, rotlet, stresslet, which have none
                             of the others */
};

/* What to sum.  Start from FARSUM_PROBLEM_INIT. */
typedef struct farsum_problem {
    size_t size;             /* sizeof(farsum_problem), set by the macro */
    const char *kernel;      /* "laplace", ...: see above; NULL: laplace */
    double kappa;            /* of yukawa, > 0, 1/length; of others 0 */
    double cell[9];          /* rows a, b, c: cell vectors; left-handed ones
                                are summed with c turned round, the same
                                lattice along the same axes; ignored along
                                axes that are not periodic */
    int periodic[3];         /* 1: periodic along a, b, c */
    farsum_surface surface;  /* periodic along three axes only */
    double coulomb;          /* C; 0: 1; below 0: strengths are masses, which
                                attract: of gravity -G, then potentials and
                                energies are negative, the field is the
                                acceleration */
    double softening;        /* of laplace in open space: Plummer's eps, a
                                length; r is sqrt(r^2 + eps^2); 0: none.  What
                                has no distance is no pair, as without */
    farsum_precision precision; /* of the sums */
    farsum_precision arrays;    /* of the caller's arrays, f64 or f32; 0: as
                                precision, of mixed and auto f64 */
    farsum_memory memory;    /* where positions, strengths and results are */
    double tolerance;        /* > 0; 0: 1e-5 */
    farsum_error_kind error; /* what the tolerance measures */
    unsigned outputs;        /* FARSUM_POTENTIAL | ...; 0: potential, field and
                                energy, or the velocity */
    int exclude_coincident;  /* 1: pairs of coincident sources are skipped;
                                0: they are an error, unless an exclusion
                                with factor 0 names the pair */
    /* What the tuner looks at.  x and q may be NULL: then n_sources unit
     * charges, uniform and random, are assumed.  Always on the host; borrowed
     * by create alone. */
    int64_t n_sources;
    int64_t n_targets;       /* 0: the targets are the sources */
    const void *sample_x;    /* [n_sources][3], type `arrays` */
    const void *sample_q;    /* [n_sources][strengths], type `arrays` */
    /* The exclusions that a plan begins with, as set_exclusions takes them;
     * the tuner's forces are without them.  On the host; borrowed by create
     * alone. */
    int64_t n_exclusions;
    const int64_t *exclusions;       /* [n_exclusions][2] */
    const double *exclusion_factors; /* [n_exclusions]; NULL: all 0 */
} farsum_problem;
#define FARSUM_PROBLEM_INIT {.size = sizeof(farsum_problem)}

/* An order of 0, where 0 itself is "choose for me". */
enum { FARSUM_ORDER_0 = -1 };

typedef enum farsum_excess {
    FARSUM_EXCESS_SAY = 1,  /* the default: one line of log, once a plan */
    FARSUM_EXCESS_FAIL = 2, /* it fails with FARSUM_ERR_TOLERANCE; results are
                               there */
} farsum_excess;

/* No check, where 0 is "choose for me". */
enum { FARSUM_VERIFY_OFF = -1 };

/* How.  Start from FARSUM_OPTIONS_INIT; each zero or NULL is chosen by the
 * plan, each value given is kept, or refused with a reason. */
typedef struct farsum_options {
    size_t size;          /* sizeof(farsum_options), set by the macro */
    const char *method;   /* "direct", "ewald", "spectral", "fmm"; NULL or
                             "auto": the one whose execute should be fastest,
                             of those that have what else is given below */
    const char *device;   /* "host", "cuda:0", "hip:0", "opencl:0" */
    farsum_device *on_device; /* one that is open, which must outlive the plan;
                             device is then NULL */
    const char *isa;      /* "base", "avx2", "avx512": instruction set */
    int threads;          /* OpenMP threads; 0: all, or fewer for fewer than
                             some hundred particles a thread.  Another number
                             may choose another plan, whose results differ by
                             the tolerance; get_options keeps a choice */
    const char *split;    /* "prolate", "gaussian" */
    const char *window;   /* "prolate", "kaiser_bessel", "es", "bspline",
                             "gaussian" */
    double cutoff;        /* rc, length */
    double bandwidth;     /* c = k_max rc of the split, no unit */
    int64_t mesh[3];      /* points along a, b, c; all or none */
    double upsampling;    /* sigma = mesh points over those that c needs */
    int support;          /* P, mesh points, 2..16 */
    double shape;         /* window's shape parameter, no unit (see math.md) */
    const char *near, *spread, *fft, *scale, *interp; /* variants by name */
    int near_cells;   /* cells that a device's near rows divide a cutoff
                             into, along each axis, 1..8 */
    int near_team[2]; /* threads over targets and over sources, of a near
                             row on a device that has teams */
    /* of the method fmm: */
    int order;            /* p of the expansions, 1..40, FARSUM_ORDER_0:
                             none but a box's charge */
    int separation;       /* ws, boxes: farther ones work by expansions */
    int levels;           /* of boxes, 1: root boxes alone */
    int64_t boxes[3];     /* root boxes along the axes; all or none */
    int64_t leaf;         /* points above which a box of a sparse tree is
                             divided */
    const char *tree;     /* "dense", "sparse" */
    const char *p2p, *p2m, *m2m, *m2l, *lattice, *l2l, *l2p; /* variants */
    int strict;           /* 1: of direct and fmm: the plan's choice, order
                             with it, keeps the tolerance by a proof, not by
                             an estimate, at every target.  Slower.  Execute
                             fails (on a device's arrays finish; results are
                             then there) where strengths or norms are not
                             those of the sample and the bound is above the
                             tolerance: FARSUM_ERR_TOLERANCE */
    int deterministic;    /* 1: only variants whose sums repeat bitwise */
    int measure;          /* 1: measures costs on this processor or device,
                             once for each precision and number of threads
                             (about a second, on a device also the compiling
                             of its kernels; then kept), times the fastest
                             variants of spread and interp, and has FFTW
                             measure.  0: costs that are kept or built in */
    double repeats;       /* executes expected for each set of points, for
                             what pays only when it is used again, as lists
                             do (on a device set_points waits for them); 0: 1 */
    double skin;          /* length: lists of near pairs reach this far beyond
                             the cutoff.  set_points keeps them until a point
                             has moved by more than half of it, counts differ
                             or set_cell was called.  Only the last bits of
                             sums depend on it.  Of spectral on a device, where
                             lists cost less or near is gpu_verlet; set_points
                             then waits.  0: new lists at every set_points */
    int queues;           /* of a device: 2: near pairs on one, the mesh on
                             another, at once; 1: all in one, so that the
                             stages' times are of each alone; 0: 2 */
    uint64_t memory_limit; /* bytes the plan may take, in create and in
                             set_points; what needs more is refused with
                             FARSUM_ERR_MEMORY.  0: 80 % of the device's memory
                             or, on the host, of the least of the machine's,
                             the control group's limit and RLIMIT_AS */
    /* Called with one line of text for what would help a user to know (a cell
     * that was reduced, an option that binds); NULL: silence. */
    void (*log)(const char *line, void *data);
    void *log_data;
    /* Says how far create, set_points and execute have come, at most ten times
     * a second, on the calling thread: `done` of `all` parts are done (all = 0:
     * nobody knows how many), `what` is "compiling stage/p2p/gpu_boxes.k",
     * "summing: near" and the like, good until it returns.  A non-zero answer
     * stops the call with FARSUM_ERR_STATE, "stopped": outputs are untouched,
     * and the plan may be used again (after set_points, with points that are
     * set anew).  It must not call functions of the same plan.  With arrays on
     * a device execute asks before it begins only.  Where it is given, execute
     * of several right-hand sides allocates.  NULL: silence. */
    int (*progress)(int64_t done, int64_t all, const char *what, void *data);
    void *progress_data;
    int verify;           /* 1: create checks the plan by a second sum of the
                             sample, at 48 to 1000 targets: Ewald's in a cell,
                             pair by pair in open space.  Where the error is
                             above 0.8 of the tolerance a finer plan takes its
                             place; if none keeps it, create fails with
                             FARSUM_ERR_TOLERANCE.  Without a sample, and for
                             targets apart, the first execute is checked: its
                             results stay, and estimated_error is what was
                             measured; until then positions are kept.  It takes
                             one to five sums' time.  FARSUM_VERIFY_OFF: none.
                             0: where memory allows it, up to 1e7 points, but
                             not of strict and references */
    farsum_excess on_excess; /* what execute does, of arrays on a device finish,
                             if the estimated error is above the tolerance */
} farsum_options;
#define FARSUM_OPTIONS_INIT {.size = sizeof(farsum_options)}

/* Where results go: NULL is not computed.  R right-hand sides, N targets. */
typedef struct farsum_result {
    size_t size;     /* sizeof(farsum_result), set by the macro */
    void *potential; /* [R][N], type `arrays` */
    void *field;     /* [R][N][3], type `arrays` */
    double *energy;  /* [R] */
    double *virial;  /* [R][9], row-major; of a periodic cell by fmm a plan of
                        another method beside sums it, with strict too */
    void *velocity;  /* [R][N][3], type `arrays` */
} farsum_result;
#define FARSUM_RESULT_INIT {.size = sizeof(farsum_result)}

/* One stage of a plan, for reports. */
typedef struct farsum_stage_info {
    const char *stage, *variant; /* borrowed from the plan */
    const char *reason;          /* why this variant; borrowed */
    double seconds;              /* in the last execute; on a device that of
                                    the last right-hand side times their
                                    number, 0 if its queue keeps no times; with
                                    two queues stages run at once, and are
                                    longer than alone */
    int deterministic;
} farsum_stage_info;

#define FARSUM_MAX_STAGES 16
/* The plan's choices and its state.  Lengths in the caller's unit. */
typedef struct farsum_plan_info {
    size_t size;             /* set by FARSUM_PLAN_INFO_INIT */
    const char *kernel, *method, *device, *isa, *split, *window; /* borrowed;
                                NULL where the method has none */
    const char *device_model; /* borrowed; NULL: the host */
    const char *method_reason; /* the seconds of an execute by each method, as
                                estimated, or why one does not fit; borrowed */
    farsum_precision precision;   /* of auto the one that was chosen */
    const char *precision_reason; /* of auto why, else NULL; borrowed */
    int threads;
    int64_t n_sources, n_targets, n_exclusions;
    double tolerance;
    double estimated_error;  /* in the tolerance's norm; after execute with the
                                norm of the actual result.  Of a plan that was
                                checked what was measured then, times what the
                                estimate has changed by since */
    double bound;            /* of strict, else 0: the error's, in that norm: a
                                proof, but for rounding: four deviations */
    double norm;             /* that relative errors are taken of; of ENERGY and
                                PRESSURE POTENTIAL's, of EACH FORCE's */
    double cutoff, bandwidth, upsampling, shape;
    int64_t mesh[3];
    int support, near_coefficients;
    int order, separation, levels; /* of fmm, else 0 */
    int64_t boxes[3], leaves;      /* root boxes; leaves that are there, or
                                      expected */
    const char *tree;        /* "dense", "sparse"; NULL: none */
    double net_strength;     /* of the last execute; not 0: with background */
    uint64_t bytes;          /* the plan's memory now, on host and device */
    uint64_t device_bytes;   /* of it on the device */
    double seconds_create, seconds_set_points, seconds_execute;
    int n_stages;
    farsum_stage_info stages[FARSUM_MAX_STAGES];
    double seconds_stages;   /* from the first's begin to the last's end, as
                                theirs */
    int queues;              /* that a device's stages are in; 0: the host */
    double skin;             /* of the lists that are kept; 0: none are */
    int64_t lists_made, lists_kept; /* calls of set_points that made lists, and
                                that kept those of before */
    double checked_error;    /* of the sample, or of what was summed first, by a
                                second sum; negative: none */
    double seconds_verify;   /* that took, and finer plans, beside the others */
    int64_t checked_targets; /* at which it was measured */
    double estimated_energy_error, estimated_virial_error; /* in the norms
                                ENERGY and PRESSURE; negative: not known */
} farsum_plan_info;
#define FARSUM_PLAN_INFO_INIT {.size = sizeof(farsum_plan_info)}

typedef struct farsum_plan farsum_plan; /* opaque */

/* Checks the problem, tunes, chooses variants, allocates.  options may be
 * NULL.  *plan is the caller's, to be destroyed. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_create(const farsum_problem *problem, const farsum_options *options,
                   farsum_plan **plan);
/* As create, but allocates and runs nothing of size: says the choice, the
 * estimate and the bytes that the plan would need. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_tune(const farsum_problem *problem, const farsum_options *options,
                 farsum_plan **plan);
FARSUM_API void farsum_plan_destroy(farsum_plan *plan); /* NULL is legal */

/* Gives the positions: x [n][3] of sources and y [m][3] of targets; m = 0 and
 * y = NULL: the targets are the sources.  Copied; may be called again, with
 * other counts.  Periodic axes are wrapped: a place in the cell is then as good
 * as the last digit of its coordinate.  Points farther out than 1e6 cells are
 * FARSUM_ERR_POSITION. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_set_points(farsum_plan *plan, int64_t n, const void *x, int64_t m,
                       const void *y);
/* A cell that changed a little (constant pressure): keeps mesh and cutoff while
 * the plan's estimated error stays within its tolerance; FARSUM_ERR_TOLERANCE
 * otherwise, and the plan is as before.  Points must be set again. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_set_cell(farsum_plan *plan, const double cell[9]);
/* Pairs whose interaction stays only by a factor in 0 .. 1, as bonded force
 * fields need: the whole sum, all images, loses (1 - factor) times the kernel
 * at the pair's nearest image, in every output.  Images tie that moving the
 * pair by 1e-5 of the vector between them makes equally near: the pair loses
 * their mean.  pairs [count][2] are sources, both ways and each pair once in
 * either order; if targets are given, a target and a source.  factors [count],
 * NULL: all 0.  On the host, copied; they hold for the points that are set and
 * those set later, until the next call; count = 0: none.  A pair out of range,
 * named twice, or of a particle with itself is FARSUM_ERR_ARGUMENT, here or by
 * set_points once points come; those that were there stay.  A pair at the same
 * place is left out as it is: with factor 0 two sources may lie there, as a
 * Drude particle and its core.  If some do, set points again afterwards. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_set_exclusions(farsum_plan *plan, int64_t count,
                           const int64_t *pairs, const double *factors);
/* Sums rhs sets of strengths q [rhs][n][strengths]: one number a source of
 * laplace, yukawa and r6, a vector of stokeslet (force) and rotlet (torque),
 * two of stresslet (strength q, normal n).  Allocates nothing, but for a check
 * of what is summed first (options.verify). */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_execute(farsum_plan *plan, int rhs, const void *q,
                    farsum_result *result);
/* With arrays on a device, set_points (but for lists: repeats, skin) and
 * execute only ask for work on its queue: they borrow their arrays until it is
 * done, energy and virial are on the device too.  finish waits for it; what was
 * bad about positions or strengths, which only the device has seen, fails here,
 * and info then holds the numbers of the last execute.  Until the first sum is
 * checked (options.verify), which finish does, set_points and execute wait and
 * copy.  On the host there is nothing to wait for. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_finish(farsum_plan *plan);

FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_get_info(const farsum_plan *plan, farsum_plan_info *info);
/* The options that name the plan's choice, and how it sums.  A plan made with
 * them for the same problem (with info's precision) has the same parameters,
 * whatever the threads and the machine; fmm and direct on the host give the
 * same bits.  Texts are static.  The caller sets the rest, which is zero. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_get_options(const farsum_plan *plan, farsum_options *options);
/* One line a choice, with its reason. */
FARSUM_API void farsum_plan_print(const farsum_plan *plan, FILE *out);

/* The variants of a stage ("spread", ...) or, with stage = "method", the
 * methods; index 0, 1, ...; FARSUM_ERR_ARGUMENT past the last. */
typedef struct farsum_variant_info {
    size_t size;
    const char *name, *note, *needs;
    int deterministic;
} farsum_variant_info;
#define FARSUM_VARIANT_INFO_INIT {.size = sizeof(farsum_variant_info)}
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_list_variants(const char *stage, int index, farsum_variant_info *info);
/* The kernels: index 0, 1, ...; FARSUM_ERR_ARGUMENT past the last. */
typedef struct farsum_kernel_info {
    size_t size;
    const char *name, *note;
    int strengths;    /* numbers a source */
    unsigned outputs; /* FARSUM_POTENTIAL | ...: those that it has */
} farsum_kernel_info;
#define FARSUM_KERNEL_INFO_INIT {.size = sizeof(farsum_kernel_info)}
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_list_kernels(int index, farsum_kernel_info *info);
/* The stages' names: index 0, 1, ...; NULL past the last. */
FARSUM_API const char *farsum_list_stages(int index);
/* Names of splits and windows: kind "split" or "window"; NULL past the last. */
FARSUM_API const char *farsum_list_names(const char *kind, int index);

#ifdef __cplusplus
}
#endif
#endif
