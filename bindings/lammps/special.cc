/* SPDX-License-Identifier: Apache-2.0 */
/* special.cc: special_bonds as Farsum's exclusions.
 *
 * LAMMPS names an atom's partners by their tags, and a partner may belong to
 * any rank.  So rank t mod p keeps a list of the tags t: all ranks send it the
 * numbers of their atoms with such tags, and the pairs whose second atom has
 * such a tag.  It looks the second atoms up, and names the pairs. */
#include "special.hpp"

#include <unordered_map>

using LAMMPS_NS::Atom;
using LAMMPS_NS::tagint;

namespace farsum_lammps
{
namespace
{

/* An atom's tag and number, or with a factor below 1 the tag of a pair's second
 * atom and the number of the first. */
struct note {
    std::int64_t tag, number;
    double factor;
};

/* Calls visit(note) for the atoms and pairs of this rank. */
template <class F>
void each_note(const Atom *atom, std::int64_t first, const double *factor,
               F visit)
{
    for (int i = 0; i < atom->nlocal; i++) {
        tagint tag = atom->tag[i];
        visit(note{tag, first + i, 1});
        const int *end = atom->nspecial[i];
        for (int k = 0; k < end[2]; k++) {
            double f = factor[k < end[0] ? 1 : k < end[1] ? 2 : 3];
            if (f < 1 && tag < atom->special[i][k]) /* each pair once */
                visit(note{atom->special[i][k], first + i, f});
        }
    }
}

/* Sends the notes to the ranks of their tags.  counts: notes per rank. */
std::vector<note> exchange(std::vector<note> &notes,
                           const std::vector<int> &counts, MPI_Comm world)
{
    std::size_t ranks = counts.size();
    std::vector<int> from(ranks), come(ranks), come_from(ranks);
    MPI_Alltoall(counts.data(), 1, MPI_INT, come.data(), 1, MPI_INT, world);
    std::vector<note> got;
    int all = 0;
    for (std::size_t r = 0; r < ranks; r++) {
        from[r] = r ? from[r - 1] + counts[r - 1] : 0;
        come_from[r] = all;
        all += come[r];
    }
    got.resize(static_cast<std::size_t>(all));
    MPI_Datatype type;
    MPI_Type_contiguous(sizeof(note), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Alltoallv(notes.data(), counts.data(), from.data(), type, got.data(),
                  come.data(), come_from.data(), type, world);
    MPI_Type_free(&type);
    return got;
}

} // namespace

special_pairs find_special(Atom *atom, MPI_Comm world, const double factor[4])
{
    special_pairs out;
    if (atom->molecular == Atom::ATOMIC)
        return out;
    std::int64_t mine = atom->nlocal, first = 0;
    int ranks = 1, rank = 0;
    MPI_Comm_size(world, &ranks);
    MPI_Comm_rank(world, &rank);
    MPI_Exscan(&mine, &first, 1, MPI_INT64_T, MPI_SUM, world);
    if (rank == 0) /* MPI_Exscan leaves it undefined */
        first = 0;

    std::vector<int> counts(static_cast<std::size_t>(ranks));
    std::vector<std::size_t> next(counts.size());
    auto rank_of = [&](const note &n) {
        return static_cast<std::size_t>(n.tag % ranks);
    };
    each_note(atom, first, factor,
              [&](const note &n) { counts[rank_of(n)]++; });
    std::size_t all = 0;
    for (std::size_t r = 0; r < counts.size(); r++) {
        next[r] = all;
        all += static_cast<std::size_t>(counts[r]);
    }
    std::vector<note> notes(all);
    each_note(atom, first, factor,
              [&](const note &n) { notes[next[rank_of(n)]++] = n; });

    std::vector<note> got = exchange(notes, counts, world);
    std::unordered_map<std::int64_t, std::int64_t> number(got.size());
    for (const note &n : got)
        if (n.factor >= 1)
            number[n.tag] = n.number;
    for (const note &n : got) {
        auto partner = n.factor < 1 ? number.find(n.tag) : number.end();
        if (partner == number.end()) /* the atom is no more: no pair */
            continue;
        out.ends.push_back(n.number);
        out.ends.push_back(partner->second);
        out.factors.push_back(n.factor);
    }
    return out;
}

} // namespace farsum_lammps
