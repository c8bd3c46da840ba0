/* SPDX-License-Identifier: Apache-2.0 */
/* version.c: the version that the library was built as. */
#include "farsum/farsum.h"

const char *farsum_version(void)
{
    return FARSUM_VERSION_TEXT;
}
