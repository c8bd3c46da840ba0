/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_hdf5.c: bytes as a list of elements for an H5MD file: names, types,
 * shapes, layouts, with data or without.  The file is valid HDF5 with unusual
 * contents, which our reader must handle. */
#include "fuzz.h"

#if FARSUM_WITH_HDF5
#include <hdf5.h>

struct script {
    const uint8_t *p;
    size_t n;
};

static unsigned take(struct script *s, unsigned below) {
    if (s->n == 0) return 0;
    s->n--;
    return *s->p++ % below;
}

static const char *const paths[] = {
    "particles/all/position", "particles/all/position/value",
    "particles/all/charge", "particles/all/charge/value",
    "particles/all/box/edges", "particles/all/box/edges/value",
    "particles/all/box/offset", "particles/all/box/offset/value",
    "particles/all/species", "particles/all/species/value",
    "particles/all/force/value", "particles/all/forces",
    "particles/all/name", "particles/all/image/value", "particles/b/position",
    "particles/all/box", "particles/all/position/step", "parameters/keys",
    "particles/all", "particles", "particles/all/id",
    "particles/all/box/edges/step"};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static hid_t make_type(struct script *s) {
    hid_t type = -1;
    unsigned kind = take(s, 16);
    int value = 0;
    switch (kind) {
    case 0: return H5Tcopy(H5T_STD_I8LE);
    case 1: return H5Tcopy(H5T_STD_U64BE);
    case 2: return H5Tcopy(H5T_IEEE_F32BE);
    case 3:
    case 4:
        type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, kind == 3 ? 1 + take(s, 9) : H5T_VARIABLE);
        return type;
    case 5:
        type = H5Tenum_create(H5T_NATIVE_INT);
        H5Tenum_insert(type, "FALSE", &value);
        value = 1 + (int)take(s, 2);
        H5Tenum_insert(type, "TRUE", &value);
        return type;
    case 6: return H5Tcopy(H5T_STD_B32LE);
    case 7:
        type = H5Tcreate(H5T_COMPOUND, 8);
        H5Tinsert(type, "a", 0, H5T_NATIVE_DOUBLE);
        return type;
    case 8: return H5Tcopy(H5T_NATIVE_LDOUBLE);
    case 9: return H5Tcopy(H5T_STD_REF_OBJ);
    default: return H5Tcopy(H5T_IEEE_F64LE);
    }
}

static hid_t make_space(struct script *s) {
    static const hsize_t sizes[] = {3, 2, 1, 0, 3, 2, 4, 1000000, 3, 2};
    hsize_t dims[9];
    unsigned rank = take(s, 10);
    if (rank == 9) return H5Screate(take(s, 2) ? H5S_NULL : H5S_SCALAR);
    if (rank > 5) rank -= 4; /* mostly 2 and 3 */
    for (unsigned k = 0; k < rank; k++) {
        unsigned which = take(s, 64);
        dims[k] = which < COUNT(sizes) ? sizes[which] : sizes[which % 2];
        if (which == 63) dims[k] = (hsize_t)1 << (20 + take(s, 40));
    }
    return H5Screate_simple((int)rank, dims, NULL);
}

static hid_t make_layout(struct script *s, hid_t space) {
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t dims[9];
    int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    unsigned kind = take(s, 4);
    for (int k = 0; k < rank; k++) {
        if (dims[k] > 5) dims[k] = 5;
        if (dims[k] < 1) dims[k] = 1;
    }
    if (kind > 1 && rank > 0) H5Pset_chunk(list, rank, dims);
    if (kind == 3 && rank > 0) H5Pset_deflate(list, 1);
    return list;
}

static void put_data(struct script *s, hid_t set, hid_t type, hid_t space) {
    static const double odd[] = {1, -1, 0, 0.5, 1e300, -1e-300, 1e19, 1e200};
    static double values[4096];
    static const char *words[4096];
    hssize_t n = H5Sget_simple_extent_npoints(space);
    if (n < 1 || n > 4096) return;
    unsigned rare = take(s, 40);
    for (hssize_t k = 0; k < n; k++) {
        values[k] = odd[take(s, COUNT(odd))];
        words[k] = take(s, 2) ? "a word" : "";
    }
    if (rare == 1) values[n / 2] = 0.0 / values[0] - 0.0 / values[0];
    switch (H5Tget_class(type)) {
    case H5T_FLOAT:
        H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                 values);
        break;
    case H5T_STRING:
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                 H5Tis_variable_str(type) > 0 ? (const void *)words
                                              : (const void *)values);
        break;
    case H5T_INTEGER:
    case H5T_ENUM:
        if (H5Tget_size(type) <= 8)
            H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        break;
    default: break;
    }
}

static void put_element(struct script *s, hid_t file, hid_t links) {
    const char *path = paths[take(s, COUNT(paths))];
    hid_t type = make_type(s), space = make_space(s), set = -1;
    hid_t list = space >= 0 ? make_layout(s, space) : -1;
    unsigned how = take(s, 16);
    if (how == 1) {
        H5Gclose(H5Gcreate2(file, path, links, H5P_DEFAULT, H5P_DEFAULT));
    } else if (how == 2) {
        H5Lcreate_soft("/nowhere", file, path, links, H5P_DEFAULT);
    } else if (how == 3) {
        H5Lcreate_soft(paths[take(s, COUNT(paths))], file, path, links,
                       H5P_DEFAULT);
    } else if (type >= 0 && space >= 0 && list >= 0) {
        set = H5Dcreate2(file, path, type, space, links, list, H5P_DEFAULT);
        if (set >= 0 && how != 4) put_data(s, set, type, space);
    }
    if (set >= 0) H5Dclose(set);
    if (list >= 0) H5Pclose(list);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
}

/* Puts something unusual at box@boundary or among the keys of /parameters. */
static void put_attribute(struct script *s, hid_t file, hid_t links) {
    const char *path = take(s, 2) ? "particles/all/box" : "parameters";
    hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    if (object < 0)
        object = H5Gcreate2(file, path, links, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = make_type(s), space = make_space(s), a = -1;
    if (object >= 0 && type >= 0 && space >= 0 &&
        H5Sget_simple_extent_npoints(space) < 100)
        a = H5Acreate2(object, take(s, 2) ? "boundary" : "key", type, space,
                       H5P_DEFAULT, H5P_DEFAULT);
    if (a >= 0) H5Aclose(a);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (object >= 0) H5Oclose(object);
}

static void put_text(hid_t object, const char *name, hsize_t n,
                     const char *const *words) {
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, H5T_VARIABLE);
    if (n > 1) H5Sset_extent_simple(space, 1, &n, NULL);
    hid_t a = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (a >= 0) {
        H5Awrite(a, type, words);
        H5Aclose(a);
    }
    H5Sclose(space);
    H5Tclose(type);
}

/* Puts a box that says which axes are periodic, and a unit. */
static void put_words(struct script *s, hid_t file, hid_t links) {
    static const char *const boundary[] = {"periodic", "none", "periodic ?"};
    static const char *const unit[] = {"nm", "Angstrom"};
    const char *words[3];
    hid_t box = H5Oopen(file, "particles/all/box", H5P_DEFAULT);
    if (box < 0)
        box = H5Gcreate2(file, "particles/all/box", links, H5P_DEFAULT,
                         H5P_DEFAULT);
    for (int d = 0; d < 3; d++) {
        unsigned which = take(s, 16);
        words[d] = boundary[which < 3 ? which : 0];
    }
    if (box >= 0) put_text(box, "boundary", 3, words);
    if (box >= 0) H5Oclose(box);
    hid_t object = H5Oopen(file, paths[take(s, COUNT(paths))], H5P_DEFAULT);
    if (object >= 0) put_text(object, "unit", 1, &unit[take(s, 2)]);
    if (object >= 0) H5Oclose(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct script s = {data, size};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_fapl_core(access, 1 << 14, 0);
    H5Pset_create_intermediate_group(links, 1);
    hid_t file = H5Fcreate("fuzz", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    for (int k = 0; k < 20 && s.n > 0; k++) {
        unsigned kind = take(&s, 8);
        if (kind == 7) put_attribute(&s, file, links);
        else if (kind == 6) put_words(&s, file, links);
        else put_element(&s, file, links);
    }
    H5Fflush(file, H5F_SCOPE_LOCAL);
    ssize_t n = H5Fget_file_image(file, NULL, 0);
    fuzz_require(n > 0, "no image");
    uint8_t *image = malloc((size_t)n);
    fuzz_require(image && H5Fget_file_image(file, image, (size_t)n) == n,
                 "image");
    H5Fclose(file);
    H5Pclose(links);
    H5Pclose(access);
    fuzz_read("hdf5", image, (size_t)n);
    free(image);
    return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_read("hdf5", data, size); /* refused with a message */
}
#endif
