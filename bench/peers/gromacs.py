#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs GROMACS (Debian's gmx or gmx_d) on given particles: Coulomb only.

    gromacs.py data/water_tric.data --cutoff 12 --rtol 1e-12 --order 12 \\
        --spacing 0.6 --out f.npz
    gromacs.py data/water_spce.xyz --program gmx --cutoff 10 --rtol 1e-4 \\
        --order 4 --spacing 1.2 --threads 2 --steps 20 --repeats 3

Uses PME without Lennard-Jones and without a potential shift.  Every atom is a
molecule, so no pair is excluded.  Four options set the accuracy: --cutoff,
--rtol (erfc(beta cutoff), sets beta), --order and --mesh (or --spacing).
gmx_d works in double precision, gmx in single.  The cutoff must be below half
the smallest height of the cell (GROMACS uses nearest images).

Timing: mdrun runs with a time step of 1e-9 ps, so that nothing moves.  Seconds
per step come from the table at the end of md.log and are the minimum of
--repeats runs.  Each time there is a run with one pair list, and a run that
rebuilds the list at every step ("neigh").
"""
import argparse
import math
import os
import re
import struct
import sys
import tempfile

import numpy as np

import common

# kJ A / (mol e^2): e^2 N_A / (4 pi eps0) by CODATA 2018, as in GROMACS.
CONSTANT = 1.602176634e-19 ** 2 * 6.02214076e23 / (
    4 * math.pi * 8.8541878128e-12) * 1e7
DT = "1e-9"

MDP = """integrator = md
nsteps = {nsteps}
dt = {dt}
cutoff-scheme = Verlet
nstlist = {nstlist}
verlet-buffer-tolerance = -1
rlist = {rc:.9g}
rcoulomb = {rc:.9g}
rvdw = {rc:.9g}
coulombtype = PME
coulomb-modifier = None
vdw-modifier = None
ewald-rtol = {rtol:.6g}
pme-order = {order}
fourierspacing = {spacing:.9g}
fourier-nx = {mesh[0]}
fourier-ny = {mesh[1]}
fourier-nz = {mesh[2]}
nstcalcenergy = {nstenergy}
nstenergy = {nstenergy}
nstfout = {nstfout}
nstlog = 0
nstcomm = 0
comm-mode = None
gen-vel = no
"""


def options(**given):
    """The settings of run(), with defaults (lengths in Angstrom)."""
    o = argparse.Namespace(
        program="gmx_d", cutoff=10.0, rtol=1e-5, order=4, spacing=1.2,
        mesh=None, threads=1, steps=0, repeats=3)
    for k, v in given.items():
        setattr(o, k, v)
    return o


def write_inputs(work, s):
    """Writes conf.g96 and topol.top, with equal charges together so that the
    topology stays short.  Returns the order of the particles."""
    charges, kind = np.unique(s.charge, return_inverse=True)
    order = np.argsort(kind, kind="stable")
    with open(os.path.join(work, "topol.top"), "w") as f:
        f.write("[ defaults ]\n1 1 no 1 1\n[ atomtypes ]\nX 1 1.0 0 A 0 0\n")
        for k, q in enumerate(charges):
            f.write("[ moleculetype ]\nM%d 0\n[ atoms ]\n"
                    "1 X 1 M%d X 1 %.17g 1.0\n" % (k, k, q))
        f.write("[ system ]\nparticles\n[ molecules ]\n")
        for k, count in enumerate(np.bincount(kind)):
            f.write("M%d %d\n" % (k, count))
    c = s.cell / 10
    with open(os.path.join(work, "conf.g96"), "w") as f:
        f.write("TITLE\nparticles\nEND\nPOSITIONRED\n")
        np.savetxt(f, s.pos[order] / 10, fmt="%.12f")
        box = (c[0, 0], c[1, 1], c[2, 2], 0, 0, c[1, 0], 0, c[2, 0], c[2, 1])
        f.write("END\nBOX\n" + " ".join("%.12f" % v for v in box) + "\nEND\n")
    return order


def read_trr(path):
    """Forces of the first frame of a .trr file that has them.  The file is XDR,
    big-endian; the size of the box tells whether reals have 4 or 8 bytes."""
    with open(path, "rb") as f:
        data = f.read()
    at = 0
    while at < len(data):
        magic, _, length = struct.unpack_from(">3i", data, at)
        if magic != 1993:
            raise RuntimeError("%s: not a trr file" % path)
        at += 12 + (length + 3) // 4 * 4
        size = struct.unpack_from(">13i", data, at)
        at += 52
        real = (size[2] // 9) or (size[7] or size[9]) // (3 * size[10])
        at += 2 * real + sum(size[:9])  # skips time, lambda and blocks
        if size[9]:
            return np.frombuffer(data, ">f%d" % real, 3 * size[10],
                                 at).reshape(-1, 3).astype(float)
    raise RuntimeError("%s: holds no forces" % path)


def mdrun(work, o, rc, **given):
    """Runs GROMACS once and returns the text of md.log."""
    values = dict(rc=rc, rtol=o.rtol, order=o.order, spacing=o.spacing / 10,
                  mesh=o.mesh or (0, 0, 0), dt=DT, nsteps=0, nstlist=1,
                  nstenergy=1, nstfout=0)
    values.update(given)
    with open(os.path.join(work, "run.mdp"), "w") as f:
        f.write(MDP.format(**values))
    # GROMACS warns about settings that we need: a net charge, no buffer, the
    # box.
    common.call([o.program, "-quiet", "grompp", "-f", "run.mdp", "-c",
                 "conf.g96", "-p", "topol.top", "-o", "run.tpr", "-po",
                 "out.mdp", "-maxwarn", "9"], work)
    common.call([o.program, "-quiet", "mdrun", "-s", "run.tpr", "-deffnm",
                 "run", "-ntmpi", "1", "-ntomp", str(o.threads), "-notunepme",
                 "-nb", "cpu", "-pme", "cpu", "-pin", "off"], work,
                {"OMP_NUM_THREADS": str(o.threads), "GMX_MAXBACKUP": "-1"})
    with open(os.path.join(work, "run.log"), errors="replace") as f:
        return f.read()


def table(log):
    """Seconds and calls of each activity, from the table in md.log."""
    out = {}
    part = log[log.rindex("R E A L   C Y C L E"):]
    for m in re.finditer(r"^ ([A-Z][\w/.,+&\- ]*?) +\d+ +\d+ +(\d+) +"
                         r"([\d.]+) +[\d.]+ +[\d.]+$", part, flags=re.M):
        out[m.group(1)] = float(m.group(3)) / max(1, int(m.group(2)))
    return out


def timing(work, o, rc):
    """Seconds per step."""
    best = {}
    settings = dict(nsteps=o.steps, nstenergy=0)
    for _ in range(o.repeats):
        t = table(mdrun(work, o, rc, nstlist=1000000, **settings))
        row = {"pair": t["Force"], "kspace": t["PME mesh"],
               "buffers": t.get("NB X/F buffer ops.", 0.0)}
        row["step"] = sum(row.values())
        row["mesh_parts"] = {k: t[k] for k in (
            "PME spread", "PME gather", "PME 3D-FFT", "PME solve Elec")
            if k in t}
        if not best or row["step"] < best["step"]:
            best = row
    neigh = [table(mdrun(work, o, rc, nstlist=1, **dict(
        settings, nsteps=min(5, o.steps))))["Neighbor search"]
        for _ in range(o.repeats)]
    return dict(best, neigh=min(neigh))


def energy(work, program):
    """Coulomb energy and virial of run.edr's first frame, in all digits."""
    names = ["Coulomb-(SR)", "Coul.-recip."] + \
        ["Vir-%s%s" % (a, b) for a in "XYZ" for b in "XYZ"]
    with open(os.path.join(work, "choice"), "w") as f:
        f.write("\n".join(names) + "\n\n")
    common.call(["sh", "-c", program + " -quiet energy -f run.edr -o e.xvg "
                 "-xvg none -dp < choice"], work)
    with open(os.path.join(work, "e.xvg")) as f:
        v = [float(w) for w in f.readline().split()[1:]]
    # Columns come in the file's own order; `choice` has the same order.
    # GROMACS's virial is -1/2 sum r F.
    return v[0] + v[1], -2 * np.array(v[2:11]).reshape(3, 3)


def run(system, o):
    """Result dictionary: forces (kJ/mol/A), energy, virial, info."""
    s, rotation = system.lower()
    rc = o.cutoff / 10
    with tempfile.TemporaryDirectory() as work:
        order = write_inputs(work, s)
        log = mdrun(work, o, rc, nstfout=1)
        forces = np.empty((s.n, 3))
        forces[order] = read_trr(os.path.join(work, "run.trr"))
        e, w = energy(work, o.program)
        info = dict(vars(o), peer="gromacs", n=s.n)
        for key, pattern in (
                ("version", r"GROMACS version: +(\S+)"),
                ("simd", r"SIMD instructions: +(\S+)"),
                ("precision", r"Precision: +(\S+)")):
            m = re.search(pattern, log)
            info["found_" + key] = m and m.group(1)
        info["found_mesh"] = [int(re.search(
            r"fourier-n%s += (\d+)" % k, log).group(1)) for k in "xyz"]
        if o.steps:
            info["seconds"] = timing(work, o, rc)
    return {"forces": forces @ rotation.T / 10, "energy": e,
            "virial": rotation @ w @ rotation.T, "info": info}


def main():
    d = options()
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("input", help="extended XYZ or LAMMPS data")
    p.add_argument("--program", choices=("gmx_d", "gmx"), default=d.program)
    p.add_argument("--cutoff", type=float, default=d.cutoff, help="Angstrom")
    p.add_argument("--rtol", type=float, default=d.rtol)
    p.add_argument("--order", type=int, default=d.order, help="3 to 12")
    p.add_argument("--spacing", type=float, default=d.spacing,
                   help="of the mesh, Angstrom")
    p.add_argument("--mesh", type=int, nargs=3)
    p.add_argument("--threads", type=int, default=d.threads)
    p.add_argument("--steps", type=int, default=d.steps, help="timed steps")
    p.add_argument("--repeats", type=int, default=d.repeats)
    p.add_argument("--replicate", type=common.triple, default=[1, 1, 1])
    p.add_argument("--out", help=".npz")
    a = p.parse_args()
    common.need(a.program)
    given = {k: v for k, v in vars(a).items()
             if k not in ("input", "out", "replicate")}
    r = run(common.read(a.input).replicated(a.replicate), options(**given))
    print("energy %.15g kJ/mol" % r["energy"])
    for k, v in r["info"].items():
        print("  %s: %s" % (k, v))
    if a.out:
        common.save(a.out, CONSTANT, **r)


if __name__ == "__main__":
    sys.exit(main())
