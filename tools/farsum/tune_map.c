/* SPDX-License-Identifier: Apache-2.0 */
/* tune_map.c: map of the chosen variants of spread and interp, over the number
 * of points and of runs with the same positions: a picture, and one line per
 * column of it. */
#include "command.h"
#include "io/output.h"
#include "say.h"
#include "words.h"

#include "base/number.h"

#include <farsum/device.h>
#include <farsum/mesh.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points per mesh point from 1e-4 on, four steps per decade; runs from 1 on,
 * two steps per decade. */
enum { COLUMNS = 24, ROWS = 11, PANELS = 2, NAMES = 32 };
enum { CELL_X = 22, CELL_Y = 22, LEFT = 70, TOP = 64, LEGEND = 22 };

struct pick {
    int variant;      /* index in the panel's names; -1: none fits */
    char reason[320]; /* why none fits */
};

struct panel {
    const char *stage;
    int n_names;
    char names[NAMES][48];
    struct pick pick[COLUMNS][ROWS];
};

struct map {
    farsum_mesh_problem problem;
    farsum_mesh_options how;
    farsum_device *device; /* owned; NULL: the host */
    char where[300];       /* description of the device */
    struct panel panel[PANELS];
};

static int64_t map_points(const struct map *m, int column)
{
    const int64_t *mesh = m->problem.mesh;
    double n = (double)mesh[0] * (double)mesh[1] * (double)mesh[2];
    return (int64_t)fmax(round(n * pow(10, -4 + 0.25 * column)), 1);
}

static double map_runs(int row)
{
    return round(pow(10, 0.5 * row));
}

static int panel_name(struct panel *p, const char *name)
{
    for (int k = 0; k < p->n_names; k++)
        if (strcmp(p->names[k], name) == 0)
            return k;
    if (p->n_names == NAMES)
        return -1;
    snprintf(p->names[p->n_names], sizeof p->names[0], "%s", name);
    return p->n_names++;
}

static void map_pick(struct map *m, int column, int row)
{
    farsum_mesh_problem problem = m->problem;
    farsum_mesh_info info = FARSUM_MESH_INFO_INIT;
    farsum_mesh *mesh = NULL;
    problem.n_points = map_points(m, column);
    problem.repeats = map_runs(row);
    for (int k = 0; k < PANELS; k++) {
        struct pick *pick = &m->panel[k].pick[column][row];
        problem.uses = k == 0 ? FARSUM_MESH_SPREAD : FARSUM_MESH_VALUE;
        pick->variant = -1;
        if (farsum_mesh_tune(&problem, &m->how, &mesh) != FARSUM_OK
            || farsum_mesh_get_info(mesh, &info) != FARSUM_OK) {
            snprintf(pick->reason, sizeof pick->reason, "%s", words_message());
        } else {
            pick->variant = panel_name(&m->panel[k], info.stages[0].variant);
            snprintf(pick->reason, sizeof pick->reason, "%s",
                     info.stages[0].reason);
        }
        farsum_mesh_destroy(mesh);
        mesh = NULL;
    }
}

/* Each variant of a stage has a colour, the same in every map. */
static const char *map_colour(const struct panel *p, int variant)
{
    static const char *const colours[] = {
        "#4e79a7", "#f28e2b", "#e15759", "#76b7b2", "#59a14f", "#edc948",
        "#b07aa1", "#ff9da7", "#9c755f", "#bab0ac", "#1b9e77", "#d95f02",
        "#7570b3", "#e7298a", "#66a61e", "#e6ab02", "#a6761d", "#1f78b4",
        "#b2df8a", "#fb9a99", "#cab2d6", "#6a3d9a", "#ffff99", "#b15928"};
    farsum_variant_info info = FARSUM_VARIANT_INFO_INIT;
    enum { COLOURS = sizeof colours / sizeof *colours };
    for (int k = 0; farsum_list_variants(p->stage, k, &info) == FARSUM_OK; k++)
        if (variant >= 0 && strcmp(info.name, p->names[variant]) == 0)
            return colours[k % COLOURS];
    return "#ffffff";
}

/* Escapes & and < for XML. */
static void put_text(FILE *f, const char *text)
{
    for (; *text; text++)
        if (*text == '&')
            fputs("&amp;", f);
        else if (*text == '<')
            fputs("&lt;", f);
        else
            fputc(*text == '\n' ? ' ' : *text, f);
}

static void put_label(FILE *f, double x, double y, const char *more,
                      const char *text)
{
    fprintf(f, "<text x=\"%s\" y=\"%s\"%s>", number_digits(x, 6).text,
            number_digits(y, 6).text, more);
    put_text(f, text);
    fputs("</text>\n", f);
}

static void put_axes(FILE *f, double left)
{
    char text[64];
    for (int c = 0; c < COLUMNS; c += 4) {
        snprintf(text, sizeof text, "1e%d", c / 4 - 4);
        put_label(f, left + (c + 0.5) * CELL_X, TOP + ROWS * CELL_Y + 16,
                  " text-anchor=\"middle\"", text);
    }
    for (int r = 0; r < ROWS; r += 2) {
        snprintf(text, sizeof text, "1e%d", r / 2);
        put_label(f, left - 6, TOP + (ROWS - r - 0.3) * CELL_Y,
                  " text-anchor=\"end\"", text);
    }
    put_label(f, left + COLUMNS * CELL_X / 2.0, TOP + ROWS * CELL_Y + 36,
              " text-anchor=\"middle\"", "points a mesh point");
    put_label(f, left - 44, TOP - 8, "", "runs a set");
}

static void put_panel(FILE *f, const struct map *m, int k)
{
    const struct panel *p = &m->panel[k];
    double left = LEFT + k * (LEFT + COLUMNS * CELL_X);
    put_label(f, left + COLUMNS * CELL_X / 2.0, TOP - 10,
              " text-anchor=\"middle\" font-weight=\"bold\"", p->stage);
    for (int c = 0; c < COLUMNS; c++)
        for (int r = 0; r < ROWS; r++) {
            const struct pick *pick = &p->pick[c][r];
            fprintf(f,
                    "<rect x=\"%s\" y=\"%d\" width=\"%d\" height=\"%d\" "
                    "fill=\"%s\"><title>%s %lld points, %s runs: ",
                    number_digits(left + c * CELL_X, 6).text,
                    TOP + (ROWS - 1 - r) * CELL_Y, CELL_X, CELL_Y,
                    map_colour(p, pick->variant), p->stage,
                    (long long)map_points(m, c),
                    number_digits(map_runs(r), 6).text);
            fprintf(f, "%s (",
                    pick->variant >= 0 ? p->names[pick->variant] : "none");
            put_text(f, pick->reason);
            fputs(")</title></rect>\n", f);
        }
    put_axes(f, left);
    for (int n = 0; n < p->n_names; n++) {
        double y = TOP + ROWS * CELL_Y + 50 + (n / 3) * LEGEND;
        double x = left + n % 3 * 180;
        fprintf(f,
                "<rect x=\"%s\" y=\"%s\" width=\"14\" height=\"14\" "
                "fill=\"%s\"/>\n",
                number_digits(x, 6).text, number_digits(y, 6).text,
                map_colour(p, n));
        put_label(f, x + 20, y + 12, "", p->names[n]);
    }
}

static void put_map(FILE *f, const struct map *m)
{
    int lines = 0;
    for (int k = 0; k < PANELS; k++)
        lines = (m->panel[k].n_names + 2) / 3 > lines
                    ? (m->panel[k].n_names + 2) / 3
                    : lines;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            PANELS * (LEFT + COLUMNS * CELL_X) + 30,
            TOP + ROWS * CELL_Y + 70 + lines * LEGEND);
    put_label(f, LEFT, 22, " font-size=\"14\"", m->where);
    for (int k = 0; k < PANELS; k++)
        put_panel(f, m, k);
    fputs("</svg>\n", f);
}

static int map_write(const struct map *m, const char *path)
{
    struct output *out = NULL;
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    if (f)
        put_map(f, m);
    int bad = !f || fclose(f) != 0 || output_create(path, &out)
              || output_put(out, text, n) || output_commit(out);
    if (bad)
        say_error("%s", out ? out->message : "tune: out of memory");
    output_destroy(out);
    free(text);
    return bad ? -1 : 0;
}

/* Prints for each column where the variant changes along the runs. */
static void map_tell(const struct map *m)
{
    puts(m->where);
    for (int k = 0; k < PANELS; k++) {
        const struct panel *p = &m->panel[k];
        for (int c = 0; c < COLUMNS; c++) {
            printf("%-6s %12lld points ", p->stage,
                   (long long)map_points(m, c));
            for (int r = 0; r < ROWS; r++) {
                int v = p->pick[c][r].variant;
                if (r > 0 && v == p->pick[c][r - 1].variant)
                    continue;
                if (r > 0)
                    printf(", from %s runs",
                           number_digits(map_runs(r), 6).text);
                printf(" %s", v >= 0 ? p->names[v] : "none");
            }
            putchar('\n');
        }
    }
}

static int map_prepare(const struct settings *s, struct map *m)
{
    farsum_device_info info = FARSUM_DEVICE_INFO_INIT;
    const char *where = s->device ? s->device : "host";
    int host = strcmp(where, "host") == 0;
    m->problem = (farsum_mesh_problem)FARSUM_MESH_PROBLEM_INIT;
    m->how = (farsum_mesh_options)FARSUM_MESH_OPTIONS_INIT;
    for (int d = 0; d < 3; d++) {
        m->problem.cell[4 * d] = 1;
        m->problem.periodic[d] = 1;
        m->problem.mesh[d] = s->mesh[d] > 0 ? s->mesh[d] : 128;
    }
    m->problem.precision = (farsum_precision)s->precision;
    m->problem.channels = s->components;
    m->problem.crowding = s->crowding;
    m->problem.window = s->window ? s->window : "prolate";
    m->problem.support = s->support > 0 ? s->support : 6;
    m->how.isa = s->isa;
    m->how.threads = s->threads;
    m->how.spread = s->spread;
    m->how.interp = s->interp;
    m->how.deterministic = s->deterministic;
    m->how.measure = s->measure;
    if (!host) {
        if (farsum_device_open(where, &m->device) != FARSUM_OK
            || farsum_device_get_info(m->device, &info) != FARSUM_OK) {
            say_error("tune: %s", words_message());
            return -1;
        }
        m->how.on_device = m->device;
    }
    snprintf(m->where, sizeof m->where,
             "%s%s%.80s, %s, support %d, %d component%s, mesh %lldx%lldx%lld, "
             "crowding %s: by %s",
             where, host ? "" : " ", host ? "" : info.model,
             s->precision == FARSUM_F32 ? "f32" : "f64", m->problem.support,
             s->components > 0 ? s->components : 1,
             s->components > 1 ? "s" : "", (long long)m->problem.mesh[0],
             (long long)m->problem.mesh[1], (long long)m->problem.mesh[2],
             number_digits(s->crowding > 1 ? s->crowding : 1, 6).text,
             s->measure ? "measured times" : "estimates");
    return 0;
}

int map_main(struct settings *s)
{
    struct map *m = calloc(1, sizeof *m);
    int bad = 1, found = 0;
    if (!m) {
        say_error("tune: out of memory");
        return EXIT_FAILED;
    }
    m->panel[0].stage = "spread";
    m->panel[1].stage = "interp";
    if (map_prepare(s, m) == 0) {
        for (int c = 0; c < COLUMNS; c++) {
            say_progress("column %d of %d", c + 1, (int)COLUMNS);
            for (int r = 0; r < ROWS; r++)
                map_pick(m, c, r);
        }
        say_progress("%s", "");
        found = m->panel[0].n_names + m->panel[1].n_names;
        if (found == 0)
            say_error("tune: %s", m->panel[0].pick[0][0].reason);
        else
            bad = map_write(m, s->map);
        if (!bad)
            map_tell(m);
    }
    farsum_device_close(m->device);
    free(m);
    return bad ? EXIT_FAILED : EXIT_DONE;
}
