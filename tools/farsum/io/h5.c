/* SPDX-License-Identifier: Apache-2.0 */
/* h5.c: helper functions around the HDF5 library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "h5md.h"
#include "base/number.h"

void h5_silence(struct h5_silence *old) {
    H5Eget_auto2(H5E_DEFAULT, &old->function, &old->data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void h5_restore(const struct h5_silence *old) {
    H5Eset_auto2(H5E_DEFAULT, old->function, old->data);
}

struct reason {
    char *out;
    size_t size;
};

static herr_t keep_first(unsigned n, const H5E_error2_t *entry, void *data) {
    struct reason *reason = data;
    if (n > 0 || !entry->desc) return 0;
    /* The system's own message, if there is one. */
    const char *p = strstr(entry->desc, "error message = '");
    p = p ? p + strlen("error message = '") : entry->desc;
    int length = p == entry->desc ? 120 : (int)strcspn(p, "'");
    snprintf(reason->out, reason->size, "%.*s", length, p);
    return 0;
}

void h5_reason(char *out, size_t size) {
    struct reason reason = {out, size};
    snprintf(out, size, "unknown cause");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &reason);
}

bool h5_exists(hid_t parent, const char *name) {
    return H5Lexists(parent, name, H5P_DEFAULT) > 0 &&
           H5Oexists_by_name(parent, name, H5P_DEFAULT) > 0;
}

hid_t h5_string_type(size_t size) {
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0) return type;
    if (H5Tset_size(type, size) < 0 ||
        H5Tset_strpad(type, H5T_STR_NULLTERM) < 0 ||
        H5Tset_cset(type, H5T_CSET_UTF8) < 0) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

static H5T_conv_ret_t refuse(H5T_conv_except_t kind, hid_t from, hid_t to,
                             void *source, void *target, void *data) {
    (void)from, (void)to, (void)source, (void)target, (void)data;
    bool lost = kind == H5T_CONV_EXCEPT_RANGE_HI ||
                kind == H5T_CONV_EXCEPT_RANGE_LOW;
    return lost ? H5T_CONV_ABORT : H5T_CONV_UNHANDLED;
}

hid_t h5_strict_transfer(void) {
    hid_t list = H5Pcreate(H5P_DATASET_XFER);
    if (list >= 0 && H5Pset_type_conv_cb(list, refuse, NULL) < 0) {
        H5Pclose(list);
        return -1;
    }
    return list;
}

static char *read_string(hid_t attribute, hid_t type) {
    hid_t memory = -1;
    char *text = NULL;
    if (H5Tis_variable_str(type) > 0) {
        char *p = NULL;
        memory = h5_string_type(H5T_VARIABLE);
        /* The conversion requires equal character sets. */
        if (memory >= 0 && H5Tset_cset(memory, H5Tget_cset(type)) >= 0 &&
            H5Aread(attribute, memory, &p) >= 0 && p) {
            text = strdup(p);
            H5free_memory(p);
        }
    } else {
        size_t size = H5Tget_size(type);
        if (size == 0 || size > 1 << 20) return NULL;
        memory = h5_string_type(size + 1);
        text = calloc(size + 2, 1);
        if (memory < 0 || !text ||
            H5Tset_cset(memory, H5Tget_cset(type)) < 0 ||
            H5Aread(attribute, memory, text) < 0) {
            free(text);
            text = NULL;
        }
    }
    if (memory >= 0) H5Tclose(memory);
    return text;
}

static char *read_number(hid_t attribute, H5T_class_t class) {
    char text[NUMBER_TEXT];
    if (class == H5T_INTEGER) {
        int64_t value;
        if (H5Aread(attribute, H5T_NATIVE_INT64, &value) < 0) return NULL;
        number_print_integer(text, value);
    } else {
        double value;
        if (H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0) return NULL;
        text[number_print_real(text, value)] = 0;
    }
    return strdup(text);
}

char *h5_attribute_text(hid_t object, const char *name) {
    char *text = NULL;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) return NULL;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    if (type >= 0 && space >= 0 && H5Sget_simple_extent_npoints(space) == 1) {
        H5T_class_t class = H5Tget_class(type);
        if (class == H5T_STRING)
            text = read_string(attribute, type);
        else if (class == H5T_INTEGER || class == H5T_FLOAT)
            text = read_number(attribute, class);
    }
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    H5Aclose(attribute);
    return text;
}

static bool take_unit(hid_t object, char *out, size_t size) {
    char *unit = H5Aexists(object, "unit") > 0 ? h5_attribute_text(object,
                                                                   "unit")
                                               : NULL;
    if (unit) snprintf(out, size, "%.*s", (int)size - 1, unit);
    free(unit);
    return *out != 0;
}

void h5_unit(hid_t group, const char *name, char *out, size_t size) {
    *out = 0;
    hid_t object = h5_exists(group, name)
                       ? H5Oopen(group, name, H5P_DEFAULT) : -1;
    if (object < 0) return;
    if (!take_unit(object, out, size) && H5Iget_type(object) == H5I_GROUP &&
        h5_exists(object, "value")) {
        hid_t value = H5Oopen(object, "value", H5P_DEFAULT);
        if (value >= 0) {
            take_unit(value, out, size);
            H5Oclose(value);
        }
    }
    H5Oclose(object);
}

int h5_put_attribute(hid_t object, const char *name, const char *value) {
    hid_t type = h5_string_type(strlen(value) + 1);
    hid_t space = H5Screate(H5S_SCALAR), attribute = -1;
    int bad = -1;
    if (type >= 0 && space >= 0)
        attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT,
                               H5P_DEFAULT);
    if (attribute >= 0 && H5Awrite(attribute, type, value) >= 0) bad = 0;
    if (attribute >= 0) H5Aclose(attribute);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return bad;
}

static const char *const names[][2] = {
    {"forces", "force"}, {"velo", "velocity"}, {"masses", "mass"}};

const char *h5md_name_of_column(const char *column) {
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strcmp(column, names[k][0]) == 0) return names[k][1];
    return column;
}

const char *h5md_column_of_name(const char *name) {
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strcmp(name, names[k][1]) == 0) return names[k][0];
    return name;
}
