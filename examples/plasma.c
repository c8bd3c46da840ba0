/* SPDX-License-Identifier: Apache-2.0 */
/* plasma.c: a one-component plasma: charges of one sign in a periodic box with
 * uniform background.  The coupling is Gamma = q^2/(a T), where a is the radius
 * of a sphere per charge.  The fast multipole method sums the forces.
 *
 *     plasma [-n charges] [-c coupling] [-s steps] [-t tolerance] [-m METHOD]
 *            [-d DEVICE] [-g FILE.svg]
 *
 * -m spectral, fmm (default: fmm).  -g draws the pair correlation g(r).  The
 * start is the body-centred cubic lattice, whose energy is known (Wigner's
 * crystal: -0.895929255682 q^2/a per charge).  The program fails if it finds
 * another energy or if the total energy drifts.
 *
 * Charge, mass and a are 1; the unit of time is 1/omega_p times sqrt(3). */
#include <errno.h>
#include <farsum/farsum.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pairs.h"

static const double pi = 3.14159265358979323846;
static const double wigner = -0.89592925568176528917;
enum { BARS = 120 };

struct plasma {
    int n;
    double edge[3], *x, *v, *field, *q; /* owned by main */
    double histogram[BARS], widest;
    int counted; /* number of configurations in it */
    farsum_plan *plan;
};

static double draw_one(uint64_t *seed)
{
    double u = 0;
    for (int r = 0; r < 12; r++) { /* nearly normal */
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        u += (double)(*seed >> 11) * 0x1p-53 - 0.5;
    }
    return u;
}

static void place(struct plasma *p, int side, double temperature)
{
    uint64_t seed = 1;
    double spacing = p->edge[0] / side, drift[3] = {0};
    for (int i = 0; i < 3 * p->n; i++) {
        int site = i / 6, at[3] = {site % side, site / side % side,
                                   site / side / side};
        p->x[i] = spacing * (at[i % 3] + (i / 3 % 2 ? 0.75 : 0.25));
        p->v[i] = sqrt(temperature) * draw_one(&seed);
        p->q[i / 3] = 1;
        drift[i % 3] += p->v[i] / p->n;
    }
    for (int i = 0; i < 3 * p->n; i++)
        p->v[i] -= drift[i % 3];
}

static farsum_status plan(struct plasma *p, double tolerance,
                          const char *method, const char *device)
{
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_options options = FARSUM_OPTIONS_INIT;
    problem.tolerance = tolerance;
    problem.outputs = FARSUM_FIELD | FARSUM_ENERGY;
    for (int d = 0; d < 3; d++)
        problem.cell[4 * d] = p->edge[d], problem.periodic[d] = 1;
    problem.n_sources = p->n; /* no sample: at lattice sites forces vanish */
    options.method = method, options.device.name = device;
    return farsum_plan_create(&problem, &options, &p->plan);
}

/* Computes fields at x; returns the potential energy, or NaN. */
static double forces(struct plasma *p)
{
    double energy = 0;
    farsum_result out = FARSUM_RESULT_INIT;
    out.field = p->field, out.energy = &energy;
    if (farsum_plan_set_points(p->plan, p->n, p->x, 0, NULL) != FARSUM_OK
        || farsum_plan_execute(p->plan, 1, p->q, &out) != FARSUM_OK)
        return fprintf(stderr, "%s\n", farsum_message()), NAN;
    return energy;
}

static double kinetic(const struct plasma *p)
{
    double sum = 0;
    for (int i = 0; i < 3 * p->n; i++)
        sum += 0.5 * p->v[i] * p->v[i];
    return sum;
}

static void count(void *data, int i, int j, const double d[3], double r2)
{
    struct plasma *p = data;
    int k = (int)(BARS * sqrt(r2) / p->widest);
    (void)i, (void)j, (void)d;
    p->histogram[k < BARS ? k : BARS - 1] += 2.0 / p->n;
}

/* Steps of velocity Verlet.  Returns the RMS deviation of the total energy over
 * the kinetic energy, or NaN. */
static double go(struct plasma *p, int steps, double dt)
{
    double energy = forces(p), strays = 0, start = energy + kinetic(p);
    double scale = kinetic(p);
    for (int k = 1; k <= steps && isfinite(energy); k++) {
        for (int i = 0; i < 3 * p->n; i++) {
            p->v[i] += dt / 2 * p->field[i];
            p->x[i] += dt * p->v[i];
        }
        energy = forces(p);
        for (int i = 0; i < 3 * p->n; i++)
            p->v[i] += dt / 2 * p->field[i];
        strays += pow((energy + kinetic(p) - start) / scale, 2) / steps;
        if (k % (steps / 10 + 1) == 0 || k == steps)
            printf("time %6.2f: potential energy %.6f, temperature %.6f, total "
                   "%.6f, a charge\n", k * dt, energy / p->n,
                   2 * kinetic(p) / (3 * p->n), (energy + kinetic(p)) / p->n);
        if (2 * k > steps) { /* by now the lattice has melted, or vibrates */
            p->counted++;
            if (!pairs_each(p->n, p->x, p->edge, p->widest, count, p))
                return NAN;
        }
    }
    return isfinite(energy) ? sqrt(strays) : NAN;
}

/* The density of charges at a distance from a charge, over the mean. */
static double pair_density(const struct plasma *p, int k)
{
    double h = p->widest / BARS, inner = k * h, outer = inner + h;
    double others = pow(outer, 3) - pow(inner, 3); /* volume per charge: 1 */
    return p->counted ? p->histogram[k] / p->counted / others : 0;
}

static int draw(const struct plasma *p, const char *path, double coupling)
{
    enum { LEFT = 60, TOP = 50, WIDE = 560, HIGH = 320 };
    double most = 1.5;
    FILE *f = fopen(path, "w");
    if (!f)
        return -1;
    for (int k = 0; k < BARS; k++)
        most = fmax(most, 1.1 * pair_density(p, k));
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<text x=\"%d\" y=\"26\">One-component plasma, Gamma = %g, %d "
            "charges: g(r)</text>\n<g transform=\"translate(%d,%d)\">\n",
            LEFT + WIDE + 30, TOP + HIGH + 60, LEFT, coupling, p->n, LEFT, TOP);
    for (int k = 0; k <= (int)p->widest; k++)
        fprintf(f, "<path d=\"M%.1f 0 v%d\" stroke=\"#ddd\"/><text x=\"%.1f\" "
                "y=\"%d\" text-anchor=\"middle\">%d</text>\n",
                WIDE * k / p->widest, HIGH, WIDE * k / p->widest, HIGH + 18, k);
    for (double g = 0; g <= most; g += most > 4 ? 1 : 0.5)
        fprintf(f, "<path d=\"M0 %.1f h%d\" stroke=\"#ddd\"/><text x=\"-6\" "
                "y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                HIGH * (1 - g / most), WIDE, HIGH * (1 - g / most) + 4, g);
    fprintf(f, "<path fill=\"none\" stroke=\"#4e79a7\" stroke-width=\"1.5\" "
            "d=\"M");
    for (int k = 0; k < BARS; k++)
        fprintf(f, "%s%.1f %.1f", k ? " L" : "", WIDE * (k + 0.5) / BARS,
                HIGH * (1 - pair_density(p, k) / most));
    fprintf(f, "\"/>\n<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">distance "
            "over a</text></g></svg>\n", WIDE / 2, HIGH + 42);
    return fclose(f);
}

static int simulate(struct plasma *p, double coupling, int steps,
                    const char *svg)
{
    double energy = forces(p) / p->n;
    printf("body-centred cubic: energy %.9f a charge, known %.9f\n", energy,
           wigner);
    if (!(fabs(energy - wigner) < 1e-4))
        return fprintf(stderr, "that is not what is known\n"), 1;
    double strays = go(p, steps, 0.05);
    printf("the total energy strays by %.2e of the kinetic\n", strays);
    if (svg && draw(p, svg, coupling) != 0)
        return fprintf(stderr, "%s: %s\n", svg, strerror(errno)), 1;
    return !(steps < 1 || strays < 0.01);
}

int main(int argc, char **argv)
{
    struct plasma p = {.n = 1024};
    double coupling = 10, tolerance = 1e-4;
    int steps = 400;
    const char *method = "fmm", *device = NULL, *svg = NULL;
    for (int c; (c = getopt(argc, argv, "n:c:s:t:m:d:g:")) != -1;)
        switch (c) {
        case 'n': p.n = atoi(optarg); break;
        case 'c': coupling = atof(optarg); break;
        case 's': steps = atoi(optarg); break;
        case 't': tolerance = atof(optarg); break;
        case 'm': method = optarg; break;
        case 'd': device = optarg; break;
        case 'g': svg = optarg; break;
        default: return 2;
        }
    if (p.n < 1 || p.n > 1000000 || steps < 0 || !(coupling > 0))
        return fprintf(stderr, "plasma: -n 1 .. 1000000, -s from 0, -c above "
                       "0\n"), 2;
    int side = (int)ceil(cbrt(p.n / 2.0) - 1e-9);
    p.n = 2 * side * side * side;
    for (int d = 0; d < 3; d++)
        p.edge[d] = cbrt(4 * pi / 3 * p.n);
    p.widest = fmin(6, p.edge[0] / 2);
    double *all = calloc(10 * (size_t)p.n, sizeof *all);
    if (!all)
        return fprintf(stderr, "plasma: no memory\n"), 1;
    p.x = all, p.v = all + 3 * p.n, p.field = all + 6 * p.n;
    p.q = all + 9 * p.n;
    place(&p, side, 2 / coupling); /* half goes into the lattice */
    printf("%d charges in a cube of %.3f, coupling %g\n", p.n, p.edge[0],
           coupling);
    int bad = plan(&p, tolerance, method, device) != FARSUM_OK;
    if (bad)
        fprintf(stderr, "%s\n", farsum_message());
    if (!bad)
        farsum_plan_print(p.plan, stdout);
    bad = bad || simulate(&p, coupling, steps, svg);
    farsum_plan_destroy(p.plan);
    free(all);
    return bad ? 1 : 0;
}
