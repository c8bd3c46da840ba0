/* SPDX-License-Identifier: Apache-2.0 */
/* status.h: status codes, messages, and how failures propagate.
 *
 * There are two forms only.  Use TRY(f()) where nothing is owned.  Otherwise
 * use GO(f()), which jumps to a single `done:` that frees in reverse order; it
 * requires a local `farsum_status status`.  FAIL makes a status with a message,
 * which belongs to this thread. */
#ifndef FARSUM_BASE_STATUS_H
#define FARSUM_BASE_STATUS_H

#include "farsum/farsum.h"

/* Stores the message (printf-like, cut at 1023 characters) and returns code. */
farsum_status status_fail(farsum_status code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Puts "prefix: " before the current message. */
farsum_status status_prefix(farsum_status code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define FAIL(code, ...) return status_fail(FARSUM_##code, __VA_ARGS__)
#define TRY(call)                                                              \
    do {                                                                       \
        farsum_status try_status = (call);                                     \
        if (try_status != FARSUM_OK)                                           \
            return try_status;                                                 \
    } while (0)
#define GO(call)                                                               \
    do {                                                                       \
        status = (call);                                                       \
        if (status != FARSUM_OK)                                               \
            goto done;                                                         \
    } while (0)
/* Continues after a failure; status and message are the last one's.  For calls
 * that all ranks must make. */
#define KEEP_ON(call)                                                          \
    do {                                                                       \
        farsum_status keep_status = (call);                                    \
        if (keep_status != FARSUM_OK)                                          \
            status = keep_status;                                              \
    } while (0)
#define GO_FAIL(code, ...)                                                     \
    do {                                                                       \
        status = status_fail(FARSUM_##code, __VA_ARGS__);                      \
        goto done;                                                             \
    } while (0)
#endif
