/* SPDX-License-Identifier: Apache-2.0 */
/* rng.h: random number generator of all random particles, which gives the same
 * particles for a seed on every machine: xoshiro256** (Blackman and Vigna
 * 2018), seeded through splitmix64. */
#ifndef FARSUM_TOOLS_RNG_H
#define FARSUM_TOOLS_RNG_H

#include <math.h>
#include <stdint.h>

struct rng {
    uint64_t s[4];
};

static inline uint64_t rng_splitmix(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline struct rng rng_seed(uint64_t seed)
{
    struct rng r;
    for (int k = 0; k < 4; k++)
        r.s[k] = rng_splitmix(&seed);
    return r;
}

static inline uint64_t rng_rotl(uint64_t v, int k)
{
    return (v << k) | (v >> (64 - k));
}

static inline uint64_t rng_next(struct rng *r)
{
    uint64_t *s = r->s;
    uint64_t out = rng_rotl(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rng_rotl(s[3], 45);
    return out;
}

/* In [0, 1), a multiple of 2^-53. */
static inline double rng_uniform(struct rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53;
}

/* In 0 .. n-1; 0 < n < 2^53.  The bias is below n 2^-53. */
static inline int64_t rng_below(struct rng *r, int64_t n)
{
    return (int64_t)(rng_uniform(r) * (double)n);
}

/* Standard normal, by Marsaglia's polar method. */
static inline double rng_normal(struct rng *r)
{
    double u, v, s;
    do {
        u = 2 * rng_uniform(r) - 1;
        v = 2 * rng_uniform(r) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return u * sqrt(-2 * log(s) / s);
}

/* A random point in the unit ball, or on its surface. */
static inline void rng_ball(struct rng *r, double p[3])
{
    double s;
    do {
        s = 0;
        for (int d = 0; d < 3; d++) {
            p[d] = 2 * rng_uniform(r) - 1;
            s += p[d] * p[d];
        }
    } while (s > 1 || s == 0);
}

static inline void rng_direction(struct rng *r, double p[3])
{
    rng_ball(r, p);
    double s = 1 / sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    for (int d = 0; d < 3; d++)
        p[d] *= s;
}
#endif
