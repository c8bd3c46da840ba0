/* SPDX-License-Identifier: Apache-2.0 */
/* keys.h: the key=value pairs of an extended XYZ comment line. */
#ifndef FARSUM_IO_KEYS_H
#define FARSUM_IO_KEYS_H

#include <stdbool.h>
#include <stddef.h>

/* One pair, decoded.  `at`: index of the value in the line. */
struct keys_pair {
    char *key, *value; /* owned */
    size_t at;
};

/* Reads the pair at *cursor and moves on.  1: a pair; 0: end of the line; -1:
 * malformed, *expected says what was expected at *cursor (NULL: no memory). */
int keys_next(const char *line, size_t *cursor, struct keys_pair *pair,
              const char **expected);
void keys_clear(struct keys_pair *pair);

/* Reads a word: bare, or in quotes with escapes.  Returns the same. */
int keys_quoted(const char *line, size_t *cursor, char **value,
                const char **expected);

/* The value as text that reads back: bare if possible, else in quotes.  Owned;
 * NULL: no memory. */
char *keys_quote(const char *value);
bool keys_is_bare(const char *value);

#endif
