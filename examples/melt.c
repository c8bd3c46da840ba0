/* SPDX-License-Identifier: Apache-2.0 */
/* melt.c: molten sodium chloride at constant energy, at several tolerances.
 * The drift of the total energy shows the effect of a tolerance.
 *
 *     melt [-n ions] [-s steps] [-e steps to melt] [-d DEVICE] [-g FILE.svg]
 *          [-c] [TOLERANCE ...]
 *
 * -g draws both measures over the tolerance.  -c fails unless the energy drifts
 * less at the last tolerance, a smaller one, than at the first.
 *
 * The ions are those of Tosi and Fumi (J.  Phys.  Chem.  Solids 25 (1964) 31,
 * 45).  Farsum sums the Coulomb forces; repulsion and dispersion act within a
 * cutoff; velocity Verlet integrates.  Every tolerance starts from the same
 * melt.  Length is in Angstrom, energy in eV, mass in u; the unit of time is
 * then 10.18 fs. */
#include <errno.h>
#include <farsum/farsum.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pairs.h"

enum { MOST = 12 };
static const double coulomb = 14.399645;   /* e^2/(4 pi eps0), eV A */
static const double boltzmann = 8.617333e-5; /* eV/K */
static const double unit_fs = 10.180505;
static const double density = 0.0320;      /* ions per A^3, at 1100 K */
static const double mass[2] = {22.98977, 35.453};
static const double step_fs = 1, temperature = 1300;

struct melt {
    int n;
    double edge[3], cut;
    double *x, *v, *f, *field, *q; /* owned by main; [n][3], q [n] */
    double short_energy;
    farsum_plan *plan;
};

/* Results of a run. */
struct drift {
    double tolerance, estimated; /* requested, and estimated by the plan */
    double slope, strays; /* of the total energy: slope of a line through all
                           * steps, in eV per ion and ps; RMS deviation from the
                           * start, eV per ion */
    double seconds; /* per step */
};

/* Energy and force over r for a pair at r, of kinds a + b = 0 (Na Na), 1, 2 (Cl
 * Cl).  From 0.8 of the cutoff on, a smooth step takes both to 0. */
static double tosi_fumi(int kind, double r, double cut, double *force)
{
    static const double b[3] = {0.26371, 0.21096, 0.15822}; /* eV */
    static const double size[3] = {2.340, 2.755, 3.170};
    static const double c6[3] = {1.0486, 6.9905, 72.402};
    static const double d8[3] = {0.4993, 8.6757, 145.43};
    const double rho = 0.317, from = 0.8 * cut;
    double r2 = r * r, r6 = r2 * r2 * r2, r8 = r6 * r2;
    double wall = b[kind] * exp((size[kind] - r) / rho);
    double u = wall - c6[kind] / r6 - d8[kind] / r8;
    double slope = -wall / rho + 6 * c6[kind] / (r6 * r) + 8 * d8[kind]
                                                               / (r8 * r);
    if (r > from) { /* 1 - 10 t^3 + 15 t^4 - 6 t^5 */
        double t = (r - from) / (cut - from), t2 = t * t;
        double fade = 1 - t2 * t * (10 - 15 * t + 6 * t2);
        double bend = -30 * t2 * (1 - t) * (1 - t) / (cut - from);
        slope = slope * fade + u * bend;
        u *= fade;
    }
    *force = -slope / r;
    return u;
}

static void pair(void *data, int i, int j, const double d[3], double r2)
{
    struct melt *m = data;
    double force;
    m->short_energy += tosi_fumi(i % 2 + j % 2, sqrt(r2), m->cut, &force);
    for (int k = 0; k < 3; k++) {
        m->f[3 * i + k] += force * d[k];
        m->f[3 * j + k] -= force * d[k];
    }
}

/* Computes the forces; returns the potential energy, or NaN. */
static double forces(struct melt *m)
{
    double energy = 0;
    farsum_result out = FARSUM_RESULT_INIT;
    out.field = m->field, out.energy = &energy;
    if (farsum_plan_set_points(m->plan, m->n, m->x, 0, NULL) != FARSUM_OK
        || farsum_plan_execute(m->plan, 1, m->q, &out) != FARSUM_OK)
        return fprintf(stderr, "%s\n", farsum_message()), NAN;
    for (int i = 0; i < 3 * m->n; i++)
        m->f[i] = m->q[i / 3] * m->field[i];
    m->short_energy = 0;
    if (!pairs_each(m->n, m->x, m->edge, m->cut, pair, m))
        return NAN;
    return energy + m->short_energy;
}

static double kinetic(const struct melt *m)
{
    double sum = 0;
    for (int i = 0; i < 3 * m->n; i++)
        sum += 0.5 * mass[i / 3 % 2] * m->v[i] * m->v[i];
    return sum;
}

/* Integrates `steps`.  total: [steps + 1] energies per ion, or NULL to keep the
 * temperature. */
static int go(struct melt *m, int steps, double *total)
{
    double dt = step_fs / unit_fs, potential = forces(m);
    for (int k = 0; k <= steps && isfinite(potential); k++) {
        double now = kinetic(m), wanted = 1.5 * m->n * boltzmann * temperature;
        if (total)
            total[k] = (potential + now) / m->n;
        else /* approach it in about ten steps */
            for (int i = 0; i < 3 * m->n; i++)
                m->v[i] *= sqrt(1 + 0.1 * (wanted / now - 1));
        for (int i = 0; i < 3 * m->n && k < steps; i++) {
            m->v[i] += dt / 2 * m->f[i] / mass[i / 3 % 2];
            m->x[i] += dt * m->v[i];
        }
        if (k == steps)
            break;
        potential = forces(m);
        for (int i = 0; i < 3 * m->n; i++)
            m->v[i] += dt / 2 * m->f[i] / mass[i / 3 % 2];
    }
    return isfinite(potential);
}

static farsum_status plan(struct melt *m, double tolerance, const char *device)
{
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_options options = FARSUM_OPTIONS_INIT;
    farsum_plan_destroy(m->plan);
    m->plan = NULL;
    problem.coulomb = coulomb, problem.tolerance = tolerance;
    problem.outputs = FARSUM_FIELD | FARSUM_ENERGY;
    for (int d = 0; d < 3; d++)
        problem.cell[4 * d] = m->edge[d], problem.periodic[d] = 1;
    problem.n_sources = m->n, problem.sample_x = m->x, problem.sample_q = m->q;
    options.device.name = device;
    options.spectral.skin = 1; /* neighbour lists are reused for some steps */
    return farsum_plan_create(&problem, &options, &m->plan);
}

/* Rock salt with small random displacements and random velocities; Na and Cl
 * alternate. */
static void begin(struct melt *m, int side)
{
    uint64_t seed = 1;
    double spacing = m->edge[0] / side, drift[3] = {0}, all = 0;
    for (int i = 0, site = 0; i < m->n; site++) {
        int at[3] = {site % side, site / side % side, site / side / side};
        int kind = (at[0] + at[1] + at[2]) % 2;
        /* the i-th ion is of kind i % 2: rows have equal numbers of both */
        int k = site / 2 * 2 + kind;
        for (int d = 0; d < 3; d++) {
            double u = 0;
            for (int r = 0; r < 12; r++) { /* nearly normal */
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                u += (double)(seed >> 11) * 0x1p-53 - 0.5;
            }
            m->x[3 * k + d] = spacing * (at[d] + 0.06 * u);
            m->v[3 * k + d] = u * sqrt(2 * boltzmann * temperature
                                       / mass[kind]);
        }
        m->q[k] = kind ? -1 : 1;
        i++;
    }
    for (int i = 0; i < 3 * m->n; i++)
        drift[i % 3] += mass[i / 3 % 2] * m->v[i];
    all = m->n / 2 * (mass[0] + mass[1]);
    for (int i = 0; i < 3 * m->n; i++)
        m->v[i] -= drift[i % 3] / all;
}

/* Fits a line through the energies. */
static void strays(const double *total, int steps, struct drift *d)
{
    double st = 0, se = 0, n = steps + 1.0, square = 0;
    for (int k = 0; k <= steps; k++) {
        double t = k - steps / 2.0;
        st += t * t;
        se += t * total[k];
        square += pow(total[k] - total[0], 2) / n;
    }
    d->slope = steps ? se / st / (1e-3 * step_fs) : 0;
    d->strays = sqrt(square);
}

static double place(double value, double low, double high)
{
    return (log10(value) - low) / (high - low);
}

/* Draws both measures over the tolerance, on logarithmic axes. */
static int draw(const struct drift *d, int n, const char *path,
                const char *title)
{
    enum { LEFT = 80, TOP = 50, WIDE = 480, HIGH = 360 };
    double x0 = 99, x1 = -99, y0 = 99, y1 = -99;
    FILE *f = fopen(path, "w");
    if (!f)
        return -1;
    for (int k = 0; k < n; k++) {
        double low = fmin(fabs(d[k].slope), d[k].strays);
        double high = fmax(fabs(d[k].slope), d[k].strays);
        x0 = fmin(x0, floor(log10(d[k].tolerance)));
        x1 = fmax(x1, ceil(log10(d[k].tolerance)));
        y0 = fmin(y0, floor(log10(fmax(low, 1e-12))));
        y1 = fmax(y1, ceil(log10(fmax(high, 1e-12))));
    }
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<text x=\"%d\" y=\"24\">%s</text>\n",
            LEFT + WIDE + 30, TOP + HIGH + 60, LEFT, title);
    for (double x = x0; x <= x1; x++)
        fprintf(f, "<path d=\"M%g %d v%d\" stroke=\"#ddd\"/><text x=\"%g\" "
                "y=\"%d\" text-anchor=\"middle\">1e%g</text>\n",
                LEFT + WIDE * (x - x0) / (x1 - x0), TOP, HIGH,
                LEFT + WIDE * (x - x0) / (x1 - x0), TOP + HIGH + 18, x);
    for (double y = y0; y <= y1; y++)
        fprintf(f, "<path d=\"M%d %g h%d\" stroke=\"#ddd\"/><text x=\"%d\" "
                "y=\"%g\" text-anchor=\"end\">1e%g</text>\n",
                LEFT, TOP + HIGH * (y1 - y) / (y1 - y0), WIDE, LEFT - 6,
                TOP + HIGH * (y1 - y) / (y1 - y0) + 4, y);
    for (int which = 0; which < 2; which++) {
        const char *colour = which ? "#f28e2b" : "#4e79a7";
        int y = TOP + 18 + 18 * which;
        fprintf(f, "<text x=\"%d\" y=\"%d\">%s</text>\n<g fill=\"%s\">"
                "<circle cx=\"%d\" cy=\"%d\" r=\"5\"/>", LEFT + 24, y,
                which ? "|drift|, eV an ion and ps"
                      : "RMS from its start, eV an ion", colour,
                LEFT + 12, y - 5);
        for (int k = 0; k < n; k++) {
            double v = which ? fabs(d[k].slope) : d[k].strays;
            fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>",
                    LEFT + WIDE * place(d[k].tolerance, x0, x1),
                    TOP + HIGH * (1 - place(fmax(v, 1e-12), y0, y1)));
        }
        fputs("</g>\n", f);
    }
    fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">tolerance: "
            "relative RMS error of the forces</text></svg>\n",
            LEFT + WIDE / 2, TOP + HIGH + 42);
    return fclose(f);
}

/* Runs all tolerances from the same start; 0: failure. */
static int compare(struct melt *m, int steps, const char *device,
                   struct drift *d, int n)
{
    size_t size = 3 * (size_t)m->n * sizeof(double);
    double *start = malloc(2 * size), *total = calloc((size_t)steps + 1, 8);
    int good = start && total;
    if (good) {
        memcpy(start, m->x, size);
        memcpy(start + 3 * m->n, m->v, size);
        printf("tolerance  estimated  drift/(eV/ion/ps)  strays/(eV/ion)  "
               "ms a step\n");
    }
    for (int k = 0; k < n && good; k++) {
        farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
        memcpy(m->x, start, size);
        memcpy(m->v, start + 3 * m->n, size);
        struct timespec from, to;
        good = plan(m, d[k].tolerance, device) == FARSUM_OK;
        timespec_get(&from, TIME_UTC);
        good = good && go(m, steps, total)
               && farsum_plan_get_info(m->plan, &info) == FARSUM_OK;
        timespec_get(&to, TIME_UTC);
        if (!good)
            break;
        strays(total, steps, &d[k]);
        d[k].estimated = info.estimated_error;
        d[k].seconds = ((double)(to.tv_sec - from.tv_sec)
                        + 1e-9 * (double)(to.tv_nsec - from.tv_nsec)) / steps;
        printf("%9.0e  %9.1e  %17.2e  %15.2e  %9.3f\n", d[k].tolerance,
               d[k].estimated, d[k].slope, d[k].strays, 1e3 * d[k].seconds);
    }
    if (!good)
        fprintf(stderr, "%s\n", farsum_message());
    free(start);
    free(total);
    return good;
}

int main(int argc, char **argv)
{
    static const double usual[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5};
    struct drift d[MOST] = {{0}};
    struct melt m = {.n = 512};
    int steps = 1000, first = 1000, n = 0;
    int check = 0;
    const char *device = NULL, *svg = NULL;
    for (int c; (c = getopt(argc, argv, "n:s:e:d:g:c")) != -1;)
        switch (c) {
        case 'n': m.n = atoi(optarg); break;
        case 's': steps = atoi(optarg); break;
        case 'e': first = atoi(optarg); break;
        case 'd': device = optarg; break;
        case 'g': svg = optarg; break;
        case 'c': check = 1; break;
        default: return 2;
        }
    for (; n < MOST && optind + n < argc; n++)
        d[n].tolerance = atof(argv[optind + n]);
    for (; optind == argc && n < 5; n++)
        d[n].tolerance = usual[n];
    int side = 2 * (int)ceil(cbrt(m.n / 8.0) - 1e-9);
    if (m.n < 1 || steps < 1 || first < 0 || side > 1000)
        return fprintf(stderr, "melt: -n and -s from 1, -e from 0\n"), 2;
    m.n = side * side * side; /* whole rows of rock salt */
    for (int k = 0; k < 3; k++)
        m.edge[k] = cbrt(m.n / density);
    m.cut = fmin(10, m.edge[0] / 2);
    double *all = calloc(13 * (size_t)m.n, sizeof *all);
    if (!all)
        return fprintf(stderr, "melt: no memory\n"), 1;
    m.x = all, m.v = all + 3 * m.n, m.f = all + 6 * m.n;
    m.field = all + 9 * m.n, m.q = all + 12 * m.n;
    begin(&m, side);
    printf("%d ions in a cube of %.2f A, %d steps of %g fs to melt, %d at "
           "constant energy\n", m.n, m.edge[0], first, step_fs, steps);
    int good = plan(&m, 1e-4, device) == FARSUM_OK && go(&m, first, NULL);
    if (!good)
        fprintf(stderr, "%s\n", farsum_message());
    else
        printf("%.0f K\n", 2 * kinetic(&m) / (3 * m.n * boltzmann));
    good = good && compare(&m, steps, device, d, n);
    char title[120];
    snprintf(title, sizeof title, "Molten NaCl, %d ions, %g ps: total energy",
             m.n, 1e-3 * steps * step_fs);
    if (good && svg && draw(d, n, svg, title) != 0)
        return fprintf(stderr, "%s: %s\n", svg, strerror(errno)), 1;
    farsum_plan_destroy(m.plan);
    free(all);
    int less = !check || d[n - 1].strays < 0.5 * d[0].strays;
    if (good && !less)
        fprintf(stderr, "the energy strays no less at %g than at %g\n",
                d[n - 1].tolerance, d[0].tolerance);
    return good && less ? 0 : 1;
}
