/* SPDX-License-Identifier: Apache-2.0 */
/* fftw_library.h: FFTW's functions, linked, or opened at run time by a build
 * with FARSUM_FFTW=DLOPEN, which must not contain or require FFTW. */
#ifndef FARSUM_STAGE_FFT_FFTW_LIBRARY_H
#define FARSUM_STAGE_FFT_FFTW_LIBRARY_H

#include <fftw3.h>

#include "base/status.h"

/* FFTW exports the functions that set the hooks, but in no header.  Libraries
 * that replace FFTW lack them, and FFTW before 3.3.9 lacks the number of
 * threads. */
typedef void fftw_hook(void);
#define WEAK __attribute__((weak))
void WEAK fftw_set_planner_hooks(fftw_hook *before, fftw_hook *after);
void WEAK fftwf_set_planner_hooks(fftw_hook *before, fftw_hook *after);
int WEAK fftw_planner_nthreads(void);
int WEAK fftwf_planner_nthreads(void);

#ifdef FARSUM_FFTW_DLOPEN
/* Opens the libraries once; opened() is then called.  Errors: ERR_UNSUPPORTED
 * if FFTW 3.3.9 or later is not found. */
farsum_status fftw_library_open(void (*opened)(void));

#define FFTW_LIBRARY_NAMES(X, fftw)                                            \
    X(fftw##_init_threads)                                                     \
    X(fftw##_plan_with_nthreads)                                               \
    X(fftw##_planner_nthreads)                                                 \
    X(fftw##_set_planner_hooks)                                                \
    X(fftw##_export_wisdom_to_string)                                          \
    X(fftw##_import_wisdom_from_string)                                        \
    X(fftw##_forget_wisdom)                                                    \
    X(fftw##_plan_many_dft)                                                    \
    X(fftw##_plan_many_dft_r2c)                                                \
    X(fftw##_plan_many_dft_c2r)                                                \
    X(fftw##_execute_dft)                                                      \
    X(fftw##_execute_dft_r2c)                                                  \
    X(fftw##_execute_dft_c2r)                                                  \
    X(fftw##_destroy_plan)
#define FFTW_LIBRARY_FIELD(name) __typeof__(name) *name;
struct fftw_library {
    struct {
        FFTW_LIBRARY_NAMES(FFTW_LIBRARY_FIELD, fftw)
    } f64;
    struct {
        FFTW_LIBRARY_NAMES(FFTW_LIBRARY_FIELD, fftwf)
    } f32;
};
extern struct fftw_library fftw_library;

#ifndef FFTW_LIBRARY_KEEPS_NAMES
#define fftw_init_threads fftw_library.f64.fftw_init_threads
#define fftw_plan_with_nthreads fftw_library.f64.fftw_plan_with_nthreads
#define fftw_planner_nthreads fftw_library.f64.fftw_planner_nthreads
#define fftw_set_planner_hooks fftw_library.f64.fftw_set_planner_hooks
#define fftw_export_wisdom_to_string                                           \
    fftw_library.f64.fftw_export_wisdom_to_string
#define fftw_import_wisdom_from_string                                         \
    fftw_library.f64.fftw_import_wisdom_from_string
#define fftw_forget_wisdom fftw_library.f64.fftw_forget_wisdom
#define fftw_plan_many_dft fftw_library.f64.fftw_plan_many_dft
#define fftw_plan_many_dft_r2c fftw_library.f64.fftw_plan_many_dft_r2c
#define fftw_plan_many_dft_c2r fftw_library.f64.fftw_plan_many_dft_c2r
#define fftw_execute_dft fftw_library.f64.fftw_execute_dft
#define fftw_execute_dft_r2c fftw_library.f64.fftw_execute_dft_r2c
#define fftw_execute_dft_c2r fftw_library.f64.fftw_execute_dft_c2r
#define fftw_destroy_plan fftw_library.f64.fftw_destroy_plan
#define fftwf_init_threads fftw_library.f32.fftwf_init_threads
#define fftwf_plan_with_nthreads fftw_library.f32.fftwf_plan_with_nthreads
#define fftwf_planner_nthreads fftw_library.f32.fftwf_planner_nthreads
#define fftwf_set_planner_hooks fftw_library.f32.fftwf_set_planner_hooks
#define fftwf_export_wisdom_to_string                                          \
    fftw_library.f32.fftwf_export_wisdom_to_string
#define fftwf_import_wisdom_from_string                                        \
    fftw_library.f32.fftwf_import_wisdom_from_string
#define fftwf_forget_wisdom fftw_library.f32.fftwf_forget_wisdom
#define fftwf_plan_many_dft fftw_library.f32.fftwf_plan_many_dft
#define fftwf_plan_many_dft_r2c fftw_library.f32.fftwf_plan_many_dft_r2c
#define fftwf_plan_many_dft_c2r fftw_library.f32.fftwf_plan_many_dft_c2r
#define fftwf_execute_dft fftw_library.f32.fftwf_execute_dft
#define fftwf_execute_dft_r2c fftw_library.f32.fftwf_execute_dft_r2c
#define fftwf_execute_dft_c2r fftw_library.f32.fftwf_execute_dft_c2r
#define fftwf_destroy_plan fftw_library.f32.fftwf_destroy_plan
#endif
#else
static inline farsum_status fftw_library_open(void (*opened)(void))
{
    (void)opened;
    return FARSUM_OK;
}
#endif
#endif
