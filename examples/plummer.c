/* SPDX-License-Identifier: Apache-2.0 */
/* plummer.c: a cluster of stars in open space, Plummer's sphere (Mon.  Not.  R.
 * Astron.  Soc.  71 (1911) 460).  Its potential, acceleration and energy, from
 * the fast multipole method, are compared with the closed form.
 *
 *     plummer [-n stars] [-t tolerance] [-m METHOD] [-d DEVICE] [-g FILE.svg]
 *
 * -m direct, fmm (default: Farsum's choice).  -g draws the stars and their
 * potential over the radius.  The program fails if the results differ from the
 * closed form by more than the scatter of so many stars.
 *
 * Strengths are masses, which attract: the constant is -G.  G, the cluster's
 * mass and its radius a are 1; each star has the same mass. */
#include <errno.h>
#include <farsum/farsum.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;
enum { SHELLS = 24 };
/* Shells are equally spaced in log r. */
static const double first = 0.05, last = 20;

struct cluster {
    int n;
    double *x, *mass, *potential, *pull; /* owned by main */
    double energy;
    /* in each shell: stars, mean potential and inward acceleration */
    double stars[SHELLS], phi[SHELLS], inward[SHELLS];
};

static double known_potential(double r)
{
    return -1 / sqrt(1 + r * r);
}

static double known_pull(double r)
{
    return r / pow(1 + r * r, 1.5);
}

static double radius(const double *x)
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static double shell_radius(double shell)
{
    return first * pow(last / first, shell / SHELLS);
}

/* The mass within r is r^3/(1 + r^2)^(3/2).  Places stars at its inverse for
 * equal steps, in random directions. */
static void place(struct cluster *c)
{
    uint64_t seed = 1;
    for (int i = 0; i < c->n; i++) {
        double u[2];
        for (int d = 0; d < 2; d++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            u[d] = (double)(seed >> 11) * 0x1p-53;
        }
        double r = 1 / sqrt(pow((i + 0.5) / c->n, -2.0 / 3) - 1);
        double z = 2 * u[0] - 1, across = sqrt(1 - z * z);
        c->x[3 * i] = r * across * cos(2 * pi * u[1]);
        c->x[3 * i + 1] = r * across * sin(2 * pi * u[1]);
        c->x[3 * i + 2] = r * z;
        c->mass[i] = 1.0 / c->n;
    }
}

static farsum_status sum(struct cluster *c, double tolerance,
                         const char *method, const char *device)
{
    farsum_problem problem = FARSUM_PROBLEM_INIT; /* no axis is periodic */
    farsum_options options = FARSUM_OPTIONS_INIT;
    farsum_result out = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    problem.precision = FARSUM_F64, problem.tolerance = tolerance;
    problem.n_sources = c->n, problem.coulomb = -1; /* gravity */
    problem.sample_x = c->x, problem.sample_q = c->mass;
    options.method = method, options.device.name = device;
    out.potential = c->potential, out.field = c->pull, out.energy = &c->energy;
    farsum_status status = farsum_plan_create(&problem, &options, &plan);
    if (status == FARSUM_OK)
        status = farsum_plan_set_points(plan, c->n, c->x, 0, NULL);
    if (status == FARSUM_OK)
        status = farsum_plan_execute(plan, 1, c->mass, &out);
    if (status == FARSUM_OK)
        farsum_plan_print(plan, stdout);
    farsum_plan_destroy(plan);
    return status;
}

static void shells(struct cluster *c)
{
    for (int i = 0; i < c->n; i++) {
        const double *x = c->x + 3 * i, *g = c->pull + 3 * i;
        double r = radius(x);
        int k = (int)floor(SHELLS * log(r / first) / log(last / first));
        if (k < 0 || k >= SHELLS)
            continue;
        c->stars[k] += 1;
        c->phi[k] += c->potential[i];
        c->inward[k] -= (x[0] * g[0] + x[1] * g[1] + x[2] * g[2]) / r;
    }
}

/* Prints one line per shell, with the closed form at its middle radius.  1: the
 * results differ from it. */
static int check(const struct cluster *c)
{
    double energy = -3 * pi / 32, worst = 0, scatter = 6 / sqrt(c->n);
    printf("\n%8s %7s %12s %12s %12s %12s\n", "radius", "stars", "potential",
           "known", "pull", "known");
    for (int k = 0; k < SHELLS; k++) {
        double r = shell_radius(k + 0.5), n = c->stars[k];
        if (n < 1)
            continue;
        printf("%8.3f %7.0f %12.6f %12.6f %12.6f %12.6f\n", r, n,
               c->phi[k] / n, known_potential(r), c->inward[k] / n,
               known_pull(r));
    }
    for (int i = 0; i < c->n; i++) {
        double r = radius(c->x + 3 * i);
        worst += pow(c->potential[i] / known_potential(r) - 1, 2) / c->n;
    }
    printf("energy %.6f, known %.6f; potentials scatter about what is known "
           "by %.4f (RMS, relative)\n", c->energy, energy, sqrt(worst));
    return !(fabs(c->energy / energy - 1) < scatter && sqrt(worst) < scatter);
}

/* Draws the stars on the left, their potential over the radius on the right. */
static int draw(const struct cluster *c, const char *path)
{
    enum { SIZE = 480, LEFT = 60, TOP = 40 };
    const double sight = 4, low = log10(first), high = log10(last);
    int some = c->n / 4000 + 1;
    FILE *f = fopen(path, "w");
    if (!f)
        return -1;
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<text x=\"10\" y=\"24\">Plummer's sphere, %d stars: energy %.5f, "
            "known %.5f</text>\n"
            "<g transform=\"translate(0,%d)\" fill=\"#ffe9b8\">\n<rect "
            "width=\"%d\" height=\"%d\" fill=\"#0b1026\"/>\n",
            2 * SIZE + LEFT + 20, SIZE + TOP + 40, c->n, c->energy,
            -3 * pi / 32, TOP, SIZE, SIZE);
    for (int i = 0; i < c->n; i += some)
        if (fabs(c->x[3 * i]) < sight && fabs(c->x[3 * i + 2]) < sight)
            fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.2f\"/>",
                    SIZE / 2 * (1 + c->x[3 * i] / sight),
                    SIZE / 2 * (1 - c->x[3 * i + 2] / sight),
                    1 + 0.4 / (1 + fabs(c->x[3 * i + 1])));
    fprintf(f, "</g>\n<g transform=\"translate(%d,%d)\">\n",
            SIZE + LEFT, TOP);
    for (int k = -1; k <= 1; k++)
        fprintf(f, "<path d=\"M%.1f 0 v%d\" stroke=\"#ddd\"/><text x=\"%.1f\" "
                "y=\"%d\" text-anchor=\"middle\">%g</text>\n",
                SIZE * (k - low) / (high - low), SIZE,
                SIZE * (k - low) / (high - low), SIZE + 18, pow(10, k));
    for (int k = 0; k <= 6; k++)
        fprintf(f, "<path d=\"M0 %.1f h%d\" stroke=\"#ddd\"/><text x=\"-6\" "
                "y=\"%.1f\" text-anchor=\"end\">%.1f</text>\n",
                k / 6.0 * SIZE, SIZE, k / 6.0 * SIZE + 4, -0.2 * k);
    fprintf(f, "<g fill=\"#4e79a7\" fill-opacity=\"0.35\">\n");
    for (int i = 0; i < c->n; i += some) {
        double r = radius(c->x + 3 * i);
        double y = -c->potential[i] / 1.2 * SIZE;
        if (r > first && r < last && y < SIZE)
            fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>",
                    SIZE * (log10(r) - low) / (high - low), y);
    }
    fprintf(f, "</g>\n<path fill=\"none\" stroke=\"#e15759\" "
            "stroke-width=\"1.5\" d=\"M");
    for (int k = 0; k <= 2 * SHELLS; k++)
        fprintf(f, "%s%.1f %.1f", k ? " L" : "", SIZE * k / (2.0 * SHELLS),
                -known_potential(shell_radius(k / 2.0)) / 1.2 * SIZE);
    fprintf(f, "\"/>\n<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">radius "
            "over a; potential of each star and -GM/(r^2 + a^2)^(1/2)</text>\n"
            "</g></svg>\n", SIZE / 2, SIZE + 36);
    return fclose(f);
}

int main(int argc, char **argv)
{
    struct cluster c = {.n = 20000};
    double tolerance = 1e-5;
    const char *method = NULL, *device = NULL, *svg = NULL;
    for (int o; (o = getopt(argc, argv, "n:t:m:d:g:")) != -1;)
        switch (o) {
        case 'n': c.n = atoi(optarg); break;
        case 't': tolerance = atof(optarg); break;
        case 'm': method = optarg; break;
        case 'd': device = optarg; break;
        case 'g': svg = optarg; break;
        default: return 2;
        }
    if (c.n < 1)
        return fprintf(stderr, "plummer: -n from 1\n"), 2;
    double *all = calloc(8 * (size_t)c.n, sizeof *all);
    if (!all)
        return fprintf(stderr, "plummer: no memory\n"), 1;
    c.x = all, c.mass = all + 3 * c.n, c.potential = all + 4 * c.n;
    c.pull = all + 5 * c.n;
    place(&c);
    int bad = sum(&c, tolerance, method, device) != FARSUM_OK;
    if (bad)
        fprintf(stderr, "%s\n", farsum_message());
    if (!bad) {
        shells(&c);
        bad = check(&c);
        if (svg && draw(&c, svg) != 0)
            bad = fprintf(stderr, "%s: %s\n", svg, strerror(errno));
    }
    free(all);
    return bad ? 1 : 0;
}
