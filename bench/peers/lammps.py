#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs LAMMPS (Debian's lmp) on given particles: Coulomb only, every pair.

    lammps.py data/water_spce.xyz --accuracy 1e-6 --cutoff 10 --out f.npz
    lammps.py data/water_tric.data --method ewald --accuracy 1e-8 --out e.npz
    lammps.py data/water_spce.xyz --accuracy 1e-4 --order 5 --threads 2 \\
        --steps 20 --repeats 3

Uses pair_style coul/long, no exclusions and units real (Coulomb constant
332.06371).  --accuracy is LAMMPS's: the absolute force error over the force
between two unit charges at 1 A.  Debian's lmp lacks the OPENMP package, so
--threads are MPI ranks.

LAMMPS has a minimum error for any --accuracy: its erfc is the polynomial
7.1.26 of Abramowitz and Stegun (error up to 1.5e-7), and pair tables (--table,
2^n entries) hold r^2 in single precision.

Timing: particles do not move.  Seconds per step are the minimum of --repeats
runs of --steps steps with one pair list (pair, kspace, comm, ...).  "neigh" is
the time of one rebuild of the list, from runs that rebuild at every step.  The
list has no skin, so no time is spent on pairs beyond the cutoff.
"""
import argparse
import os
import re
import sys
import tempfile

import numpy as np

import common

CONSTANT = common.REAL
NKTV2P = 68568.415  # atm A^3 / (kcal/mol): LAMMPS, units real
ENV = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def options(**given):
    """The settings of run(), with defaults."""
    o = argparse.Namespace(
        method="pppm", accuracy=1e-6, cutoff=10.0, order=None, mesh=None,
        gewald=None, diff=None, table=0, pair="coul/long", threads=1, steps=0,
        repeats=3, per_atom=False)
    for k, v in given.items():
        setattr(o, k, v)
    return o


def write_data(path, s):
    """Writes LAMMPS data; the cell of s must be lower triangular.  One atom
    type is enough, because charges are per atom."""
    c = s.cell
    with open(path, "w") as f:
        f.write("particles\n\n%d atoms\n1 atom types\n\n" % s.n)
        for k, name in enumerate("xyz"):
            f.write("0 %.17g %slo %shi\n" % (c[k, k], name, name))
        if abs(c[1, 0]) + abs(c[2, 0]) + abs(c[2, 1]) > 0:
            f.write("%.17g %.17g %.17g xy xz yz\n"
                    % (c[1, 0], c[2, 0], c[2, 1]))
        f.write("\nMasses\n\n1 1.0\n\nAtoms  # charge\n\n")
        rows = np.column_stack([np.arange(1, s.n + 1), s.charge, s.pos])
        np.savetxt(f, rows, fmt="%d 1 %.17g %.17g %.17g %.17g")


def script(o):
    """The input script of lmp: forces once, then the timed runs."""
    lines = ["units real", "atom_style charge", "box tilt large",
             "read_data data", "pair_style %s %g" % (o.pair, o.cutoff),
             "pair_coeff * *", "pair_modify table %d" % o.table,
             "kspace_style %s %g" % (o.method, o.accuracy)]
    modify = []
    if o.order:
        modify.append("order %d" % o.order)
    if o.mesh and o.method == "ewald":  # waves up to half of it
        modify.append("kmax/ewald %d %d %d" % tuple(m // 2 for m in o.mesh))
    elif o.mesh:
        modify.append("mesh %d %d %d" % tuple(o.mesh))
    if o.gewald:
        modify.append("gewald %.10g" % o.gewald)
    if o.diff:
        modify.append("diff %s" % o.diff)
    if modify:
        lines.append("kspace_modify " + " ".join(modify))
    lines += ["neighbor 0.0 bin",
              "neigh_modify every 1000000 delay 1000000 check no",
              "compute vir all pressure NULL virial",
              "thermo_style custom step ecoul elong "
              + " ".join("c_vir[%d]" % k for k in range(1, 7))]
    columns = "id fx fy fz"
    if o.per_atom:
        lines.append("compute e all pe/atom pair kspace")
        columns += " c_e"
    lines += ["dump f all custom 1 forces.dump " + columns,
              "dump_modify f sort id format float %.15g", "run 0",
              'print "RESULT $(ecoul:%.17g) $(elong:%.17g) '
              + " ".join("$(c_vir[%d]:%%.17g)" % k for k in range(1, 7)) + '"',
              "undump f"]
    if o.steps:
        # Warm-up, then the runs with one list, then those that rebuild it.
        lines += ["thermo_style custom step", "uncompute vir",
                  "run %d" % min(3, o.steps)]
        lines += ["run %d pre no" % o.steps] * o.repeats
        lines.append("neigh_modify every 1 delay 0 check no")
        lines += ["run %d" % min(50, o.steps)] * o.repeats
    return "\n".join(lines) + "\n"


def timing(log, o):
    """Seconds per step, from the tables that follow each run."""
    runs = []
    for part in re.split(r"^Loop time of ", log, flags=re.M)[1:]:
        head = re.match(r"(\S+) on \d+ procs for (\d+) steps", part)
        steps = int(head.group(2))
        if steps == 0:
            continue
        row = {"loop": float(head.group(1)) / steps}
        for m in re.finditer(r"^(Pair|Neigh|Kspace|Comm|Other) +\|([^|]*)\|"
                             r"([^|]*)\|", part, flags=re.M):
            value = m.group(3).strip() or m.group(2).strip()
            row[m.group(1).lower()] = float(value) / steps
        runs.append(row)
    steady = min(runs[1:1 + o.repeats], key=lambda r: r["loop"])
    rebuilt = min(runs[1 + o.repeats:], key=lambda r: r["neigh"])
    return {"step": steady["loop"], "pair": steady["pair"],
            "kspace": steady["kspace"], "comm": steady["comm"],
            "neigh": rebuilt["neigh"]}


def facts(log):
    """The parameters that lmp reports, and its version."""
    out = {"version": log.splitlines()[0].strip("LAMPS ()")}
    for key, pattern in (
            ("gewald", r"G vector \(1/distance\) = (\S+)"),
            ("order", r"stencil order = (\d+)"),
            ("absolute_accuracy", r"absolute RMS force accuracy = (\S+)"),
            ("relative_accuracy", r"relative force accuracy = (\S+)")):
        m = re.search(pattern, log)
        if m:
            out[key] = float(m.group(1))
    m = re.search(r"grid = (\d+) (\d+) (\d+)", log)
    if m:
        out["mesh"] = [int(v) for v in m.groups()]
    m = re.search(r"using (\S+) precision (.*)", log)
    if m:
        out["fft"] = " ".join(m.groups()).strip()
    return out


def run(system, o):
    """Result dictionary: forces, energy, virial, potential?, info."""
    s, rotation = system.lower()
    with tempfile.TemporaryDirectory() as work:
        write_data(os.path.join(work, "data"), s)
        with open(os.path.join(work, "in"), "w") as f:
            f.write(script(o))
        command = ["lmp", "-in", "in", "-log", "none", "-nocite"]
        if o.threads > 1:
            command = ["mpirun", "--oversubscribe", "--bind-to", "none",
                       "-np", str(o.threads)] + command
        log = common.call(command, work, ENV)
        with open(os.path.join(work, "forces.dump")) as f:
            text = f.read()
        text = text[text.index("\n", text.index("ITEM: ATOMS")):]
        table = np.fromstring(text, sep=" ").reshape(s.n, -1)
    m = re.search(r"^RESULT (.*)$", log, flags=re.M)
    v = [float(w) for w in m.group(1).split()]
    w = np.array([[v[2], v[5], v[6]], [v[5], v[3], v[7]], [v[6], v[7], v[4]]])
    info = dict(vars(o), peer="lammps", n=s.n, **{
        "found_" + k: u for k, u in facts(log).items()})
    if o.steps:
        info["seconds"] = timing(log, o)
    potential = None
    if o.per_atom:
        with np.errstate(divide="ignore", invalid="ignore"):
            potential = 2 * table[:, 4] / s.charge
    return {"forces": table[:, 1:4] @ rotation.T, "energy": v[0] + v[1],
            "virial": rotation @ w @ rotation.T * s.volume / NKTV2P,
            "potential": potential, "info": info}


def main():
    d = options()
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("input", help="extended XYZ or LAMMPS data")
    p.add_argument("--method", choices=("pppm", "ewald"), default=d.method)
    p.add_argument("--accuracy", type=float, default=d.accuracy)
    p.add_argument("--cutoff", type=float, default=d.cutoff, help="Angstrom")
    p.add_argument("--order", type=int, help="2 to 7")
    p.add_argument("--mesh", type=int, nargs=3,
                   help="ewald only: twice the largest wave numbers")
    p.add_argument("--gewald", type=float, help="splitting parameter, 1/A")
    p.add_argument("--diff", choices=("ik", "ad"))
    p.add_argument("--table", type=int, default=d.table,
                   help="bits of the pair table; 0: none; LAMMPS's own: 12")
    p.add_argument("--pair", default=d.pair)
    p.add_argument("--threads", type=int, default=d.threads, help="MPI ranks")
    p.add_argument("--steps", type=int, default=d.steps, help="timed steps")
    p.add_argument("--repeats", type=int, default=d.repeats)
    p.add_argument("--replicate", type=common.triple, default=[1, 1, 1])
    p.add_argument("--per-atom", action="store_true",
                   help="compute potentials too")
    p.add_argument("--out", help=".npz")
    a = p.parse_args()
    common.need("lmp", *(["mpirun"] if a.threads > 1 else []))
    given = {k: v for k, v in vars(a).items()
             if k not in ("input", "out", "replicate")}
    r = run(common.read(a.input).replicated(a.replicate), options(**given))
    print("energy %.15g kcal/mol" % r["energy"])
    for k, v in r["info"].items():
        print("  %s: %s" % (k, v))
    if a.out:
        common.save(a.out, CONSTANT, **r)


if __name__ == "__main__":
    sys.exit(main())
