/* SPDX-License-Identifier: Apache-2.0 */
/* keys.h: the key=value pairs of an extended XYZ comment line. */
#ifndef FARSUM_IO_KEYS_H
#define FARSUM_IO_KEYS_H

#include <stdbool.h>
#include <stddef.h>

/* One pair, decoded.  `at` is the position of the value in the line. */
struct keys_pair {
    char *key, *value; /* owned */
    size_t at;
};

/* Parses the pair at *cursor and advances.  Returns 1: a pair; 0: end of line;
 * -1: malformed, and *expected is what was expected at *cursor (NULL: no
 * memory). */
int keys_next(const char *line, size_t *cursor, struct keys_pair *pair,
              const char **expected);
void keys_clear(struct keys_pair *pair);

/* Parses a word of the line: bare, or in quotes with escapes.  Returns the same
 * values. */
int keys_quoted(const char *line, size_t *cursor, char **value,
                const char **expected);

/* The value in a form that reads back equal: bare if possible, else in quotes.
 * Owned; NULL: no memory. */
char *keys_quote(const char *value);
bool keys_is_bare(const char *value);

#endif
