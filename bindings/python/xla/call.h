/* SPDX-License-Identifier: Apache-2.0 */
/* call.h: a call by XLA, for C++.  Only call.c includes XLA's header, which
 * g++ refuses to read. */
#ifndef CALL_H
#define CALL_H

#include <farsum/farsum.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct XLA_FFI_CallFrame call;
typedef struct XLA_FFI_Error call_error;

typedef enum call_type {
    CALL_OTHER,
    CALL_F32,
    CALL_F64,
    CALL_INT32,
    CALL_INT64
} call_type;

/* An array in XLA's memory. */
typedef struct call_buffer {
    call_type type;
    int64_t rank;
    const int64_t *axes;
    void *data;
} call_buffer;

call_buffer call_argument(const call *c, int k);
call_buffer call_result(const call *c, int k);
/* Attributes.  NULL: there is none of the type and name. */
const char *call_text(const call *c, const char *name, size_t *length);
const int32_t *call_int32(const call *c, const char *name);
/* The stream of CUDA; 0: XLA has none. */
int call_stream(const call *c, void **stream);

/* An error of XLA with the words. */
call_error *call_failure(const call *c, farsum_status status,
                         const char *words);
/* XLA asks once for the interface's version.  0: this is another call. */
int call_answers_metadata(const call *c);

#ifdef __cplusplus
}
#endif
#endif
