/* SPDX-License-Identifier: Apache-2.0 */
/* lammps.c: reader of LAMMPS data files: one frame, with the styles that
 * Coulomb sums can use. */
#include "lammps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "frame.h"

int lammps_next_line(struct text *t) {
    for (;;) {
        int got = text_next_line(t);
        if (got != 1) return got;
        text_cut(t, '#');
        if (!text_blank(t)) return 1;
    }
}

/* Fails because a section begins before the previous one is complete. */
int lammps_no_section(struct text *t, const char *item, int64_t i, int64_t n) {
    if (!lammps_section(t->line)) return 0;
    const char *p = t->line + strspn(t->line, " \t");
    return text_expected(t, (struct text_word){p, strlen(p)}, "%s %lld of %lld",
                         item, (long long)(i + 1), (long long)n);
}

static int skip_lines(struct lammps *r, const struct lammps_section *s) {
    const int64_t *counts = r->header.counts;
    int64_t types = counts[LAMMPS_ATOM_TYPES], n;
    if (s->count != LAMMPS_TYPE_PAIRS)
        n = counts[s->count];
    else if (types < 0)
        n = -1;
    else if (types > INT32_MAX)
        return text_fail(r->t, "%lld atom types are too many",
                         (long long)types);
    else
        n = types * (types + 1) / 2;
    if (n < 0)
        return text_fail(r->t, "section %s at line %lld, but the header does "
                               "not say how many lines it has", s->name,
                         (long long)r->t->number);
    for (int64_t i = 0; i < n; i++) {
        int got = lammps_next_line(r->t);
        if (got < 0) return -1;
        if (got == 0)
            return text_expected_more(r->t, "line %lld of %lld of section %s",
                                      (long long)(i + 1), (long long)n,
                                      s->name);
        if (lammps_no_section(r->t, "line", i, n)) return -1;
    }
    return 0;
}

static int start_atoms(struct lammps *r, struct text_word hint) {
    struct text_word whole = {r->t->line, 5};
    if (r->atoms_seen) return text_expected(r->t, whole, "one section Atoms");
    r->atoms_seen = true;
    if (r->header.counts[LAMMPS_ATOMS] < 0)
        return text_expected(r->t, whole, "a line \"N atoms\" in the header "
                             "(the first line of a file is its title) before "
                             "section Atoms");
    if (lammps_choose_style(r, hint)) return -1;
    return lammps_read_atoms(r);
}

/* Skips sections of fixes up to the next known name.  But after a known section
 * there must be a name, not a surplus line. */
static int read_unknown(struct lammps *r) {
    r->t->cursor = 0;
    struct text_word word = text_next_word(r->t);
    if (r->in_unknown) return 0;
    char c = word.n > 0 ? *word.p | 32 : 0;
    if (c < 'a' || c > 'z')
        return text_expected(r->t, word, "the name of a section");
    r->in_unknown = true;
    if (r->unknown_line > 0) return 0;
    r->unknown_line = r->t->number;
    size_t n = word.n < sizeof r->unknown ? word.n : sizeof r->unknown - 1;
    memcpy(r->unknown, word.p, n);
    return 0;
}

static const char *const join_sections[IO_JOINS] = {"Bonds", "Angles",
                                                    "Dihedrals"};

/* Reads the section that the line begins; the line still has its comment. */
static int read_section(struct lammps *r) {
    char *mark = strchr(r->t->line, '#');
    struct text_word hint = {r->t->line, 0};
    if (mark) {
        *mark = ' ';
        struct text copy = *r->t;
        copy.cursor = (size_t)(mark - r->t->line);
        hint = text_next_word(&copy);
        *mark = 0;
    }
    const struct lammps_section *s = lammps_section(r->t->line);
    if (s) r->in_unknown = false;
    if (s && strcmp(s->name, "Atoms") == 0) return start_atoms(r, hint);
    if (s && strcmp(s->name, "Atom Type Labels") == 0)
        return lammps_read_labels(r);
    for (int k = 0; s && r->options->joins && k < IO_JOINS; k++)
        if (strcmp(s->name, join_sections[k]) == 0)
            return lammps_read_joins(r, k);
    if (s) return skip_lines(r, s);
    return read_unknown(r);
}

/* Reads a line with its comment.  Lines of section Atoms and section names may
 * have comments; those of names matter. */
static int next_line_whole(struct text *t) {
    for (;;) {
        int got = text_next_line(t);
        if (got != 1) return got;
        struct text_word word = text_next_word(t);
        t->cursor = 0;
        if (word.n > 0 && *word.p != '#') return 1;
    }
}

static int no_atoms(struct lammps *r) {
    char hint[120] = "";
    if (r->unknown_line)
        snprintf(hint, sizeof hint, " (line %lld, \"%s\", names no section)",
                 (long long)r->unknown_line, r->unknown);
    return text_expected_more(r->t, "section Atoms%s", hint);
}

/* Reads "units = real" from the title, where write_data puts it. */
static int take_units(struct lammps *r) {
    const char *p = strstr(r->t->line, "units = ");
    char word[16];
    if (!p) return 0;
    p += strlen("units = ");
    size_t n = strcspn(p, " \t,;");
    if (n == 0 || n >= sizeof word) return 0;
    snprintf(word, sizeof word, "%.*s", (int)n, p);
    return io_frame_set_key(r->frame, "units", word) ? text_no_memory(r->t) : 0;
}

static int read_file(struct lammps *r) {
    struct text *t = r->t;
    bool in_header = true;
    int got = text_next_line(t); /* the title */
    if (got < 0) return -1;
    if (got == 0) return text_expected_more(t, "a title line");
    if (take_units(r)) return -1;
    while ((got = next_line_whole(t)) == 1) {
        if (in_header) {
            char *mark = strchr(t->line, '#');
            if (mark) *mark = 0;
            got = lammps_header_line(t, &r->header);
            if (mark) *mark = '#';
            if (got < 0) return -1;
            if (got == 1) continue;
            in_header = false;
        }
        if (read_section(r)) return -1;
    }
    if (got < 0) return -1;
    if (r->header.counts[LAMMPS_ATOMS] == 0) r->atoms_seen = true;
    if (!r->atoms_seen) return no_atoms(r);
    if (frame_fit(r->frame, r->frame->q != NULL)) return text_no_memory(t);
    return lammps_header_cell(t, r->options, &r->header, r->frame) ? -1 : 1;
}

static int lammps_read(struct io_reader *reader, struct io_frame *frame) {
    if (reader->frames > 0) return 0;
    struct lammps r = {.reader = reader, .t = &reader->text,
                        .options = &reader->options, .frame = frame};
    for (int k = 0; k < LAMMPS_COUNTS; k++) r.header.counts[k] = -1;
    int got = read_file(&r);
    if (got == 1 && *r.hint && r.style)
        snprintf(reader->note, sizeof reader->note, "\"Atoms # %s\" names no "
                 "atom style; by its columns it is %s", r.hint, r.style->name);
    else if (got == 1 && frame->has_cell && !reader->options.periodic_given
             && !reader->options.cell_given)
        snprintf(reader->note, sizeof reader->note,
                 "a data file does not state LAMMPS' boundary; all axes are "
                 "periodic (--periodic xy: as boundary p p f)");
    lammps_free_labels(&r);
    return got;
}

const struct format format_lammps = {
    .name = "lammps",
    .suffixes = " .data .lmp .lammps .lammpsdata ",
    .read = lammps_read,
};
