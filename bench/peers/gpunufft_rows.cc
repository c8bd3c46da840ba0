/* SPDX-License-Identifier: Apache-2.0 */
/* gpunufft_rows.cc: gpuNUFFT's adjoint (type 1) and forward (type 2) transforms
 * on one GPU, with times and measured errors; lines as those of
 * cufinufft_rows.py.
 *
 *     gpunufft_rows MODES N DIST WIDTH     (f32; WIDTH: of its kernel, 3 to 8)
 *
 * Build it from the sources on PyPI (gpuNUFFT 0.10.8, folder CUDA):
 *
 *     nvcc -O2 -std=c++17 -arch=sm_90 -w -Iinc -I$CUDA/include/cccl \
 *         src/gpu/atomic/atomic_gpuNUFFT.cu src/gpu/precomp_kernels.cu \
 *         src/gpuNUFFT_*.cpp src/balanced_gpuNUFFT_operator.cpp \
 *         gpunufft_rows.cc -lcufft -lcublas -o gpunufft_rows
 *
 * Its scale, sign and order of axes are found by comparison with direct sums.
 * set_pts copies points and strengths, mostly in host code; the arrays of a
 * transform are on the device.  gpuNUFFT does not check every CUDA error: a
 * remaining error is printed, and its sums show the effect. */
#include "gpuNUFFT_operator_factory.hpp"

#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

using complex = std::complex<double>;
using clock_type = std::chrono::steady_clock;

enum { REPEATS = 5, SAMPLES = 10, FEW = 4 };

/* Prints an error that CUDA still holds, once. */
static void left(const char *where)
{
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess)
        fprintf(stderr, "# %s: %s\n", where, cudaGetErrorString(e));
}

static double since(clock_type::time_point at)
{
    cudaDeviceSynchronize();
    return 1e3 * std::chrono::duration<double>(clock_type::now() - at).count();
}

/* [3][n] in [-0.5, 0.5), with the distributions of mesh_rows. */
static std::vector<float> positions(long n, const char *dist)
{
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::normal_distribution<double> normal;
    std::vector<float> x(3 * n);
    for (long i = 0; i < n; i++) {
        double p[3], r2 = 0;
        for (int d = 0; d < 3; d++)
            p[d] = uniform(random);
        if (strcmp(dist, "clustered") == 0 && i % 2 == 0) {
            for (int d = 0; d < 3; d++) {
                p[d] = normal(random);
                r2 += p[d] * p[d];
            }
            double s = 0.1 * cbrt(uniform(random)) / sqrt(r2);
            for (int d = 0; d < 3; d++)
                p[d] = 0.5 + s * p[d];
        }
        for (int d = 0; d < 3; d++)
            x[d * n + i] = (float)(p[d] - 0.5);
    }
    return x;
}

static complex wave(const float *x, long n, long i, const int *k, int flip,
                    int sign)
{
    double phase = 0;
    for (int d = 0; d < 3; d++)
        phase += k[flip ? 2 - d : d] * (double)x[d * n + i];
    return std::polar(1.0, sign * 2 * M_PI * phase);
}

/* Relative difference from exact after the best scale. */
static double off(const std::vector<complex> &got,
                  const std::vector<complex> &exact)
{
    complex dot = 0;
    double norm = 0, sum = 0, all = 0;
    for (size_t i = 0; i < got.size(); i++) {
        dot += std::conj(got[i]) * exact[i];
        norm += std::norm(got[i]);
    }
    complex scale = norm > 0 ? dot / norm : 0;
    for (size_t i = 0; i < got.size(); i++) {
        sum += std::norm(scale * got[i] - exact[i]);
        all += std::norm(exact[i]);
    }
    return sqrt(sum / all);
}

/* The smallest error over signs and orders of axes, of sums over n or K^3
 * terms. */
static double error(int type, long n, int K, const std::vector<float> &x,
                    const std::vector<float2> &in,
                    const std::vector<float2> &out)
{
    std::mt19937_64 random(5);
    double least = 1e9;
    std::vector<long> at(n > 2000000 ? FEW : SAMPLES);
    for (auto &a : at)
        a = (long)(random()
                   % (unsigned long)(type == 1 ? (long)out.size() : n));
    for (int way = 0; way < 4; way++) {
        std::vector<complex> got, exact;
        for (long a : at) {
            complex sum = 0;
            long terms = type == 1 ? n : (long)in.size();
            for (long t = 0; t < terms; t++) {
                long mode = type == 1 ? a : t, point = type == 1 ? t : a;
                int k[3] = {(int)(mode / K / K) - K / 2,
                            (int)(mode / K % K) - K / 2,
                            (int)(mode % K) - K / 2};
                sum += complex(in[t].x, in[t].y)
                       * wave(x.data(), n, point, k, way & 1, way & 2 ? 1 : -1);
            }
            exact.push_back(sum);
            got.push_back(complex(out[a].x, out[a].y));
        }
        least = std::fmin(least, off(got, exact));
    }
    return least;
}

static std::vector<float2> strengths(long n)
{
    std::mt19937_64 random(7);
    std::uniform_real_distribution<float> uniform(-0.5f, 0.5f);
    std::vector<float2> c(n);
    for (auto &v : c)
        v = {uniform(random), uniform(random)};
    return c;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: gpunufft_rows MODES N DIST WIDTH\n");
        return 2;
    }
    int K = atoi(argv[1]), width = atoi(argv[4]);
    long n = (long)atof(argv[2]), all = (long)K * K * K;
    std::vector<float> x = positions(n, argv[3]);
    gpuNUFFT::Array<float> trajectory, none;
    trajectory.data = x.data();
    trajectory.dim.length = n;
    gpuNUFFT::Dimensions dims(K, K, K);
    gpuNUFFT::GpuNUFFTOperatorFactory factory;
    gpuNUFFT::Array<DType2> no_maps;
    gpuNUFFT::GpuNUFFTOperator *op = factory.createGpuNUFFTOperator(
        trajectory, none, no_maps, width, 8, 2.0f, dims);
    auto at = clock_type::now();
    factory.set_pts(op, trajectory, none);
    double set = since(at);
    left("set-up");
    gpuNUFFT::GpuArray<DType2> points;
    gpuNUFFT::GpuArray<CufftType> image;
    points.dim.length = n;
    image.dim = dims;
    cudaMalloc((void **)&points.data, n * sizeof(float2));
    cudaMalloc((void **)&image.data, all * sizeof(float2));
    int status = 0;
    for (int type = 1; type <= 2; type++) {
        std::vector<float2> in = strengths(type == 1 ? n : all);
        std::vector<float2> out(type == 1 ? all : n);
        void *from = type == 1 ? points.data : image.data;
        void *to = type == 1 ? image.data : points.data;
        double least = 1e9;
        cudaMemcpy(from, in.data(), in.size() * sizeof(float2),
                   cudaMemcpyHostToDevice);
        for (int k = 0; k < REPEATS; k++) {
            cudaDeviceSynchronize();
            at = clock_type::now();
            if (type == 1)
                op->performGpuNUFFTAdj(points, image);
            else
                op->performForwardGpuNUFFT(image, points);
            least = std::fmin(least, since(at));
        }
        cudaMemcpy(out.data(), to, out.size() * sizeof(float2),
                   cudaMemcpyDeviceToHost);
        left(type == 1 ? "type 1" : "type 2");
        double e = error(type, n, K, x, in, out);
        if (!(e < 0.1)) {
            fprintf(stderr, "# type %d: an error of %.3g\n", type, e);
            status = 1;
            continue;
        }
        printf("gpunufft,0.10.8,type %d,sectors,f32,0,%d,%d,%ld,%s,%.5g,%.5g,"
               "%.3g,1\n",
               type, width, K, n, argv[3], set, least, e);
        fflush(stdout);
    }
    return status;
}
