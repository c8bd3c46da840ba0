/* SPDX-License-Identifier: Apache-2.0 */
/* words.h: the library's messages in the command's terms, and translation of
 * other programs' names. */
#ifndef FARSUM_TOOLS_WORDS_H
#define FARSUM_TOOLS_WORDS_H

#include <stddef.h>

/* Converts a message of the library: numbers from 1, options instead of struct
 * members. */
void words_of(const char *text, char *out, size_t size);
/* farsum_message() in these terms; valid until the next call. */
const char *words_message(void);
/* Another message of the library, in the same way. */
const char *words_text(const char *message);

/* Our name of a method or kernel with another name elsewhere, or written in
 * capitals; NULL: none. */
const char *words_method(const char *name);
const char *words_kernel(const char *name);
/* 1: the kernel's name means masses. */
int words_is_gravity(const char *name);
#endif
