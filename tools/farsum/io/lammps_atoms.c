/* Section Atoms of a LAMMPS data file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "lammps.h"

#include "base/number.h"

/* Columns of a line of section Atoms: i id, m molecule, t type, q charge, x y
 * z.  Three image flags may follow. */
static const struct lammps_style styles[] = {
    {"atomic", "itxyz"},    {"charge", "itqxyz"}, {"full", "imtqxyz"},
    {"molecular", "imtxyz"}, {"bond", "imtxyz"},   {"angle", "imtxyz"},
};
#define N_STYLES (sizeof styles / sizeof styles[0])
#define STYLE_NAMES "atomic, charge, full, molecular, bond or angle"

static const struct lammps_style *find_style(struct text_word word) {
    for (size_t k = 0; k < N_STYLES; k++)
        if (text_is(word, styles[k].name)) return &styles[k];
    return NULL;
}

/* --- which style --- */

static int count_words(const struct text *t) {
    struct text copy = *t;
    int n = 0;
    while (text_next_word(&copy).n > 0) n++;
    return n;
}

/* The third word of a line of six: a charge, or the type of an atom in a
 * molecule?  As long as it may be both, we do not guess. */
static bool may_be_type(const struct lammps *r) {
    struct text copy = *r->t;
    text_next_word(&copy);
    text_next_word(&copy);
    struct text_word word = text_next_word(&copy);
    for (size_t k = 0; k < word.n; k++)
        if (word.p[k] < '0' || word.p[k] > '9') return false;
    double value;
    return number_real(word.p, word.n, &value) == NUMBER_OK && value >= 1;
}

static int guess_style(struct lammps *r) {
    static const char *const by_count[] = {"atomic", "charge", "full"};
    struct text_word whole = {r->t->line, r->t->length};
    int n = count_words(r->t);
    bool images = n >= 8 && n <= 10;
    int k = (images ? n - 3 : n) - 5;
    if (k < 0 || k > 2)
        return text_expected(r->t, whole, "5 to 10 columns of style atomic, "
                             "charge or full");
    if (k == 1 && may_be_type(r))
        return text_expected(r->t, whole, "--atom-style charge or molecular, "
                             "as the file does not tell them apart (no hint "
                             "\"Atoms # STYLE\")");
    r->style = find_style((struct text_word){by_count[k],
                                             strlen(by_count[k])});
    r->guessed = true;
    return 0;
}

/* From the option, else from "Atoms # STYLE", else from the first line. */
int lammps_choose_style(struct lammps *r, struct text_word hint) {
    const char *asked = r->options->atom_style;
    if (asked) {
        r->style = find_style((struct text_word){asked, strlen(asked)});
        return r->style ? 0
                        : text_fail(r->t, "unknown atom style \"%s\": there "
                                          "are " STYLE_NAMES, asked);
    }
    if (hint.n == 0) return 0;
    r->style = find_style(hint);
    if (r->style) return 0;
    return text_expected(r->t, hint, "style " STYLE_NAMES " (--atom-style "
                         "names the one whose columns are the same)");
}

static int check_charges(struct lammps *r) {
    bool own = strchr(r->style->layout, 'q') != NULL;
    if (!own || r->options->n_type_charges == 0) return 0;
    return text_fail(r->t, "the atoms have charges of their own (style %s): "
                           "charges by type are for files without them",
                     r->style->name);
}

static int add_columns(struct lammps *r) {
    struct io_frame *f = r->frame;
    bool molecules = strchr(r->style->layout, 'm') != NULL;
    if (frame_add_column(f, "id", IO_INT, 1) ||
        frame_add_column(f, "type", IO_INT, 1) ||
        (molecules && frame_add_column(f, "mol", IO_INT, 1)) ||
        (r->images && frame_add_column(f, "image", IO_INT, 3)))
        return text_no_memory(r->t);
    return 0;
}

/* --- section Atoms --- */

static int take_type(struct lammps *r, struct text_word word,
                     struct text_item item, int64_t *type) {
    int64_t n = r->header.counts[LAMMPS_ATOM_TYPES];
    if (text_integer(r->t, word, item, type)) return -1;
    if (*type >= 1 && (n < 0 || *type <= n)) return 0;
    char limit[32] = "";
    if (n >= 0) snprintf(limit, sizeof limit, " to %lld", (long long)n);
    return text_expected(r->t, word, "a type from 1%s (particle %lld%s)", limit,
                         (long long)item.particle,
                         r->guessed ? "; --atom-style names another order of "
                                      "columns than the usual one"
                                    : "");
}

static int charge_of_type(struct lammps *r, struct text_word word,
                          int64_t type, double *q) {
    const struct io_options *options = r->options;
    for (int k = options->n_type_charges - 1; k >= 0; k--)
        if (options->type_charges[k].type == type) {
            *q = options->type_charges[k].q;
            return 0;
        }
    return text_expected(r->t, word, "a type with a charge "
                         "(--charge %lld=Q)", (long long)type);
}

static int take_column(struct lammps *r, char kind, int64_t i) {
    struct io_frame *f = r->frame;
    struct text_word word = text_next_word(r->t);
    int64_t *id = f->columns[0].data, *type = f->columns[1].data;
    switch (kind) {
    case 'i':
        return text_integer(r->t, word, (struct text_item){"id", 0, i + 1},
                            &id[i]);
    case 'm':
        return text_integer(r->t, word,
                            (struct text_item){"molecule", 0, i + 1},
                            (int64_t *)f->columns[2].data + i);
    case 't':
        if (take_type(r, word, (struct text_item){"type", 0, i + 1}, &type[i]))
            return -1;
        if (r->options->n_type_charges == 0) return 0;
        return charge_of_type(r, word, type[i], &f->q[i]);
    case 'q':
        return text_real(r->t, word, (struct text_item){"charge", 0, i + 1},
                         true, &f->q[i]);
    default:
        return text_real(r->t, word,
                         (struct text_item){"position", kind - 'x' + 1, i + 1},
                         true, &f->x[3 * i + (kind - 'x')]);
    }
}

static int take_images(struct lammps *r, int64_t i) {
    struct io_frame *f = r->frame;
    int64_t *image = f->columns[f->n_columns - 1].data;
    for (int d = 0; d < 3; d++)
        if (text_integer(r->t, text_next_word(r->t),
                         (struct text_item){"image flag", d + 1, i + 1},
                         &image[3 * i + d]))
            return -1;
    return 0;
}

static int begin_atoms(struct lammps *r) {
    if (!r->style && guess_style(r)) return -1;
    r->images = count_words(r->t) > (int)strlen(r->style->layout);
    return check_charges(r) || add_columns(r) ? -1 : 0;
}

int lammps_read_atoms(struct lammps *r) {
    int64_t n = r->header.counts[LAMMPS_ATOMS], capacity = 0;
    bool charged = r->options->n_type_charges > 0;
    for (int64_t i = 0; i < n; i++) {
        int got = lammps_next_line(r->t);
        if (got < 0) return -1;
        if (got == 0)
            return text_expected_more(r->t, "atom %lld of %lld",
                                      (long long)(i + 1), (long long)n);
        if (lammps_no_section(r->t, "atom", i, n)) return -1;
        if (i == 0 && begin_atoms(r)) return -1;
        charged = charged || strchr(r->style->layout, 'q');
        if (frame_grow(r->frame, charged, &capacity))
            return text_no_memory(r->t);
        for (const char *kind = r->style->layout; *kind; kind++)
            if (take_column(r, *kind, i)) return -1;
        if (r->images && take_images(r, i)) return -1;
        if (text_finish_line(r->t)) return -1;
    }
    return frame_fit(r->frame, charged) ? text_no_memory(r->t) : 0;
}
