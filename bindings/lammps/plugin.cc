/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.cc: registers the styles when LAMMPS loads the plugin. */
#include "kspace.hpp"
#include "pair.hpp"

/* lammpsplugin.h, which packages of LAMMPS do not contain. */
struct plugin {
    const char *version, *style, *name, *info, *author;
    void *(*create)(LAMMPS_NS::LAMMPS *);
    void *handle;
};
using register_plugin = void (*)(plugin *, void *);

template <class Base, class Style>
static void *create(LAMMPS_NS::LAMMPS *lammps)
{
    return static_cast<Base *>(new Style(lammps));
}

extern "C" __attribute__((visibility("default"))) void
lammpsplugin_init(void *lmp, void *handle, void *callback)
{
    using namespace farsum_lammps;
    auto *on = static_cast<LAMMPS_NS::LAMMPS *>(lmp);
    /* The layout of LAMMPS' classes belongs to a version. */
    int version = lammps_version(lmp);
    if (FARSUM_LAMMPS_VERSION != version) {
        LAMMPS_NS::utils::logmesg(
            on,
            fmt::format(
                "Ignoring load of Farsum's plugin: it was compiled for LAMMPS "
                "version {}, not {}\n",
                FARSUM_LAMMPS_VERSION, version));
        return;
    }
    plugin p = {on->version,
                "kspace",
                "farsum",
                "Coulomb sums by Farsum",
                "the Farsum developers",
                create<LAMMPS_NS::KSpace, kspace_farsum>,
                handle};
    auto add = reinterpret_cast<register_plugin>(callback);
    add(&p, lmp);
    p.name = "farsum/disp";
    p.info = "Coulomb and dispersion sums by Farsum";
    p.create = create<LAMMPS_NS::KSpace, kspace_farsum_disp>;
    add(&p, lmp);
    p.style = "pair";
    p.name = "lj/cut/coul/farsum";
    p.info = "Lennard-Jones, and Farsum's near pairs";
    p.create = create<LAMMPS_NS::Pair, pair_farsum>;
    add(&p, lmp);
}
