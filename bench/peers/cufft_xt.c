/* SPDX-License-Identifier: Apache-2.0 */
/* cufft_xt.c: cuFFT's own plans of several GPUs (cufftXtSetGPUs), on the meshes
 * of bench/ranks_transform_gpu.c.
 *
 *     cc -O2 -I/usr/local/cuda/include bench/peers/cufft_xt.c \
 *        -L/usr/local/cuda/lib64 -lcufft -lcudart -o cufft_xt
 *     ./cufft_xt 2 f64 256 360 512 >transform_xt.csv
 *
 * One process.  Minimum milliseconds of a real transform N^3, in place, forward
 * and backward; the spectrum keeps cuFFT's own order.  1 GPU: a plain plan. */
#include <cuda_runtime.h>
#include <cufftXt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 12, TIMES = 4 };

static void need(int failed, const char *what)
{
    if (!failed)
        return;
    fprintf(stderr, "cufft_xt: %s fails: %d\n", what, failed);
    exit(1);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_all(int gpus)
{
    for (int g = 0; g < gpus; g++) {
        cudaSetDevice(g);
        need(cudaDeviceSynchronize(), "synchronise");
    }
    cudaSetDevice(0);
}

static cufftHandle make(int gpus, int n, cufftType type)
{
    int which[16];
    size_t work[16];
    cufftHandle plan;
    for (int g = 0; g < 16; g++)
        which[g] = g;
    need(cufftCreate(&plan), "cufftCreate");
    if (gpus > 1)
        need(cufftXtSetGPUs(plan, gpus, which), "cufftXtSetGPUs");
    need(cufftMakePlan3d(plan, n, n, n, type, work), "cufftMakePlan3d");
    return plan;
}

static void run(cufftHandle plan, cudaLibXtDesc *mesh, void *data, int backward,
                int f32)
{
    if (mesh)
        need(cufftXtExecDescriptor(plan, mesh, mesh,
                                   backward ? CUFFT_INVERSE : CUFFT_FORWARD),
             "cufftXtExecDescriptor");
    else if (f32)
        need(backward ? cufftExecC2R(plan, data, data)
                      : cufftExecR2C(plan, data, data),
             "cufftExec");
    else
        need(backward ? cufftExecZ2D(plan, data, data)
                      : cufftExecD2Z(plan, data, data),
             "cufftExec");
}

static void measure(int gpus, int n, int f32)
{
    cufftHandle plan[2] = {make(gpus, n, f32 ? CUFFT_R2C : CUFFT_D2Z),
                           make(gpus, n, f32 ? CUFFT_C2R : CUFFT_Z2D)};
    size_t bytes =
        (size_t)n * (size_t)n * 2 * ((size_t)n / 2 + 1) * (f32 ? 4 : 8);
    cudaLibXtDesc *mesh = NULL;
    void *data = NULL, *zeros = calloc(1, bytes);
    double best[2] = {1e9, 1e9};
    need(!zeros, "calloc");
    if (gpus > 1) {
        need(cufftXtMalloc(plan[0], &mesh, CUFFT_XT_FORMAT_INPLACE),
             "cufftXtMalloc");
        need(cufftXtMemcpy(plan[0], mesh, zeros, CUFFT_COPY_HOST_TO_DEVICE),
             "cufftXtMemcpy");
    } else {
        need(cudaMalloc(&data, bytes), "cudaMalloc");
        need(cudaMemset(data, 0, bytes), "cudaMemset");
    }
    /* forward and backward alternate: each leaves the order that the other one
     * expects */
    for (int k = 0; k < RUNS * TIMES; k++)
        for (int backward = 0; backward < 2; backward++) {
            wait_all(gpus);
            double start = seconds();
            run(plan[backward], mesh, data, backward, f32);
            wait_all(gpus);
            double found = seconds() - start;
            if (found < best[backward])
                best[backward] = found;
        }
    printf("%d,%s,%d,%s,%.4f,%.4f\n", gpus, f32 ? "f32" : "f64", n,
           gpus > 1 ? "cufft_xt" : "cufft", 1e3 * best[0], 1e3 * best[1]);
    fflush(stdout);
    if (mesh)
        cufftXtFree(mesh);
    cudaFree(data);
    cufftDestroy(plan[0]);
    cufftDestroy(plan[1]);
    free(zeros);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "cufft_xt: GPUs, f32 or f64, sizes\n");
        return 2;
    }
    printf("gpus,precision,mesh,code,forward_ms,backward_ms\n");
    for (int k = 3; k < argc; k++)
        measure(atoi(argv[1]), atoi(argv[k]), strcmp(argv[2], "f32") == 0);
    return 0;
}
