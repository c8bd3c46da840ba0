/* SPDX-License-Identifier: Apache-2.0 */
/* transport.h: exchanges between the devices of the ranks.
 *
 * nccl: a library that copies between GPUs, enqueued like a kernel.  staged:
 * through the host and comm, which waits; it works everywhere.
 *
 * As with comm.h, a rank that failed takes part in all exchanges.  An exchange
 * that fails returns FARSUM_OK, and the next comm_agree fails on all ranks; the
 * received bytes are then undefined, so none of them may be an index.
 *
 * If a rank cannot take part in an exchange of nccl, the other ranks' devices
 * wait for it until the ranks have agreed on FARSUM_ERR_COMM.  So a caller
 * should agree after it has enqueued exchanges, and before it waits for the
 * device or frees memory.
 *
 * Exchanges of nccl may be part of a graph (device/graph.h).  transport_begin
 * and transport_end then count them. */
#ifndef FARSUM_RANKS_DEVICE_TRANSPORT_H
#define FARSUM_RANKS_DEVICE_TRANSPORT_H

#include "comm/comm.h"
#include "device/buf.h"
#include "device/graph.h"

struct transport;

/* name: "nccl", "staged", or NULL for the first of them that works on all
 * ranks.  Collective: fails on all ranks or on none.  comm and device must
 * outlive it. */
farsum_status transport_create(struct comm *comm, struct device *device,
                               const char *name, struct transport **transport);
void transport_destroy(struct transport *transport); /* NULL is legal */
const char *transport_name(const struct transport *transport);

/* Allocates memory for exchanges of up to so many bytes.  Not collective: the
 * caller agrees with the other ranks before the first exchange of this size. */
farsum_status transport_reserve(struct transport *transport, int64_t sent,
                                int64_t received);

/* Both are collective and work on the device's current queue; they allocate
 * nothing.  Bytes are counted in comm->spent; so are seconds, those of the
 * device at the next transport_settle.
 *
 * Sends to[r] bytes to each rank r, and receives from[r] bytes from it.  Both
 * buffers hold the parts of the ranks in rank order, without gaps.  A rank may
 * send to itself.  send and got must not overlap. */
farsum_status transport_trade(struct transport *transport, enum comm_part part,
                              const struct buf *send, const int64_t *to,
                              struct buf *got, const int64_t *from);
/* all [size][bytes]: what each rank gave, in rank order. */
farsum_status transport_gather(struct transport *transport,
                               const struct buf *one, struct buf *all,
                               int64_t bytes);

/* A sequence of exchanges that a graph may replay.  Its work begins with
 * transport_begin, and transport_end follows the graph's run.  The work may be
 * called several times, while the device records or not: its last call is
 * counted, once.  The seconds of several sequences until transport_settle are
 * those of the last one for each. */
void transport_begin(struct transport *transport);
void transport_end(struct transport *transport);
/* 1: exchanges are only enqueued, so that graphs can replay them. */
int transport_enqueues(const struct transport *transport);
/* Does work that begins with transport_begin, as graph_run_ranks if the
 * exchanges are only enqueued, and ends the sequence.  Collective: agrees
 * before anyone waits for the device, since exchanges may wait for a rank that
 * failed. */
farsum_status transport_run(struct transport *transport, struct graph *graph,
                            farsum_status (*work)(void *data), void *data);
/* Adds the seconds of the exchanges since the last call to comm->spent, of the
 * first 64 if they are more.  The device must have finished them. */
void transport_settle(struct transport *transport);
#endif
