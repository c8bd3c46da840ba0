/* SPDX-License-Identifier: Apache-2.0 */
/* call.c: a call by XLA through its C interface. */
#include "call.h"

#include "xla/ffi/api/c_api.h"

#include <string.h>

static call_buffer buffer_of(const XLA_FFI_Buffer *b)
{
    call_buffer out = {CALL_OTHER, b->rank, b->dims, b->data};
    if (b->dtype == XLA_FFI_DataType_F32)
        out.type = CALL_F32;
    if (b->dtype == XLA_FFI_DataType_F64)
        out.type = CALL_F64;
    if (b->dtype == XLA_FFI_DataType_S32)
        out.type = CALL_INT32;
    if (b->dtype == XLA_FFI_DataType_S64)
        out.type = CALL_INT64;
    return out;
}

call_buffer call_argument(const call *c, int k)
{
    return buffer_of(c->args.args[k]);
}

call_buffer call_result(const call *c, int k)
{
    return buffer_of(c->rets.rets[k]);
}

static const void *attribute(const call *c, const char *name,
                             XLA_FFI_AttrType type)
{
    const XLA_FFI_Attrs *all = &c->attrs;
    for (int64_t k = 0; k < all->size; k++)
        if (all->types[k] == type && all->names[k]->len == strlen(name)
            && memcmp(all->names[k]->ptr, name, strlen(name)) == 0)
            return all->attrs[k];
    return NULL;
}

const char *call_text(const call *c, const char *name, size_t *length)
{
    const XLA_FFI_ByteSpan *span = attribute(c, name, XLA_FFI_AttrType_STRING);
    *length = span ? span->len : 0;
    return span ? span->ptr : NULL;
}

const int32_t *call_int32(const call *c, const char *name)
{
    const XLA_FFI_Scalar *s = attribute(c, name, XLA_FFI_AttrType_SCALAR);
    return s && s->dtype == XLA_FFI_DataType_S32 ? s->value : NULL;
}

int call_stream(const call *c, void **stream)
{
    XLA_FFI_Stream_Get_Args args = {
        .struct_size = XLA_FFI_Stream_Get_Args_STRUCT_SIZE, .ctx = c->ctx};
    XLA_FFI_Error *error = c->api->XLA_FFI_Stream_Get(&args);
    if (error) {
        XLA_FFI_Error_Destroy_Args drop = {
            .struct_size = XLA_FFI_Error_Destroy_Args_STRUCT_SIZE,
            .error = error};
        c->api->XLA_FFI_Error_Destroy(&drop);
        return 0;
    }
    *stream = args.stream;
    return 1;
}

static XLA_FFI_Error_Code code_of(farsum_status status)
{
    switch (status) {
    case FARSUM_ERR_MEMORY:
        return XLA_FFI_Error_Code_RESOURCE_EXHAUSTED;
    case FARSUM_ERR_UNKNOWN:
        return XLA_FFI_Error_Code_NOT_FOUND;
    case FARSUM_ERR_UNSUPPORTED:
        return XLA_FFI_Error_Code_UNIMPLEMENTED;
    case FARSUM_ERR_TOLERANCE:
    case FARSUM_ERR_STATE:
        return XLA_FFI_Error_Code_FAILED_PRECONDITION;
    case FARSUM_ERR_DEVICE:
        return XLA_FFI_Error_Code_UNAVAILABLE;
    case FARSUM_ERR_INTERNAL:
        return XLA_FFI_Error_Code_INTERNAL;
    default:
        return XLA_FFI_Error_Code_INVALID_ARGUMENT;
    }
}

call_error *call_failure(const call *c, farsum_status status, const char *words)
{
    XLA_FFI_Error_Create_Args args = {.struct_size =
                                          XLA_FFI_Error_Create_Args_STRUCT_SIZE,
                                      .message = words,
                                      .errc = code_of(status)};
    return c->api->XLA_FFI_Error_Create(&args);
}

/* The calls above are the same in all versions from 0.1, that of jaxlib 0.5, to
 * that of the header.  The first versions of XLA accept only their own. */
int call_answers_metadata(const call *c)
{
    const XLA_FFI_Extension_Base *first = c->extension_start;
    if (!first || first->type != XLA_FFI_Extension_Metadata)
        return 0;
    XLA_FFI_Metadata *to =
        ((const XLA_FFI_Metadata_Extension *)first)->metadata;
    int minor = c->api ? c->api->api_version.minor_version : 1;
    to->api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
    to->api_version.extension_start = NULL;
    to->api_version.major_version = XLA_FFI_API_MAJOR;
    to->api_version.minor_version =
        minor < XLA_FFI_API_MINOR ? minor : XLA_FFI_API_MINOR;
    to->traits = 0;
    return 1;
}
