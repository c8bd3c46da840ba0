/* SPDX-License-Identifier: Apache-2.0 */
/* polarise.c: induced dipoles of water, by conjugate gradients.
 *
 *     polarise [-n side] [-t tolerance] [-g FILE.svg]
 *
 * side^3 molecules of the model POL3 (Caldwell and Kollman, J. Phys. Chem. 99
 * (1995) 6208).  Each atom has a charge q_i and a polarisability a_i, and atoms
 * of one molecule do not act on each other.  The dipoles solve
 *
 *     C p_i / a_i - E_i[p] = E_i[q],    C in the units of the energy
 *
 * so each step of the conjugate gradients is one execute of charge_dipole with
 * other strengths, at the same points.  The residuals are weighted with a_i.
 * At the end the energy is that of charges and dipoles plus C p^2 / 2 a.  An
 * Ewald sum in this file, which shares nothing with the library, confirms the
 * energy, and that p_i = a_i E_i / C.  -g draws the residual and the energy's
 * error over the steps. */
#include <errno.h>
#include <farsum/farsum.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS_MOST = 60 };
static const double pi = 3.14159265358979323846;
static const double coulomb = 332.063713; /* kcal/mol Angstrom e^-2 */

struct water {
    int n, bonds;
    double edge, *x, *q, *polar; /* q: charge and dipole of each atom */
    int64_t *bond;               /* [bonds][2] */
    double size[STEPS_MOST + 1], energy[STEPS_MOST + 1]; /* by step */
    int steps;
    farsum_plan *plan;
};

/* Molecules in all directions on a lattice: O, H, H. */
static void place(struct water *w, int side)
{
    for (int m = 0; m < w->n / 3; m++) {
        const int at[3] = {m % side, m / side % side, m / side / side};
        double turn = 2.399963 * m, z = 2 * (m + 0.5) / (w->n / 3) - 1;
        double flat = sqrt(1 - z * z);
        const double axis[3] = {flat * cos(turn), flat * sin(turn), z};
        const double across[3] = {-sin(turn), cos(turn), 0};
        for (int a = 0; a < 3; a++) {
            int i = 3 * m + a, sign = a == 0 ? 0 : a == 1 ? 1 : -1;
            for (int d = 0; d < 3; d++)
                w->x[3 * i + d] = 3.1 * at[d] + (a ? 0.5774 * axis[d] : 0)
                                  + 0.8165 * sign * across[d];
            w->q[4 * i] = a ? 0.365 : -0.730;
            w->polar[i] = a ? 0.170 : 0.528;
            w->bond[2 * i] = 3 * m + (a == 2);
            w->bond[2 * i + 1] = 3 * m + (a == 0 ? 1 : 2);
        }
    }
}

static farsum_status begin(struct water *w, double tolerance)
{
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_options options = FARSUM_OPTIONS_INIT;
    farsum_status status;
    for (int d = 0; d < 3; d++)
        problem.cell[4 * d] = w->edge, problem.periodic[d] = 1;
    problem.kernel = "charge_dipole";
    problem.coulomb = coulomb;
    problem.outputs = FARSUM_FIELD | FARSUM_ENERGY;
    problem.tolerance = tolerance;
    problem.n_sources = w->n;
    problem.sample_x = w->x;
    problem.sample_q = w->q;
    problem.n_exclusions = w->bonds;
    problem.exclusions = w->bond;
    options.method = "spectral";
    options.repeats = 10;
    status = farsum_plan_create(&problem, &options, &w->plan);
    if (status != FARSUM_OK)
        return status;
    return farsum_plan_set_points(w->plan, w->n, w->x, 0, NULL);
}

static farsum_status fields(const struct water *w, const double *q, double *e,
                            double *energy)
{
    farsum_result result = FARSUM_RESULT_INIT;
    result.field = e;
    result.energy = energy;
    return farsum_plan_execute(w->plan, 1, q, &result);
}

/* The dipoles' energy in the atoms. */
static double strain(const struct water *w)
{
    double sum = 0;
    for (int i = 0; i < 3 * w->n; i++) {
        double p = w->q[4 * (i / 3) + 1 + i % 3];
        sum += coulomb * p * p / (2 * w->polar[i / 3]);
    }
    return sum;
}

/* Vectors of the conjugate gradients, [n][3], owned by main. */
struct gradients {
    double *rest, *along, *e, *strengths;
};

/* The sum of a a polar. */
static double dot(const struct water *w, const double *a)
{
    double sum = 0;
    for (int i = 0; i < 3 * w->n; i++)
        sum += a[i] * a[i] * w->polar[i / 3];
    return sum;
}

/* One step; size: of the residual. */
static farsum_status descend(struct water *w, struct gradients *g, double *size)
{
    double slope = 0, unused, last = *size;
    for (int i = 0; i < 3 * w->n; i++)
        g->strengths[4 * (i / 3) + 1 + i % 3] = g->along[i];
    farsum_status status = fields(w, g->strengths, g->e, &unused);
    if (status != FARSUM_OK)
        return status;
    for (int i = 0; i < 3 * w->n; i++) {
        g->e[i] = coulomb * g->along[i] / w->polar[i / 3] - g->e[i];
        slope += g->along[i] * g->e[i];
    }
    double part = *size / slope;
    /* the energy is a parabola along the step */
    w->energy[w->steps + 1] = w->energy[w->steps] - part * *size / 2;
    for (int i = 0; i < 3 * w->n; i++) {
        w->q[4 * (i / 3) + 1 + i % 3] += part * g->along[i];
        g->rest[i] -= part * g->e[i];
    }
    *size = dot(w, g->rest);
    for (int i = 0; i < 3 * w->n; i++)
        g->along[i] = w->polar[i / 3] * g->rest[i] + *size / last * g->along[i];
    w->size[++w->steps] = *size;
    return FARSUM_OK;
}

/* Finds the dipoles, and the energy with them. */
static farsum_status polarise(struct water *w, struct gradients *g,
                              double tolerance, double *energy)
{
    farsum_status status = fields(w, w->q, g->rest, &w->energy[0]);
    if (status != FARSUM_OK)
        return status;
    for (int i = 0; i < 3 * w->n; i++)
        g->along[i] = w->polar[i / 3] * g->rest[i];
    double size = w->size[0] = dot(w, g->rest);
    while (size > tolerance * tolerance * w->size[0] && w->steps < STEPS_MOST)
        if ((status = descend(w, g, &size)) != FARSUM_OK)
            return status;
    status = fields(w, w->q, g->e, energy);
    *energy += strain(w);
    return status;
}

/* ---- the Ewald sum that confirms it */

static int one_molecule(const double d[3], int i, int j)
{
    return i / 3 == j / 3 && d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < 4;
}

/* The field of source s at d: the pair's part in real space, or minus the rest
 * where the pair does not act. */
static void near(double xi, const double d[3], int acts, const double *s,
                 double *phi, double *e)
{
    double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], r = sqrt(r2), f[3];
    double more = 2 / sqrt(pi) * xi * exp(-xi * xi * r2);
    f[0] = (acts ? erfc(xi * r) : -erf(xi * r)) / r;
    for (int k = 0; k < 2; k++, more *= 2 * xi * xi)
        f[k + 1] = ((2 * k + 1) * f[k] + more) / r2;
    double along = s[1] * d[0] + s[2] * d[1] + s[3] * d[2];
    *phi += s[0] * f[0] + along * f[1];
    for (int a = 0; a < 3; a++)
        e[a] += (s[0] * f[1] + along * f[2]) * d[a] - f[1] * s[1 + a];
}

/* Adds the pairs within half the edge, and the terms of a source itself. */
static void ewald_near(const struct water *w, double xi, double *phi, double *e)
{
    double self = 2 * xi / sqrt(pi), moment = 4 * xi * xi * xi / 3 / sqrt(pi);
    for (int i = 0; i < w->n; i++) {
        phi[i] -= self * w->q[4 * i];
        for (int a = 0; a < 3; a++)
            e[3 * i + a] += moment * w->q[4 * i + 1 + a];
        for (int j = 0; j < w->n; j++) {
            double d[3], r2 = 0;
            for (int a = 0; a < 3; a++) {
                d[a] = w->x[3 * i + a] - w->x[3 * j + a];
                d[a] -= w->edge * nearbyint(d[a] / w->edge);
                r2 += d[a] * d[a];
            }
            if (i != j && r2 < w->edge * w->edge / 4)
                near(xi, d, !one_molecule(d, i, j), w->q + 4 * j, phi + i,
                     e + 3 * i);
        }
    }
}

/* Adds the wave k.  turn: workspace [n][2]. */
static void ewald_wave(const struct water *w, double xi, const double k[3],
                       double *turn, double *phi, double *e)
{
    double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2], s[2] = {0};
    double volume = w->edge * w->edge * w->edge;
    double g = 8 * pi / volume * exp(-k2 / (4 * xi * xi)) / k2; /* k and -k */
    for (int i = 0; i < w->n; i++) {
        const double *x = w->x + 3 * i, *q = w->q + 4 * i;
        double angle = k[0] * x[0] + k[1] * x[1] + k[2] * x[2];
        double p = k[0] * q[1] + k[1] * q[2] + k[2] * q[3];
        double c = turn[2 * i] = cos(angle), z = turn[2 * i + 1] = sin(angle);
        s[0] += q[0] * c - p * z; /* sum (q - i k.p) e^{-ik.x} */
        s[1] -= q[0] * z + p * c;
    }
    for (int i = 0; i < w->n; i++) {
        double c = turn[2 * i], z = turn[2 * i + 1];
        phi[i] += g * (s[0] * c - s[1] * z);
        for (int a = 0; a < 3; a++)
            e[3 * i + a] += g * k[a] * (s[0] * z + s[1] * c);
    }
}

/* The energy by a plain sum; off: the largest |p - a E/C| over the largest |p|.
 * NaN: no memory. */
static double ewald(const struct water *w, double *off)
{
    double xi = 9 / w->edge, energy = strain(w), most = 0;
    int reach = 14; /* exp(-(pi 14/9)^2) = 4e-11, as erfc(9/2) = 2e-10 */
    double *phi = calloc(6 * (size_t)w->n, sizeof *phi);
    double *e = phi + w->n, *turn = phi + 4 * w->n, unit = 2 * pi / w->edge;
    if (!phi)
        return NAN;
    ewald_near(w, xi, phi, e);
    for (int a = 0; a <= reach; a++)
        for (int b = a ? -reach : 0; b <= reach; b++)
            for (int c = a || b ? -reach : 1; c <= reach; c++) {
                const double k[3] = {unit * a, unit * b, unit * c};
                if (a * a + b * b + c * c <= reach * reach)
                    ewald_wave(w, xi, k, turn, phi, e);
            }
    *off = 0;
    for (int i = 0; i < w->n; i++) {
        energy += coulomb / 2 * w->q[4 * i] * phi[i];
        for (int a = 0; a < 3; a++) {
            double p = w->q[4 * i + 1 + a];
            energy -= coulomb / 2 * p * e[3 * i + a];
            most = fmax(most, fabs(p));
            *off = fmax(*off, fabs(p - w->polar[i] * e[3 * i + a]));
        }
    }
    *off /= most;
    free(phi);
    return energy;
}

/* ---- the picture */

enum { LEFT = 70, TOP = 50, WIDE = 520, HIGH = 320, DECADES = 14 };

static void curve(FILE *f, const struct water *w, const double *v, int from,
                  double power, const char *colour)
{
    fprintf(f, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" d=\"",
            colour);
    for (int k = 0; k < from; k++) {
        double y = power * log10(v[k] / v[0]);
        if (!(y > -DECADES)) /* also of nothing */
            break;
        fprintf(f, "%s%.1f %.1f", k ? " L" : "M", (double)WIDE * k / w->steps,
                -HIGH * y / DECADES);
    }
    fprintf(f, "\"/>\n");
}

static int draw(const struct water *w, const char *path)
{
    double error[STEPS_MOST + 1];
    FILE *f = fopen(path, "w");
    if (!f)
        return -1;
    for (int k = 0; k < w->steps; k++)
        error[k] = w->energy[k] - w->energy[w->steps];
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<text x=\"%d\" y=\"26\">Dipoles of %d waters: "
            "<tspan fill=\"#4e79a7\">residual</tspan> and <tspan "
            "fill=\"#e15759\">energy's error</tspan>, over the first "
            "ones</text>\n"
            "<g transform=\"translate(%d,%d)\">\n",
            LEFT + WIDE + 30, TOP + HIGH + 60, LEFT, w->n / 3, LEFT, TOP);
    for (int k = 0; k <= w->steps; k++)
        fprintf(f, "<path d=\"M%.1f 0 v%d\" stroke=\"#ddd\"/><text x=\"%.1f\" "
                "y=\"%d\" text-anchor=\"middle\">%d</text>\n",
                (double)WIDE * k / w->steps, HIGH, (double)WIDE * k / w->steps,
                HIGH + 18, k);
    for (int y = 0; y <= DECADES; y += 2)
        fprintf(f, "<path d=\"M0 %d h%d\" stroke=\"#ddd\"/><text x=\"-6\" "
                "y=\"%d\" text-anchor=\"end\">1e-%d</text>\n",
                HIGH * y / DECADES, WIDE, HIGH * y / DECADES + 4, y);
    curve(f, w, w->size, w->steps + 1, 0.5, "#4e79a7");
    curve(f, w, error, w->steps, 1, "#e15759");
    fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">sums of dipoles"
            "</text></g></svg>\n", WIDE / 2, HIGH + 42);
    return fclose(f);
}

/* Prints the mean dipole of a molecule in Debye, and what the check found. */
static int report(const struct water *w, double energy, double tolerance)
{
    double off = NAN, mean = 0, plain = ewald(w, &off);
    for (int m = 0; m < w->n / 3; m++) {
        double moment[3] = {0};
        for (int i = 3 * m; i < 3 * m + 3; i++)
            for (int d = 0; d < 3; d++)
                moment[d] += w->q[4 * i] * (w->x[3 * i + d] - w->x[9 * m + d])
                             + w->q[4 * i + 1 + d];
        mean += 4.80321 * sqrt(moment[0] * moment[0] + moment[1] * moment[1]
                               + moment[2] * moment[2]) / (w->n / 3);
    }
    double error = fabs(energy - plain) / fabs(plain);
    printf("%d molecules, %d sums, mean dipole %.3f D\n", w->n / 3, w->steps,
           mean);
    printf("energy %.6f kcal/mol, without dipoles %.6f\n", energy,
           w->energy[0]);
    printf("against a plain Ewald sum: energy %.1e, dipoles %.1e\n", error,
           off);
    return error < 10 * tolerance && off < 10 * tolerance && mean > 1
           && energy < w->energy[0];
}

int main(int argc, char **argv)
{
    int side = 4;
    double tolerance = 1e-6, energy = NAN;
    const char *svg = NULL;
    for (int c; (c = getopt(argc, argv, "n:t:g:")) != -1;)
        switch (c) {
        case 'n': side = atoi(optarg); break;
        case 't': tolerance = atof(optarg); break;
        case 'g': svg = optarg; break;
        default: return 2;
        }
    if (side < 2 || side > 20 || !(tolerance >= 1e-9 && tolerance < 1))
        return fprintf(stderr, "polarise: -n 2 .. 20, -t 1e-9 .. 1\n"), 2;
    struct water w = {.n = 3 * side * side * side, .edge = 3.1 * side};
    double *all = calloc(21 * (size_t)w.n, sizeof *all);
    w.bond = calloc(2 * (size_t)w.n, sizeof *w.bond);
    w.bonds = w.n;
    if (!all || !w.bond)
        return fprintf(stderr, "polarise: no memory\n"), 1;
    struct gradients g = {all, all + 3 * w.n, all + 6 * w.n, all + 9 * w.n};
    w.x = all + 13 * w.n, w.q = all + 16 * w.n, w.polar = all + 20 * w.n;
    place(&w, side);
    int good = begin(&w, tolerance) == FARSUM_OK
               && polarise(&w, &g, tolerance, &energy) == FARSUM_OK;
    if (!good)
        fprintf(stderr, "%s\n", farsum_message());
    good = good && report(&w, energy, tolerance);
    if (good && svg && draw(&w, svg) != 0)
        good = fprintf(stderr, "%s: %s\n", svg, strerror(errno)) < 0;
    farsum_plan_destroy(w.plan);
    free(w.bond);
    free(all);
    return good ? 0 : 1;
}
