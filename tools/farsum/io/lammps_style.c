/* SPDX-License-Identifier: Apache-2.0 */
/* lammps_style.c: columns of section Atoms, by a style's name, by their own
 * names, or by their number. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "lammps.h"

/* Columns of a line of section Atoms: i id, m molecule, t type, q charge, x y
 * z.  Three image flags may follow. */
static const struct lammps_style styles[] = {
    {"atomic", "itxyz"},    {"charge", "itqxyz"}, {"full", "imtqxyz"},
    {"molecular", "imtxyz"}, {"bond", "imtxyz"},   {"angle", "imtxyz"},
};
#define N_STYLES (sizeof styles / sizeof styles[0])
#define STYLE_NAMES "atomic, charge, full, molecular, bond or angle"
#define COLUMNS_ADVICE                                                         \
    "--atom-style \"id type q x y z -\" names the columns of another, - "      \
    "one to pass over"

/* Styles that are refused: they have further quantities that are not summed
 * here, or columns before the positions: docs.lammps.org/read_data. */
static const char other_styles[] =
    " body bpm/sphere dielectric dipole dpd edpd electron ellipsoid hybrid "
    "line mdpd mesont oxdna peri rheo rheo/thermal smd sph sphere spin "
    "sphere/bpm tdpd template tri wavepacket apip ";

static const struct lammps_style *find_style(struct text_word word) {
    for (size_t k = 0; k < N_STYLES; k++)
        if (text_is(word, styles[k].name)) return &styles[k];
    return NULL;
}

static bool is_other_style(struct text_word word) {
    char name[24];
    if (word.n > 20) return false;
    snprintf(name, sizeof name, " %.*s ", (int)word.n, word.p);
    return strstr(other_styles, name) != NULL;
}

/* --- columns by their names --- */

static char column_letter(const char *p, size_t n) {
    static const struct {
        const char *name;
        char letter;
    } names[] = {{"id", 'i'},       {"type", 't'},   {"mol", 'm'},
                 {"molecule", 'm'}, {"q", 'q'},      {"charge", 'q'},
                 {"x", 'x'},        {"y", 'y'},      {"z", 'z'}};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strlen(names[k].name) == n &&
            strncasecmp(p, names[k].name, n) == 0)
            return names[k].letter;
    return '-';
}

static int name_columns(struct lammps *r, const char *asked) {
    size_t used = 0;
    for (const char *p = asked;;) {
        p += strspn(p, " \t,");
        size_t n = strcspn(p, " \t,");
        if (n == 0) break;
        char letter = column_letter(p, n);
        if (letter != '-' && memchr(r->layout, letter, used))
            return text_fail(r->t, "--atom-style \"%.200s\": the column "
                                   "\"%.*s\" comes twice", asked,
                             (int)(n < 40 ? n : 40), p);
        if (used + 1 == sizeof r->layout)
            return text_fail(r->t, "--atom-style: more than %zu columns",
                             sizeof r->layout - 1);
        r->layout[used++] = letter;
        p += n;
    }
    r->layout[used] = 0;
    for (const char *need = "xyz"; *need; need++)
        if (!strchr(r->layout, *need))
            return text_fail(r->t, "--atom-style \"%.200s\": there is no "
                                   "column %c; known are id, type, mol, q, x, "
                                   "y and z", asked, *need);
    r->own = (struct lammps_style){"of these columns", r->layout};
    r->style = &r->own;
    return 0;
}

int lammps_choose_style(struct lammps *r, struct text_word hint) {
    const char *asked = r->options->atom_style;
    if (asked) {
        if (strpbrk(asked, " \t,")) return name_columns(r, asked);
        r->style = find_style((struct text_word){asked, strlen(asked)});
        return r->style ? 0
                        : text_fail(r->t, "unknown atom style \"%s\": there "
                                          "are " STYLE_NAMES "; "
                                          COLUMNS_ADVICE, asked);
    }
    if (hint.n == 0) return 0;
    r->style = find_style(hint);
    if (r->style) return 0;
    if (is_other_style(hint))
        return text_expected(r->t, hint, "style " STYLE_NAMES " ("
                             COLUMNS_ADVICE ")");
    snprintf(r->hint, sizeof r->hint, "%.*s",
             (int)(hint.n < 30 ? hint.n : 30), hint.p);
    return 0;
}

/* --- columns by their number --- */

int lammps_count_words(const struct text *t) {
    struct text copy = *t;
    int n = 0;
    while (text_next_word(&copy).n > 0) n++;
    return n;
}

static bool is_count(struct text_word word)
{
    bool positive = false;
    for (size_t k = 0; k < word.n; k++) {
        if (word.p[k] < '0' || word.p[k] > '9')
            return false;
        positive |= word.p[k] != '0';
    }
    return positive;
}

/* The style of a line of six words.  The third may be a charge or the type of
 * an atom in a molecule.  A type by its label tells them apart: it is no
 * number.  NULL: both are possible; then the style is not guessed. */
static const char *style_of_six(const struct lammps *r)
{
    struct text copy = *r->t;
    double v;
    text_next_word(&copy);
    struct text_word second = text_next_word(&copy);
    struct text_word third = text_next_word(&copy);
    if (!is_count(second))
        return "charge";
    if (number_real(third.p, third.n, &v) != NUMBER_OK)
        return "molecular";
    return is_count(third) ? NULL : "charge";
}

int lammps_guess_style(struct lammps *r) {
    const char *const by_count[] = {"atomic", style_of_six(r), "full"};
    struct text_word whole = {r->t->line, r->t->length};
    int n = lammps_count_words(r->t);
    bool images = n >= 8 && n <= 10;
    int k = (images ? n - 3 : n) - 5;
    if (k < 0 || k > 2)
        return text_expected(r->t, whole, "5 to 10 columns of style atomic, "
                             "charge or full");
    if (!by_count[k])
        return text_expected(r->t, whole, "--atom-style charge or molecular, "
                             "as the file does not tell them apart (no hint "
                             "\"Atoms # STYLE\")");
    r->style = find_style((struct text_word){by_count[k],
                                             strlen(by_count[k])});
    r->guessed = true;
    return 0;
}

/* Checks that a guess does not read another style's columns.  Sizes, densities
 * and temperatures are not negative, and columns after the positions may be a
 * dipole or a spin. */
int lammps_check_guess(const struct lammps *r) {
    if (!r->guessed || r->header.counts[LAMMPS_ATOMS] == 0) return 0;
    bool charged = strchr(r->style->layout, 'q') != NULL;
    if (r->some_image && strcmp(r->style->name, "full") != 0)
        return text_fail(r->t, "the file does not name its atom style (\"Atoms "
                               "# STYLE\"): the last three columns may be "
                               "image flags of style %s or belong to another, "
                               "as dipole; --atom-style %s says the former, "
                               "\"id type q x y z - - -\" the latter",
                         r->style->name, r->style->name);
    if (charged && !r->some_negative)
        return text_fail(r->t, "the file does not name its atom style (\"Atoms "
                               "# STYLE\"): no charge would be below 0, so "
                               "that column may be another style's, as a "
                               "density; --atom-style %s says that it is the "
                               "charge, or name the columns as \"id type - - "
                               "x y z\"", r->style->name);
    return 0;
}
