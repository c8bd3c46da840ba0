/* SPDX-License-Identifier: Apache-2.0 */
/* help.h: source of `farsum help X`, `farsum X --help` and the manual page. */
#ifndef FARSUM_TOOLS_HELP_H
#define FARSUM_TOOLS_HELP_H

#include <stdio.h>

/* Destination of help: a terminal's columns, or troff. */
struct help_out {
    FILE *file;
    int man;
};

/* A page.  In `text`, an empty line separates paragraphs, and lines that begin
 * with two spaces are printed unchanged. */
struct help_page {
    const char *name;    /* "farsum" is the front page */
    const char *summary; /* one line */
    const char *usage;
    const char *text;
    void (*tables)(const struct help_out *out); /* NULL: none */
    const char *example; /* lines to type, with comments */
    int bit;             /* FOR_... of its options, 0: none */
};
/* index 0, 1, ...; NULL beyond the last. */
const struct help_page *help_page(int index);

/* Prints a page; returns -1 if no page has this name. */
int help_print(const char *name, FILE *file);

/* The tables of some pages. */
void help_units(const struct help_out *out);
void help_run(const struct help_out *out);
void help_gen(const struct help_out *out);
void help_cases(const struct help_out *out);
/* For the tables of a page. */
void help_heading(const struct help_out *out, const char *text);
void help_item(const struct help_out *out, const char *term, const char *text);
#endif
