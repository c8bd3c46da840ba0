/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5.c: entry of HDF5 in the table of formats, with and without the
 * library. */
#include "format.h"
#include "output.h"

#if FARSUM_WITH_HDF5
#include "h5md.h"

const struct format format_hdf5 = {
    .name = "hdf5",
    .suffixes = " .h5 .hdf5 .h5md .hdf ",
    .binary = true,
    .open = h5md_open,
    .read = h5md_read,
    .close = h5md_close,
    .create = h5md_create,
    .begin = h5md_begin,
    .slice = h5md_slice,
    .end = h5md_end,
    .finish = h5md_finish,
    .drop = h5md_drop,
};
#else
#define WITHOUT "this program was built without HDF5"

static int no_open(struct io_reader *reader) {
    return text_fail(&reader->text, WITHOUT);
}

static int no_read(struct io_reader *reader, struct io_frame *frame) {
    (void)frame;
    return no_open(reader);
}

static int no_create(struct io_writer *writer) {
    return output_fail(writer->output, WITHOUT);
}

static int no_begin(struct io_writer *writer, const struct io_frame *head,
                    int64_t all) {
    (void)head, (void)all;
    return no_create(writer);
}

const struct format format_hdf5 = {
    .name = "hdf5",
    .suffixes = " .h5 .hdf5 .h5md .hdf ",
    .binary = true,
    .open = no_open,
    .read = no_read,
    .create = no_create,
    .begin = no_begin,
};
#endif
