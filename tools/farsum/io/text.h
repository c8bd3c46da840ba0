/* SPDX-License-Identifier: Apache-2.0 */
/* text.h: lines and words of a text file, and error messages with positions. */
#ifndef FARSUM_IO_TEXT_H
#define FARSUM_IO_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_LINE_MAX ((size_t)16 << 20) /* bytes */
#define TEXT_MESSAGE 1024

struct text {
    char *name; /* owned; of the file, in messages */
    int fd;     /* -1: none */
    bool own_fd;
    const char *source; /* borrowed; the rest of a text in memory */
    size_t source_left;
    char *buffer; /* owned; [begin, end) is unread */
    size_t capacity, begin, end;
    bool ended;   /* the buffer holds all of the rest */
    struct gunzip *gunzip; /* owned; NULL: the bytes are the text */
    char *line;   /* in the buffer, ends with 0, without line end */
    size_t length, cursor;
    int64_t number; /* of the line, from 1; 0 before the first */
    bool no_memory; /* the message reports lack of memory */
    char message[TEXT_MESSAGE];
};

/* One word of the line; n = 0 at the line's end. */
struct text_word {
    const char *p;
    size_t n;
};

/* The meaning of a number, for messages: "x of particle 3". */
struct text_item {
    const char *what;
    int component;    /* from 1; 0: none */
    int64_t particle; /* from 1; 0: none */
};

/* All return 0, or -1 with a message. */
int text_open(struct text *t, const char *path); /* "-": standard input */
int text_open_memory(struct text *t, const char *name, const char *source,
                     size_t n);
void text_close(struct text *t); /* frees all; the message stays */

/* Returns 1: the next line is in t->line; 0: no more lines; -1: error. */
int text_next_line(struct text *t);
bool text_blank(const struct text *t); /* only spaces follow the cursor */
struct text_word text_next_word(struct text *t);
bool text_is(struct text_word word, const char *what);
/* Cuts the line at the first `mark`. */
void text_cut(struct text *t, char mark);

/* A word as a number.  A real must be finite if `finite` is set. */
int text_real(struct text *t, struct text_word word, struct text_item item,
              bool finite, double *value);
int text_integer(struct text *t, struct text_word word, struct text_item item,
                 int64_t *value);
/* The rest of the line must be blank. */
int text_finish_line(struct text *t);

/* "FILE:LINE:COL: expected ..., found ..."; always returns -1.  `text_expected`
 * reports a word of the line, `text_expected_more` the end of the file. */
int text_expected(struct text *t, struct text_word word, const char *format,
                  ...) __attribute__((format(printf, 3, 4)));
int text_expected_more(struct text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "FILE: ...": an error without a position; always returns -1. */
int text_fail(struct text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int text_no_memory(struct text *t);

#endif
