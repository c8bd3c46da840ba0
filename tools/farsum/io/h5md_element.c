/* SPDX-License-Identifier: Apache-2.0 */
/* h5md_element.c: shape, type and storage of an H5MD element. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "h5md.h"

#define MEMBERS_MAX 65536
#define WIDTH_MAX 65536

static int fail(struct text *t, const struct h5md_element *e,
                const char *what) {
    return text_fail(t, "%s: %s", e->path, what);
}

static char *join(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    char *out = malloc(n + m + 2);
    if (out) sprintf(out, "%s/%s", a, b);
    return out;
}

/* The data set of an element; < 0: it has none. */
static hid_t find_set(hid_t parent, const char *name, bool *timed) {
    if (!h5_exists(parent, name)) return -1;
    hid_t object = H5Oopen(parent, name, H5P_DEFAULT), set = -1;
    if (object < 0) return -1;
    H5I_type_t kind = H5Iget_type(object);
    if (kind == H5I_DATASET) {
        *timed = false;
        return object;
    }
    if (kind == H5I_GROUP && h5_exists(object, "value")) {
        *timed = true;
        set = H5Dopen2(object, "value", H5P_DEFAULT);
    }
    H5Oclose(object);
    return set;
}

/* --- its shape --- */

static int get_shape(struct text *t, struct h5md_element *e) {
    hsize_t dims[9];
    hid_t space = H5Dget_space(e->set);
    int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    if (rank >= 0 && rank <= 8)
        rank = H5Sget_simple_extent_dims(space, dims, NULL);
    else
        rank = -1;
    if (space >= 0) H5Sclose(space);
    if (rank < e->timed) return fail(t, e, "expected an array of 1 to 8 axes");
    e->frames = e->timed ? dims[0] : 1;
    e->rank = rank - e->timed;
    for (int k = 0; k < e->rank; k++) e->shape[k] = dims[k + e->timed];
    hsize_t width = 1;
    for (int k = 1; k < e->rank; k++)
        if (__builtin_mul_overflow(width, e->shape[k], &width) ||
            width > WIDTH_MAX)
            width = 0; /* and remains 0 */
    e->width = (int)width;
    return 0;
}

/* Bytes of one frame in the file; SIZE_MAX: too large. */
static size_t frame_bytes(const struct h5md_element *e) {
    size_t bytes = e->file_size;
    for (int k = 0; k < e->rank; k++)
        if (__builtin_mul_overflow(bytes, (size_t)e->shape[k], &bytes))
            return SIZE_MAX;
    return bytes;
}

/* Names of filters whose files may omit the name (registered with the HDF
 * Group). */
static const char *filter_name(H5Z_filter_t id, const char *name) {
    static const struct {
        H5Z_filter_t id;
        const char *name;
    } names[] = {{H5Z_FILTER_DEFLATE, "deflate"}, {H5Z_FILTER_SZIP, "szip"},
                 {305, "lzo"},      {307, "bzip2"},     {32000, "lzf"},
                 {32001, "blosc"},  {32004, "lz4"},     {32008, "bitshuffle"},
                 {32013, "zfp"},    {32015, "zstd"},    {32017, "sz"},
                 {32026, "blosc2"}};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (names[k].id == id) return names[k].name;
    return *name ? name : "without a name";
}

/* Fails if the library lacks a filter, which makes the values unreadable. */
static int check_filters(struct text *t, const struct h5md_element *e,
                         hid_t list, int filters) {
    for (int k = 0; k < filters; k++) {
        char name[64] = "";
        unsigned flags, config;
        size_t none = 0;
        H5Z_filter_t id = H5Pget_filter2(list, (unsigned)k, &flags, &none, NULL,
                                         sizeof name, name, &config);
        if (id < 0 || H5Zfilter_avail(id) > 0) continue;
        name[sizeof name - 1] = 0;
        return text_fail(t, "%s: compressed by the filter %s, which this HDF5 "
                            "lacks; h5repack -f GZIP=4 IN OUT, where that "
                            "filter is, writes a file that can be read",
                         e->path, filter_name(id, name));
    }
    return 0;
}

/* Checks that the data claimed by the header exist.  An incompletely written
 * array would read as zeros; one of absurd size would take all memory. */
static int check_storage(struct text *t, const struct h5md_element *e) {
    size_t one = frame_bytes(e), all;
    hid_t list = H5Dget_create_plist(e->set);
    hid_t file = H5Iget_file_id(e->set);
    hsize_t stored = H5Dget_storage_size(e->set), file_size = 0;
    int filters = list < 0 ? -1 : H5Pget_nfilters(list);
    bool outside = list < 0 || H5Pget_external_count(list) != 0 ||
                   H5Pget_layout(list) == H5D_VIRTUAL;
    int lacking = check_filters(t, e, list, filters);
    if (file >= 0) H5Fget_filesize(file, &file_size);
    if (list >= 0) H5Pclose(list);
    if (file >= 0) H5Fclose(file);
    if (lacking) return -1;
    if (outside) return fail(t, e, "data in other files are not supported");
    if (one == 0 || e->frames == 0) return 0;
    bool large = one == SIZE_MAX ||
                 __builtin_mul_overflow(one, (size_t)e->frames, &all);
    /* Deflate expands a byte to at most 1032 bytes. */
    if (filters > 0) large = large || one / 1100 > stored;
    else large = large || all > stored;
    if (stored == 0 || large || stored > file_size)
        return fail(t, e, "the data are not all there (truncated, or never "
                          "written)");
    return 0;
}

/* --- its type --- */

static int get_members(struct text *t, struct h5md_element *e, hid_t type) {
    int n = H5Tget_nmembers(type);
    hid_t base = H5Tget_super(type);
    size_t size = H5Tget_size(type);
    int bad = base < 0 || n < 1 || n > MEMBERS_MAX || size > 8;
    if (!bad) {
        e->members = calloc((size_t)n, sizeof *e->members);
        e->member_values = calloc((size_t)n, sizeof *e->member_values);
        bad = !e->members || !e->member_values;
    }
    for (int k = 0; k < n && !bad; k++) {
        char value[16] = {0};
        char *name = H5Tget_member_name(type, (unsigned)k);
        e->members[k] = name ? strdup(name) : NULL;
        e->n_members = k + 1;
        bad = !e->members[k] ||
              H5Tget_member_value(type, (unsigned)k, value) < 0 ||
              H5Tconvert(base, H5T_NATIVE_INT64, 1, value, NULL,
                         H5P_DEFAULT) < 0;
        memcpy(&e->member_values[k], value, 8);
        if (name) H5free_memory(name);
    }
    if (base >= 0) H5Tclose(base);
    return bad ? fail(t, e, "an enumeration that cannot be read") : 0;
}

/* h5py writes flags as the enumeration FALSE 0, TRUE 1. */
static bool is_flag(const struct h5md_element *e) {
    return e->n_members == 2 && strcmp(e->members[0], "FALSE") == 0 &&
           strcmp(e->members[1], "TRUE") == 0 && e->member_values[0] == 0 &&
           e->member_values[1] == 1;
}

/* 1: a supported type; 0: another one; -1: error. */
static int get_type(struct text *t, struct h5md_element *e) {
    hid_t type = H5Dget_type(e->set);
    int known = type < 0 ? -1 : 1;
    e->file_size = type < 0 ? 0 : H5Tget_size(type);
    switch (type < 0 ? H5T_NO_CLASS : H5Tget_class(type)) {
    case H5T_FLOAT: e->type = IO_REAL; break;
    case H5T_INTEGER:
        e->type = IO_INT;
        e->is_unsigned = H5Tget_sign(type) == H5T_SGN_NONE;
        break;
    case H5T_STRING:
        e->type = IO_TEXT;
        e->variable = H5Tis_variable_str(type) > 0;
        break;
    case H5T_ENUM:
        known = get_members(t, e, type) ? -1 : 1;
        e->type = known == 1 && is_flag(e) ? IO_BOOL : IO_TEXT;
        break;
    default: known = type < 0 ? -1 : 0;
    }
    if (type < 0) fail(t, e, "its type cannot be read");
    if (known == 1 && e->type != IO_TEXT && e->file_size > 16)
        known = fail(t, e, "expected numbers of at most 16 bytes");
    if (type >= 0) H5Tclose(type);
    return known;
}

int h5md_element_open(struct text *t, hid_t parent, const char *where,
                      const char *name, struct h5md_element *e) {
    memset(e, 0, sizeof *e);
    e->set = find_set(parent, name, &e->timed);
    if (e->set < 0) {
        e->set = 0;
        return 0;
    }
    e->name = strdup(h5md_column_of_name(name));
    e->path = join(where, name);
    int got = e->name && e->path ? get_type(t, e) : text_no_memory(t);
    if (got == 1 && (get_shape(t, e) || check_storage(t, e))) got = -1;
    if (got != 1) h5md_element_close(e);
    return got;
}

void h5md_element_close(struct h5md_element *e) {
    for (int k = 0; k < e->n_members; k++) free(e->members[k]);
    free(e->members);
    free(e->member_values);
    free(e->name);
    free(e->path);
    if (e->set > 0) H5Dclose(e->set);
    memset(e, 0, sizeof *e);
}
