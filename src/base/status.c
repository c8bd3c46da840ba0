/* SPDX-License-Identifier: Apache-2.0 */
/* status.c: the thread's most recent message. */
#include "base/status.h"

#include "base/c_locale.h"

#include <string.h>

static _Thread_local char message[1024];

static const char *const texts[] = {
#define STATUS_TEXT(name, text) [FARSUM_##name] = text,
    FARSUM_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
};

const char *farsum_status_text(farsum_status status)
{
    if ((int)status < 0 || status >= FARSUM_STATUS_COUNT)
        return "no such status";
    return texts[status];
}

const char *farsum_message(void)
{
    return message;
}

farsum_status status_fail(farsum_status code, const char *format, ...)
{
    va_list args;
    size_t length = strlen(format);
    /* comparing variants makes many refusals: skip the formatting */
    if (!strchr(format, '%') && length < sizeof message) {
        memcpy(message, format, length + 1);
        return code;
    }
    va_start(args, format);
    c_locale_vtext(message, sizeof message, format, args);
    va_end(args);
    return code;
}

farsum_status status_prefix(farsum_status code, const char *format, ...)
{
    char old[sizeof message];
    snprintf(old, sizeof old, "%s", message);
    va_list args;
    va_start(args, format);
    int n = c_locale_vtext(message, sizeof message, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof message)
        snprintf(message + n, sizeof message - (size_t)n, ": %.900s", old);
    return code;
}
