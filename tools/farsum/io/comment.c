/* SPDX-License-Identifier: Apache-2.0 */
/* comment.c: comment line of an extended XYZ frame. */
#include "comment.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "frame.h"
#include "geometry.h"
#include "keys.h"

#define FIELDS_MAX 1024
#define WIDTH_MAX 65536
#define SEEN_PBC 4

void comment_clear(struct comment *c) {
    for (int k = 0; k < c->n_fields; k++) free(c->fields[k].name);
    free(c->fields);
    memset(c, 0, sizeof *c);
}

/* --- Properties=name:type:width:... --- */

/* The part up to the next ':'. */
static struct text_word next_part(const char **p) {
    size_t n = strcspn(*p, ":");
    struct text_word part = {*p, n};
    *p += n + ((*p)[n] == ':');
    return part;
}

static int add_field(struct text *t, struct comment *c, struct text_word name,
                     enum io_type type, int width) {
    if (c->n_fields == FIELDS_MAX)
        return text_expected(t, name, "at most %d properties", FIELDS_MAX);
    for (int k = 0; k < c->n_fields; k++)
        if (text_is(name, c->fields[k].name))
            return text_expected(t, name, "each property once");
    struct field *grown =
        realloc(c->fields, ((size_t)c->n_fields + 1) * sizeof *grown);
    if (!grown) return text_no_memory(t);
    c->fields = grown;
    char *copy = frame_text(name.p, name.n);
    if (!copy) return text_no_memory(t);
    grown[c->n_fields++] = (struct field){copy, ROLE_COLUMN, type, width, -1};
    return 0;
}

static int find_field(const struct comment *c, const char *const *names) {
    for (; *names; names++)
        for (int k = 0; k < c->n_fields; k++)
            if (strcmp(c->fields[k].name, *names) == 0) return k;
    return -1;
}

/* Finds the fields of positions and charges. */
static int give_roles(struct text *t, struct comment *c,
                      struct text_word value) {
    static const char *const pos[] = {"pos", "positions", NULL};
    static const char *const charge[] = {"charge", "charges",
                                         "initial_charges", "q", NULL};
    int k = find_field(c, pos);
    if (k < 0 || c->fields[k].type != IO_REAL || c->fields[k].width != 3)
        return text_expected(t, value, "a property pos:R:3 or positions:R:3");
    c->fields[k].role = ROLE_POS;
    k = find_field(c, charge);
    c->charge = -1;
    if (k < 0) return 0;
    bool number = c->fields[k].type == IO_REAL || c->fields[k].type == IO_INT;
    if (!number || c->fields[k].width != 1) {
        /* In other programs q:R:4 is a quaternion. */
        if (strcmp(c->fields[k].name, "q") == 0) return 0;
        return text_expected(t, value, "%s:R:1 among the properties",
                             c->fields[k].name);
    }
    c->fields[k].role = ROLE_CHARGE;
    c->charge = k;
    return 0;
}

static int parse_properties(struct text *t, struct comment *c,
                            const char *value) {
    const char *p = value;
    while (*p) {
        struct text_word name = next_part(&p), type = next_part(&p);
        struct text_word width = next_part(&p);
        if (name.n == 0) return text_expected(t, name, "a property's name");
        const char *letters = "RISL";
        const char *letter = type.n == 1 ? strchr(letters, type.p[0]) : NULL;
        if (!letter)
            return text_expected(t, type, "a property's type R, I, S or L");
        int64_t n = 0;
        struct text_item item = {"a property's width", 0, 0};
        if (text_integer(t, width, item, &n)) return -1;
        if (n < 1 || n > WIDTH_MAX)
            return text_expected(t, width, "a property's width from 1 to %d",
                                 WIDTH_MAX);
        static const enum io_type types[] = {IO_REAL, IO_INT, IO_TEXT,
                                             IO_BOOL};
        if (add_field(t, c, name, types[letter - letters], (int)n)) return -1;
    }
    return give_roles(t, c, (struct text_word){value, strlen(value)});
}

/* --- the other keys --- */

/* The next of several numbers between blanks, commas or brackets. */
static struct text_word next_number(const char **p) {
    *p += strspn(*p, " \t,[]");
    struct text_word word = {*p, strcspn(*p, " \t,[]")};
    *p += word.n;
    return word;
}

static int parse_reals(struct text *t, const char *value, const char *what,
                       int n, double *out) {
    const char *p = value;
    for (int k = 0; k < n; k++) {
        struct text_item item = {what, k + 1, 0};
        if (text_real(t, next_number(&p), item, true, &out[k])) return -1;
    }
    struct text_word more = next_number(&p);
    return more.n == 0
               ? 0
               : text_expected(t, more, "%d numbers for %s", n, what);
}

int comment_truth(struct text *t, struct text_word word, bool digits,
                       int *out) {
    static const char *const yes[] = {"T", "True", "true", "TRUE", NULL};
    static const char *const no[] = {"F", "False", "false", "FALSE", NULL};
    *out = -1;
    for (int k = 0; yes[k]; k++) {
        if (text_is(word, yes[k])) *out = 1;
        if (text_is(word, no[k])) *out = 0;
    }
    if (digits && text_is(word, "1")) *out = 1;
    if (digits && text_is(word, "0")) *out = 0;
    return *out >= 0 ? 0 : text_expected(t, word, "T or F");
}

static int parse_pbc(struct text *t, const char *value, int periodic[3]) {
    const char *p = value;
    struct text_word first = next_number(&p);
    if (comment_truth(t, first, true, &periodic[0])) return -1;
    periodic[1] = periodic[2] = periodic[0];
    struct text_word word = next_number(&p);
    if (word.n == 0) return 0; /* one value for all axes */
    if (comment_truth(t, word, true, &periodic[1])) return -1;
    if (comment_truth(t, next_number(&p), true, &periodic[2])) return -1;
    word = next_number(&p);
    return word.n == 0 ? 0 : text_expected(t, word, "three flags for pbc");
}

static int parse_pair(struct text *t, struct io_frame *frame,
                      struct comment *c, const struct keys_pair *pair) {
    static const char *const own[] = {"Lattice", "Origin", "pbc", "Properties"};
    for (int k = 0; k < 4; k++) {
        if (strcasecmp(pair->key, own[k]) != 0) continue;
        struct text_word word = {pair->value, strlen(pair->value)};
        if (c->seen & 1 << k)
            return text_expected(t, word, "%s once", own[k]);
        c->seen |= 1 << k;
    }
    const char *before = io_frame_key(frame, pair->key);
    if (before && geometry_is_single(pair->key) &&
        strcmp(before, pair->value) != 0) {
        struct text_word word = {pair->value, strlen(pair->value)};
        return text_expected(t, word, "%s once", pair->key);
    }
    if (strcasecmp(pair->key, "Lattice") == 0) {
        frame->has_cell = true;
        return parse_reals(t, pair->value, "Lattice", 9, frame->cell);
    }
    if (strcasecmp(pair->key, "Origin") == 0)
        return parse_reals(t, pair->value, "Origin", 3, frame->origin);
    if (strcasecmp(pair->key, "pbc") == 0)
        return parse_pbc(t, pair->value, frame->periodic);
    if (strcasecmp(pair->key, "Properties") == 0)
        return parse_properties(t, c, pair->value);
    if (io_frame_set_key(frame, pair->key, pair->value))
        return text_no_memory(t);
    return 0;
}

/* The value is a decoded copy, while a message about it must give its position
 * in the line.  So the copy replaces the line temporarily (positions ignore
 * escapes). */
static int parse_pair_in_place(struct text *t, struct io_frame *frame,
                               struct comment *c, struct keys_pair *pair) {
    char *line = t->line;
    size_t capacity = pair->at + strlen(pair->value) + 1;
    char *shifted = malloc(capacity);
    if (!shifted) return text_no_memory(t);
    memset(shifted, ' ', pair->at);
    memcpy(shifted + pair->at, pair->value, capacity - pair->at);
    struct keys_pair moved = {pair->key, shifted + pair->at, pair->at};
    t->line = shifted;
    int bad = parse_pair(t, frame, c, &moved);
    t->line = line;
    free(shifted);
    return bad;
}

static int parse_pairs(struct text *t, struct io_frame *frame,
                       struct comment *c) {
    size_t cursor = 0;
    const char *expected = NULL;
    struct keys_pair pair;
    int got;
    while ((got = keys_next(t->line, &cursor, &pair, &expected)) == 1) {
        int bad = parse_pair_in_place(t, frame, c, &pair);
        keys_clear(&pair);
        if (bad) return -1;
    }
    if (got == 0) return 0;
    if (!expected) return text_no_memory(t);
    t->cursor = cursor;
    return text_expected(t, text_next_word(t), "%s", expected);
}

/* Drops the keys of a line that turned out to be free text. */
static void forget_pairs(struct io_frame *frame, struct comment *c) {
    io_frame_clear(frame);
    c->seen = 0;
}

static bool contains(const char *line, const char *word) {
    size_t n = strlen(word);
    for (; *line; line++)
        if (strncasecmp(line, word, n) == 0) return true;
    return false;
}

static int parse_line(struct text *t, struct io_frame *frame,
                      struct comment *c, bool *pairs) {
    *pairs = strchr(t->line, '=') != NULL;
    bool extended = *pairs && (contains(t->line, "properties") ||
                               contains(t->line, "lattice") ||
                               contains(t->line, "pbc"));
    if (*pairs && parse_pairs(t, frame, c)) {
        if (extended || t->no_memory) return -1;
        forget_pairs(frame, c);
        t->cursor = 0;
        *pairs = false;
    }
    if (!*pairs && !text_blank(t) &&
        io_frame_set_key(frame, "comment", t->line))
        return text_no_memory(t);
    return 0;
}

int comment_parse(struct text *t, const struct io_options *options,
                  struct io_frame *frame, struct comment *c) {
    bool pairs;
    c->charge = -1;
    if (parse_line(t, frame, c, &pairs)) return -1;
    c->says_periodic = c->seen & SEEN_PBC;
    if (frame->has_cell && !c->says_periodic)
        frame->periodic[0] = frame->periodic[1] = frame->periodic[2] = 1;
    if (pairs ? geometry_check_keys(t, options, frame, c->says_periodic)
              : geometry_check_free_text(t, options))
        return -1;
    if (c->n_fields > 0) return 0;
    return parse_properties(t, c, "species:S:1:pos:R:3");
}
