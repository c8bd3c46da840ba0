/* SPDX-License-Identifier: Apache-2.0 */
/* lammps_joins.c: sections Bonds, Angles and Dihedrals of a LAMMPS data file:
 * the outermost atoms. */
#include "lammps.h"

static const struct {
    enum lammps_count count;
    const char *one;
    int atoms;
} kinds[IO_JOINS] = {
    {LAMMPS_BONDS, "bond", 2},
    {LAMMPS_ANGLES, "angle", 3},
    {LAMMPS_DIHEDRALS, "dihedral", 4},
};

/* ID TYPE ATOM ... ATOM; a type may be a label. */
static int take_join(struct lammps *r, int join, int64_t i) {
    struct io_pair pair = {.line = r->t->number};
    int64_t id, atom;
    if (text_integer(r->t, text_next_word(r->t),
                     (struct text_item){"id", 0, 0}, &id))
        return -1;
    if (text_next_word(r->t).n == 0)
        return text_expected(r->t, text_next_word(r->t), "the type of %s %lld",
                             kinds[join].one, (long long)(i + 1));
    for (int k = 0; k < kinds[join].atoms; k++) {
        if (text_integer(r->t, text_next_word(r->t),
                         (struct text_item){"atom", k + 1, 0}, &atom))
            return -1;
        if (k == 0) pair.a = atom;
        pair.b = atom;
    }
    if (text_finish_line(r->t)) return -1;
    return io_pairs_add(&r->frame->joins[join], pair) ? text_no_memory(r->t)
                                                      : 0;
}

int lammps_read_joins(struct lammps *r, int join) {
    int64_t n = r->header.counts[kinds[join].count];
    if (n < 0)
        return text_fail(r->t, "line %lld: %ss, but the header does not say "
                               "how many",
                         (long long)r->t->number, kinds[join].one);
    for (int64_t i = 0; i < n; i++) {
        int got = lammps_next_line(r->t);
        if (got < 0) return -1;
        if (got == 0)
            return text_expected_more(r->t, "%s %lld of %lld",
                                      kinds[join].one, (long long)(i + 1),
                                      (long long)n);
        if (lammps_no_section(r->t, kinds[join].one, i, n)) return -1;
        if (take_join(r, join, i)) return -1;
    }
    return 0;
}
