/* SPDX-License-Identifier: Apache-2.0 */
/* words.h: messages in the command's words, and names in others'. */
#ifndef FARSUM_TOOLS_WORDS_H
#define FARSUM_TOOLS_WORDS_H

#include <stddef.h>

/* A message of the library as the command says it: numbers from 1, options for
 * members of structs. */
void words_of(const char *text, char *out, size_t size);
/* farsum_message() in those words; valid until the next call. */
const char *words_message(void);

/* Our name of a method or a kernel that is called otherwise elsewhere, or is
 * written in capitals; NULL: none. */
const char *words_method(const char *name);
const char *words_kernel(const char *name);
/* 1: the kernel's name means masses. */
int words_is_gravity(const char *name);
#endif
