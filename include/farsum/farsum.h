/* SPDX-License-Identifier: Apache-2.0 */
/* farsum.h: sums of long-range interactions of many particles.
 *
 * A problem states what to sum.  Options state how; a zero field is chosen by
 * the library.  A plan holds all choices and the memory that they need:
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
 * Kernels, with d = x_i - x_j and r = |d|; C is the problem's `coulomb`:
 *     laplace    phi_i = C sum_j q_j / r
 *     yukawa     phi_i = C sum_j q_j e^(-kappa r) / r
 *     r6         phi_i = C sum_j q_j / r^6
 *     charge_dipole  phi_i = C sum_j q_j / r + (p_j.d) / r^3
 *     yukawa_dipole  phi_i = C sum_j (q_j - p_j.grad) e^(-kappa r) / r
 *     charge_quadrupole  phi_i = C sum_j (q_j - p_j.grad + Q_j:grad grad/2) / r
 *     stokeslet  u_i = C sum_j f_j / r + (f_j.d) d / r^3
 *     rotlet     u_i = C sum_j t_j x d / r^3
 *     stresslet  u_i = -6 C sum_j (q_j.d) (n_j.d) d / r^5
 *
 *     field E = -grad phi, gradient G = grad grad phi, force q E - G p -
 *     Q:grad G/2, torque p x E - eps:QG, energy U = (1/2) sum (q phi - p.E +
 *     Q:G/2), virial W_ab = -dU/d(strain_ab), x_a += strain_ab x_b; row-major
 *
 * Periodic sums follow Ewald's conventions.  Charges: conducting surroundings
 * (default: tinfoil), and a uniform background neutralises a net charge.
 * Screened and r6: the plain sum.  stokeslet: no mean flow, and a mean pressure
 * gradient balances a net force.  stresslet: the mean flow for which a closed
 * surface's flow vanishes outside.  One or two axes: no background; far off
 * -2 pi C Q |z|/A or -2 C Q ln(rho/L)/L; docs/boundaries.md, math.md 7.7.
 *
 * Every function returns a status.  farsum_message() describes the calling
 * thread's last error.  Host outputs keep their values on failure.  Threads may
 * use different plans simultaneously, and one plan one after another.  More:
 * docs/api.md. */
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
#define FARSUM_VERSION_MINOR 2
#define FARSUM_VERSION_PATCH 0

/* Status codes: X(name, text).  docs/api.md, 4, has a table of causes. */
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
    X(ERR_INTERNAL, "an invariant of the library is broken")                   \
    X(ERR_COMM, "another rank failed or cannot be reached")

typedef enum farsum_status {
#define FARSUM_STATUS_ENUM(name, text) FARSUM_##name,
    FARSUM_STATUS_LIST(FARSUM_STATUS_ENUM)
#undef FARSUM_STATUS_ENUM
    FARSUM_STATUS_COUNT
} farsum_status;

/* Returns a status' static text. */
FARSUM_API const char *farsum_status_text(farsum_status status);
/* Returns the thread's last message or "".  It is valid until the next call. */
FARSUM_API const char *farsum_message(void);
/* Returns "MAJOR.MINOR.PATCH" of the running library, a static text. */
FARSUM_API const char *farsum_version(void);

/* In each enum below, 0 selects the default or leaves the choice to a plan. */
typedef enum farsum_precision {
    FARSUM_F64 = 1,   /* double.  A variant may still sum in f32 the near pairs
                         whose rounding is negligible at the tolerance */
    FARSUM_F32 = 2,   /* float */
    FARSUM_MIXED = 3, /* spectral: pairs within the cutoff in f32, everything
                         else, accumulation included, in f64.  Others: f64 */
    FARSUM_AUTO = 4,  /* problem.precision only: the fastest of the three whose
                         estimated error meets the tolerance */
} farsum_precision;

/* Norms of the tolerance; docs/accuracy.md, "Norms", has the formulas. */
typedef enum farsum_error_kind {
    FARSUM_ERROR_FORCE = 1,     /* RMS force error over max(RMS|F|, f).  f: C
                                   q_rms^2 (N/V)^(2/3); for yukawa and r6
                                   their force at the distance (V/N)^(1/3) */
    FARSUM_ERROR_POTENTIAL = 2, /* RMS potential error over RMS potential */
    FARSUM_ERROR_ABSOLUTE = 3,  /* RMS error of forces (at separate targets of
                                   q_rms E) or velocities, caller's unit */
    FARSUM_ERROR_VELOCITY = 4,  /* flows: RMS velocity error over max(RMS|u|,
                                   C s_rms (N/V)^k).  k: stokeslet 1/3, others
                                   2/3; in a cell only.  s: |strength|, of
                                   stresslet |q| |n| */
    FARSUM_ERROR_ENERGY = 5,    /* |dU| over half the sum of |q_i phi_i| */
    FARSUM_ERROR_PRESSURE = 6,  /* |d tr W| over the same; r6: over 6 times
                                   it */
    FARSUM_ERROR_EACH = 7,      /* 99th percentile over targets of |dF_i|
                                   (flows: |du_i|) over max(|F_i|, a tenth of
                                   the norm of FORCE) */
} farsum_error_kind;

typedef enum farsum_surface {
    FARSUM_TINFOIL = 1, /* conducting surroundings */
    FARSUM_VACUUM = 2,  /* adds the dipole term 2 pi C |M|^2 / (3 V) */
} farsum_surface;

/* Near: pairs within the cutoff; far: the rest.  docs/api.md, 13. */
typedef enum farsum_part {
    FARSUM_WHOLE = 1,
    FARSUM_NEAR = 2,
    FARSUM_FAR = 3,
} farsum_part;
/* Where the caller's arrays are. */
typedef enum farsum_memory {
    FARSUM_HOST = 1,
    FARSUM_DEVICE = 2, /* the plan's device: CUDA or HIP pointers, or OpenCL's
                          cl_mem cast to void * */
} farsum_memory;
/* A device that the caller has opened: farsum/device.h. */
typedef struct farsum_device farsum_device;

/* Outputs: bits of `outputs` below. */
enum {
    FARSUM_POTENTIAL = 1,
    FARSUM_FIELD = 2,
    FARSUM_ENERGY = 4,
    FARSUM_VIRIAL = 8,
    FARSUM_VELOCITY = 16, /* stokeslet, rotlet, stresslet: their only output */
    FARSUM_GRADIENT = 32, /* *_dipole, charge_quadrupole */
    FARSUM_PARTICLE_VIRIAL = 64, /* selects potential and field, too */
    FARSUM_THIRD = 128,          /* charge_quadrupole */
};

/* What to sum.  Start from FARSUM_PROBLEM_INIT.  Arrays and texts are in host
 * memory and read only during create or tune. */
typedef struct farsum_problem {
    size_t size;             /* sizeof(farsum_problem), set by the macro */
    const char *kernel;      /* name of a kernel above (default: laplace) */
    double kappa;            /* inverse screening length, > 0.  yukawa* only */
    double cell[9];          /* rows a, b, c, periodic axes only; a left-handed
                                cell is summed with c reversed, its lattice */
    int periodic[3];         /* 1: periodic along a, b, c (default: 0) */
    farsum_surface surface;  /* boundary condition at infinity (default:
                                tinfoil).  Three periodic axes only */
    double coulomb;          /* C (default: 1).  1/(8 pi viscosity): velocities
                                of a fluid.  Below 0: strengths are masses and
                                attract; -G makes the field the acceleration */
    double softening;        /* of 1/r, a length (default: 0).  Open space: r
                                becomes sqrt(r^2 + eps^2).  With periodic axes:
                                radius of balls of charge, exactly 1/r beyond */
    farsum_precision precision; /* of the sums (default: f64) */
    farsum_precision arrays; /* of the caller's arrays, f64 or f32 (default: as
                                precision; f64 for mixed and auto) */
    farsum_memory memory;    /* where positions, strengths and results are
                                (default: host) */
    double tolerance;        /* largest error, > 0 (default: 1e-5) */
    farsum_error_kind error; /* norm of the tolerance (default: force; flows:
                                velocity) */
    unsigned outputs;        /* FARSUM_POTENTIAL | ... (default: potential,
                                field and energy; flows: velocity) */
    int exclude_coincident;  /* 1: skip pairs of coincident sources; 0: an error
                                unless excluded with factor 0 (default: 0) */
    int64_t n_sources;       /* expected sources, >= 1 */
    int64_t n_targets;       /* expected targets; 0: the sources (default) */
    /* A representative configuration for the tuner, both or neither (default:
     * n_sources unit charges at uniformly random positions). */
    const void *sample_x;    /* [n_sources][3], type `arrays` */
    const void *sample_q;    /* [n_sources][strengths], type `arrays` */
    /* The plan's first exclusions, as for farsum_plan_set_exclusions.  The
     * tuner's forces are those without them. */
    int64_t n_exclusions;            /* (default: 0) */
    const int64_t *exclusions;       /* [n_exclusions][2] */
    const double *exclusion_factors; /* [n_exclusions] (default: all 0) */
    farsum_part part; /* other than whole: spectral in a periodic cell; errors
                         are the whole's (default: whole) */
} farsum_problem;
#define FARSUM_PROBLEM_INIT {.size = sizeof(farsum_problem)}

/* Order 0 and no check, since 0 leaves fmm.order and verify to the plan. */
enum { FARSUM_ORDER_0 = -1, FARSUM_VERIFY_OFF = -1 };

/* What happens when the estimated error exceeds the tolerance. */
typedef enum farsum_excess {
    FARSUM_EXCESS_SAY = 1,  /* the plan writes one line to log, once */
    FARSUM_EXCESS_FAIL = 2, /* the call fails with FARSUM_ERR_TOLERANCE after it
                               has written the results */
} farsum_excess;

/* Groups of farsum_options; `reserved` must be 0. */
typedef struct farsum_spectral_options {
    const char *split;    /* "prolate", "gaussian" */
    const char *window;   /* "prolate", "kaiser_bessel", "es", "bspline",
                             "gaussian" */
    double bandwidth;     /* c = k_max rc of the split, no unit */
    int64_t mesh[3];      /* points along a, b, c; all three or none */
    double upsampling;    /* sigma >= 1, mesh points over those that c needs */
    double shape;         /* window's shape parameter, no unit (math.md) */
    const char *near, *spread, *fft, *scale, *interp; /* variants by name */
    double skin;          /* Verlet skin, a length >= 0 (default: 0).  Lists are
                             reused until a point has moved by more than half of
                             it: docs/api.md, 8.  Devices use it if lists cost
                             less, or if near is gpu_verlet */
    int support;          /* P, window width in mesh points, 2 .. 16 */
    int near_cells;       /* devices: cells per cutoff on each axis, 1 .. 8 */
    int near_team[2];     /* devices, near variants with teams: threads over
                             targets and over sources */
    int reserved[8];
} farsum_spectral_options;

typedef struct farsum_fmm_options {
    int order;            /* expansion order p, 1 .. 40, or FARSUM_ORDER_0:
                             monopoles only */
    int separation;       /* ws, in boxes: farther boxes use expansions */
    int64_t boxes[3];     /* root boxes along the axes; all three or none */
    int64_t leaf;         /* sparse tree: a box with more points is divided */
    const char *tree;     /* "dense", "sparse" */
    const char *p2p, *p2m, *m2m, *m2l, *lattice, *l2l, *l2p; /* variants */
    int levels;           /* levels of boxes; 1: root boxes only */
    int reserved[7];
} farsum_fmm_options;

typedef struct farsum_device_options {
    const char *name;     /* "host" (default), "cuda:0", "hip:0", "opencl:0" */
    farsum_device *handle; /* instead of a name: an open device, which must
                             outlive the plan */
    int queues;           /* 2: near pairs run concurrently with mesh or boxes;
                             1: stages run one by one, each timed on its own
                             (default: 2; fmm above 3e5 sources: 1) */
    int reserved[7];
} farsum_device_options;

/* How to sum.  Start from FARSUM_OPTIONS_INIT.  The plan chooses each field
 * that is 0 or NULL.  It keeps each other value or refuses it with a reason.
 * Texts are read only during create or tune. */
typedef struct farsum_options {
    size_t size;          /* sizeof(farsum_options), set by the macro */
    const char *method;   /* "spectral", "fmm", "direct" or "ewald" (default:
                             "auto", the one predicted to be fastest among those
                             that accept all other options) */
    farsum_device_options device;
    farsum_spectral_options spectral;
    farsum_fmm_options fmm;
    double cutoff;        /* rc, a length.  spectral, ewald */
    const char *isa;      /* instruction set: "base", "avx2", "avx512" */
    int threads;          /* OpenMP threads, 1 .. 4096 (default: all, or fewer
                             below some hundred particles per thread).  Their
                             number may change the choice: docs/api.md, 7 */
    int strict;           /* 1: a proved bound instead of an estimate keeps the
                             tolerance at every target (default: 0).  Slower.
                             execute (device arrays: finish) may fail with
                             FARSUM_ERR_TOLERANCE: docs/api.md, 9.  direct and
                             fmm only */
    int deterministic;    /* 1: only variants that repeat bitwise: docs/api.md,
                             7 (default: 0) */
    int measure;          /* 1: choose by costs measured on this machine, once
                             per precision and thread count, about a second;
                             time the fastest spread and interp variants; let
                             FFTW measure.  0: by stored or built-in costs */
    double repeats;       /* expected executes per set_points (default: 1).
                             Values above 1 favour variants with costly set-up,
                             such as neighbour lists.  On devices set_points
                             then blocks while it builds lists */
    uint64_t memory_limit; /* bytes that the plan may hold, or ERR_MEMORY
                             (default: 80 % of the device's; host: 80 % of the
                             smallest of machine, control group, RLIMIT_AS) */
    /* Called with a line of text, valid during the call, about each fact that
     * may concern a user, such as a reduced cell (default: no log). */
    void (*log)(const char *line, void *data);
    void *log_data;       /* passed to log; the caller owns it */
    /* Called at most ten times a second by create, set_points and execute, on
     * the thread that called them: `done` of `all` parts are done (all = 0:
     * unknown) of `what`, a text valid during the call.  Non-zero stops them
     * with FARSUM_ERR_STATE; outputs keep their values.  The function must not
     * use the same plan: docs/api.md, 1 (default: no report). */
    int (*progress)(int64_t done, int64_t all, const char *what, void *data);
    void *progress_data;  /* passed to progress; the caller owns it */
    int verify;           /* 1: compare create's sample with a second sum, or
                             the first execute if there is no sample or targets
                             are separate; 0: the same, but no check for more
                             than 1e7 points, a strict plan or a reference, or
                             if memory is short; FARSUM_VERIFY_OFF: no check.
                             docs/api.md, 9 */
    farsum_excess on_excess; /* what execute (device arrays: finish) does if the
                             estimate exceeds the tolerance (default: SAY) */
} farsum_options;
#define FARSUM_OPTIONS_INIT {.size = sizeof(farsum_options)}

/* The caller's arrays; NULL: not computed.  R right-hand sides, N targets. */
typedef struct farsum_result {
    size_t size;     /* sizeof(farsum_result), set by the macro */
    void *potential; /* [R][N], type `arrays` */
    void *field;     /* [R][N][3], type `arrays` */
    double *energy;  /* [R] */
    double *virial;  /* [R][9]; fmm in a cell or slab: by another plan */
    void *velocity;  /* [R][N][3], type `arrays` */
    void *gradient;  /* [R][N][6], type `arrays`: xx xy xz yy yz zz */
    void *particle_virial; /* [R][N][9], type `arrays`: docs/api.md, 14 */
    void *third; /* [R][N][10], `arrays`: xxx xxy xxz xyy xyz xzz yyy .. */
} farsum_result;
#define FARSUM_RESULT_INIT {.size = sizeof(farsum_result)}

/* One stage of a plan.  The plan owns the texts. */
typedef struct farsum_stage_info {
    const char *stage, *variant;
    const char *reason;          /* why this variant */
    double seconds;              /* in the last execute.  Devices: the last
                                    right-hand side's time times their number,
                                    0 if the queue keeps no times; two queues
                                    overlap, so stages take longer than alone */
    int deterministic;           /* 1: repeats bitwise */
} farsum_stage_info;

#define FARSUM_MAX_STAGES 16
/* A plan's choices and state, in the caller's unit; it owns the texts. */
typedef struct farsum_plan_info {
    size_t size;              /* set by FARSUM_PLAN_INFO_INIT */
    const char *kernel, *method, *device, *isa, *split, *window; /* NULL: the
                                 method has none */
    const char *device_model; /* NULL: the host */
    const char *method_reason; /* estimated seconds of an execute by each
                                 method, or why a method is not supported */
    farsum_precision precision;   /* that auto chose, or the problem's */
    const char *precision_reason; /* why; NULL unless auto */
    int threads;
    int64_t n_sources, n_targets, n_exclusions;
    double tolerance;
    double estimated_error;   /* in the tolerance's norm; after execute for the
                                 actual result.  Of a checked plan: the measured
                                 error times the estimate's change since */
    double bound;             /* strict plans: error bound in that norm, proved
                                 except for rounding, which counts as four
                                 standard deviations; other plans: 0 */
    double norm;              /* divisor of relative errors.  ENERGY, PRESSURE:
                                 POTENTIAL's; EACH: FORCE's */
    double cutoff, bandwidth, upsampling, shape;
    int64_t mesh[3];
    int support, near_coefficients;
    int order, separation, levels; /* fmm; else 0 */
    int64_t boxes[3], leaves; /* root boxes; current or expected leaves */
    const char *tree;         /* "dense", "sparse"; NULL: none */
    double net_strength;      /* in the last execute; not 0: with background */
    uint64_t bytes;           /* current memory, on host and device */
    uint64_t device_bytes;    /* the device's part of bytes */
    double seconds_create, seconds_set_points, seconds_execute;
    int n_stages;
    farsum_stage_info stages[FARSUM_MAX_STAGES];
    double seconds_stages;    /* from the first stage's start to the last's end,
                                 measured as theirs */
    int queues;               /* queues in use on a device; 0: the host */
    double skin;              /* skin of the current lists; 0: not reused */
    int64_t lists_made, lists_kept; /* set_points calls that built neighbour
                                 lists, and that reused them */
    double checked_error;     /* error of the sample, or of the first execute,
                                 by the second sum; negative: not checked */
    double seconds_verify;    /* time of the check and of finer plans, not in
                                 the other times */
    int64_t checked_targets;  /* targets of the check */
    double estimated_energy_error, estimated_virial_error; /* in the norms
                                 ENERGY and PRESSURE; negative: unknown */
} farsum_plan_info;
#define FARSUM_PLAN_INFO_INIT {.size = sizeof(farsum_plan_info)}
typedef struct farsum_plan farsum_plan; /* opaque */

/* Creates a plan: validates the problem, tunes the parameters, selects the
 * variants, allocates memory and checks the plan (options.verify).  options:
 * NULL or how to sum.  plan: out; the caller owns *plan and frees it with
 * farsum_plan_destroy().  On failure *plan is NULL or unchanged.  Errors: any
 * status; docs/api.md, 4.  Blocks. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_create(const farsum_problem *problem, const farsum_options *options,
                   farsum_plan **plan);
/* Creates a plan for get_info, get_options and print only: it makes the choices
 * of create, without large allocations and checks.  Arguments and errors as for
 * create; other calls on the plan fail with ERR_STATE. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_tune(const farsum_problem *problem, const farsum_options *options,
                 farsum_plan **plan);
/* Frees a plan and all that it owns.  NULL is legal. */
FARSUM_API void farsum_plan_destroy(farsum_plan *plan);

/* Sets the positions.  x: [n][3] sources, n >= 1.  y: [m][3] targets; m = 0 and
 * y = NULL: the targets are the sources.  Type `arrays`, in `memory`; host
 * arrays are copied, device arrays must not change until the device has read
 * them.  Counts may differ from earlier calls.  Periodic axes are wrapped; a
 * position is then as accurate as its coordinate's last digit.  Errors:
 * ERR_ARGUMENT, ERR_POSITION (not finite, or beyond 1e6 cells), ERR_COINCIDENT,
 * ERR_MEMORY, ERR_STATE (targets without n_targets); the plan then has no
 * points.  Device arrays: does not block, except to build lists and before the
 * first sum is checked. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_set_points(farsum_plan *plan, int64_t n, const void *x, int64_t m,
                       const void *y);
/* Replaces the cell after a small change, as in constant-pressure dynamics,
 * keeping mesh and cutoff.  cell: rows a, b, c; copied.  Errors: ERR_CELL,
 * ERR_STATE (open space), ERR_TOLERANCE if the estimated error would exceed the
 * tolerance; the plan is then unchanged.  After success, set points again. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_set_cell(farsum_plan *plan, const double cell[9]);
/* Excludes or scales pairs, as bonded force fields require: subtracts (1 -
 * factor) times the kernel at the pair's nearest image from every output; if
 * images tie (half a cell apart), its mean over them.  pairs: [count][2] source
 * indices, each pair once in either order; separate targets: (target, source).
 * factors: [count] in 0 .. 1, NULL: all 0.  Host memory, copied; they hold
 * until the next call; count = 0: none.  Errors: ERR_ARGUMENT for an index out
 * of range, a pair given twice or a particle with itself, here or in
 * set_points; the old pairs then stay.  Coincident pairs: docs/api.md, 11. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_set_exclusions(farsum_plan *plan, int64_t count,
                           const int64_t *pairs, const double *factors);
/* Sums rhs >= 1 sets of strengths.  q: [rhs][n][strengths], type `arrays`, in
 * `memory`: one number for laplace, yukawa and r6; charge, dipole vector for
 * *_dipole; charge, dipole vector, Q as xx xy xz yy yz zz for charge_quadrupole
 * (Q = sum q x x of a cluster); force (stokeslet); torque (rotlet); strength
 * and normal for stresslet.  result: what to write.  Errors: ERR_STATE (no
 * points), ERR_ARGUMENT (not an output of the problem), ERR_UNSUPPORTED (energy
 * at separate targets), ERR_STRENGTH (out of range; device arrays: by finish),
 * ERR_TOLERANCE.  Allocates only to check the first sum, or if rhs > 1 and
 * progress is set.  With device arrays, waits only to check that sum. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_execute(farsum_plan *plan, int rhs, const void *q,
                    farsum_result *result);
/* Waits for the device.  With device arrays, set_points and execute only
 * enqueue work, and borrow the arrays until finish returns.  Finish returns the
 * errors that the device found in positions and strengths; info then holds the
 * last execute; over ranks it is collective.  With host arrays it returns
 * immediately.  See docs/api.md, 6; energy and virial are on the device too. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_finish(farsum_plan *plan);

/* Gets the plan's choices and state.  info: start from FARSUM_PLAN_INFO_INIT;
 * the plan owns its texts.  Errors: ERR_ARGUMENT. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_get_info(const farsum_plan *plan, farsum_plan_info *info);
/* Gets options that repeat the plan's choice: with them and info's precision,
 * the same problem gets the same parameters on any machine and with any number
 * of threads; fmm and direct on the host repeat their bits.  Texts are static.
 * Fields that the caller must set (device.name, threads, log, ...) are 0. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_get_options(const farsum_plan *plan, farsum_options *options);
/* Prints one line per choice, with its reason. */
FARSUM_API void farsum_plan_print(const farsum_plan *plan, FILE *out);

/* A variant or a method; all texts are static. */
typedef struct farsum_variant_info {
    size_t size;
    const char *name, *note, *needs;
    int deterministic;
} farsum_variant_info;
#define FARSUM_VARIANT_INFO_INIT {.size = sizeof(farsum_variant_info)}
/* Gets variant `index` = 0, 1, ... of a stage ("spread", ...), or a method with
 * stage = "method".  Errors: ERR_UNKNOWN, ERR_ARGUMENT past the last. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_list_variants(const char *stage, int index, farsum_variant_info *info);
/* A kernel; all texts are static. */
typedef struct farsum_kernel_info {
    size_t size;
    const char *name, *note;
    int strengths;    /* numbers per source */
    unsigned outputs; /* possible ones: FARSUM_POTENTIAL | ... */
} farsum_kernel_info;
#define FARSUM_KERNEL_INFO_INIT {.size = sizeof(farsum_kernel_info)}
/* Gets kernel `index` = 0, 1, ...; ERR_ARGUMENT past the last. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_list_kernels(int index, farsum_kernel_info *info);
/* Returns the name of stage `index` = 0, 1, ...; NULL past the last. */
FARSUM_API const char *farsum_list_stages(int index);
/* Returns split or window (kind) number `index`; NULL past the last. */
FARSUM_API const char *farsum_list_names(const char *kind, int index);
#ifdef __cplusplus
}
#endif
#endif
