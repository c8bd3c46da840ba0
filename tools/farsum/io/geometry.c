/* SPDX-License-Identifier: Apache-2.0 */
/* geometry.c: check of geometry that a file gives under other names. */
#include "geometry.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "frame.h"

enum kind { NO_GEOMETRY, CELL, PERIODIC, OPEN };

/* Names in small letters, without _ and -. */
static const char cell_words[] =
    " cell box boxsize boxlength boxlengths boxvectors boxedges edges unitcell "
    "celllength celllengths cellangles cellvectors cellparameters cellpar "
    "celldm simulationcell simulationbox simbox supercell latticevectors "
    "latticeparameters latticematrix latticeconstants lattice tv cryst1 ";
static const char periodic_words[] =
    " pbc pbcs periodic periodicity isperiodic periodicboundary "
    "periodicboundaries periodicboundaryconditions boundary boundaries "
    "boundarycondition boundaryconditions bc bcs ";
static const char open_words[] =
    " open isopen aperiodic nonperiodic isolated openboundary openboundaries "
    "openboundaryconditions ";

static enum kind kind_of(const char *p, size_t n) {
    char word[40] = " ";
    size_t used = 1;
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '_' || p[i] == '-') continue;
        if (used + 2 >= sizeof word || !isalnum((unsigned char)p[i]))
            return NO_GEOMETRY;
        word[used++] = (char)tolower((unsigned char)p[i]);
    }
    if (used == 1) return NO_GEOMETRY;
    word[used++] = ' ';
    word[used] = 0;
    return strstr(cell_words, word)       ? CELL
           : strstr(periodic_words, word) ? PERIODIC
           : strstr(open_words, word)     ? OPEN
                                          : NO_GEOMETRY;
}

/* --- names that resemble those of a cell --- */

/* Words in a longer name, as in box_x, XLattice or cellSize. */
static const char cell_parts[] =
    " cell box unitcell supercell simbox simcell lx ly lz xlo xhi ylo yhi zlo "
    "zhi dimensions ";
/* Next to one of these they are no geometry, as in cell_index. */
static const char other_parts[] =
    " n num number count id idx index type types name label list site sites "
    "volume energy charge mass density temperature pressure system seed step "
    "angle time ";

static bool is_upper(char c)
{
    return isupper((unsigned char)c);
}
static bool is_lower(char c)
{
    return islower((unsigned char)c);
}

/* The next word of a name, in small letters between blanks. */
static bool next_part(const char **p, const char *end, char word[40])
{
    size_t used = 1;
    word[0] = ' ';
    while (*p < end && !isalpha((unsigned char)**p))
        (*p)++;
    for (const char *from = *p; *p < end && isalpha((unsigned char)**p);
         (*p)++) {
        bool begins =
            *p > from && is_upper(**p)
            && (is_lower((*p)[-1]) || (*p + 1 < end && is_lower((*p)[1])));
        if (begins)
            break;
        if (used < 38)
            word[used++] = (char)tolower((unsigned char)**p);
    }
    word[used] = ' ';
    word[used + 1] = 0;
    return used > 1;
}

/* True for a name that may be a cell's, also a misspelt one. */
static bool resembles_cell(const char *p, size_t n)
{
    char word[40];
    bool found = false;
    const char *end = p + n;
    while (next_part(&p, end, word)) {
        if (strstr(other_parts, word))
            return false;
        found |= strstr(cell_parts, word) != NULL || strcmp(word, " latt ") == 0
                 || strncmp(word, " latti", 6) == 0
                 || strncmp(word, " latic", 6) == 0;
    }
    return found;
}

bool geometry_is_single(const char *key) {
    return strcasecmp(key, "units") == 0 ||
           kind_of(key, strlen(key)) != NO_GEOMETRY;
}

/* The numbers of a value, at most 9; 0: it contains something else. */
static int numbers(const char *p, double v[9]) {
    int n = 0;
    for (;;) {
        p += strspn(p, " \t,;[](){}");
        size_t length = strcspn(p, " \t,;[](){}");
        if (length == 0) return n;
        if (n == 9 || number_real(p, length, &v[n]) != NUMBER_OK) return 0;
        n++;
        p += length;
    }
}

static bool begins_number(const char *p)
{
    p += strspn(p, " \t,;[](){}+-.");
    return isdigit((unsigned char)*p);
}

/* 1, 0, or -1 if it is not a flag. */
static int flag(const char *p, size_t n) {
    static const char yes[] = " t true 1 p pp periodic yes on ";
    static const char no[] = " f false 0 s ss m mm ff n none open no off free "
                             "fs fm sf sm mf ms ";
    char word[16] = " ";
    if (n == 0 || n > 10) return -1;
    for (size_t i = 0; i < n; i++)
        word[1 + i] = (char)tolower((unsigned char)p[i]);
    strcpy(word + 1 + n, " ");
    return strstr(yes, word) ? 1 : strstr(no, word) ? 0 : -1;
}

/* Parses "T F T", "p p p", "xyz", one flag for all, ... Returns 0, or -1 for
 * other text. */
static int flags(const char *value, int out[3]) {
    int n = 0;
    const char *p = value;
    if (*value && strspn(value, "xyzXYZ") == strlen(value)) {
        for (int d = 0; d < 3; d++)
            out[d] = strchr(value, "xyz"[d]) || strchr(value, "XYZ"[d]);
        return 0;
    }
    if (strlen(value) == 3 && flag(value, 3) < 0) { /* "ppp", "TTF" */
        for (int d = 0; d < 3; d++)
            if ((out[d] = flag(value + d, 1)) < 0) return -1;
        return 0;
    }
    for (;;) {
        p += strspn(p, " \t,;[](){}");
        size_t length = strcspn(p, " \t,;[](){}");
        if (length == 0) break;
        if (n == 3 || (out[n] = flag(p, length)) < 0) return -1;
        n++;
        p += length;
    }
    if (n == 1) out[1] = out[2] = out[0];
    return n == 1 || n == 3 ? 0 : -1;
}

static bool near_by(double a, double b, double scale) {
    return fabs(a - b) <= 1e-6 * scale;
}

/* True if v, a form of a cell with n numbers (an edge, edges, edges and angles,
 * rows), agrees with `cell`. */
static bool agrees(const double *v, int n, const double cell[9]) {
    double length[3], scale = 0;
    for (int d = 0; d < 3; d++) {
        const double *a = cell + 3 * d;
        length[d] = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        scale = fmax(scale, length[d]);
    }
    bool good = n == 1 || n == 3 || n == 6 || n == 9;
    if (n == 9) {
        for (int k = 0; k < 9; k++) good &= near_by(v[k], cell[k], scale);
        return good;
    }
    for (int d = 0; d < 3 && good; d++) {
        const double *a = cell + 3 * ((d + 1) % 3);
        const double *b = cell + 3 * ((d + 2) % 3);
        double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        double angle = n == 6 ? v[3 + d] * (acos(-1.0) / 180) : acos(0.0);
        good = near_by(v[n == 1 ? 0 : d], length[d], scale) &&
               near_by(dot, length[(d + 1) % 3] * length[(d + 2) % 3] *
                                cos(angle), scale * scale);
    }
    return good;
}

/* The position of a key in the line. */
static struct text_word place(const struct text *t, const char *key) {
    size_t n = strlen(key);
    for (const char *p = t->line; *p; p++)
        if (strncasecmp(p, key, n) == 0) return (struct text_word){p, n};
    return (struct text_word){t->line, t->length};
}

static int check_cell(struct text *t, const struct io_frame *frame,
                      bool with_pbc, const struct io_key *key)
{
    double v[9];
    int n = numbers(key->value, v);
    /* some word of the user; without pbc not as in cell=10x10x10 */
    if (n == 0 && (frame->has_cell || with_pbc || !begins_number(key->value)))
        return 0;
    if (!frame->has_cell)
        return text_expected(t, place(t, key->key), "a cell as Lattice=\"...\" "
                             "(" GEOMETRY_ADVICE ")");
    if (agrees(v, n, frame->cell)) return 0;
    return text_expected(t, place(t, key->key), "no other cell than Lattice "
                         "says (" GEOMETRY_ADVICE ")");
}

/* The number of keys with one of three names whose value is a number. */
static int count_numbers(const struct io_frame *frame, const char *names)
{
    double v[9];
    int found = 0;
    for (int k = 0; k < frame->n_keys; k++) {
        char name[16];
        snprintf(name, sizeof name, " %.12s ", frame->keys[k].key);
        found +=
            strcasestr(names, name) && numbers(frame->keys[k].value, v) == 1;
    }
    return found;
}

/* True for edges together with an angle.  Edges without angles may be any
 * three numbers of the user, as in a=1 b=2 c=3. */
static bool edges_with_angles(const struct io_frame *frame)
{
    int angles = count_numbers(frame, " alpha beta gamma ");
    return angles == 3 || (angles > 0 && count_numbers(frame, " a b c ") == 3);
}

/* Fails if a frame without a cell and without pbc has a key that may be one:
 * the sum would be one in open space. */
static int check_resembling(struct text *t, const struct io_frame *frame,
                            const struct io_key *key)
{
    double v[9];
    const char *name = key->key, *value = key->value;
    size_t n = strcspn(name, "([{:");
    if (name[n])
        value = name + n; /* cell(10,10,10), without a value */
    int count = numbers(value, v);
    bool cell =
        count > 0 && (resembles_cell(name, n) || kind_of(name, n) == CELL);
    if (count == 1 && strcasecmp(name, "a") == 0)
        cell = edges_with_angles(frame);
    if (!cell)
        return 0;
    return text_expected(t, place(t, name),
                         "a cell as Lattice=\"...\", or "
                         "pbc=\"F F F\" for open space (" GEOMETRY_ADVICE ")");
}

/* A key such as nonperiodic says the contrary of pbc. */
static int check_open(struct text *t, const struct io_options *options,
                      const struct io_frame *frame, const struct io_key *key)
{
    const int *p = frame->periodic;
    int v[3];
    if (options->periodic_given || flags(key->value, v) != 0)
        return 0;
    for (int d = 0; d < 3; d++)
        if (frame->has_cell && v[d] && p[d])
            return text_expected(t, place(t, key->key),
                                 "the same periodic "
                                 "axes as by Lattice and pbc (--periodic xyz "
                                 "or none says which)");
    return 0;
}

static int check_periodic(struct text *t, const struct io_options *options,
                          const struct io_frame *frame,
                          const struct io_key *key) {
    int v[3];
    if (options->periodic_given) return 0;
    if (flags(key->value, v) != 0)
        return text_expected(t, place(t, key->key),
                             "pbc=\"T T T\", \"F F "
                             "F\" or the like for the periodic axes "
                             "(--periodic xyz, xy or none says which)");
    for (int d = 0; d < 3; d++)
        if (v[d] != frame->periodic[d])
            return text_expected(t, place(t, key->key), "the same periodic "
                                 "axes as by %s (--periodic xyz or none says "
                                 "which%s)",
                                 frame->has_cell ? "Lattice and pbc" : "pbc",
                                 frame->has_cell ? "" : ", --cell the cell");
    return 0;
}

/* The axes as a value of --periodic. */
static const char *axes_name(const int p[3])
{
    static const char *const names[8] = {"none", "x",  "y",  "xy",
                                         "z",    "xz", "yz", "xyz"};
    return names[(p[0] != 0) + 2 * (p[1] != 0) + 4 * (p[2] != 0)];
}

bool geometry_contradicts(const struct io_options *options,
                          const int periodic[3], const char **given)
{
    const int *p = options->periodic;
    *given = axes_name(p);
    return options->periodic_given && !geometry_is_given(options)
           && axes_name(periodic) != *given;
}

/* pbc and --periodic must agree. */
static int check_option(struct text *t, const struct io_options *options,
                        const int *p)
{
    const char *given, *flag = "FT";
    const int *want = options->periodic;
    if (!geometry_contradicts(options, p, &given))
        return 0;
    return text_expected(t, place(t, "pbc"),
                         "pbc=\"%c %c %c\" as --periodic %s says, not \"%c "
                         "%c %c\" (" GEOMETRY_REPLACED ")",
                         flag[!!want[0]], flag[!!want[1]], flag[!!want[2]],
                         given, flag[!!p[0]], flag[!!p[1]], flag[!!p[2]]);
}

int geometry_check_keys(struct text *t, const struct io_options *options,
                        const struct io_frame *frame, bool with_pbc) {
    const int *p = frame->periodic;
    const double *o = frame->origin;
    if (geometry_is_given(options)) return 0;
    if (!frame->has_cell && with_pbc && (p[0] || p[1] || p[2]))
        return text_expected(t, place(t, "pbc"), "Lattice=\"...\" with a pbc "
                             "that says periodic (" GEOMETRY_ADVICE ")");
    if (!frame->has_cell && (o[0] != 0 || o[1] != 0 || o[2] != 0))
        return text_expected(t, place(t, "Origin"), "Lattice=\"...\" with "
                             "Origin (" GEOMETRY_ADVICE ")");
    if (with_pbc && check_option(t, options, p))
        return -1;
    for (int k = 0; k < frame->n_keys; k++) {
        const struct io_key *key = &frame->keys[k];
        enum kind kind = kind_of(key->key, strlen(key->key));
        if ((kind == CELL && check_cell(t, frame, with_pbc, key))
            || (kind == PERIODIC && check_periodic(t, options, frame, key))
            || (kind == OPEN && check_open(t, options, frame, key))
            || (!frame->has_cell && !with_pbc
                && check_resembling(t, frame, key)))
            return -1;
    }
    return 0;
}

/* --- geometry in free text --- */

#define APART " \t,;:=[](){}\"'xX*"

static bool is_unit(const char *p, size_t n)
{
    static const char *const units[] = {
        "A",  "ang", "angstrom", "angstroms", "\xc3\x85", "\xe2\x84\xab",
        "nm", "pm",  "bohr",     "au",        "a.u.",     "m"};
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (strlen(units[k]) == n && strncasecmp(units[k], p, n) == 0)
            return true;
    return false;
}

struct amounts {
    int n;
    double first;
    bool whole, unit; /* all are whole numbers; a unit follows one */
};

/* The numbers at *p, as in 10, 10, 10 or 10 nm x 10 nm.  *p is then the first
 * word that is not one. */
static struct amounts amounts_at(const char **p)
{
    struct amounts a = {.whole = true};
    for (;;) {
        const char *from = *p + strspn(*p, APART);
        size_t n = strcspn(from, APART), digits = strspn(from, "+-.0123456789");
        double v;
        bool number = number_real(from, n, &v) == NUMBER_OK;
        if (n > digits && !number && is_unit(from + digits, n - digits)
            && (digits == 0 ? a.n > 0
                            : number_real(from, digits, &v) == NUMBER_OK)) {
            a.unit = true;
            number = digits > 0;
        } else if (!number) {
            *p = from;
            return a;
        }
        if (number) {
            a.whole &= v == floor(v);
            a.first = a.n++ == 0 ? v : a.first;
        }
        *p = from + n;
    }
}

/* True for a whole number that counts, as in unit cell 3 of 5 or box 12 run:
 * a word follows, and no number follows that word as in box 10 step 5.  After a
 * mark as in cell: 3 only the word of makes it a count. */
static bool is_count(const char *p, bool mark)
{
    size_t n = strcspn(p, APART);
    if (*p == '/' || (n == 2 && strncasecmp(p, "of", 2) == 0))
        return true;
    return n > 0 && !mark && !begins_number(p + n);
}

/* True if numbers that may be a cell follow its name. */
static bool says_cell(const char *rest, bool mark, bool repeats)
{
    const char *p = rest + strspn(rest, " \t");
    size_t bracket = *p && strchr("([{", *p) ? strcspn(p, ")]}") : 0;
    if (bracket && p[bracket] && !begins_number(p))
        p += bracket; /* CELL(abcABC): 10 10 10 */
    struct amounts a = amounts_at(&p);
    if (a.n == 0 || (repeats && a.whole && !a.unit))
        return false;
    if (a.n > 1 || a.unit || !a.whole)
        return true;
    return a.first > 0 && !is_count(p, mark);
}

/* True if flags that are not all open follow a name of boundaries, or after a
 * mark any word. */
static bool says_periodic(const char *rest, bool mark)
{
    int v[3], n = 0;
    const char *p = rest;
    bool digit = false;
    while (n < 3) {
        p += strspn(p, " \t,;:=[](){}\"'");
        size_t length = strcspn(p, " \t,;:=[](){}\"'");
        if (length == 0)
            break;
        char word[4] = ""; /* ppp, xy, yes */
        if (n == 0 && length <= 3 && memcpy(word, p, length)
            && flags(word, v) == 0 && (length > 1 || strspn(word, "xyzXYZ")))
            return v[0] || v[1] || v[2];
        if ((v[n] = flag(p, length)) < 0)
            break;
        digit |= isdigit((unsigned char)*p) != 0;
        n++;
        p += length;
    }
    if (n == 0)
        return mark && *p;
    if (n < 3 && digit && !mark && *p)
        return false; /* boundary 1 layer */
    return v[0] || (n > 1 && v[1]) || (n > 2 && v[2]);
}

/* Fails on a name of geometry that a value follows. */
int geometry_check_free_text(struct text *t,
                             const struct io_options *options) {
    struct text copy = *t;
    struct text_word word;
    copy.cursor = 0;
    if (geometry_is_given(options)) return 0;
    while ((word = text_next_word(&copy)).n > 0) {
        size_t from = 0, n;
        while (from < word.n && !isalpha((unsigned char)word.p[from])) from++;
        n = from;
        while (n < word.n && (isalnum((unsigned char)word.p[n]) ||
                              word.p[n] == '_'))
            n++;
        const char *name = word.p + from, *rest = word.p + n;
        enum kind kind = kind_of(name, n - from);
        bool similar = kind == NO_GEOMETRY && resembles_cell(name, n - from);
        if (!similar && (kind == NO_GEOMETRY || kind == OPEN))
            continue;
        const char *after = rest + strspn(rest, " \t");
        bool mark = similar || (*rest && strchr(":=({[", *rest))
                    || (*after && strchr("=:", *after));
        bool repeats = strncasecmp(name, "supercell", 9) == 0;
        if (kind == PERIODIC ? says_periodic(rest, mark)
                             : says_cell(rest, mark, repeats))
            return text_expected(t, word, "Lattice=\"...\" and pbc=\"...\" for "
                                 "the cell in a comment line ("
                                 GEOMETRY_ADVICE ")");
    }
    return 0;
}
