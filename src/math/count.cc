/* SPDX-License-Identifier: Apache-2.0 */
/* count.cc: a number type that counts the operations on it. */
#include "math/count.h"

#include <cstring>

namespace {

/* A product that has not been needed by itself yet. */
struct product {
    struct count *count; /* NULL: known at compile time */
};

struct number {
    struct count *count;
    number() : count(nullptr) {}
    number(int) : count(nullptr) {}
    number(double) : count(nullptr) {}
    explicit number(struct count *c) : count(c) {}
    number(product p) : count(p.count) { add(COUNT_MUL); }
    void add(int kind) const
    {
        if (count)
            count_calls(count, kind, 1);
    }
};

/* The result of an operation; it costs nothing if both operands are known. */
number made(const struct number &a, const struct number &b, int kind)
{
    number n(a.count ? a.count : b.count);
    n.add(kind);
    return n;
}
/* A product before it is evaluated. */
number raw(product p)
{
    return number(p.count);
}

product operator*(number a, number b)
{
    return {a.count ? a.count : b.count};
}
number operator/(number a, number b)
{
    return made(a, b, b.count ? COUNT_DIV : COUNT_MUL);
}
number operator+(number a, number b)
{
    return made(a, b, COUNT_ADD);
}
number operator+(product a, number b)
{
    return a.count ? made(raw(a), b, COUNT_FMA) : made(raw(a), b, COUNT_ADD);
}
number operator+(number a, product b)
{
    return b + a;
}
number operator+(product a, product b)
{
    return a + number(b);
}
number operator-(number a)
{
    return a;
}
/* A change of sign costs nothing. */
template <class A, class B> auto operator-(A a, B b) -> decltype(a + b)
{
    return a + b;
}
template <class B> number &operator+=(number &a, B b)
{
    return a = a + b;
}
template <class B> number &operator-=(number &a, B b)
{
    return a = a + b;
}
number &operator*=(number &a, number b)
{
    return a = a * b;
}
/* No two points coincide. */
bool operator>(number, number)
{
    return true;
}

number called(number x, int kind)
{
    x.add(kind);
    return x;
}

/* Polynomial k of a pair. */
number polynomial(const int *terms, int k, number v)
{
    for (int i = 1; i < terms[k]; i++)
        v.add(COUNT_FMA);
    return v;
}

#define FN [[maybe_unused]] static inline
#define PAIR_REAL number
#define PAIR_TABLE const int *
#define PAIR_POLY(t, k, v) polynomial(t, k, v)
#include "math/pair.kh"
#include "math/pair_moments.kh"

#define FAR_REAL number
#include "math/pair_far.kh"

#define real number
#define R(x) number(x)
#define EXP(x) called(x, COUNT_EXP)
#define ERFC(x) called(x, COUNT_ERFC)
#include "math/pair_erfc.kh"

struct row {
    const char *name;
    void (*value)(const int *, const number *, number, number, number,
                  const number *, number *);
    number (*slope)(const int *, number, number, number);
    void (*mode)(const number *, number, number *);
};
const row rows[] = {
#define SCALAR(name, polys, note)                                              \
    {#name, pair_##name, pair_##name##_slope, far_##name},
#define FLOW(name, strengths, channels, polys, note)                           \
    {#name, pair_##name, nullptr, far_##name},
#include "math/pair.def"
#undef SCALAR
#undef FLOW
};

struct closed_row {
    const char *name;
    void (*value)(number, const number *, number, number, const number *,
                  number *);
    number (*slope)(number, number, number);
};
const closed_row closed_rows[] = {
    {"laplace", erfc_laplace, erfc_laplace_slope},
    {"stokeslet", erfc_stokeslet, nullptr},
    {"rotlet", erfc_rotlet, nullptr},
    {"stresslet", erfc_stresslet, nullptr},
};

enum { STRENGTHS = 6, VALUES = 3, CHANNELS = 6 };

/* The inputs of a pair, all of which are counted. */
struct pair_numbers {
    number d[3], q[STRENGTHS], value[VALUES], y, u, v;
    explicit pair_numbers(struct count *c) : y(c), u(c), v(c)
    {
        for (number &x : d)
            x = number(c);
        for (number &x : q)
            x = number(c);
        for (number &x : value)
            x = number(c);
    }
};

void add(struct count *to, const struct count &one, double times)
{
    for (int k = 0; k < COUNT_KINDS; k++)
        to->calls[k] += times * one.calls[k];
}

template <class Row, int N> const Row *find(const Row (&table)[N],
                                            const char *name)
{
    for (const Row &r : table)
        if (std::strcmp(r.name, name) == 0)
            return &r;
    return nullptr;
}

/* Potential and field; gradient: and the gradient.  No terms: the other side of
 * a pair, whose radial functions are known. */
void moments(const int *terms, int screened, int gradient, pair_numbers &p)
{
    number f[4], sums[6];
    for (number &x : sums)
        x = p.y;
    for (number &x : f)
        x = p.y;
    if (terms[0] && screened) {
        number e = p.v * number(1); /* kappa r, r = r^2 y */
        moments_screened(number(1), EXP(number(e * p.y)), p.y, f);
    } else if (terms[0])
        moments_bare(p.y, f);
    for (int k = 0; terms[0] && k < 3 + gradient; k++)
        f[k] = f[k] - polynomial(terms, k, p.v);
    moments_field(f, p.d, p.q, p.value, sums);
    if (gradient)
        moments_gradient(f, p.d, p.q, sums);
}

} // namespace

const char *const count_names[COUNT_KINDS] = {"fma",   "add", "mul", "div",
                                              "rsqrt", "exp", "erfc"};

int count_pair(const char *kernel, int value, int slope, const int *terms,
               double times, struct count *count)
{
    const row *r = find(rows, kernel);
    struct count one = {};
    pair_numbers p(&one);
    int screened = std::strcmp(kernel, "yukawa_dipole") == 0;
    int has_moments = screened || std::strcmp(kernel, "charge_dipole") == 0;
    if (!r && !has_moments)
        return 0;
    if (has_moments)
        moments(terms, screened, slope, p);
    else if (value)
        r->value(terms, p.d, p.y, p.u, p.v, p.q, p.value);
    if (r && slope && r->slope)
        r->slope(terms, p.y, p.u, p.v);
    add(count, one, times);
    return 1;
}

int count_closed(const char *kernel, int value, int slope, double times,
                 struct count *count)
{
    const closed_row *r = find(closed_rows, kernel);
    struct count one = {};
    pair_numbers p(&one);
    if (!r)
        return 0;
    if (value)
        r->value(number(1), p.d, p.y, p.v, p.q, p.value);
    if (slope && r->slope)
        r->slope(number(1), p.y, p.v);
    for (int kind = COUNT_EXP; kind <= COUNT_ERFC; kind++)
        if (one.calls[kind] > 1)
            one.calls[kind] = 1;
    add(count, one, times);
    return 1;
}

int count_mode(const char *kernel, double times, struct count *count)
{
    const row *r = find(rows, kernel);
    struct count one = {};
    number k[3], z[2 * CHANNELS];
    if (!r)
        return 0;
    for (number &x : k)
        x = number(&one);
    for (number &x : z)
        x = number(&one);
    r->mode(k, number(&one), z);
    add(count, one, times);
    return 1;
}
