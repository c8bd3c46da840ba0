/* SPDX-License-Identifier: Apache-2.0 */
/* sends.h: a repeated exchange of points' values between devices, as
 * ranks/sends.h for the host: the order of what arrives is the same. */
#ifndef FARSUM_RANKS_DEVICE_SENDS_H
#define FARSUM_RANKS_DEVICE_SENDS_H

#include "device/compile/jit.h"
#include "points/device/set.h"
#include "ranks/device/transport.h"
#include "ranks/sends.h"

/* Numbers of type real per point: number w of point i is
 * at[first + i point + w number]. */
struct gpu_values {
    const struct buf *at;
    int64_t first, point, number;
};

struct gpu_sends {
    struct device *device; /* borrowed, as the next one */
    struct transport *transport;
    enum comm_part part;
    int size, most; /* most numbers of a point in an exchange */
    farsum_precision precision;
    int64_t n_sent, n_got;          /* points; a rank may send to itself */
    int64_t *to, *from;             /* owned, [size]: points for and from each
                                  rank */
    int64_t *to_bytes, *from_bytes; /* owned, [size] */
    struct buf index;   /* [n_sent] u32: the sent points, by target */
    struct buf packed;  /* [n_sent][most] */
    struct buf arrived; /* [n_got][most] */
    struct jit jit;
    struct kernel pack, pack_back, scatter, positions;
};

/* Compiles the kernels.  Not collective; on failure it owns nothing. */
farsum_status gpu_sends_create(struct gpu_sends *sends, struct device *device,
                               struct transport *transport, enum comm_part part,
                               int size, int most, farsum_precision precision);
void gpu_sends_clear(struct gpu_sends *sends); /* a zeroed struct is legal */

/* For a set of points, after n_sent, `to` and index are set: exchanges the
 * numbers of points, collective, as sends_count. */
farsum_status gpu_sends_count(struct gpu_sends *sends, struct comm *comm);
/* Allocates for exchanges of all points, `least` bytes each or more.  Not
 * collective: the caller agrees with the other ranks before an exchange. */
farsum_status gpu_sends_reserve(struct gpu_sends *sends, int64_t least);
/* Sends `bytes` per point that are in `packed` already, and receives at byte
 * `offset` of got.  Collective. */
farsum_status gpu_sends_packed(struct gpu_sends *sends, int64_t bytes,
                               struct buf *got, int64_t offset);
/* Forgets the points of the last set. */
void gpu_sends_forget(struct gpu_sends *sends);
/* Allocates unless the buffer holds `bytes` already; if it held some, its size
 * varies, and it gets an eighth more where there is memory. */
farsum_status gpu_buf_grow(struct buf *buf, struct device *device,
                           int64_t bytes);

/* The next three are collective and allocate nothing.
 *
 * Brings `width` numbers of each sent point: number w of the k-th point that
 * arrives is got[got_first + k width + w]. */
farsum_status gpu_sends_there(struct gpu_sends *sends, int width,
                              const struct gpu_values *values, struct buf *got,
                              int64_t got_first);
/* Brings the positions of each sent point, own [points][3] f64, to got, for
 * which gpu_sends_reserve has reserved 24 bytes per point. */
farsum_status gpu_sends_positions(struct gpu_sends *sends,
                                  const struct buf *own, struct buf *got);
/* The reverse: the numbers of the points that arrived return to their senders,
 * which store them in `values`.  more: numbers to be added to `own` before they
 * travel, or NULL. */
farsum_status gpu_sends_back(struct gpu_sends *sends, int width,
                             const struct gpu_values *own,
                             const struct gpu_values *more,
                             const struct gpu_values *values);
#endif
