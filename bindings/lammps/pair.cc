/* SPDX-License-Identifier: Apache-2.0 */
/* pair.cc: pair_style lj/cut/coul/farsum. */
#include "pair.hpp"

#include <cmath>
#include <string>

#include "kspace.hpp"

using LAMMPS_NS::LAMMPS;
namespace utils = LAMMPS_NS::utils;

namespace farsum_lammps
{
namespace
{

double sixth(double x)
{
    double cube = x * x * x;
    return cube * cube;
}

} // namespace

pair_farsum::pair_farsum(LAMMPS *lammps) : Pair(lammps), inner_(lammps)
{
    restartinfo = 0;
    writedata = 0;
}

pair_farsum::~pair_farsum()
{
    if (copymode || !allocated)
        return;
    memory->destroy(setflag);
    memory->destroy(cutsq);
}

void pair_farsum::allocate()
{
    int n = atom->ntypes + 1;
    memory->create(setflag, n, n, "pair:setflag");
    memory->create(cutsq, n, n, "pair:cutsq");
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            setflag[i][j] = 0;
    std::size_t size = static_cast<std::size_t>(n);
    types_.assign(size, std::vector<types>(size));
    allocated = 1;
}

/* CUT_LJ [CUT_COUL] */
void pair_farsum::settings(int narg, char **arg)
{
    if (narg < 1 || narg > 2)
        error->all(FLERR,
                   "pair_style {} needs one or two cutoffs, not {} arguments",
                   force->pair_style, narg);
    cut_lj_ = utils::numeric(FLERR, arg[0], false, lmp);
    cut_coul_ = narg > 1 ? utils::numeric(FLERR, arg[1], false, lmp) : cut_lj_;
    if (!(cut_coul_ > 0))
        error->all(FLERR, "the Coulomb cutoff of pair_style {} is {}, not > 0",
                   force->pair_style, cut_coul_);
    for (auto &row : types_)
        for (types &t : row)
            t.cut = cut_lj_;
}

/* TYPES TYPES EPSILON SIGMA [CUT_LJ] */
void pair_farsum::coeff(int narg, char **arg)
{
    if (narg < 4 || narg > 5)
        error->all(FLERR,
                   "pair_coeff of {} needs epsilon, sigma and maybe a "
                   "cutoff",
                   force->pair_style);
    if (!allocated)
        allocate();
    int ilo, ihi, jlo, jhi, count = 0;
    utils::bounds(FLERR, arg[0], 1, atom->ntypes, ilo, ihi, error);
    utils::bounds(FLERR, arg[1], 1, atom->ntypes, jlo, jhi, error);
    types t;
    t.epsilon = utils::numeric(FLERR, arg[2], false, lmp);
    t.sigma = utils::numeric(FLERR, arg[3], false, lmp);
    t.cut = narg == 5 ? utils::numeric(FLERR, arg[4], false, lmp) : cut_lj_;
    for (int i = ilo; i <= ihi; i++)
        for (int j = jlo > i ? jlo : i; j <= jhi; j++) {
            types_[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] =
                t;
            setflag[i][j] = 1;
            count++;
        }
    if (count == 0)
        error->all(FLERR, "Incorrect args for pair coefficients");
}

void pair_farsum::init_style()
{
    if (!atom->q_flag)
        error->all(FLERR, "pair_style {} requires atom attribute q",
                   force->pair_style);
    auto *kspace = dynamic_cast<kspace_farsum *>(force->kspace);
    if (!kspace || !kspace->sums_far_part_of(this))
        error->all(FLERR,
                   "pair_style lj/cut/coul/farsum requires kspace_style farsum "
                   "of the same plugin, and is no part of a hybrid style");
    neighbor->add_request(this);
    limits_.lj.clear();
    inner_.forget();
}

/* Energy and pressure of Lennard-Jones pairs beyond the cutoff, at uniform
 * density, times and per volume. */
void pair_farsum::set_tail(int i, int j, const types &t)
{
    double mine[2] = {0, 0}, all[2];
    for (int k = 0; k < atom->nlocal; k++) {
        mine[0] += atom->type[k] == i;
        mine[1] += atom->type[k] == j;
    }
    MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, world);
    double s6 = sixth(t.sigma), cut3 = t.cut * t.cut * t.cut;
    double front =
        8 * M_PI * all[0] * all[1] * t.epsilon * s6 / (9 * cut3 * cut3 * cut3);
    etail_ij = front * (s6 - 3 * cut3 * cut3);
    ptail_ij = 2 * front * (2 * s6 - 3 * cut3 * cut3);
}

double pair_farsum::init_one(int i, int j)
{
    std::size_t a = static_cast<std::size_t>(i),
                b = static_cast<std::size_t>(j);
    types &t = types_[a][b];
    const types &one = types_[a][a], &other = types_[b][b];
    if (setflag[i][j] == 0) {
        t.epsilon =
            mix_energy(one.epsilon, other.epsilon, one.sigma, other.sigma);
        t.sigma = mix_distance(one.sigma, other.sigma);
        t.cut = mix_distance(one.cut, other.cut);
    }
    double s6 = sixth(t.sigma), ratio = sixth(t.sigma / t.cut);
    t.squared = t.cut * t.cut;
    t.f12 = 48 * t.epsilon * s6 * s6;
    t.f6 = 24 * t.epsilon * s6;
    t.e12 = 4 * t.epsilon * s6 * s6;
    t.e6 = 4 * t.epsilon * s6;
    t.shift =
        offset_flag && t.cut > 0 ? 4 * t.epsilon * (ratio * ratio - ratio) : 0;
    types_[b][a] = t;
    if (tail_flag)
        set_tail(i, j, t);
    /* pairs without Lennard-Jones interactions need no longer list */
    return t.epsilon != 0 ? std::fmax(t.cut, cut_coul_) : cut_coul_;
}

const near_function &pair_farsum::near() const
{
    return static_cast<kspace_farsum *>(force->kspace)->near();
}

/* A pair in the loop.  Of a bonded pair, 1 - factor of the whole interaction is
 * subtracted, since the far part has all of it. */
pair_farsum::parts pair_farsum::pair(const near_function &near, const types &t,
                                     double qq, double rsq, double factor_coul,
                                     double factor_lj) const
{
    parts out = {0, 0, 0};
    double r2inv = 1 / rsq;
    if (rsq < cut_coul_ * cut_coul_) {
        double slope, rinv = std::sqrt(r2inv);
        double smooth = near.smooth(rsq, &slope);
        out.coulomb = qq * (factor_coul * rinv - smooth);
        out.force = qq * (factor_coul * rinv * r2inv + 2 * slope);
    }
    if (rsq < t.squared) {
        double r6inv = r2inv * r2inv * r2inv;
        out.force += factor_lj * r6inv * (t.f12 * r6inv - t.f6) * r2inv;
        out.lj = factor_lj * (r6inv * (t.e12 * r6inv - t.e6) - t.shift);
    }
    return out;
}

/* Tables of all pairs of types, when their coefficients are known. */
void pair_farsum::make_tables()
{
    std::size_t n = types_.size();
    /* as of kspace_farsum: a quarter of LAMMPS' */
    double skin = neighbor->skin / 4;
    limits_.skin = skin;
    limits_.coulomb = (cut_coul_ + skin) * (cut_coul_ + skin);
    limits_.apart = 0;
    for (int bond = 1; bond < 4; bond++)
        if (force->special_coul[bond] != 1 || force->special_lj[bond] != 1)
            limits_.apart |= 1U << bond;
    limits_.lj.assign(n * n, 0);
    lj_.assign(4 * n * n, 0);
    for (std::size_t a = 1; a < n; a++)
        for (std::size_t b = 1; b < n; b++) {
            const types &t = types_[a][b];
            double *to = lj_.data() + 4 * (a * n + b);
            if (t.epsilon == 0)
                continue;
            limits_.lj[a * n + b] = (t.cut + skin) * (t.cut + skin);
            to[0] = t.f12;
            to[1] = t.f6;
            to[2] = t.squared;
            to[3] = t.shift;
        }
    lj_f32_.assign(lj_.begin(), lj_.end());
    double least = limits_.coulomb, most = least;
    for (double v : lj_)
        if (v != 0) {
            least = std::fmin(least, std::fabs(v));
            most = std::fmax(most, std::fabs(v));
        }
    fits_f32_ = least > 1e-25 && most < 1e25;
}

void pair_farsum::compute(int eflag, int vflag)
{
    ev_init(eflag, vflag);
    const near_function &function = near();
    bool each_pair = vflag_either || eflag_atom || num_tally_compute > 0
                     || (eflag_global && !force->newton_pair);
    if (each_pair)
        sum_singly(function);
    else
        sum(function);
    if (!vflag_fdotr)
        return;
    virial_fdotr_compute();
    if (!each_pair)
        inner_.refer_to_middle(virial);
}

void pair_farsum::sum(const near_function &near)
{
    if (limits_.lj.empty())
        make_tables();
    pair_job job = {};
    job.types = static_cast<std::int64_t>(types_.size());
    job.coulomb = force->qqrd2e;
    job.square = cut_coul_ * cut_coul_;
    job.per = near.per();
    job.terms = static_cast<int>(near.values().size());
    job.p = near.values().data();
    job.s = near.slopes().data();
    bool narrow = near.f32() && fits_f32_;
    const pair_kern *kern = pair_kern_of(near.isa(), narrow);
    if (narrow)
        sum_inner<float>(job, kern, lj_f32_.data());
    else
        sum_inner<double>(job, kern, lj_.data());
    sum_apart(near);
}

template <class real>
void pair_farsum::sum_inner(pair_job &job, const pair_kern *kern,
                            const void *lj)
{
    double energy[2] = {0, 0};
    inner_.follow<real>(list, limits_, kern);
    inner_.tell(&job);
    job.lj = lj;
    kern->sum(&job, eflag_global ? energy : nullptr);
    eng_vdwl += energy[0];
    eng_coul += energy[1];
    inner_.add_forces<real>(force->newton_pair ? atom->nlocal + atom->nghost
                                               : atom->nlocal);
}

/* Pairs of special_bonds whose factors are not 1. */
void pair_farsum::sum_apart(const near_function &near)
{
    double **x = atom->x, **f = atom->f, *q = atom->q;
    for (const inner_pairs::bonded &b : inner_.apart()) {
        double d[3] = {x[b.i][0] - x[b.j][0], x[b.i][1] - x[b.j][1],
                       x[b.i][2] - x[b.j][2]};
        double rsq = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        std::size_t ti = static_cast<std::size_t>(atom->type[b.i]),
                    tj = static_cast<std::size_t>(atom->type[b.j]);
        parts p =
            pair(near, types_[ti][tj], force->qqrd2e * q[b.i] * q[b.j], rsq,
                 force->special_coul[b.bond], force->special_lj[b.bond]);
        bool both = force->newton_pair || b.j < atom->nlocal;
        for (int k = 0; k < 3; k++) {
            f[b.i][k] += p.force * d[k];
            f[b.j][k] -= both ? p.force * d[k] : 0;
        }
        if (eflag_global) {
            eng_vdwl += p.lj;
            eng_coul += p.coulomb;
        }
    }
}

/* All pairs, one by one, for what LAMMPS tallies of each. */
void pair_farsum::sum_singly(const near_function &near)
{
    double **x = atom->x, **f = atom->f, *q = atom->q;
    int *type = atom->type, nlocal = atom->nlocal, newton = force->newton_pair;
    for (int ii = 0; ii < list->inum; ii++) {
        int i = list->ilist[ii];
        double fi[3] = {0, 0, 0}, qi = force->qqrd2e * q[i];
        for (int jj = 0; jj < list->numneigh[i]; jj++) {
            int j = list->firstneigh[i][jj], bond = sbmask(j);
            j &= NEIGHMASK;
            double d[3] = {x[i][0] - x[j][0], x[i][1] - x[j][1],
                           x[i][2] - x[j][2]};
            double rsq = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if (rsq >= cutsq[type[i]][type[j]])
                continue;
            const types &t = types_[static_cast<std::size_t>(type[i])]
                                   [static_cast<std::size_t>(type[j])];
            parts p = pair(near, t, qi * q[j], rsq, force->special_coul[bond],
                           force->special_lj[bond]);
            for (int k = 0; k < 3; k++) {
                fi[k] += p.force * d[k];
                if (newton || j < nlocal)
                    f[j][k] -= p.force * d[k];
            }
            if (evflag)
                ev_tally(i, j, nlocal, newton, p.lj, p.coulomb, p.force, d[0],
                         d[1], d[2]);
        }
        for (int k = 0; k < 3; k++)
            f[i][k] += fi[k];
    }
}

double pair_farsum::single(int i, int j, int itype, int jtype, double rsq,
                           double factor_coul, double factor_lj, double &fforce)
{
    const types &t = types_[static_cast<std::size_t>(itype)]
                           [static_cast<std::size_t>(jtype)];
    parts p = pair(near(), t, force->qqrd2e * atom->q[i] * atom->q[j], rsq,
                   factor_coul, factor_lj);
    fforce = p.force;
    return p.coulomb + p.lj;
}

void *pair_farsum::extract(const char *name, int &dim)
{
    dim = 0;
    return std::string(name) == "cut_coul" ? &cut_coul_ : nullptr;
}

double pair_farsum::memory_usage()
{
    return Pair::memory_usage() + inner_.bytes();
}

} // namespace farsum_lammps
