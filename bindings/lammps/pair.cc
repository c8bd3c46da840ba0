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

pair_farsum::pair_farsum(LAMMPS *lammps) : Pair(lammps)
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
    return std::fmax(t.cut, cut_coul_);
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

void pair_farsum::compute(int eflag, int vflag)
{
    ev_init(eflag, vflag);
    const near_function &function = near();
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
            parts p = pair(function, t, qi * q[j], rsq,
                           force->special_coul[bond], force->special_lj[bond]);
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
    if (vflag_fdotr)
        virial_fdotr_compute();
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

} // namespace farsum_lammps
