/* SPDX-License-Identifier: Apache-2.0 */
/* sum.cc: the sum of one of Farsum's kernels over the atoms of LAMMPS.
 *
 * The plan follows the box while the estimated error permits it; then a new
 * plan replaces it.  All ranks make the same calls: what they decide by is the
 * same on all. */
#include "sum.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <farsum/mpi.h>

#include "special.hpp"

using LAMMPS_NS::LAMMPS;

namespace farsum_lammps
{
namespace
{

/* Writes Farsum's remarks to screen and log. */
void remark(const char *line, void *lmp)
{
    LAMMPS_NS::utils::logmesg(static_cast<LAMMPS *>(lmp), "Farsum: {}\n", line);
}

farsum::options options_of(const choices &how)
{
    farsum::options out;
    out.method = how.method.empty() ? nullptr : how.method.c_str();
    out.device.name = how.device.empty() ? nullptr : how.device.c_str();
    out.cutoff = how.cutoff;
    out.spectral.skin = how.skin;
    out.spectral.bandwidth = how.bandwidth;
    out.spectral.support = how.support;
    for (int d = 0; d < 3; d++)
        out.spectral.mesh[d] = how.mesh[d];
    out.threads = how.threads;
    out.deterministic = how.deterministic;
    out.verify = how.verify;
    return out;
}

bool excludes(const aim &to)
{
    return to.factor[1] < 1 || to.factor[2] < 1 || to.factor[3] < 1;
}

} // namespace

void sum::prepare(const aim &to)
{
    if (!(to == aim_)) {
        plan_.reset();
        virials_ = false;
        no_virials_.clear();
    }
    aim_ = to;
    builds_ = -1; /* LAMMPS counts from 0 again */
}

/* Rows a, b, c of the box.  Those of open axes are 0: the plan follows the
 * atoms there, not walls that move. */
sum::cell sum::cell_now() const
{
    const double *h = domain->h; /* xx yy zz yz xz xy */
    cell out = {h[0], 0, 0, 0, h[1], 0, 0, 0, h[2]};
    if (domain->triclinic)
        out = {h[0], 0, 0, h[5], h[1], 0, h[4], h[3], h[2]};
    for (std::size_t row = 0; row < 3; row++)
        if (!aim_.periodic[row])
            std::fill_n(out.begin() + 3 * static_cast<std::ptrdiff_t>(row), 3,
                        0.0);
    return out;
}

bool sum::is_open() const
{
    return !aim_.periodic[0] && !aim_.periodic[1] && !aim_.periodic[2];
}

/* The atoms with random displacements up to a fifth of an Angstrom.  Runs often
 * start from a perfect lattice.  There symmetry cancels the errors of forces,
 * so that the plan's check would measure none. */
std::vector<double> sum::sample() const
{
    std::size_t count = 3 * static_cast<std::size_t>(atom->nlocal);
    std::vector<double> x(count);
    std::minstd_rand random(static_cast<unsigned>(comm->me + 1));
    double most = 0.2 * force->angstrom;
    std::uniform_real_distribution<double> shift(-most, most);
    for (std::size_t i = 0; i < count; i++)
        x[i] = positions()[i] + shift(random);
    return x;
}

farsum::plan *sum::plan_of(const farsum::problem &problem,
                           const farsum::options &options)
{
    if (comm->nprocs == 1)
        return new farsum::plan(problem, options);
    farsum::initial<farsum_mpi_options> exchange;
    exchange.accept_single = 1; /* LAMMPS calls MPI_Init */
    farsum_plan *made = nullptr;
    farsum::check(
        farsum_mpi_plan_create(&problem, &options, &exchange, world, &made));
    return new farsum::plan(made, problem);
}

/* From now on plans sum the virial of each atom, which takes several times as
 * long.  With open axes only `direct` does, whose time grows as the square of
 * the atoms, so that the input must name it. */
void sum::want_virials()
{
    bool all = aim_.periodic[0] && aim_.periodic[1] && aim_.periodic[2];
    if (virials_ || !no_virials_.empty())
        return;
    if (!all && aim_.how.method != "direct") {
        no_virials_ = "the box has open axes";
        return;
    }
    virials_ = true;
    plan_.reset();
}

/* Makes a plan for atoms like these. */
void sum::make(const double *strengths)
{
    farsum::problem problem;
    problem.kernel = kernel_.c_str();
    problem.coulomb = aim_.constant;
    problem.precision = aim_.how.precision;
    problem.arrays = FARSUM_F64;
    problem.tolerance = aim_.tolerance;
    problem.error = FARSUM_ERROR_ABSOLUTE;
    problem.outputs =
        FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL;
    for (int d = 0; d < 3; d++)
        problem.periodic[d] = aim_.periodic[d];
    cell_ = cell_now();
    if (!is_open())
        std::copy(cell_.begin(), cell_.end(), problem.cell);
    problem.part = aim_.far ? FARSUM_FAR : FARSUM_WHOLE;
    problem.n_sources = atom->nlocal;
    std::vector<double> x = sample();
    problem.sample_x = x.data();
    problem.sample_q = atom->nlocal ? strengths : nullptr;
    special_pairs pairs;
    if (excludes(aim_))
        pairs = find_special(atom, world, aim_.factor.data());
    problem.n_exclusions = static_cast<std::int64_t>(pairs.factors.size());
    problem.exclusions = pairs.ends.data();
    problem.exclusion_factors = pairs.factors.data();
    farsum::options options = options_of(aim_.how);
    if (comm->me == 0) {
        options.log = remark;
        options.log_data = lmp;
    }
    unsigned outputs = problem.outputs;
    if (virials_)
        problem.outputs |= FARSUM_PARTICLE_VIRIAL;
    try {
        plan_.reset(plan_of(problem, options));
    } catch (const farsum::error &e) {
        if (!virials_ || e.status() != FARSUM_ERR_UNSUPPORTED)
            throw;
        no_virials_ = e.what();
        virials_ = false;
        problem.outputs = outputs;
        plan_.reset(plan_of(problem, options));
    }
    builds_ = neighbor->ncalls;
    atoms_ = atom->natoms;
    reported_ = false;
    if (aim_.far)
        near_.take(*plan_);
}

/* Tells the plan where the pairs of special_bonds are now. */
void sum::set_pairs()
{
    special_pairs pairs = find_special(atom, world, aim_.factor.data());
    plan_->set_exclusions(pairs.ends, pairs.factors);
    builds_ = neighbor->ncalls;
    atoms_ = atom->natoms;
}

/* Sets the box.  Makes a plan if there is none for it. */
void sum::current(const double *strengths)
{
    cell now = cell_now();
    if (plan_ && !is_open() && now != cell_) {
        farsum_status status = farsum_plan_set_cell(plan_->get(), now.data());
        if (status == FARSUM_ERR_TOLERANCE)
            plan_.reset();
        else
            farsum::check(status);
        cell_ = now;
    }
    if (!plan_)
        make(strengths);
}

/* Sets the box, the pairs and the positions. */
void sum::follow(const double *strengths)
{
    current(strengths);
    /* LAMMPS changes the order of atoms only when it builds neighbour lists.
     * Pairs come before points, because atoms of a pair may coincide; but their
     * indices must be those of as many points. */
    bool pairs = excludes(aim_) && builds_ != neighbor->ncalls;
    bool other_count = excludes(aim_) && atoms_ != atom->natoms;
    if (other_count)
        plan_->set_exclusions({});
    else if (pairs)
        set_pairs();
    try {
        plan_->set_points(atom->nlocal, positions());
    } catch (const farsum::error &e) {
        if (e.status() != FARSUM_ERR_POSITION || is_open())
            throw;
        /* atoms have left the extent along an open axis that the plan sums */
        make(strengths);
        plan_->set_points(atom->nlocal, positions());
        return;
    }
    if (other_count)
        set_pairs();
}

void sum::sum_up(const double *strengths, double scale, const sums &out)
{
    static const std::size_t order[6] = {0, 4, 8, 1, 2, 5};
    std::size_t n = static_cast<std::size_t>(atom->nlocal);
    double energy = 0, virial[9] = {0};
    farsum::result to;
    field_.resize(3 * n);
    to.field = field_;
    if (out.each) {
        potential_.resize(n);
        to.potential = potential_;
    }
    if (out.virials && virials_) {
        shares_.resize(9 * n);
        to.particle_virial = shares_;
    }
    if (out.energy)
        to.energy = farsum::view(&energy, 1);
    if (out.virial)
        to.virial = virial;
    plan_->execute(farsum::view(strengths, atom->nlocal), to);
    double **f = atom->f;
    for (std::size_t i = 0; i < n; i++) {
        double q = scale * strengths[i];
        for (std::size_t d = 0; d < 3; d++)
            f[i][d] += q * field_[3 * i + d];
        if (out.each)
            out.each[i] += 0.5 * q * potential_[i];
        for (std::size_t k = 0; out.virials && virials_ && k < 6; k++)
            out.virials[i][k] += scale * shares_[9 * i + order[k]];
    }
    if (out.energy)
        *out.energy += scale * energy;
    for (std::size_t k = 0; out.virial && k < 6; k++)
        out.virial[k] += scale * virial[order[k]];
}

const near_function &sum::near(const double *strengths)
{
    std::string words;
    try {
        current(strengths);
    } catch (const farsum::error &e) {
        words = e.what();
    }
    if (!words.empty())
        error->all(FLERR, "Farsum ({}): {}", kernel_, words);
    return near_;
}

void sum::compute(const double *strengths, double scale, const sums &out)
{
    std::string words;
    try {
        if (out.virials)
            want_virials();
        follow(strengths);
        sum_up(strengths, scale, out);
        if (!reported_)
            report(strengths);
        reported_ = true;
    } catch (const farsum::error &e) {
        words = e.what();
    }
    if (!words.empty())
        error->all(FLERR, "Farsum ({}): {}", kernel_, words);
}

/* Prints the plan and its accuracy in the meanings of LAMMPS and Farsum.
 * Collective. */
void sum::report(const double *strengths) const
{
    double squares = 0, all = 0;
    for (int i = 0; i < atom->nlocal; i++) {
        double square = 0;
        for (std::size_t d = 0; d < 3; d++)
            square += std::pow(field_[3 * static_cast<std::size_t>(i) + d], 2);
        squares += strengths[i] * strengths[i] * square;
    }
    MPI_Allreduce(&squares, &all, 1, MPI_DOUBLE, MPI_SUM, world);
    if (comm->me)
        return;
    static const char *names[] = {"f64", "f64", "f32", "mixed"};
    farsum::plan_info info = plan_->info();
    double rms = std::sqrt(all / static_cast<double>(atom->natoms));
    std::string text =
        fmt::format("Farsum {}: {} by {} on {}, {}, {} threads per rank\n",
                    farsum_version(), info.kernel, info.method, info.device,
                    names[info.precision], info.threads);
    if (info.mesh[0] > 0)
        text += fmt::format("  cutoff = {:.8g}, mesh = {} {} {}\n", info.cutoff,
                            info.mesh[0], info.mesh[1], info.mesh[2]);
    text += fmt::format("  estimated absolute RMS force accuracy = {:.8g}\n"
                        "  estimated relative force accuracy = {:.8g}\n",
                        info.estimated_error, info.estimated_error / aim_.unit);
    /* not so in a perfect lattice, nor known without the near pairs */
    if (!aim_.far && rms > info.estimated_error)
        text += fmt::format("  estimated error over the RMS Coulomb force = "
                            "{:.8g}\n",
                            info.estimated_error / rms);
    if (!aim_.far && info.estimated_virial_error >= 0)
        text +=
            fmt::format("  estimated relative error of the virial's trace = "
                        "{:.8g}\n",
                        info.estimated_virial_error);
    LAMMPS_NS::utils::logmesg(lmp, text);
}

double sum::bytes() const
{
    return plan_ ? static_cast<double>(plan_->info().bytes) : 0;
}

} // namespace farsum_lammps
