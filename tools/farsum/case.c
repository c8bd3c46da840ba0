/* SPDX-License-Identifier: Apache-2.0 */
/* case.c: reading and writing the case notation; cells by name. */
#include "case.h"
#include "strengths.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct case_name cells[] = {
    {"cubic", "a = b = c, right angles"},
    {"AxBxC", "edges A : B : C, right angles, as in 1x1x10"},
    {"triclinic", "rows (1,0,0), (0.2,1.1,0), (-0.3,0.25,0.9), times L"},
    {"tilted", "rows (1,0,0), (0.9,1,0), (0.8,-0.7,1), times L"},
    {"rhombic", "rhombic dodecahedron: rows (1,0,0), (0,1,0), "
                "(1/2,1/2,sqrt(1/2)), times L"},
    {"open", "as cubic, but not periodic"},
};

static const double cell_rows[][9] = {
    {1, 0, 0, 0, 1, 0, 0, 0, 1},
    {1, 0, 0, 0, 1, 0, 0, 0, 1},
    {1, 0, 0, 0.2, 1.1, 0, -0.3, 0.25, 0.9},
    {1, 0, 0, 0.9, 1, 0, 0.8, -0.7, 1},
    {1, 0, 0, 0, 1, 0, 0.5, 0.5, 0.70710678118654752440},
    {1, 0, 0, 0, 1, 0, 0, 0, 1},
};

const struct case_name *case_cells(int index)
{
    int count = (int)(sizeof cells / sizeof *cells);
    return index >= 0 && index < count ? &cells[index] : NULL;
}

static int parse_edges(const char *name, double rows[9])
{
    const char *end = name;
    for (int d = 0; d < 3; d++) {
        const char *start = end + (d > 0);
        double v = number_take(start, &end);
        if (end == start || !(v > 0) || !isfinite(v) ||
            *end != (d < 2 ? 'x' : '\0'))
            return -1;
        rows[4 * d] = v;
    }
    return 0;
}

int case_unit(const double cell[9], double rows[9])
{
    double most = 0;
    for (int k = 0; k < 9; k++)
        most = fmax(most, fabs(cell[k]));
    int unit = most > 0 && isfinite(most) ? ilogb(most) : 0;
    for (int k = 0; k < 9; k++)
        rows[k] = ldexp(cell[k], -unit);
    return unit;
}

double case_determinant(const double h[9])
{
    return h[0] * (h[4] * h[8] - h[5] * h[7]) -
           h[1] * (h[3] * h[8] - h[5] * h[6]) +
           h[2] * (h[3] * h[7] - h[4] * h[6]);
}

int case_cell(const char *name, double volume, double cell[9], int periodic[3],
              char *error, size_t size)
{
    double rows[9] = {0};
    int index = -1;
    for (int k = 0; case_cells(k); k++)
        if (strcmp(cells[k].name, name) == 0 && k != 1)
            index = k;
    if (index >= 0)
        memcpy(rows, cell_rows[index], sizeof rows);
    else if (parse_edges(name, rows) != 0) {
        snprintf(error, size,
                 "no cell '%s' (cubic, AxBxC, triclinic, tilted, rhombic, "
                 "open)", name);
        return -1;
    }
    case_unit(rows, rows);
    double scale = cbrt(volume / case_determinant(rows));
    if (!isfinite(scale)) {
        snprintf(error, size, "cell %s: its edges are too far apart", name);
        return -1;
    }
    for (int k = 0; k < 9; k++)
        cell[k] = rows[k] * scale;
    for (int d = 0; d < 3; d++)
        periodic[d] = strcmp(name, "open") != 0;
    return 0;
}

/* Parses a number of the case.  Counts may be written as 1e6. */
static int parse_number(const char *text, double *value)
{
    *value = number_of(text);
    return isnan(*value) ? -1 : 0;
}

static int parse_word(const char *text, const char *const words[], int *value)
{
    for (int k = 0; words[k]; k++)
        if (strcmp(words[k], text) == 0) {
            *value = k + 1;
            return 0;
        }
    return -1;
}

static const char *const precisions[] = {"f64", "f32", "mixed", "auto", NULL};
static const char *const errors[] = {"force", "potential", "absolute",
                                     "velocity", "energy", "pressure",
                                     "each", NULL};

static int copy_word(char *to, size_t size, const char *from)
{
    if (strlen(from) >= size || !*from)
        return -1;
    memcpy(to, from, strlen(from) + 1);
    return 0;
}

static int parse_seed(const char *text, uint64_t *seed)
{
    const char *end;
    return number_count(text, &end, seed) == NUMBER_OK && !*end ? 0 : -1;
}

/* Parses one key.  Returns -1 with *expected if the value is invalid. */
static int parse_key(struct case_spec *spec, const char *key,
                     const char *value, const char **expected)
{
    double v = 0;
    int w = 0;
    if (strcmp(key, "n") == 0) {
        *expected = "a count from 1 to 2e9";
        if (parse_number(value, &v) || v < 1 || v > (double)CASE_MAX ||
            v != floor(v))
            return -1;
        spec->n = (int64_t)v;
    } else if (strcmp(key, "cell") == 0) {
        double cell[9];
        int periodic[3];
        *expected = "cubic, AxBxC, triclinic, tilted, rhombic or open";
        if (copy_word(spec->cell, sizeof spec->cell, value) ||
            case_cell(value, 1, cell, periodic, NULL, 0))
            return -1;
    } else if (strcmp(key, "dist") == 0) {
        *expected = "uniform, clustered, plummer, lattice, slab, sediment "
                    "or dense";
        for (int k = 0; case_dists(k); k++)
            w |= strcmp(case_dists(k)->name, value) == 0;
        if (!w || copy_word(spec->dist, sizeof spec->dist, value))
            return -1;
    } else if (strcmp(key, "tol") == 0) {
        *expected = "a number above 0";
        if (parse_number(value, &spec->tolerance) || spec->tolerance <= 0)
            return -1;
    } else if (strcmp(key, "density") == 0) {
        *expected = "a number above 0";
        if (parse_number(value, &spec->density) || spec->density <= 0)
            return -1;
    } else if (strcmp(key, "seed") == 0) {
        *expected = "a whole number";
        if (parse_seed(value, &spec->seed))
            return -1;
    } else if (strcmp(key, "prec") == 0) {
        *expected = "f64, f32, mixed or auto";
        if (parse_word(value, precisions, &w))
            return -1;
        spec->precision = (farsum_precision)w;
    } else if (strcmp(key, "error") == 0) {
        *expected = "force, potential, absolute, velocity, energy, pressure "
                    "or each";
        if (parse_word(value, errors, &w))
            return -1;
        spec->error = (farsum_error_kind)w;
    } else if (strcmp(key, "net") == 0) {
        *expected = "a number";
        if (parse_number(value, &spec->net))
            return -1;
    } else if (strcmp(key, "kappa") == 0) {
        *expected = "a number";
        if (parse_number(value, &spec->kappa))
            return -1;
    } else {
        *expected = NULL;
        return -1;
    }
    return 0;
}

/* Parses one word of the case: the kernel, or key=value. */
static int parse_item(struct case_spec *spec, char *item, int first,
                      char *error, size_t size)
{
    const char *expected = NULL;
    char *equal = strchr(item, '=');
    if (!equal) {
        if (first && copy_word(spec->kernel, sizeof spec->kernel, item) == 0)
            return 0;
        snprintf(error, size, "expected key=value, found '%s'", item);
        return -1;
    }
    *equal = '\0';
    if (parse_key(spec, item, equal + 1, &expected) == 0)
        return 0;
    if (expected)
        snprintf(error, size, "%s=%s: expected %s", item, equal + 1,
                 expected);
    else
        snprintf(error, size,
                 "no key '%s' (n, cell, tol, dist, seed, density, prec, "
                 "error, net, kappa)", item);
    return -1;
}

int case_parse(const char *text, struct case_spec *spec, char *error,
               size_t size)
{
    struct case_spec s = {
        .kernel = "laplace", .cell = "cubic", .dist = "uniform", .n = 1000,
        .tolerance = 1e-5, .density = 1, .seed = 1, .precision = FARSUM_F64,
    };
    char item[256];
    int first = 1;
    for (const char *p = text + strspn(text, " \t\n"); *p;) {
        size_t length = strcspn(p, " \t\n");
        if (length >= sizeof item) {
            snprintf(error, size, "'%.20s...' is too long", p);
            return -1;
        }
        memcpy(item, p, length);
        item[length] = '\0';
        if (parse_item(&s, item, first, error, size) != 0)
            return -1;
        first = 0;
        p += length;
        p += strspn(p, " \t\n");
    }
    *spec = s;
    return 0;
}

/* The shortest text that reads back as the same number. */
static void print_number(char text[NUMBER_TEXT], double v)
{
    for (int digits = 1; digits <= 17; digits++) {
        struct number_text now = number_digits(v, digits);
        memcpy(text, now.text, sizeof now.text);
        if (number_of(text) == v)
            break;
    }
    /* 1e-6, as people write it, not 1e-06 */
    char *e = strchr(text, 'e');
    if (e && (e[1] == '-' || e[1] == '+')) {
        char *from = e + 2, *to = e + 1 + (e[1] == '-');
        while (*from == '0')
            from++;
        memmove(to, from, strlen(from) + 1);
    }
}

void case_print(const struct case_spec *spec, char *text, size_t size)
{
    char tolerance[NUMBER_TEXT], density[NUMBER_TEXT];
    char net[NUMBER_TEXT + 5] = "", kappa[NUMBER_TEXT + 7] = "";
    print_number(tolerance, spec->tolerance);
    print_number(density, spec->density);
    if (spec->net != 0) {
        memcpy(net, " net=", 6);
        print_number(net + 5, spec->net);
    }
    if (spec->kappa != 0) {
        memcpy(kappa, " kappa=", 8);
        print_number(kappa + 7, spec->kappa);
    }
    snprintf(text, size,
             "%s n=%lld cell=%s tol=%s dist=%s seed=%llu density=%s prec=%s "
             "error=%s%s%s",
             spec->kernel, (long long)spec->n, spec->cell, tolerance,
             spec->dist, (unsigned long long)spec->seed, density,
             precisions[spec->precision - 1], errors[case_error(spec) - 1],
             net, kappa);
}

farsum_error_kind case_error(const struct case_spec *spec)
{
    return spec->error                         ? spec->error
           : strengths_of(spec->kernel)->flow ? FARSUM_ERROR_VELOCITY
                                              : FARSUM_ERROR_FORCE;
}

int case_make(const struct case_spec *spec, struct case_particles *particles,
              char *error, size_t size)
{
    double cell[9];
    int periodic[3];
    if (case_cell(spec->cell, (double)spec->n / spec->density, cell, periodic,
                  error, size) != 0 ||
        case_fill(spec->dist, spec->n, cell, spec->seed, particles, error,
                  size) != 0)
        return -1;
    memcpy(particles->periodic, periodic, sizeof periodic);
    if (case_draw(spec->kernel, spec->net, spec->seed, particles, error,
                  size) == 0)
        return 0;
    case_free(particles);
    return -1;
}

void case_problem(const struct case_spec *spec,
                  const struct case_particles *particles,
                  farsum_problem *problem)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    p.kernel = spec->kernel;
    p.kappa = spec->kappa;
    memcpy(p.cell, particles->cell, sizeof p.cell);
    memcpy(p.periodic, particles->periodic, sizeof p.periodic);
    p.precision = spec->precision;
    p.arrays = FARSUM_F64;
    p.tolerance = spec->tolerance;
    p.error = spec->error;
    p.n_sources = particles->n;
    p.sample_x = particles->x;
    p.sample_q = particles->q;
    *problem = p;
}
