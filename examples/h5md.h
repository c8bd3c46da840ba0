/* SPDX-License-Identifier: Apache-2.0 */
/* h5md.h: writes particles frame by frame as H5MD (nongnu.org/h5md): position,
 * velocity, force, and the box.  `farsum run` and viewers read it.  If the
 * build has no HDF5, h5md_create returns NULL. */
#ifndef EXAMPLE_H5MD_H
#define EXAMPLE_H5MD_H

#include <stdlib.h>

#ifndef EXAMPLE_HDF5
#define EXAMPLE_HDF5 0
#endif

enum { H5MD_VECTORS = 3 };
struct h5md;

#if EXAMPLE_HDF5
#include <hdf5.h>
#include <string.h>

struct h5md {
    hid_t file, step, time, value[H5MD_VECTORS];
    hsize_t n, frames;
};

static inline hid_t h5md_group(hid_t at, const char *name)
{
    return H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

static inline void h5md_attribute(hid_t at, const char *name, hid_t type,
                                  hsize_t count, const void *value)
{
    hid_t space = count ? H5Screate_simple(1, &count, NULL)
                        : H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(a, type, value);
    H5Aclose(a);
    H5Sclose(space);
}

static inline void h5md_word(hid_t at, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    h5md_attribute(at, name, type, 0, text);
    H5Tclose(type);
}

/* A data set that grows by one frame at a time; each frame has count x 3
 * numbers. */
static inline hid_t h5md_set(hid_t at, const char *name, hid_t type,
                             hsize_t count)
{
    hsize_t now[3] = {0, count, 3}, most[3] = {H5S_UNLIMITED, count, 3};
    hsize_t chunk[3] = {count ? 1 : 256, count, 3};
    int rank = count ? 3 : 1;
    hid_t space = H5Screate_simple(rank, now, most);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, rank, chunk);
    hid_t set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, how,
                           H5P_DEFAULT);
    H5Pclose(how);
    H5Sclose(space);
    return set;
}

static inline int h5md_append(hid_t set, hsize_t frame, hsize_t count,
                              hid_t type, const void *value)
{
    hsize_t from[3] = {frame, 0, 0}, part[3] = {1, count, 3};
    hsize_t all[3] = {frame + 1, count, 3};
    int rank = count ? 3 : 1;
    if (H5Dset_extent(set, all) < 0)
        return -1;
    hid_t file = H5Dget_space(set), memory = H5Screate_simple(rank, part, NULL);
    H5Sselect_hyperslab(file, H5S_SELECT_SET, from, NULL, part, NULL);
    herr_t bad = H5Dwrite(set, type, memory, file, H5P_DEFAULT, value);
    H5Sclose(memory);
    H5Sclose(file);
    return bad < 0 ? -1 : 0;
}

static inline void h5md_box(hid_t all, const double edge[3])
{
    static const char boundary[3][9] = {"periodic", "periodic", "periodic"};
    static const int dimension = 3;
    hsize_t three = 3;
    hid_t box = h5md_group(all, "box"), word = H5Tcopy(H5T_C_S1);
    hid_t space = H5Screate_simple(1, &three, NULL);
    H5Tset_size(word, sizeof boundary[0]);
    h5md_attribute(box, "boundary", word, 3, boundary);
    h5md_attribute(box, "dimension", H5T_NATIVE_INT, 0, &dimension);
    hid_t set = H5Dcreate2(box, "edges", H5T_IEEE_F64LE, space, H5P_DEFAULT,
                           H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, edge);
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(word);
    H5Gclose(box);
}

/* NULL: the file cannot be written. */
static inline struct h5md *h5md_create(const char *path, int n,
                                       const double edge[3], const char *by)
{
    static const char *const names[] = {"position", "velocity", "force"};
    static const int version[2] = {1, 1};
    struct h5md *h = calloc(1, sizeof *h);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (!h || file < 0) {
        free(h);
        return NULL;
    }
    hid_t root = h5md_group(file, "h5md"), who = h5md_group(root, "creator");
    hid_t author = h5md_group(root, "author");
    h5md_attribute(root, "version", H5T_NATIVE_INT, 2, version);
    h5md_word(who, "name", by);
    h5md_word(who, "version", "1");
    h5md_word(author, "name", "unknown");
    hid_t particles = h5md_group(file, "particles");
    hid_t all = h5md_group(particles, "all");
    h->file = file;
    h->n = (hsize_t)n;
    h5md_box(all, edge);
    for (int k = 0; k < H5MD_VECTORS; k++) {
        hid_t at = h5md_group(all, names[k]);
        h->value[k] = h5md_set(at, "value", H5T_IEEE_F64LE, h->n);
        if (k == 0) {
            h->step = h5md_set(at, "step", H5T_STD_I32LE, 0);
            h->time = h5md_set(at, "time", H5T_IEEE_F64LE, 0);
        } else { /* the same steps */
            H5Lcreate_hard(all, "position/step", at, "step", H5P_DEFAULT,
                           H5P_DEFAULT);
            H5Lcreate_hard(all, "position/time", at, "time", H5P_DEFAULT,
                           H5P_DEFAULT);
        }
        H5Gclose(at);
    }
    H5Gclose(all);
    H5Gclose(particles);
    H5Gclose(author);
    H5Gclose(who);
    H5Gclose(root);
    return h;
}

/* x, v, f: [n][3].  -1: the frame could not be written. */
static inline int h5md_write(struct h5md *h, int step, double time,
                             const double *x, const double *v, const double *f)
{
    const double *given[H5MD_VECTORS] = {x, v, f};
    int bad = h5md_append(h->step, h->frames, 0, H5T_NATIVE_INT, &step)
              | h5md_append(h->time, h->frames, 0, H5T_NATIVE_DOUBLE, &time);
    for (int k = 0; k < H5MD_VECTORS; k++)
        bad |= h5md_append(h->value[k], h->frames, h->n, H5T_NATIVE_DOUBLE,
                           given[k]);
    h->frames++;
    return bad ? -1 : 0;
}

static inline int h5md_close(struct h5md *h)
{
    if (!h)
        return 0;
    for (int k = 0; k < H5MD_VECTORS; k++)
        H5Dclose(h->value[k]);
    H5Dclose(h->step);
    H5Dclose(h->time);
    int bad = H5Fclose(h->file) < 0;
    free(h);
    return bad ? -1 : 0;
}

#else

static inline struct h5md *h5md_create(const char *path, int n,
                                       const double edge[3], const char *by)
{
    (void)path, (void)n, (void)edge, (void)by;
    return NULL;
}

static inline int h5md_write(struct h5md *h, int step, double time,
                             const double *x, const double *v, const double *f)
{
    (void)h, (void)step, (void)time, (void)x, (void)v, (void)f;
    return -1;
}

static inline int h5md_close(struct h5md *h)
{
    (void)h;
    return 0;
}
#endif
#endif
