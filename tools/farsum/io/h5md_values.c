/* SPDX-License-Identifier: Apache-2.0 */
/* h5md_values.c: values of an H5MD element. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "h5md.h"

/* Checks that each chunk of a frame was written, because missing ones read as
 * zeros.  A chunk that skipped the filters must be complete, because libhdf5
 * reads past its end. */
static bool chunks_are_there(const struct h5md_element *e, int64_t at) {
    bool good = true;
#if H5_VERSION_GE(1, 10, 5)
    hsize_t chunk[9], size[9] = {1}, offset[9] = {0};
    hsize_t nominal = e->file_size;
    hid_t list = H5Dget_create_plist(e->set);
    int rank = e->rank + e->timed, k = rank;
    bool chunked = list >= 0 && H5Pget_layout(list) == H5D_CHUNKED &&
                   H5Pget_chunk(list, rank, chunk) == rank;
    if (list >= 0) H5Pclose(list);
    if (!chunked) return list >= 0;
    for (int d = 0; d < rank; d++) nominal *= chunk[d];
    if (nominal == 0) return false;
    for (int d = 0; d < e->rank; d++) size[d + e->timed] = e->shape[d];
    if (e->timed) offset[0] = (hsize_t)at / chunk[0] * chunk[0];
    while (good && k >= 0) {
        unsigned skipped = 0;
        haddr_t address = HADDR_UNDEF;
        hsize_t bytes = 0;
        good = H5Dget_chunk_info_by_coord(e->set, offset, &skipped, &address,
                                          &bytes) >= 0 &&
               address != HADDR_UNDEF && (!skipped || bytes == nominal);
        for (k = rank - 1; k >= e->timed; k--) { /* the next one */
            offset[k] += chunk[k];
            if (offset[k] < size[k]) break;
            offset[k] = 0;
        }
        if (k < e->timed) k = -1;
    }
#else
    (void)e, (void)at;
#endif
    return good;
}

int h5md_element_keep_chunk(struct text *t, struct h5md_element *e) {
    char name[4096];
    hsize_t chunk[9], bytes = e->file_size;
    hid_t list = H5Dget_create_plist(e->set), file = -1, access = -1, set = -1;
    int rank = e->rank + e->timed;
    bool large = list >= 0 && H5Pget_layout(list) == H5D_CHUNKED &&
                 H5Pget_nfilters(list) > 0 &&
                 H5Pget_chunk(list, rank, chunk) == rank;
    for (int d = 0; d < rank && large; d++) bytes *= chunk[d];
    if (list >= 0) H5Pclose(list);
    /* the library's own cache has 1 MiB */
    if (!large || bytes <= 1 << 20 || bytes >= (hsize_t)1 << 32) return 0;
    ssize_t length = H5Iget_name(e->set, name, sizeof name);
    if (length < 1 || length >= (ssize_t)sizeof name) return 0;
    file = H5Iget_file_id(e->set);
    access = H5Pcreate(H5P_DATASET_ACCESS);
    /* a set that is open keeps its cache, so it is closed first */
    if (file >= 0 && access >= 0 &&
        H5Pset_chunk_cache(access, 521, (size_t)bytes, 1.0) >= 0) {
        H5Dclose(e->set);
        e->set = set = H5Dopen2(file, name, access);
        if (set < 0) e->set = 0;
    } else {
        set = e->set;
    }
    if (access >= 0) H5Pclose(access);
    if (file >= 0) H5Fclose(file);
    return set >= 0 ? 0 : text_fail(t, "%s: cannot be opened again", e->path);
}

static int read_raw(struct text *t, const struct h5md_element *e,
                    struct h5md_rows rows, hid_t type, void *out) {
    hsize_t start[9] = {0}, count[9], total = 1;
    int rank = 0, bad = -1;
    int64_t at = rows.frame;
    if (e->timed) start[0] = (hsize_t)at, count[rank++] = 1;
    for (int k = 0; k < e->rank; k++) {
        if (k == 0) start[rank] = (hsize_t)rows.first;
        count[rank] = k == 0 ? (hsize_t)rows.n : e->shape[k];
        total *= count[rank++];
    }
    if (total == 0) return 0;
    if (rows.first == 0 && !chunks_are_there(e, at))
        return text_fail(t, "%s: frame %lld is not all there (truncated, or "
                            "never written)", e->path, (long long)at + 1);
    hid_t file = H5Dget_space(e->set), strict = h5_strict_transfer();
    hid_t memory = H5Screate_simple(1, &total, NULL);
    if (file >= 0 && memory >= 0 && strict >= 0 &&
        (rank == 0 || H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL,
                                          count, NULL) >= 0) &&
        H5Dread(e->set, type, memory, file, strict, out) >= 0)
        bad = 0;
    char reason[160];
    if (bad) h5_reason(reason, sizeof reason);
    if (strict >= 0) H5Pclose(strict);
    if (memory >= 0) H5Sclose(memory);
    if (file >= 0) H5Sclose(file);
    if (!bad) return 0;
    return text_fail(t, "%s: cannot read frame %lld: %s", e->path,
                     (long long)at + 1, reason);
}

int h5md_element_reals(struct text *t, const struct h5md_element *e,
                       struct h5md_rows rows, double *out) {
    if (e->type != IO_REAL && e->type != IO_INT)
        return text_fail(t, "%s: expected numbers, found another type",
                         e->path);
    return read_raw(t, e, rows, H5T_NATIVE_DOUBLE, out);
}

static char *member_text(const struct h5md_element *e, int64_t value) {
    for (int k = 0; k < e->n_members; k++)
        if (e->member_values[k] == value) return strdup(e->members[k]);
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)value);
    return strdup(number);
}

static int read_members(struct text *t, const struct h5md_element *e,
                        struct h5md_rows rows, int64_t n, char **out) {
    int64_t *values = calloc((size_t)(n > 0 ? n : 1), sizeof *values);
    if (!values) return text_no_memory(t);
    int bad = read_raw(t, e, rows, H5T_NATIVE_INT64, values);
    for (int64_t i = 0; i < n && !bad; i++) {
        out[i] = member_text(e, values[i]);
        if (!out[i]) bad = text_no_memory(t);
    }
    free(values);
    return bad;
}

/* A string type in memory with the file's character set and the given size. */
static hid_t memory_string(const struct h5md_element *e, size_t size) {
    hid_t type = h5_string_type(size), file = H5Dget_type(e->set);
    if (type >= 0 && file >= 0) H5Tset_cset(type, H5Tget_cset(file));
    if (file >= 0) H5Tclose(file);
    return type;
}

static int read_fixed(struct text *t, const struct h5md_element *e,
                      struct h5md_rows rows, int64_t n, char **out) {
    size_t size = e->file_size + 1;
    char *raw = calloc((size_t)(n > 0 ? n : 1), size);
    hid_t type = memory_string(e, size);
    int bad = raw && type >= 0 ? read_raw(t, e, rows, type, raw)
                               : text_no_memory(t);
    for (int64_t i = 0; i < n && !bad; i++) {
        const char *p = raw + (size_t)i * size;
        out[i] = frame_text(p, strnlen(p, size));
        if (!out[i]) bad = text_no_memory(t);
    }
    if (type >= 0) H5Tclose(type);
    free(raw);
    return bad;
}

static int read_variable(struct text *t, const struct h5md_element *e,
                         struct h5md_rows rows, int64_t n, char **out) {
    char **raw = calloc((size_t)(n > 0 ? n : 1), sizeof *raw);
    hid_t type = memory_string(e, H5T_VARIABLE);
    int bad = raw && type >= 0 ? read_raw(t, e, rows, type, raw)
                               : text_no_memory(t);
    for (int64_t i = 0; i < n && !bad; i++) {
        out[i] = strdup(raw[i] ? raw[i] : "");
        if (!out[i]) bad = text_no_memory(t);
    }
    for (int64_t i = 0; i < n && raw; i++)
        if (raw[i]) H5free_memory(raw[i]);
    if (type >= 0) H5Tclose(type);
    free(raw);
    return bad;
}

/* Integers without sign must fit int64_t, except the id UINT64_MAX: it marks a
 * row without a particle and becomes -1. */
static int read_integers(struct text *t, const struct h5md_element *e,
                         struct h5md_rows rows, int64_t n, int64_t *out)
{
    bool large = e->is_unsigned && e->file_size == 8;
    hid_t type = large ? H5T_NATIVE_UINT64 : H5T_NATIVE_INT64;
    if (read_raw(t, e, rows, type, out))
        return -1;
    bool is_id = strcmp(e->name, "id") == 0;
    for (int64_t i = 0; large && i < n; i++) {
        uint64_t v = (uint64_t)out[i];
        if (v > INT64_MAX && !(is_id && v == UINT64_MAX))
            return text_fail(t,
                             "%s: expected integers below 2^63 (frame %lld, "
                             "value %lld), found %llu",
                             e->path, (long long)rows.frame + 1,
                             (long long)(rows.first * e->width + i) + 1,
                             (unsigned long long)v);
    }
    return 0;
}

void *h5md_element_column(struct text *t, const struct h5md_element *e,
                          struct h5md_rows rows) {
    int64_t values = rows.n * e->width;
    size_t size = frame_cell_size(e->type);
    void *data = calloc((size_t)(values > 0 ? values : 1), size);
    int bad;
    if (!data) {
        text_no_memory(t);
        return NULL;
    }
    switch (e->type) {
    case IO_REAL: bad = read_raw(t, e, rows, H5T_NATIVE_DOUBLE, data); break;
    case IO_INT:
        bad = read_integers(t, e, rows, values, data);
        break;
    case IO_BOOL: bad = read_raw(t, e, rows, H5T_NATIVE_SCHAR, data); break;
    default:
        bad = e->n_members ? read_members(t, e, rows, values, data)
              : e->variable ? read_variable(t, e, rows, values, data)
                            : read_fixed(t, e, rows, values, data);
    }
    if (!bad) return data;
    for (int64_t i = 0; e->type == IO_TEXT && i < values; i++)
        free(((char **)data)[i]);
    free(data);
    return NULL;
}
