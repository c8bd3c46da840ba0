/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.h: spreading and interpolation between particles and a mesh, and the
 * nonuniform Fourier transform (NUFFT) of types 1 and 2.
 *
 *     spread  mesh_m = sum_j q_j W(m - u_j)          sets the mesh
 *     interp  value_j = sum_m mesh_m W(m - u_j)      sets the values
 *             gradient_j = d value_j / d x_j         caller's unit of length
 *
 * W is the product of a window along the three axes.  u_jd = s_jd mesh_d, where
 * s are the fractional coordinates of point j in the cell: mesh point m lies at
 * the fractions m_d / mesh_d.  interp is the transpose of spread.
 *
 *     farsum_mesh_problem problem = FARSUM_MESH_PROBLEM_INIT;
 *     ... cell, periodic, mesh, window and support, or tolerance ...
 *     farsum_mesh_create(&problem, NULL, &mesh);
 *     farsum_mesh_set_points(mesh, n, x);
 *     farsum_mesh_spread(mesh, q, rho);
 *     farsum_mesh_interp(mesh, rho, value, gradient);
 *     farsum_mesh_destroy(mesh);
 *
 * With a device (options.device or on_device) each array may lie in host or
 * device memory.  A call whose arrays are all on the device returns
 * immediately; farsum_mesh_finish waits and returns its errors.
 *
 * Statuses, messages and threads are those of farsum.h (docs/api.md).  If a
 * result is not finite, it is written nevertheless, and the call returns
 * FARSUM_ERR_STRENGTH; for device arrays farsum_mesh_finish does. */
#ifndef FARSUM_MESH_H
#define FARSUM_MESH_H

#include "farsum/farsum.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Operations of a mesh: bits of `uses` below. */
enum {
    FARSUM_MESH_SPREAD = 1,
    FARSUM_MESH_VALUE = 2,
    FARSUM_MESH_GRADIENT = 4,
};

/* What to spread.  Start from FARSUM_MESH_PROBLEM_INIT.  Choose the window by
 * name, support and shape, or by the tolerance.  Texts are read only during
 * create or tune. */
typedef struct farsum_mesh_problem {
    size_t size;        /* sizeof(farsum_mesh_problem), set by the macro */
    double cell[9];     /* cell vectors a, b, c as rows; they must span space */
    int periodic[3];    /* 1: the mesh wraps around along that axis; 0: parts of
                           a window beyond the mesh are dropped, and points must
                           lie in the cell (default: 0) */
    int64_t mesh[3];    /* mesh points along a, b, c, each >= 1 */
    int64_t ldz;        /* stride of mesh rows along c, in mesh points
                           (default: mesh[2]).  The padding may be
                           overwritten */
    farsum_precision precision; /* of sums and arrays, f64 or f32 (default:
                           f64) */
    farsum_memory memory; /* where the arrays are (default: host) */
    /* Where the arrays of one kind are (default: `memory`). */
    farsum_memory x_memory;     /* positions */
    farsum_memory q_memory;     /* strengths */
    farsum_memory grid_memory;  /* the mesh */
    farsum_memory value_memory; /* values and gradients */
    int is_complex;     /* 1: strengths, mesh, values and gradients are complex,
                           real and imaginary parts adjacent (default: 0) */
    int channels;       /* components times right-hand sides, 1 .. 2^20; window
                           weights are computed once for all (default: 1) */
    int64_t n_points;   /* expected points; other counts are possible (default:
                           the number of mesh points) */
    double repeats;     /* expected spreads or interps per set_points (default:
                           1) */
    double crowding;    /* expected clustering factor: density around a point
                           over the mean density (default: 1, uniform).  The
                           first set_points measures it */
    unsigned uses;      /* FARSUM_MESH_SPREAD | ... (default: all three) */
    double tolerance;   /* relative error of a transform, which sets the width
                           of window "prolate" at `upsampling` (default: 1e-5).
                           Without a window only */
    double upsampling;  /* mesh points over modes that matter, > 1 (default:
                           2) */
    const char *window; /* "prolate", "kaiser_bessel", "es", "bspline" or
                           "gaussian" (default: from `tolerance`) */
    int support;        /* P, window width in mesh points, 2 .. 16; required
                           with a window */
    double shape;       /* window's shape parameter, docs/math.md section 4
                           (default: the usual one for `upsampling`) */
} farsum_mesh_problem;
#define FARSUM_MESH_PROBLEM_INIT {.size = sizeof(farsum_mesh_problem)}

/* How to spread.  The mesh chooses each field that is 0 or NULL.  It keeps each
 * other value or refuses it with a reason. */
typedef struct farsum_mesh_options {
    size_t size;        /* sizeof(farsum_mesh_options), set by the macro */
    const char *device; /* "host", "cuda:0", "hip:0", "opencl:0" (default:
                           "host") */
    farsum_device *on_device; /* open device; it must outlive the mesh.  device
                           is then NULL */
    const char *isa;    /* instruction set: "base", "avx2", "avx512" */
    int threads;        /* OpenMP threads, 1 .. 4096 (default: all, or fewer for
                           few points) */
    const char *spread, *interp; /* variants by name */
    int deterministic;  /* 1: only variants that repeat bitwise (default: 0) */
    int measure;        /* 1: time the fastest variants by estimate, once for
                           such a number of points and clustering factor, and
                           keep the times on disk; 0: use kept times or
                           estimates (default: 0) */
    void (*log)(const char *line, void *data); /* called with one line per
                           choice, valid during the call (default: no log) */
    void *log_data;     /* passed to log; the caller owns it */
    /* NUFFT only: */
    const char *fft;    /* variant by name */
    double upsampling;  /* mesh points over modes, 1.2 .. 8 (default: the one
                           predicted to be fastest) */
} farsum_mesh_options;
#define FARSUM_MESH_OPTIONS_INIT {.size = sizeof(farsum_mesh_options)}

#define FARSUM_MESH_STAGES 3
/* The choices and state of a mesh or NUFFT, which owns the texts. */
typedef struct farsum_mesh_info {
    size_t size;          /* set by FARSUM_MESH_INFO_INIT */
    const char *device, *isa, *window;
    const char *device_model; /* NULL: the host */
    farsum_precision precision;
    int threads, channels, support;
    int64_t mesh[3], n_points; /* current points, or the expected number */
    double shape;
    double integral;      /* the window's integral: 1 for "bspline"; other
                             windows have the value 1 at 0 */
    double fit_error;     /* largest error of the window's polynomials, over its
                             maximum */
    double tolerance, upsampling; /* 0: the problem names the window */
    uint64_t bytes;       /* current memory, on host and device */
    uint64_t device_bytes; /* the device's part of bytes */
    double seconds_create, seconds_set_points;
    int n_stages;
    farsum_stage_info stages[FARSUM_MESH_STAGES];
    double estimated_error; /* of a transform, relative, for n_points random
                             points within a few periods, with rounding; 0: the
                             problem names the window */
} farsum_mesh_info;
#define FARSUM_MESH_INFO_INIT {.size = sizeof(farsum_mesh_info)}

typedef struct farsum_mesh farsum_mesh; /* opaque */

/* Creates a mesh: validates the problem, selects the variants and allocates
 * memory.  options: NULL or how to spread.  mesh: out; the caller owns *mesh
 * and frees it with farsum_mesh_destroy().  Errors: ERR_ARGUMENT, ERR_CELL,
 * ERR_MEMORY, ERR_UNKNOWN, ERR_UNSUPPORTED, ERR_TOLERANCE, ERR_DEVICE. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mesh_create(const farsum_mesh_problem *problem,
                   const farsum_mesh_options *options, farsum_mesh **mesh);
/* Creates a mesh for get_info and print only: it makes the choices of create,
 * without memory and kernels.  set_points fails with ERR_STATE. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mesh_tune(const farsum_mesh_problem *problem,
                 const farsum_mesh_options *options, farsum_mesh **mesh);
/* Frees a mesh.  NULL is legal. */
FARSUM_API void farsum_mesh_destroy(farsum_mesh *mesh);
/* Sets the positions.  x: [n][3], in the problem's precision; copied; not read
 * if n = 0.  Periodic axes are wrapped.  Errors: ERR_ARGUMENT, ERR_POSITION,
 * ERR_MEMORY, ERR_STATE.  The caller must not change device positions until the
 * device has read them; finish then returns their errors.  The first call and
 * calls with another n may block to measure clustering, unless the options
 * name the variants. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mesh_set_points(farsum_mesh *mesh, int64_t n, const void *x);
/* Spreads strengths over the mesh.  q: [channel][n], in.  grid:
 * [channel][mesh0][mesh1][ldz], out: set, not added to.  Errors: ERR_ARGUMENT,
 * ERR_STRENGTH, ERR_STATE (no points, or not in `uses`).  Allocates nothing. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mesh_spread(farsum_mesh *mesh, const void *q, void *grid);
/* Interpolates the mesh at the points.  grid: as for spread, in.  value:
 * [channel][n] and gradient: [channel][n][3], out: set, not added to; either
 * may be NULL.  Errors as for spread.  Allocates nothing. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mesh_interp(farsum_mesh *mesh, const void *grid, void *value,
                   void *gradient);
/* Waits for the device.  Calls whose arrays are all on the device only enqueue
 * work and borrow the arrays until finish returns.  Errors: ERR_POSITION for
 * invalid positions, which must be set again; ERR_STRENGTH for results that are
 * not finite; ERR_DEVICE.  Afterwards info holds the stages' times.  Results in
 * host memory are complete when their call returns. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mesh_finish(farsum_mesh *mesh);
/* Returns the window's Fourier transform at theta radians per mesh spacing,
 * |theta| <= 3 pi.  Divide mode 2 pi k / mesh_d of a spread mesh by it. */
FARSUM_API double farsum_mesh_hat(const farsum_mesh *mesh, double theta);
/* Gets choices and state.  info: start from FARSUM_MESH_INFO_INIT. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mesh_get_info(const farsum_mesh *mesh, farsum_mesh_info *info);
/* Prints one line per choice, with its reason. */
FARSUM_API void farsum_mesh_print(const farsum_mesh *mesh, FILE *out);

/* The NUFFT in three dimensions, with points x of period 2 pi along each axis:
 *
 *     type 1   f_k = sum_j c_j e^(i sign k.x_j)
 *     type 2   c_j = sum_k f_k e^(i sign k.x_j)
 *
 * with N_d modes along axis d, -N_d/2 <= k_d < N_d/2 (-2..1 for 4, -2..2 for
 * 5), in ascending order, k_2 fastest: f [channel][N_0][N_1][N_2].  The
 * tolerance limits the error relative to the result, in the 2-norm over modes
 * or points.  A tolerance that the precision cannot reach is refused. */
typedef struct farsum_nufft_problem {
    size_t size;       /* set by FARSUM_NUFFT_PROBLEM_INIT */
    int type;          /* 1 or 2 */
    int sign;          /* sign of i: 1 or -1 */
    int64_t modes[3];  /* N, each >= 1 */
    double tolerance;  /* relative error, > 0 (default: 1e-5) */
    farsum_precision precision; /* of all arrays, f64 or f32 (default: f64) */
    farsum_memory memory;       /* where the arrays are (default: host) */
    farsum_memory x_memory, c_memory, f_memory; /* where one array is (default:
                          `memory`) */
    int channels;      /* vectors per call, 1 .. 2^20 (default: 1) */
    int64_t n_points;  /* expected points (default: the number of modes) */
} farsum_nufft_problem;
#define FARSUM_NUFFT_PROBLEM_INIT {.size = sizeof(farsum_nufft_problem)}

typedef struct farsum_nufft farsum_nufft; /* opaque */

/* Creates a NUFFT.  options: NULL or how.  nufft: out; the caller owns *nufft
 * and frees it with farsum_nufft_destroy().  Errors as for
 * farsum_mesh_create(). */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_nufft_create(const farsum_nufft_problem *problem,
                    const farsum_mesh_options *options, farsum_nufft **nufft);
/* Frees a NUFFT.  NULL is legal. */
FARSUM_API void farsum_nufft_destroy(farsum_nufft *nufft);
/* Sets the points.  x: [n][3], any finite numbers, wrapped; copied.  Errors,
 * device arrays and blocking as for farsum_mesh_set_points(). */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_nufft_set_points(farsum_nufft *nufft, int64_t n, const void *x);
/* Transforms.  c: [channel][n] and f: [channel][N_0][N_1][N_2], complex.  Type
 * 1 reads c and sets f; type 2 reads f and sets c.  Errors: ERR_ARGUMENT,
 * ERR_STRENGTH, ERR_STATE (no points).  Allocates nothing. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_nufft_execute(farsum_nufft *nufft, void *c, void *f);
/* Waits for the device, as farsum_mesh_finish() does. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_nufft_finish(farsum_nufft *nufft);
/* Gets choices and state of the transform's mesh.  The stages' seconds are
 * those of the last execute, on a device those of its last batch of vectors
 * times the number of batches. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_nufft_get_info(const farsum_nufft *nufft, farsum_mesh_info *info);
/* Prints one line per choice, with its reason. */
FARSUM_API void farsum_nufft_print(const farsum_nufft *nufft, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
