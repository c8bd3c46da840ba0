/* SPDX-License-Identifier: Apache-2.0 */
/* slab.c: a polar film and its potential, with two and with three periodic
 * axes.
 *
 *     slab [-g FILE.svg]
 *
 * The film has five double layers of charges +1 and -1 on square lattices of
 * constant 1, half a constant apart, so it has the dipole 5/2 per area.  In the
 * planar mean its potential jumps by 4 pi 5/2 across the film and is constant
 * on both sides.
 *
 * With three periodic axes the film has images above and below.  Then the
 * potential is periodic, and the vacuum has a field that spoils the sum however
 * thick the vacuum is.  The dipole correction of EW3DC, 4 pi M z/V, removes it.
 *
 * -g draws the three potentials.  The program fails if the jump, the field in
 * the vacuum or the corrected potential is wrong. */
#include <errno.h>
#include <farsum/farsum.h>
#include <math.h>
#include <string.h>

enum { SIDE = 4, LAYERS = 5, N = 2 * LAYERS * SIDE * SIDE };
/* heights, and targets per height: a grid in the lattice's cell */
enum { HEIGHTS = 60, GRID = 8, M = HEIGHTS * GRID * GRID };
static const double pi = 3.14159265358979323846;
static const double area = SIDE * SIDE, edge = 15; /* of the cell, across */
static double x[N][3], q[N], y[M][3], dipole;

static void make(void)
{
    for (int i = 0; i < N; i++) {
        int site = i / 2 % (SIDE * SIDE), lower = i % 2;
        double z = i / (2 * SIDE * SIDE) + (lower ? 0 : 0.5);
        x[i][0] = site % SIDE + (lower ? 0 : 0.5);
        x[i][1] = site / SIDE + (lower ? 0 : 0.5);
        x[i][2] = z;
        q[i] = lower ? -1 : 1;
        dipole += q[i] * z;
    }
    for (int i = 0; i < M; i++) {
        int height = i / (GRID * GRID), at = i % (GRID * GRID);
        y[i][0] = (at % GRID + 0.25) / GRID;
        y[i][1] = (at / GRID + 0.25) / GRID;
        y[i][2] = 0.25 * height - 5.125; /* between the planes */
    }
}

/* mean [HEIGHTS] = the potential, averaged over the plane.  0: failed. */
static int profile(int axes, double *mean)
{
    static double phi[M];
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_result result = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    problem.cell[0] = problem.cell[4] = SIDE;
    problem.cell[8] = edge; /* two axes: room for sources and targets */
    for (int d = 0; d < axes; d++)
        problem.periodic[d] = 1;
    problem.outputs = FARSUM_POTENTIAL;
    problem.error = FARSUM_ERROR_POTENTIAL;
    problem.tolerance = 1e-8;
    problem.n_sources = N, problem.n_targets = M;
    result.potential = phi;
    int good = farsum_plan_create(&problem, NULL, &plan) == FARSUM_OK
               && farsum_plan_set_points(plan, N, x, M, y) == FARSUM_OK
               && farsum_plan_execute(plan, 1, q, &result) == FARSUM_OK;
    if (!good)
        fprintf(stderr, "%s\n", farsum_message());
    farsum_plan_destroy(plan);
    memset(mean, 0, HEIGHTS * sizeof *mean);
    for (int i = 0; i < M; i++)
        mean[i / (GRID * GRID)] += phi[i] / (GRID * GRID);
    return good;
}

static double height_of(int k)
{
    return y[k * GRID * GRID][2];
}

static void curve(FILE *f, const double *v, double wide, double high,
                  double most, const char *colour, const char *dashes)
{
    fprintf(f, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" "
            "stroke-dasharray=\"%s\" d=\"M", colour, dashes);
    for (int k = 0; k < HEIGHTS; k++)
        fprintf(f, "%s%.1f %.1f", k ? " L" : "", wide * k / (HEIGHTS - 1),
                high * (0.5 - 0.5 * v[k] / most));
    fprintf(f, "\"/>\n");
}

static int draw(const double *slab, const double *cell, const double *repaired,
                const char *path)
{
    enum { WIDE = 640, HIGH = 360, LEFT = 60, TOP = 40 };
    const double most = 20, low = height_of(0), high = height_of(HEIGHTS - 1);
    FILE *f = fopen(path, "w");
    if (!f)
        return -1;
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<g transform=\"translate(%d,%d)\">\n"
            "<rect x=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"#eee\"/>\n",
            WIDE + LEFT + 20, HIGH + TOP + 60, LEFT, TOP,
            WIDE * (0 - low) / (high - low),
            WIDE * (LAYERS - 0.5) / (high - low), HIGH);
    for (int k = -2; k <= 2; k++)
        fprintf(f, "<path d=\"M0 %d h%d\" stroke=\"#ddd\"/><text x=\"-8\" "
                "y=\"%d\" text-anchor=\"end\">%d</text>\n",
                HIGH / 2 - k * HIGH / 4, WIDE, HIGH / 2 - k * HIGH / 4 + 4,
                10 * k);
    curve(f, slab, WIDE, HIGH, most, "#4e79a7", "none");
    curve(f, cell, WIDE, HIGH, most, "#e15759", "none");
    curve(f, repaired, WIDE, HIGH, most, "#222", "2 6");
    fprintf(f, "<text x=\"%d\" y=\"-14\" text-anchor=\"middle\">a polar film "
            "(grey): the mean potential at each height</text>\n"
            "<text x=\"0\" y=\"%d\">height; "
            "<tspan fill=\"#4e79a7\">two periodic axes</tspan>, "
            "<tspan fill=\"#e15759\">three</tspan>, three with EW3DC's dipole "
            "correction (dots)</text>\n</g></svg>\n",
            WIDE / 2, HIGH + 30);
    return fclose(f);
}

/* The mean of the field -d phi/dz below and above the film. */
static double vacuum_field(const double *phi)
{
    int some = HEIGHTS / 5;
    double below = phi[0] - phi[some];
    double above = phi[HEIGHTS - 1 - some] - phi[HEIGHTS - 1];
    return (below + above) / (2 * 0.25 * some);
}

/* Shifts to equal values below and above 0. */
static void centre(double *phi)
{
    double off = (phi[0] + phi[HEIGHTS - 1]) / 2;
    for (int k = 0; k < HEIGHTS; k++)
        phi[k] -= off;
}

int main(int argc, char **argv)
{
    double slab[HEIGHTS], cell[HEIGHTS], repaired[HEIGHTS], off = 0;
    const char *svg = argc == 3 && strcmp(argv[1], "-g") == 0 ? argv[2] : NULL;
    if (argc > 1 && !svg)
        return fprintf(stderr, "usage: slab [-g FILE.svg]\n"), 2;
    make();
    if (!profile(2, slab) || !profile(3, cell))
        return 1;
    centre(slab);
    centre(cell);
    for (int k = 0; k < HEIGHTS; k++)
        repaired[k] = cell[k] + 4 * pi * dipole / (area * edge) * height_of(k);
    centre(repaired);
    for (int k = 0; k < HEIGHTS; k++)
        off = fmax(off, fabs(repaired[k] - slab[k]));
    double jump = slab[HEIGHTS - 1] - slab[0];
    double known = 4 * pi * dipole / area;
    double field = known / edge;
    printf("jump of the potential %.6f, known %.6f\n", jump, known);
    printf("field in the vacuum: two periodic axes %.6f, three %.6f, known "
           "%.6f\n", vacuum_field(slab), vacuum_field(cell), field);
    printf("three periodic axes with the dipole correction: off by %.1e\n",
           off);
    if (svg && draw(slab, cell, repaired, svg) != 0)
        return fprintf(stderr, "%s: %s\n", svg, strerror(errno)), 1;
    return fabs(jump - known) < 1e-5 * known
                   && fabs(vacuum_field(slab)) < 1e-5 * field
                   && fabs(vacuum_field(cell) - field) < 1e-5 * field
                   && off < 1e-5 * known
               ? 0
               : 1;
}
