/* SPDX-License-Identifier: Apache-2.0 */
/* kspace.cc: the styles of kspace_style. */
#include "kspace.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "pair.hpp"

using LAMMPS_NS::LAMMPS;
namespace utils = LAMMPS_NS::utils;

namespace farsum_lammps
{

kspace_farsum::kspace_farsum(LAMMPS *lammps)
    : KSpace(lammps), coulomb_(lammps, "laplace")
{
    triclinic_support = 1;
    scale = 1;
    natoms_original = 0;
    qsqsum = 0;
}

void kspace_farsum::settings(int narg, char **arg)
{
    if (narg != 1)
        error->all(FLERR,
                   "kspace_style {} needs one argument, the accuracy, "
                   "not {}",
                   force->kspace_style, narg);
    accuracy_relative = std::fabs(utils::numeric(FLERR, arg[0], false, lmp));
}

int kspace_farsum::modify_param(int narg, char **arg)
{
    if (std::string(arg[0]) != "farsum")
        return 0;
    int taken = 1, n = 1;
    while (taken < narg && n > 0) {
        n = take(narg - taken, arg + taken);
        taken += n;
    }
    if (taken == 1)
        error->all(FLERR, "Unknown kspace_modify farsum keyword: {}",
                   narg > 1 ? arg[1] : "(none)");
    return taken;
}

int kspace_farsum::take(int narg, char **arg)
{
    std::string key = arg[0];
    static const char *known[] = {
        "method",    "device",  "precision", "cutoff",        "skin",
        "bandwidth", "support", "threads",   "deterministic", "verify"};
    if (std::find(std::begin(known), std::end(known), key) == std::end(known))
        return 0;
    if (narg < 2)
        utils::missing_cmd_args(FLERR, "kspace_modify farsum " + key, error);
    std::string value = arg[1];
    auto number = [&] { return utils::numeric(FLERR, arg[1], false, lmp); };
    auto whole = [&] { return utils::inumeric(FLERR, arg[1], false, lmp); };
    auto yes = [&] { return utils::logical(FLERR, arg[1], false, lmp); };
    if (key == "method")
        how_.method = value == "auto" ? "" : value;
    else if (key == "device")
        how_.device = value == "host" ? "" : value;
    else if (key == "precision")
        how_.precision = precision_of(value);
    else if (key == "cutoff")
        how_.cutoff = number();
    else if (key == "skin")
        how_.skin = number();
    else if (key == "bandwidth")
        how_.bandwidth = number();
    else if (key == "support")
        how_.support = whole();
    else if (key == "threads")
        how_.threads = whole();
    else if (key == "deterministic")
        how_.deterministic = yes();
    else
        how_.verify = yes() ? 1 : FARSUM_VERIFY_OFF;
    return 2;
}

farsum_precision kspace_farsum::precision_of(const std::string &name) const
{
    static const struct {
        const char *name;
        farsum_precision value;
    } all[] = {{"f64", FARSUM_F64},
               {"f32", FARSUM_F32},
               {"mixed", FARSUM_MIXED},
               {"auto", FARSUM_AUTO}};
    for (const auto &one : all)
        if (name == one.name)
            return one.value;
    error->all(FLERR,
               "Unknown kspace_modify farsum precision: {}, not f64, "
               "f32, mixed or auto",
               name);
}

int kspace_farsum::axes() const
{
    return domain->periodicity[0] + domain->periodicity[1]
           + domain->periodicity[2];
}

/* Refuses what would be summed wrongly. */
void kspace_farsum::refuse() const
{
    const char *style = force->kspace_style;
    auto no = [&](const std::string &what) {
        error->all(FLERR, "Cannot use {} with kspace_style {}", what, style);
    };
    if (axes() == 3 && comm->nprocs > 1 && how_.method == "fmm")
        no("method fmm over ranks in a periodic box: it has no virial there");
    if (!atom->q_flag && needs_charges_)
        error->all(FLERR, "kspace_style {} requires atom attribute q", style);
    if (domain->dimension == 2)
        no("2d simulations");
    if (wireflag)
        no("kspace_modify wire: boundary f f p and the like need no more");
    if (slabflag == 2)
        no("kspace_modify slab nozforce: it sums three periodic axes");
    if (slabflag && (axes() != 2 || domain->zperiodic))
        no("kspace_modify slab without boundary p p f, p p s or p p m");
    if (gewaldflag)
        no("kspace_modify gewald: set cutoff or bandwidth of farsum");
    if (update->whichflag == 1 && !sums_far_part_of(force->pair)
        && utils::strmatch(update->integrate_style, "^respa"))
        no("run_style respa: near pairs would move to its outer level");
    if (utils::strmatch(update->integrate_style, "^verlet/split"))
        no("run_style verlet/split");
    static const char *fixes[] = {"^qeq", "^acks2", "^qtpie", "^electrode",
                                  "^tune/kspace"};
    for (const char *name : fixes)
        for (const LAMMPS_NS::Fix *fix : modify->get_fix_by_style(name))
            no(std::string("fix ") + fix->style);
    if (neighbor->nex_type || neighbor->nex_group || neighbor->nex_mol)
        no("neigh_modify exclude: it sums all pairs");
    if (atom->molecular == LAMMPS_NS::Atom::TEMPLATE)
        no("atom_style template");
    if (force->special_onefive && atom->nspecial15_flag)
        no("special_bonds one/five");
    refuse_pairs();
}

bool kspace_farsum::sums_far_part_of(const LAMMPS_NS::Pair *pair) const
{
    return pair && pair == force->pair
           && dynamic_cast<const pair_farsum *>(pair) != nullptr;
}

const near_function &kspace_farsum::near()
{
    static const near_function none; /* without charges there is no plan */
    return qsqsum > 0 ? coulomb_.near(atom->q) : none;
}

/* What the far part does not have. */
void kspace_farsum::refuse_far() const
{
    if (how_.cutoff > 0)
        error->all(FLERR,
                   "kspace_modify farsum cutoff: pair_style {} sets the cutoff",
                   force->pair_style);
    if (!how_.method.empty() && how_.method != "spectral")
        error->all(FLERR,
                   "Cannot use kspace_modify farsum method {} with "
                   "pair_style {}: only spectral has a far part",
                   how_.method, force->pair_style);
    if (axes() != 3)
        error->all(FLERR, "pair_style {} needs three periodic axes",
                   force->pair_style);
}

/* The pair style must not sum a part of the Coulomb interaction, unless it is
 * the near part. */
void kspace_farsum::refuse_pairs() const
{
    LAMMPS_NS::Pair *pair = force->pair;
    if (!pair)
        error->all(FLERR, "KSpace solver requires a pair style");
    if (sums_far_part_of(pair))
        return refuse_far();
    int dim = 0;
    bool charges = pair->ewaldflag || pair->pppmflag || pair->msmflag
                   || pair->dispersionflag || pair->tip4pflag
                   || pair->dipoleflag || pair->spinflag
                   || pair->extract("cut_coul", dim);
    static const char *words[] = {"coul", "tip4p",  "dipole", "reax",
                                  "comb", "amoeba", "hippo"};
    for (const char *word : words)
        charges = charges || force->pair_match(word, 0)
                  || force->pair_match(word, 0, 1);
    if (charges)
        error->all(FLERR,
                   "Cannot use pair_style {} with kspace_style {}: it sums all "
                   "Coulomb interactions, so the pair style must have none",
                   force->pair_style, force->kspace_style);
}

aim kspace_farsum::aim_of(double constant, double squares,
                          const double *factor) const
{
    aim to;
    to.how = how_;
    if (to.how.threads == 0)
        to.how.threads = comm->nthreads;
    /* In water a step is fastest with a quarter, and within 5 % of that from a
     * sixth to the half.  Only spectral takes a skin. */
    bool spectral = how_.method.empty() || how_.method == "spectral";
    if (to.how.skin < 0)
        to.how.skin = spectral && axes() >= 2 ? neighbor->skin / 4 : 0;
    if (sums_far_part_of(force->pair)) {
        /* the pair style has near pairs, also the bonded ones */
        to.far = true;
        to.how.method = "spectral";
        to.how.cutoff = static_cast<pair_farsum *>(force->pair)->cut_coulomb();
        to.how.skin = 0;
    }
    if (gridflag)
        to.how.mesh = {nx_pppm, ny_pppm, nz_pppm};
    to.constant = constant;
    to.tolerance = accuracy;
    to.unit = two_charge_force;
    to.squares = squares;
    for (std::size_t k = 1; k < 4; k++)
        to.factor[k] = to.far || atom->molecular == LAMMPS_NS::Atom::ATOMIC
                           ? 1
                           : factor[k];
    to.atoms = atom->natoms;
    for (std::size_t d = 0; d < 3; d++)
        to.periodic[d] = domain->periodicity[d];
    return to;
}

void kspace_farsum::init()
{
    refuse();
    triclinic_check();
    two_charge();
    accuracy = accuracy_absolute >= 0 ? accuracy_absolute
                                      : accuracy_relative * two_charge_force;
    scale = 1;
    qqrd2e = force->qqrd2e;
    if (atom->q_flag)
        qsum_qsq();
    natoms_original = atom->natoms;
    coulomb_.prepare(aim_of(qqrd2e, qsqsum, force->special_coul));
}

/* Where the library does not sum the virial of each atom, computes that read it
 * get NaN. */
void kspace_farsum::end(const sums &out, const std::string &why)
{
    if (!out.virials || why.empty())
        return;
    std::fill_n(vatom[0], 6 * static_cast<std::size_t>(atom->nlocal),
                std::numeric_limits<double>::quiet_NaN());
    if (!warned_ && comm->me == 0)
        error->warning(FLERR,
                       "The virial of each atom is NaN with kspace_style {}: "
                       "name the other parts in compute stress/atom, as in "
                       "stress/atom NULL pair bond ({})",
                       force->kspace_style, why);
    warned_ = true;
}

/* Clears energy and virial, and says where sums add them. */
sums kspace_farsum::begin(int eflag, int vflag)
{
    ev_init(eflag, vflag);
    if (atom->natoms != natoms_original) {
        if (atom->q_flag)
            qsum_qsq();
        natoms_original = atom->natoms;
    }
    sums out;
    out.energy = eflag_global ? &energy : nullptr;
    out.virial = vflag_global ? virial : nullptr;
    out.each = eflag_atom ? eatom : nullptr;
    out.virials = vflag_atom ? vatom : nullptr;
    return out;
}

void kspace_farsum::add_coulomb(const sums &out)
{
    if (qsqsum > 0)
        coulomb_.compute(atom->q, scale, out);
}

void kspace_farsum::compute(int eflag, int vflag)
{
    sums out = begin(eflag, vflag);
    add_coulomb(out);
    end(out, no_virials());
}

double kspace_farsum::memory_usage()
{
    return coulomb_.bytes();
}

} // namespace farsum_lammps
