/* SPDX-License-Identifier: Apache-2.0 */
/* h5_driver.c: HDF5 file driver on top of output.h.  After a failed write, HDF5
 * 1.10 cannot close its file and crashes when the program exits.  So this
 * driver hides the failure from HDF5, and the writer checks for it after each
 * step. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "h5md_out.h"
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

struct driver {
    H5FD_t base; /* the library's part, must be first */
    struct output *output;
    haddr_t allocated, end;
};

/* The driver's information, which H5Pset_driver copies. */
struct driver_info {
    struct output *output;
};

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access,
                           haddr_t most) {
    (void)name, (void)flags, (void)most;
    const struct driver_info *info = H5Pget_driver_info(access);
    struct driver *d = info ? calloc(1, sizeof *d) : NULL;
    if (!d) return NULL;
    d->output = info->output;
    return &d->base;
}

static herr_t driver_close(H5FD_t *file) {
    free(file);
    return 0;
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags) {
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
             H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *file, H5FD_mem_t type) {
    (void)type;
    return ((const struct driver *)file)->allocated;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t address) {
    (void)type;
    ((struct driver *)file)->allocated = address;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *file, H5FD_mem_t type) {
    (void)type;
    return ((const struct driver *)file)->end;
}

/* Beyond the written part, and after a failure, the file reads as zeros. */
static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t list,
                          haddr_t address, size_t size, void *out) {
    (void)type, (void)list;
    struct driver *d = (struct driver *)file;
    char *p = out;
    while (size > 0) {
        ssize_t n = pread(d->output->fd, p, size, (off_t)address);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        p += n;
        address += (haddr_t)n;
        size -= (size_t)n;
    }
    memset(p, 0, size);
    return 0;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t list,
                           haddr_t address, size_t size, const void *data) {
    (void)type, (void)list;
    struct driver *d = (struct driver *)file;
    const char *p = data;
    if (address + size > d->end) d->end = address + size;
    while (size > 0 && d->output->cause == 0) {
        ssize_t n = pwrite(d->output->fd, p, size, (off_t)address);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            d->output->cause = errno;
            break;
        }
        p += n;
        address += (haddr_t)n;
        size -= (size_t)n;
    }
    return 0;
}

/* The library requires the file to have its allocated length. */
static herr_t driver_truncate(H5FD_t *file, hid_t list, hbool_t closing) {
    (void)list, (void)closing;
    struct driver *d = (struct driver *)file;
    if (d->end == d->allocated) return 0;
    if (d->output->cause == 0 &&
        ftruncate(d->output->fd, (off_t)d->allocated) != 0)
        d->output->cause = errno;
    d->end = d->allocated;
    return 0;
}

hid_t h5_create_in(struct output *output) {
    static const H5FD_class_t class = {
#ifdef H5FD_CLASS_VERSION
        .version = H5FD_CLASS_VERSION,
        .value = 500, /* in the range for private use */
#endif
        .name = "farsum",
        .maxaddr = (haddr_t)INT64_MAX,
        .fc_degree = H5F_CLOSE_STRONG,
        .fapl_size = sizeof(struct driver_info),
        .open = driver_open,
        .close = driver_close,
        .query = driver_query,
        .get_eoa = driver_get_eoa,
        .set_eoa = driver_set_eoa,
        .get_eof = driver_get_eof,
        .read = driver_read,
        .write = driver_write,
        .truncate = driver_truncate,
        .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    struct driver_info info = {output};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), driver = H5FDregister(&class);
    hid_t file = -1;
    if (access >= 0 && driver >= 0 &&
        H5Pset_driver(access, driver, &info) >= 0)
        file = H5Fcreate("output", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (access >= 0) H5Pclose(access);
    if (driver >= 0) H5FDunregister(driver);
    return file;
}
