/* SPDX-License-Identifier: Apache-2.0 */
/* h5md_open.c: opens an H5MD file and finds its elements.  The values are read
 * frame by frame. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "h5md.h"

/* --- the file and its group --- */

static int open_file(struct io_reader *reader, struct h5md *h) {
    struct text *t = &reader->text;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0) return text_no_memory(t);
    const char *name = t->name;
    if (reader->image) { /* in memory, without a file */
        if (H5Pset_fapl_core(access, 1 << 16, 0) >= 0 &&
            H5Pset_file_image(access, (void *)(uintptr_t)reader->image,
                              reader->image_size) >= 0)
            h->file = H5Fopen("memory", H5F_ACC_RDONLY, access);
    } else {
        h->file = H5Fopen(name, H5F_ACC_RDONLY, access);
    }
    char reason[160];
    if (h->file <= 0) h5_reason(reason, sizeof reason);
    H5Pclose(access);
    if (h->file > 0) return 0;
    h->file = 0;
    return text_fail(t, "cannot open as HDF5: %s", reason);
}

/* The name of a link, owned; in order of creation if the file stores it. */
static char *link_name(hid_t group, hsize_t k) {
    H5_index_t index = H5_INDEX_NAME;
    hid_t list = H5Gget_create_plist(group);
    unsigned flags = 0;
    if (list >= 0) {
        if (H5Pget_link_creation_order(list, &flags) >= 0 &&
            (flags & H5P_CRT_ORDER_TRACKED))
            index = H5_INDEX_CRT_ORDER;
        H5Pclose(list);
    }
    ssize_t n = H5Lget_name_by_idx(group, ".", index, H5_ITER_INC, k, NULL, 0,
                                   H5P_DEFAULT);
    if (n < 1 || n > 4096) return NULL;
    char *name = calloc((size_t)n + 1, 1);
    if (name && H5Lget_name_by_idx(group, ".", index, H5_ITER_INC, k, name,
                                   (size_t)n + 1, H5P_DEFAULT) < 0) {
        free(name);
        name = NULL;
    }
    return name;
}

static hsize_t count_links(hid_t group) {
    H5G_info_t info;
    return H5Gget_info(group, &info) < 0 ? 0 : info.nlinks;
}

/* The only group with positions, or "all"; the caller frees it. */
static char *find_group(struct text *t, hid_t particles) {
    char *found = NULL, list[200] = "";
    int n = 0;
    for (hsize_t k = 0; k < count_links(particles); k++) {
        char *name = link_name(particles, k);
        hid_t group = name && h5_exists(particles, name)
                          ? H5Gopen2(particles, name, H5P_DEFAULT)
                          : -1;
        bool good = group >= 0 && h5_exists(group, "position");
        if (group >= 0) H5Gclose(group);
        if (!good) {
            free(name);
            continue;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", n ? ", " : "", name);
        n++;
        if (!found || strcmp(name, "all") == 0) {
            free(found);
            found = name;
        } else {
            free(name);
        }
    }
    if (found && (n == 1 || strcmp(found, "all") == 0)) return found;
    free(found);
    if (n == 0)
        text_fail(t, "expected a group with \"position\" in /particles, found "
                     "none");
    else
        text_fail(t, "several groups of particles (%s): which one?", list);
    return NULL;
}

static int open_group(struct io_reader *reader, struct h5md *h) {
    struct text *t = &reader->text;
    hid_t particles = h5_exists(h->file, "particles")
                          ? H5Gopen2(h->file, "particles", H5P_DEFAULT)
                          : -1;
    if (particles < 0)
        return text_fail(t, "expected a group /particles (H5MD), found none");
    const char *asked = reader->options.group;
    char *name = asked ? strdup(asked) : find_group(t, particles);
    if (name) {
        if (h5_exists(particles, name))
            h->group = H5Gopen2(particles, name, H5P_DEFAULT);
        size_t size = strlen(name) + sizeof "/particles/";
        h->where = malloc(size);
        if (h->where) snprintf(h->where, size, "/particles/%s", name);
    }
    H5Gclose(particles);
    if (!name) return -1;
    int bad = 0;
    if (!h->where) bad = text_no_memory(t);
    else if (h->group <= 0)
        bad = text_fail(t, "there is no group /particles/%s", name);
    free(name);
    return bad;
}

/* --- elements of the group --- */

static int open_position(struct text *t, struct h5md *h) {
    struct h5md_element *e = &h->position;
    int got = h5md_element_open(t, h->group, h->where, "position", e);
    if (got < 0) return -1;
    if (got == 0)
        return text_fail(t, "expected %s/position, found none", h->where);
    if (e->rank != 2 || e->shape[1] != 3)
        return h5md_shape_error(t, e, "positions N x 3");
    h5_unit(h->group, "position", h->length_unit, sizeof h->length_unit);
    h5_unit(h->group, "charge", h->charge_unit, sizeof h->charge_unit);
    h->frames = (int64_t)e->frames;
    h->n = (int64_t)e->shape[0];
    return 0;
}

static int open_charge(struct text *t, struct h5md *h) {
    struct h5md_element *e = &h->charge;
    int got = h5md_element_open(t, h->group, h->where, "charge", e);
    if (got < 1) return got;
    bool flat = e->rank == 1 || (e->rank == 2 && e->shape[1] == 1);
    if (!flat || (int64_t)e->shape[0] != h->n)
        return h5md_shape_error(t, e, "as many charges as particles");
    return h5md_check_frames(t, h, h->group, e);
}

/* The element id marks rows without a particle, so that a sum must not pass it
 * over. */
static int check_id(struct text *t, const struct h5md *h,
                    const struct h5md_element *e)
{
    if (e->rank < 1 || (int64_t)e->shape[0] != h->n || e->width != 1)
        return h5md_shape_error(t, e, "as many ids as particles");
    if (e->type == IO_REAL)
        return text_fail(t, "%s: expected integers, found real numbers",
                         e->path);
    return h5md_check_frames(t, h, h->group, e);
}

/* 1: `e` is a column; 0: it is none; -1: error. */
static int open_column(struct text *t, const struct h5md *h, const char *name,
                       struct h5md_element *e)
{
    if (strcmp(name, "box") == 0 || strcmp(name, "position") == 0
        || strcmp(name, "charge") == 0)
        return 0;
    int got = h5md_element_open(t, h->group, h->where, name, e);
    if (got < 1)
        return got;
    if (strcmp(name, "id") == 0)
        got = check_id(t, h, e) ? -1 : 1;
    else
        got = e->rank >= 1 && (int64_t)e->shape[0] == h->n && e->width >= 1
              && h5md_is_sampled(h, e);
    if (got < 1)
        h5md_element_close(e);
    return got;
}

/* Opens all elements with one row per particle.  Elements sampled at other
 * times than the positions are skipped, because they belong to no frame. */
static int open_columns(struct text *t, struct h5md *h) {
    hsize_t links = count_links(h->group);
    for (hsize_t k = 0; k < links; k++) {
        char *name = link_name(h->group, k);
        if (!name)
            continue;
        struct h5md_element e;
        int got = open_column(t, h, name, &e);
        free(name);
        if (got < 0) return -1;
        if (got == 0)
            continue;
        struct h5md_element *grown =
            realloc(h->columns, ((size_t)h->n_columns + 1) * sizeof *grown);
        if (!grown) {
            h5md_element_close(&e);
            return text_no_memory(t);
        }
        h->columns = grown;
        h->columns[h->n_columns++] = e;
    }
    return 0;
}

int h5md_open_file(struct io_reader *reader, struct h5md *h) {
    struct text *t = &reader->text;
    if (open_file(reader, h) || open_group(reader, h) || open_position(t, h) ||
        open_charge(t, h) || h5md_open_box(reader, h) || open_columns(t, h))
        return -1;
    if (h->n == 0 && h->frames > 1)
        return text_fail(t, "%s: no particles", h->position.path);
    return 0;
}
