/* SPDX-License-Identifier: Apache-2.0 */
/* text.h: spelling suggestions for names, and times in words. */
#ifndef FARSUM_BASE_TEXT_H
#define FARSUM_BASE_TEXT_H

#include "base/status.h"

/* Number of single-character edits between two names (Levenshtein). */
int text_distance(const char *a, const char *b);
/* Fails with FARSUM_ERR_UNKNOWN and the message: WHAT "name" is not known; did
 * you mean ...; known: ... The list of names ends with NULL. */
farsum_status text_unknown(const char *what, const char *name,
                           const char *const *names);
/* "about 40 s", "about 35 minutes", "about 3 days". */
void text_time(double seconds, char *text, size_t size);
#endif
