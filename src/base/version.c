/* SPDX-License-Identifier: Apache-2.0 */
/* version.c: the version of the built library. */
#include "farsum/farsum.h"

const char *farsum_version(void)
{
    return FARSUM_VERSION_TEXT;
}
