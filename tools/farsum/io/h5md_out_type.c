/* SPDX-License-Identifier: Apache-2.0 */
/* h5md_out_type.c: types of written H5MD elements. */
#include <stdlib.h>
#include <string.h>

#include "h5md_out.h"

#define SPECIES_MAX 256

int h5md_out_member(const struct h5md_out_element *e, const char *text) {
    for (int k = 0; k < e->n_members; k++)
        if (strcmp(e->members[k], text) == 0) return k;
    return -1;
}

/* Species are an enumeration in H5MD.  Returns 1 if it was created; 0: too many
 * names, or a name that cannot be a member; -1: no memory. */
static int make_members(struct h5md_out_element *e, const char *const *text,
                        int64_t values) {
    e->members = calloc(SPECIES_MAX, sizeof *e->members);
    if (!e->members) return -1;
    for (int64_t i = 0; i < values; i++) {
        if (h5md_out_member(e, text[i]) >= 0) continue;
        if (!*text[i] || e->n_members == SPECIES_MAX) return 0;
        e->members[e->n_members] = strdup(text[i]);
        if (!e->members[e->n_members]) return -1;
        e->n_members++;
    }
    return e->n_members > 0;
}

static hid_t enumeration(char *const *members, int n) {
    hid_t type = H5Tenum_create(H5T_STD_I32LE);
    for (int k = 0; k < n && type >= 0; k++) {
        int32_t value = k;
        hid_t swap = H5T_STD_I32LE;
        if (H5Tconvert(H5T_NATIVE_INT32, swap, 1, &value, NULL,
                       H5P_DEFAULT) < 0 ||
            H5Tenum_insert(type, members[k], &value) < 0) {
            H5Tclose(type);
            type = -1;
        }
    }
    return type;
}

/* The type in the file; sets e->memory to the type in memory. */
static hid_t text_type(struct h5md_out_element *e,
                       const struct io_column *like, int64_t n) {
    const char *const *text = like->data;
    int64_t values = n * like->width;
    int made = strcmp(e->name, "species") == 0 ? make_members(e, text, values)
                                               : 0;
    if (made < 0) return -1;
    if (made == 1) {
        hid_t type = enumeration(e->members, e->n_members);
        e->memory = type < 0 ? 0 : H5Tcopy(type);
        return type;
    }
    /* Leaves space for longer texts in later frames, which fail if it is too
     * small. */
    e->text_size = 16;
    for (int64_t i = 0; i < values; i++) {
        size_t size = strlen(text[i]) + 1;
        if (size > e->text_size) e->text_size = size;
    }
    e->memory = h5_string_type(e->text_size);
    return h5_string_type(e->text_size);
}

hid_t h5md_out_type(struct h5md_out_element *e, const struct io_column *like,
                    int64_t n) {
    static char *const flags[] = {"FALSE", "TRUE"};
    hid_t type = -1;
    switch (e->type) {
    case IO_REAL:
        e->memory = H5Tcopy(H5T_NATIVE_DOUBLE);
        return H5Tcopy(H5T_IEEE_F64LE);
    case IO_INT:
        e->memory = H5Tcopy(H5T_NATIVE_INT64);
        return H5Tcopy(H5T_STD_I64LE);
    case IO_BOOL:
        type = H5Tenum_create(H5T_STD_I8LE);
        for (signed char k = 0; k < 2 && type >= 0; k++)
            H5Tenum_insert(type, flags[k], &k);
        e->memory = type < 0 ? 0 : H5Tcopy(type);
        return type;
    case IO_TEXT: break;
    }
    return text_type(e, like, n);
}
