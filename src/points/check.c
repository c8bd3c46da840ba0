/* SPDX-License-Identifier: Apache-2.0 */
/* check.c: the error message for an invalid position. */
#include <math.h>

#include "points/wrap.h"

farsum_status points_bad(const double x[3], int64_t i, const char *what)
{
    static const char axis[] = "xyz";
    for (int j = 0; j < 3; j++)
        if (!isfinite(x[j]))
            FAIL(ERR_POSITION, "%s %lld: %c = %g is not finite", what,
                 (long long)i, axis[j], x[j]);
    FAIL(ERR_POSITION,
         "%s %lld: (%g, %g, %g) is more than %g cells away: wrapping it would "
         "lose its digits",
         what, (long long)i, x[0], x[1], x[2], POINTS_FAR_AWAY);
}
