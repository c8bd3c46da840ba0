/* SPDX-License-Identifier: Apache-2.0 */
/* h5md_box.c: box of an H5MD file, and check of elements against the positions'
 * frames. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry.h"
#include "h5md.h"

int h5md_shape_error(struct text *t, const struct h5md_element *e,
                     const char *expected) {
    char found[200] = "one value";
    size_t used = 0;
    for (int k = 0; k < e->rank && used < 180; k++)
        used += (size_t)snprintf(found + used, sizeof found - used, "%s%llu",
                                 k ? " x " : "",
                                 (unsigned long long)e->shape[k]);
    return text_fail(t, "%s: expected %s a frame, found %s", e->path, expected,
                     found);
}

/* --- frames --- */

/* Steps of n frames from the data set; false: it has others. */
static bool take_steps(hid_t set, hsize_t n, int64_t *steps)
{
    hid_t space = H5Dget_space(set);
    int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    bool one = rank == 0 && n > 1, good = false;
    int64_t offset = 0;
    if (space >= 0
        && H5Sget_simple_extent_npoints(space) == (rank == 0 ? 1 : (hssize_t)n)
        && rank <= 1 && H5Dget_storage_size(set) >= (rank == 0 ? 1 : n))
        good =
            H5Dread(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, steps)
            >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (!good || !one)
        return good;
    /* One number is the distance of steps, after the attribute `offset`. */
    if (H5Aexists(set, "offset") > 0) {
        hid_t a = H5Aopen(set, "offset", H5P_DEFAULT);
        if (a < 0 || H5Aread(a, H5T_NATIVE_INT64, &offset) < 0)
            good = false;
        if (a >= 0)
            H5Aclose(a);
    }
    for (hsize_t k = n; good && k-- > 0;)
        if (__builtin_mul_overflow(steps[0], (int64_t)k, &steps[k])
            || __builtin_add_overflow(steps[k], offset, &steps[k]))
            good = false;
    return good;
}

/* The steps of an element, owned; NULL: none that can be read. */
static int64_t *read_steps(hid_t parent, const char *name, hsize_t n) {
    char path[300];
    snprintf(path, sizeof path, "%.280s/step", name);
    if (!h5_exists(parent, name) || !h5_exists(parent, path) || n >= 1 << 30)
        return NULL;
    hid_t set = H5Dopen2(parent, path, H5P_DEFAULT);
    int64_t *steps = malloc((size_t)(n > 0 ? n : 1) * sizeof *steps);
    if (steps && (set < 0 || !take_steps(set, n, steps))) {
        free(steps);
        steps = NULL;
    }
    if (set >= 0) H5Dclose(set);
    return steps;
}

/* The first frame whose step is not that of the positions' frame, which are as
 * many; -1: none.  *its, *ours: the two steps. */
static int64_t other_step(const struct h5md *h, hid_t parent,
                          const struct h5md_element *e, int64_t *its,
                          int64_t *ours)
{
    int64_t found = -1;
    const char *name = strrchr(e->path, '/') + 1;
    int64_t *a = read_steps(h->group, "position", (hsize_t)h->frames);
    int64_t *b = read_steps(parent, name, e->frames);
    for (int64_t k = 0; a && b && k < h->frames && found < 0; k++)
        if (a[k] != b[k]) {
            found = k;
            *ours = a[k];
            *its = b[k];
        }
    free(a);
    free(b);
    return found;
}

bool h5md_is_sampled(const struct h5md *h, const struct h5md_element *e)
{
    int64_t its, ours;
    if (!e->timed)
        return true;
    return (int64_t)e->frames == h->frames
           && other_step(h, h->group, e, &its, &ours) < 0;
}

int h5md_check_frames(struct text *t, const struct h5md *h, hid_t parent,
                      const struct h5md_element *e) {
    if (!e->timed || e->frames == 1) return 0;
    if ((int64_t)e->frames == h->frames) {
        int64_t its, ours, k = other_step(h, parent, e, &its, &ours);
        if (k < 0)
            return 0;
        return text_fail(t,
                         "%s: step %lld is no step of the positions; frame "
                         "%lld of the positions has step %lld",
                         e->path, (long long)its, (long long)k + 1,
                         (long long)ours);
    }
    return text_fail(t, "%s: expected %lld frames as of the positions, found "
                        "%llu", e->path, (long long)h->frames,
                     (unsigned long long)e->frames);
}

/* --- the box --- */

enum { WORD = 64 };

/* Reads three texts of an attribute; false if it does not contain three. */
static bool three_words(hid_t a, char out[3][WORD]) {
    hid_t type = H5Aget_type(a), space = H5Aget_space(a), memory = -1;
    bool good = space >= 0 && H5Sget_simple_extent_npoints(space) == 3 &&
                type >= 0 && H5Tget_class(type) == H5T_STRING;
    bool variable = good && H5Tis_variable_str(type) > 0;
    char *text[3] = {NULL, NULL, NULL};
    if (good) {
        memory = h5_string_type(variable ? H5T_VARIABLE : (size_t)WORD);
        good = memory >= 0 && H5Tset_cset(memory, H5Tget_cset(type)) >= 0 &&
               H5Aread(a, memory, variable ? (void *)text : out) >= 0;
    }
    for (int d = 0; d < 3; d++) {
        if (good && variable)
            snprintf(out[d], WORD, "%s", text[d] ? text[d] : "");
        out[d][WORD - 1] = 0;
        if (text[d]) H5free_memory(text[d]);
    }
    if (memory >= 0) H5Tclose(memory);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return good;
}

/* box@boundary: "periodic" or "none" per axis. */
static int read_boundary(struct text *t, hid_t box, struct h5md *h) {
    char words[3][WORD] = {{0}};
    hid_t a = H5Aexists(box, "boundary") > 0
                  ? H5Aopen(box, "boundary", H5P_DEFAULT)
                  : -1;
    if (a < 0) return 0;
    bool good = three_words(a, words);
    H5Aclose(a);
    if (!good)
        return text_fail(t, "%s/box: expected the attribute boundary to be "
                            "three words, \"periodic\" or \"none\"", h->where);
    for (int d = 0; d < 3; d++) {
        h->periodic[d] = strcmp(words[d], "periodic") == 0;
        if (!h->periodic[d] && strcmp(words[d], "none") != 0)
            return text_fail(t, "%s/box: expected \"periodic\" or \"none\" in "
                                "the attribute boundary, found \"%.40s\"",
                             h->where, words[d]);
    }
    h->bounded = true;
    return 0;
}

static const char *boundary_word(int periodic)
{
    return periodic ? "periodic" : "none";
}

/* Fails for axes that contradict --periodic, and for an incomplete box: edges
 * without boundary, or a periodic boundary without edges. */
static int check_box(struct text *t, const struct io_options *options,
                     const struct h5md *h) {
    const int *p = h->periodic;
    bool edges = h->edges.set != 0;
    const char *given;
    if (geometry_is_given(options)) return 0;
    if (!edges && !h->bounded)
        return text_fail(t,
                         "%s/box has neither edges nor an attribute "
                         "boundary: " GEOMETRY_ADVICE,
                         h->where);
    if (h->bounded && geometry_contradicts(options, p, &given))
        return text_fail(t,
                         "%s/box has the boundary \"%s\" \"%s\" \"%s\", "
                         "which contradicts --periodic %s: " GEOMETRY_REPLACED,
                         h->where, boundary_word(p[0]), boundary_word(p[1]),
                         boundary_word(p[2]), given);
    if (edges && !h->bounded && !options->periodic_given)
        return text_fail(t, "%s/box has edges but no attribute boundary: "
                            "--periodic xyz or none says which axes are "
                            "periodic", h->where);
    if (!edges && (p[0] || p[1] || p[2]))
        return text_fail(t, "%s/box has a boundary that says periodic, but no "
                            "edges: " GEOMETRY_ADVICE, h->where);
    return 0;
}

/* Fails if edges or offset have another unit than the positions.  A unit that
 * only the box has is that of all lengths. */
static int check_units(struct text *t, struct h5md *h, hid_t box)
{
    static const char *const names[] = {"edges", "offset"};
    char unit[24];
    for (int k = 0; k < 2; k++) {
        h5_unit(box, names[k], unit, sizeof unit);
        if (!*unit || strcmp(unit, h->length_unit) == 0)
            continue;
        if (*h->length_unit)
            return text_fail(t,
                             "%s/box/%s has the unit \"%s\", %s/position "
                             "has \"%s\"",
                             h->where, names[k], unit, h->where,
                             h->length_unit);
        memcpy(h->length_unit, unit, sizeof unit);
    }
    return 0;
}

static int open_edges(struct text *t, const struct io_options *options,
                      struct h5md *h, hid_t box) {
    struct h5md_element *e = &h->edges, *o = &h->offset;
    char where[600];
    snprintf(where, sizeof where, "%.500s/box", h->where);
    int got = h5md_element_open(t, box, where, "edges", e);
    if (got < 0 || read_boundary(t, box, h)) return -1;
    if (got == 0) return check_box(t, options, h);
    int moved = h5md_element_open(t, box, where, "offset", o);
    if (moved < 0) return -1;
    bool vector = e->rank == 1 && e->shape[0] == 3;
    bool matrix = e->rank == 2 && e->shape[0] == 3 && e->shape[1] == 3;
    if (!vector && !matrix)
        return h5md_shape_error(t, e, "edges 3 or 3 x 3");
    if (h5md_check_frames(t, h, box, e) || check_box(t, options, h) ||
        check_units(t, h, box))
        return -1;
    if (moved == 0) return 0;
    if (o->rank != 1 || o->shape[0] != 3)
        return h5md_shape_error(t, o, "3 numbers");
    return h5md_check_frames(t, h, box, o);
}

int h5md_open_box(struct io_reader *reader, struct h5md *h) {
    if (!h5_exists(h->group, "box")) return 0;
    hid_t box = H5Gopen2(h->group, "box", H5P_DEFAULT);
    if (box < 0) return 0;
    h->boxed = true;
    int bad = open_edges(&reader->text, &reader->options, h, box);
    H5Gclose(box);
    return bad;
}
