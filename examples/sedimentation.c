/* SPDX-License-Identifier: Apache-2.0 */
/* sedimentation.c: a suspension that sinks.  Spheres of radius 1 are in a
 * periodic box of fluid.  A force of 1 pulls each one down, and the flow of all
 * others, as point forces, moves it.  A soft repulsion keeps them apart.
 *
 *     sedimentation [-n spheres] [-p volume fraction] [-s steps] [-t tolerance]
 *                   [-d DEVICE] [-o FILE.h5] [-g FILE.svg] [-l]
 *
 * -d host, cuda:0, ...: see farsum list devices.  -o writes an H5MD trajectory,
 * which `farsum run FILE.h5 --kernel stokeslet --check` sums again.  -g draws
 * the spheres with their velocities relative to the mean.  -l starts from a
 * simple cubic lattice and checks it against Hasimoto's sum.
 *
 * The viscosity is 1/(6 pi), so that a single sphere sinks with velocity 1. */
#include <errno.h>
#include <farsum/farsum.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "h5md.h"
#include "pairs.h"

/* Drag from the images of a point force in a simple cubic lattice of spacing
 * 1. */
static const double hasimoto = 2.837297479480620;
static const double pi = 3.14159265358979323846;

struct options {
    int n, steps, lattice;
    double fraction, tolerance;
    const char *device, *h5, *svg;
};

struct suspension {
    int n;
    double edge[3], *x, *middle, *v, *f; /* owned, [n][3] */
    farsum_plan *plan;
};

/* Repels neighbours closer than 2.5 radii. */
static void push(void *data, int i, int j, const double d[3], double r2)
{
    double *f = data, r = sqrt(r2) + 1e-12;
    double strength = 4 * (2.5 - r) / r;
    for (int k = 0; k < 3; k++) {
        f[3 * i + k] += strength * d[k];
        f[3 * j + k] -= strength * d[k];
    }
}

/* Forces at x and the resulting velocities: each sphere's own, equal to its
 * force, and the flow of the others and of all images, whose mean is 0. */
static farsum_status move(struct suspension *s, const double *x)
{
    farsum_result out = FARSUM_RESULT_INIT;
    out.velocity = s->v;
    for (int i = 0; i < 3 * s->n; i++)
        s->f[i] = i % 3 == 2 ? -1 : 0;
    double cut = fmin(2.5, s->edge[0] / 2);
    if (!pairs_each(s->n, x, s->edge, cut, push, s->f))
        return FARSUM_ERR_MEMORY;
    farsum_status status = farsum_plan_set_points(s->plan, s->n, x, 0, NULL);
    if (status == FARSUM_OK)
        status = farsum_plan_execute(s->plan, 1, s->f, &out);
    for (int i = 0; i < 3 * s->n; i++)
        s->v[i] += s->f[i];
    return status;
}

/* One step of the midpoint rule; s->v holds the velocities at s->x. */
static farsum_status step(struct suspension *s, double dt)
{
    for (int i = 0; i < 3 * s->n; i++)
        s->middle[i] = s->x[i] + dt / 2 * s->v[i];
    farsum_status status = move(s, s->middle);
    for (int i = 0; i < 3 * s->n; i++)
        s->x[i] += dt * s->v[i];
    return status == FARSUM_OK ? move(s, s->x) : status;
}

/* Sites of a cubic lattice, displaced by a part of its spacing. */
static void place(struct suspension *s, int side, double part)
{
    uint64_t seed = 1;
    for (int i = 0; i < 3 * s->n; i++) {
        int n = i / 3, at[3] = {n % side, n / side % side, n / side / side};
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double u = (double)(seed >> 11) * 0x1p-53 - 0.5;
        s->x[i] = s->edge[0] / side * (at[i % 3] + 0.5 + part * u);
    }
}

static farsum_status plan(struct suspension *s, const struct options *o)
{
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_options options = FARSUM_OPTIONS_INIT;
    problem.kernel = "stokeslet";
    problem.coulomb = 0.75; /* 1/(8 pi viscosity) */
    problem.tolerance = o->tolerance;
    for (int d = 0; d < 3; d++)
        problem.cell[4 * d] = s->edge[d], problem.periodic[d] = 1;
    for (int i = 0; i < 3 * s->n; i++)
        s->f[i] = i % 3 == 2 ? -1 : 0;
    problem.n_sources = s->n, problem.sample_x = s->x, problem.sample_q = s->f;
    options.device.name = o->device;
    return farsum_plan_create(&problem, &options, &s->plan);
}

/* The mean velocity, and the RMS of the differences from it. */
static void average(const struct suspension *s, double mean[3], double *rest)
{
    mean[0] = mean[1] = mean[2] = *rest = 0;
    for (int i = 0; i < 3 * s->n; i++)
        mean[i % 3] += s->v[i] / s->n;
    for (int i = 0; i < 3 * s->n; i++)
        *rest += pow(s->v[i] - mean[i % 3], 2) / s->n;
    *rest = sqrt(*rest);
}

/* Draws the box from the side, distant spheres first and paler.  Arrows show
 * velocities minus their mean. */
static int draw(const struct suspension *s, const char *path, const char *title)
{
    enum { SIZE = 640, TOP = 40, SHELVES = 8 };
    double mean[3], rest, scale = SIZE / s->edge[0];
    FILE *f = fopen(path, "w");
    if (!f)
        return -1;
    average(s, mean, &rest);
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"14\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#eef4fb\"/>\n"
            "<g transform=\"translate(0,%d)\">\n",
            SIZE, SIZE + TOP, TOP);
    for (int shelf = 0; shelf < SHELVES; shelf++)
        for (int i = 0; i < s->n; i++) {
            double at[3], u[3];
            for (int d = 0; d < 3; d++) {
                double part = s->x[3 * i + d] / s->edge[d];
                at[d] = (part - floor(part)) * SIZE;
                u[d] = (s->v[3 * i + d] - mean[d]) / (rest + 1e-30);
            }
            if ((int)(at[1] * SHELVES / SIZE) % SHELVES != shelf)
                continue;
            /* blue: faster than the mean; red: slower */
            double tone = fmax(-1, fmin(1, u[2] / 2)), length = 1.5 * scale;
            double x = at[0], y = SIZE - at[2];
            fprintf(f, "<g opacity=\"%.2f\"><circle cx=\"%.1f\" cy=\"%.1f\" "
                    "r=\"%.1f\" fill=\"rgb(%d,%d,%d)\"/>"
                    "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
                    "stroke=\"black\" stroke-width=\"%.1f\"/></g>\n",
                    0.3 + 0.7 * (shelf + 1) / SHELVES, x, y, scale,
                    (int)(170 + 70 * tone), (int)(170 - 70 * fabs(tone)),
                    (int)(170 - 70 * tone), x, y, x + length * u[0],
                    y - length * u[2], fmax(1, scale / 8));
        }
    fprintf(f, "</g><rect width=\"100%%\" height=\"%d\" fill=\"white\"/>"
            "<text x=\"8\" y=\"26\">%s</text></svg>\n", TOP, title);
    return fclose(f);
}

static int simulate(struct suspension *s, const struct options *o)
{
    double mean[3], rest, dt = 0.2;
    struct h5md *file = NULL;
    int bad = 0;
    if (o->h5 && !(file = h5md_create(o->h5, s->n, s->edge, "sedimentation")))
        return fprintf(stderr, "%s: cannot be written, or built without "
                       "HDF5\n", o->h5), 1;
    farsum_status status = move(s, s->x);
    for (int k = 0; status == FARSUM_OK && k <= o->steps && !bad; k++) {
        if (k > 0)
            status = step(s, dt);
        average(s, mean, &rest);
        if (status == FARSUM_OK && k % (o->steps / 10 + 1) == 0)
            printf("time %5.1f: mean velocity %.6f, fluctuations %.6f\n",
                   k * dt, mean[2], rest);
        if (status == FARSUM_OK && file)
            bad = h5md_write(file, k, k * dt, s->x, s->v, s->f);
    }
    bad |= h5md_close(file);
    if (status != FARSUM_OK)
        return fprintf(stderr, "%s\n", farsum_message()), 1;
    if (bad)
        return fprintf(stderr, "%s: cannot be written\n", o->h5), 1;
    char title[160];
    snprintf(title, sizeof title, "%d spheres, volume fraction %g, time %g: "
             "mean velocity %.3f", s->n, o->fraction, o->steps * dt, mean[2]);
    if (o->svg && draw(s, o->svg, title) != 0)
        return fprintf(stderr, "%s: %s\n", o->svg, strerror(errno)), 1;
    return 0;
}

/* A lattice sinks as a whole, without changing. */
static int check(const struct suspension *s, int side)
{
    double mean[3], rest, known = 1 - hasimoto * side / s->edge[0];
    average(s, mean, &rest);
    double off = hypot(-mean[2] - known, rest);
    printf("a simple cubic lattice sinks by %.8f, known %.8f\n", -mean[2],
           known);
    return !(off < 2e-4);
}

int main(int argc, char **argv)
{
    struct options o = {.n = 1000, .steps = 50, .fraction = 0.05,
                        .tolerance = 1e-4};
    struct suspension s = {0};
    for (int c; (c = getopt(argc, argv, "n:s:p:t:d:o:g:l")) != -1;)
        switch (c) {
        case 'n': o.n = atoi(optarg); break;
        case 's': o.steps = atoi(optarg); break;
        case 'p': o.fraction = atof(optarg); break;
        case 't': o.tolerance = atof(optarg); break;
        case 'd': o.device = optarg; break;
        case 'o': o.h5 = optarg; break;
        case 'g': o.svg = optarg; break;
        case 'l': o.lattice = 1; break;
        default: return 2;
        }
    if (o.n < 1 || o.steps < 0 || !(o.fraction > 0 && o.fraction < 0.5))
        return fprintf(stderr, "sedimentation: -n from 1, -s from 0, -p "
                       "between 0 and 0.5\n"), 2;
    int side = (int)ceil(cbrt((double)o.n) - 1e-9);
    s.n = o.lattice ? side * side * side : o.n;
    for (int d = 0; d < 3; d++)
        s.edge[d] = cbrt(s.n * 4 * pi / (3 * o.fraction));
    double *all = calloc(12 * (size_t)s.n, sizeof *all);
    s.x = all, s.middle = all + 3 * s.n, s.v = all + 6 * s.n;
    s.f = all + 9 * s.n;
    int bad = !all;
    if (all)
        place(&s, side, o.lattice ? 0 : 0.6);
    if (all && plan(&s, &o) != FARSUM_OK)
        bad = fprintf(stderr, "%s\n", farsum_message());
    if (!bad)
        farsum_plan_print(s.plan, stdout);
    bad = bad || simulate(&s, &o) || (o.lattice && check(&s, side));
    farsum_plan_destroy(s.plan);
    free(all);
    return bad ? 1 : 0;
}
