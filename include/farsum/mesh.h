/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.h: particles to a mesh and back, as a library of its own, and on top of
 * it the nonuniform Fourier transform (NUFFT) of types 1 and 2.
 *
 *     spread  mesh_m = sum_j q_j W(m - u_j)          sets the mesh
 *     interp  value_j = sum_m mesh_m W(m - u_j)      sets the values
 *             gradient_j = d value_j / d x_j         caller's unit of length
 *
 * W is the product of a window along the three axes, u_jd = s_jd mesh_d with s
 * the fractional coordinates of point j in the cell: mesh point m lies at the
 * fractions m_d / mesh_d.  interp is the transpose of spread.
 *
 *     farsum_mesh_problem problem = FARSUM_MESH_PROBLEM_INIT;
 *     ... cell, periodic, mesh, window and support, or tolerance ...
 *     farsum_mesh_create(&problem, NULL, &mesh);
 *     farsum_mesh_set_points(mesh, n, x);
 *     farsum_mesh_spread(mesh, q, rho);
 *     farsum_mesh_interp(mesh, rho, value, gradient);
 *     farsum_mesh_destroy(mesh);
 *
 * On a device (options.device or on_device) each array may be the host's or the
 * device's; with the device's nothing waits, and farsum_mesh_finish says when
 * it is done and what was bad.
 *
 * Statuses, messages and threads as in farsum.h.  Results on the host that are
 * not finite are FARSUM_ERR_STRENGTH, and are written; those on a device are
 * not looked at: a strength that is not finite spoils what it touches. */
#ifndef FARSUM_MESH_H
#define FARSUM_MESH_H

#include "farsum/farsum.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a mesh is made for: bits of `uses` below. */
enum {
    FARSUM_MESH_SPREAD = 1,
    FARSUM_MESH_VALUE = 2,
    FARSUM_MESH_GRADIENT = 4,
};

/* What to spread.  Start from FARSUM_MESH_PROBLEM_INIT.  The window is given
 * by name, support and shape, or chosen by the tolerance. */
typedef struct farsum_mesh_problem {
    size_t size;        /* sizeof(farsum_mesh_problem), set by the macro */
    double cell[9];     /* rows a, b, c: any three that span space */
    int periodic[3];    /* 1: the mesh wraps around along that axis; 0: what
                           falls off the mesh is dropped, and points lie in the
                           cell */
    int64_t mesh[3];    /* points along a, b, c, each at least 1 */
    int64_t ldz;        /* mesh points from one row along c to the next; 0:
                           mesh[2].  What lies between may be overwritten */
    farsum_precision precision; /* of sums and arrays; 0: f64 */
    farsum_memory memory; /* where the arrays are; 0: on the host */
    /* where those of a kind are; 0: as `memory` */
    farsum_memory x_memory;     /* positions */
    farsum_memory q_memory;     /* strengths */
    farsum_memory grid_memory;  /* the mesh */
    farsum_memory value_memory; /* values and gradients */
    int is_complex;     /* 1: strengths, mesh, values and gradients are complex,
                           real and imaginary part side by side */
    int channels;       /* components times right-hand sides: all share the
                           points, whose weights are computed once; 0: 1 */
    int64_t n_points;   /* expected; more and fewer are possible; 0: as many as
                           the mesh has points */
    double repeats;     /* spreads or interps expected for each set of points;
                           0: 1 */
    double crowding;    /* the density that a point finds around it over the
                           mean one; 0: 1, uniform.  The first set of points
                           shows the real one */
    unsigned uses;      /* FARSUM_MESH_SPREAD | ...; 0: all three */
    double tolerance;   /* the window "prolate", as wide as a transform of this
                           relative error needs at `upsampling`; 0 without a
                           window: 1e-5 */
    double upsampling;  /* mesh points over modes that matter; 0: 2 */
    const char *window; /* "prolate", "kaiser_bessel", "es", "bspline",
                           "gaussian"; farsum_list_names("window", i) */
    int support;        /* P, mesh points along an axis, 2..16; wanted with a
                           window */
    double shape;       /* its shape parameter (docs/math.md section 4); 0: the
                           usual one for `upsampling` */
} farsum_mesh_problem;
#define FARSUM_MESH_PROBLEM_INIT {.size = sizeof(farsum_mesh_problem)}

/* How.  Zero or NULL is chosen; what is given is kept, or refused with a
 * reason. */
typedef struct farsum_mesh_options {
    size_t size;        /* sizeof(farsum_mesh_options), set by the macro */
    const char *device; /* "host", "cuda:0", "hip:0", "opencl:0" */
    farsum_device *on_device; /* one that is open, which must outlive the mesh;
                           device is then NULL */
    const char *isa;    /* "base", "avx2", "avx512" */
    int threads;        /* OpenMP threads; 0: all, or fewer for few points */
    const char *spread, *interp; /* variants by name */
    int deterministic;  /* 1: only variants whose sums repeat bitwise */
    int measure;        /* 1: the fastest variants by estimate are timed once
                           for points of such number and crowding, and the
                           times kept on disk; 0: by kept times, or estimates */
    void (*log)(const char *line, void *data); /* one line for each choice;
                                                  NULL: silence */
    void *log_data;
    /* of a NUFFT alone */
    const char *fft;    /* variant by name */
    double upsampling;  /* mesh points over modes, 1.2 or more; 0: the one that
                           should cost least */
} farsum_mesh_options;
#define FARSUM_MESH_OPTIONS_INIT {.size = sizeof(farsum_mesh_options)}

#define FARSUM_MESH_STAGES 3
typedef struct farsum_mesh_info {
    size_t size;          /* set by FARSUM_MESH_INFO_INIT */
    const char *device, *isa, *window; /* borrowed */
    const char *device_model; /* borrowed; NULL: the host */
    farsum_precision precision;
    int threads, channels, support;
    int64_t mesh[3], n_points; /* the points that are set, or expected */
    double shape;
    double integral;      /* of the window: 1 for "bspline"; the others have
                             the value 1 at 0 */
    double fit_error;     /* what its polynomials are off by, over its
                             maximum */
    double tolerance, upsampling; /* 0: the window was given */
    uint64_t bytes;       /* memory held now, on host and device */
    uint64_t device_bytes; /* of it on the device */
    double seconds_create, seconds_set_points;
    int n_stages;
    farsum_stage_info stages[FARSUM_MESH_STAGES]; /* borrowed names */
} farsum_mesh_info;
#define FARSUM_MESH_INFO_INIT {.size = sizeof(farsum_mesh_info)}

typedef struct farsum_mesh farsum_mesh; /* opaque */

/* Checks, chooses, allocates.  options may be NULL.  *mesh is the caller's. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mesh_create(const farsum_mesh_problem *problem,
                   const farsum_mesh_options *options, farsum_mesh **mesh);
/* The same without memory and kernels: for get_info and print alone, to see
 * what would be chosen and why; points are refused. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mesh_tune(const farsum_mesh_problem *problem,
                 const farsum_mesh_options *options, farsum_mesh **mesh);
FARSUM_API void farsum_mesh_destroy(farsum_mesh *mesh); /* NULL is legal */
/* Positions x [n][3], of the problem's precision.  Copied; n may be 0, then x
 * is not read.  Periodic axes are wrapped.  Positions on a device are borrowed
 * until it has read them, and what is bad about them is said by finish; the
 * first set, and one of another number, may wait to see how crowded they are,
 * unless the variants are named. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mesh_set_points(farsum_mesh *mesh, int64_t n, const void *x);
/* q [channel][n] to grid [channel][mesh0][mesh1][ldz], which is set, not added
 * to.  Allocates nothing. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mesh_spread(farsum_mesh *mesh, const void *q, void *grid);
/* grid to value [channel][n] and gradient [channel][n][3]; either may be NULL.
 * Both are set, not added to.  Allocates nothing. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mesh_interp(farsum_mesh *mesh, const void *grid, void *value,
                   void *gradient);
/* Calls whose arrays are all on the device only ask for work on its queue, and
 * borrow the arrays until it is done.  finish waits; positions that were bad
 * fail here, in words, and must then be set again; info holds the stages'
 * times.  What is on the host is there when its call returns. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mesh_finish(farsum_mesh *mesh);
/* The window's Fourier transform at theta radians a mesh spacing, |theta| <=
 * 3 pi: what a mode 2 pi k / mesh_d of a spread mesh is divided by. */
FARSUM_API double farsum_mesh_hat(const farsum_mesh *mesh, double theta);
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_mesh_get_info(const farsum_mesh *mesh, farsum_mesh_info *info);
FARSUM_API void farsum_mesh_print(const farsum_mesh *mesh, FILE *out);

/* The NUFFT in three dimensions, with points x of period 2 pi along each axis:
 *
 *     type 1   f_k = sum_j c_j e^(i sign k.x_j)
 *     type 2   c_j = sum_k f_k e^(i sign k.x_j)
 *
 * k_d = -N_d/2 .. (N_d - 1)/2, rounded down (-2..1 for 4, -2..2 for 5), in
 * this order, k_2 fastest: f [channel][N_0][N_1][N_2].  The error is relative
 * to the result, in the 2-norm over modes or points; a tolerance that the
 * precision cannot hold is refused. */
typedef struct farsum_nufft_problem {
    size_t size;       /* set by FARSUM_NUFFT_PROBLEM_INIT */
    int type;          /* 1 or 2 */
    int sign;          /* of i: +1 or -1 */
    int64_t modes[3];  /* N, each at least 1 */
    double tolerance;  /* 0: 1e-5 */
    farsum_precision precision; /* of all arrays; 0: f64 */
    farsum_memory memory;       /* where they are; 0: on the host */
    farsum_memory x_memory, c_memory, f_memory; /* of one; 0: as `memory` */
    int channels;      /* vectors; 0: 1 */
    int64_t n_points;  /* expected; 0: as many as modes */
} farsum_nufft_problem;
#define FARSUM_NUFFT_PROBLEM_INIT {.size = sizeof(farsum_nufft_problem)}

typedef struct farsum_nufft farsum_nufft; /* opaque */

FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_nufft_create(const farsum_nufft_problem *problem,
                    const farsum_mesh_options *options, farsum_nufft **nufft);
FARSUM_API void farsum_nufft_destroy(farsum_nufft *nufft); /* NULL is legal */
/* x [n][3]; copied; any real numbers, wrapped. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_nufft_set_points(farsum_nufft *nufft, int64_t n, const void *x);
/* c [channel][n] and f [channel][N_0][N_1][N_2], complex: type 1 reads c and
 * sets f, type 2 reads f and sets c.  Allocates nothing. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_nufft_execute(farsum_nufft *nufft, void *c, void *f);
/* As farsum_mesh_finish. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_nufft_finish(farsum_nufft *nufft);
/* Of its mesh; the stages' seconds are of the last execute, on a device of its
 * last batch of vectors times the number of batches. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_nufft_get_info(const farsum_nufft *nufft, farsum_mesh_info *info);
FARSUM_API void farsum_nufft_print(const farsum_nufft *nufft, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
