#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times LAMMPS' steps of water: pppm on all cores, and the plugin on one GPU,
at equal measured force error.

    lammps_gpu.py data/water_spce_3k.xyz --plugin build/farsumplugin.so \\
        --lmp venv/bin/lmp --mpiexec venv/bin/mpiexec --cores 16 \\
        --replicate 2,2,3 4,5,5 7,7,7 --out lammps_gpu.csv

Needs `lmp` with the package PLUGIN, its MPI, and Farsum's Python package.

    pppm    one rank per core, lj/cut/coul/long, suffixes of --suffix
    device  kspace_style farsum with device --device, beside lj/cut: the whole
            sum on the GPU.  --device-ranks ranks share the cores: each has
            cores / ranks threads and the suffix omp
    host    the same with device host, one rank

Flexible water (3000 atoms, replicated) moves by fix nve.  Its copies are equal
at the first step, so the first box's forces are known for any number of
copies.  Error: RMS error over RMS of the Coulomb forces without bonded pairs, at the
first step, against Farsum's sum at 1e-11.

`coulomb` is the step minus that of lj/cut without charges, by the same ranks,
threads and suffix; `kspace` is LAMMPS' own time of kspace_style.  All are
milliseconds of LAMMPS' loop time per step, the minimum over --repeats runs.
pppm's settings are those of --cutoffs, --accuracies and --orders; on the
smallest box all are timed that meet the target, and on larger ones the
--keep fastest of each suffix.
"""
import argparse
import csv
import itertools
import os
import pathlib
import re
import subprocess
import tempfile
import time

import numpy as np

import common
import farsum

INPUT = """
plugin load {plugin}
units real
atom_style full
bond_style harmonic
angle_style harmonic
special_bonds lj/coul 0 0 0
read_data {data}
replicate {replicate}
{style}
neighbor 2.0 bin
timestep 0.5
thermo_style custom step etotal
pair_coeff * * 0 1 1
bond_coeff 1 0 1
angle_coeff 1 0 109
group first id <= {first}
dump 1 first custom 1 {forces} id fx fy fz
dump_modify 1 sort id format float %.12g
run 0 post no
undump 1
bond_coeff 1 450 1.0
angle_coeff 1 55 109.47
pair_coeff 1 1 0.1553 3.166
fix 1 all nve
velocity all create 300 1 loop geom
run {warm} post no
"""
COLUMNS = ("form", "n", "ranks", "threads", "suffix", "target", "measured",
           "settings", "step_ms", "coulomb_ms", "kspace_ms")


class Runs:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.base = common.read(args.input)
        common.write_water(folder / "data", self.base)
        m = 3 * np.arange(self.base.n // 3)[:, None]
        pairs = np.concatenate([m + [0, 1], m + [0, 2], m + [1, 2]])
        field = farsum.coulomb(self.base.pos, self.base.charge,
                               cell=self.base.cell, tolerance=1e-11,
                               exclude=pairs).field
        self.exact = common.REAL * self.base.charge[:, None] * field

    def run(self, replicate, ranks, suffix, style, steps):
        """(error, ms of a step, ms of kspace) of one setting."""
        a = self.args
        threads = max(1, a.cores // ranks) if suffix == "omp" else 1
        forces = self.folder / "forces"
        text = INPUT.format(plugin=a.plugin, data=self.folder / "data",
                            replicate=" ".join(map(str, replicate)), style=style,
                            first=self.base.n, forces=forces, warm=a.warm)
        text += f"run {steps} pre no\n" * a.repeats
        (self.folder / "in").write_text(text)
        words = {"": [], "opt": ["-sf", "opt"],
                 "omp": ["-pk", "omp", str(threads), "-sf", "omp"],
                 "intel": ["-pk", "intel", "0", "-sf", "intel"]}[suffix]
        begin = time.time()
        done = subprocess.run(
            [a.mpiexec, "-n", str(ranks), a.lmp, "-log", "none", "-in",
             str(self.folder / "in"), *words], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=a.limit, env={**os.environ, "OMP_NUM_THREADS": str(threads)})
        loops = re.findall(r"^Loop time of ([\d.e+-]+) .* for (\d+) steps",
                           done.stdout, re.M)
        if done.returncode or len(loops) < a.repeats:
            raise RuntimeError(done.stdout[-600:])
        for line in re.findall(r"^ *(?:Farsum|estimated).*$", done.stdout,
                               re.M):
            print("#", line.strip())
        print(f"# {time.time() - begin:.1f} s: {style!r}", flush=True)
        step = min(1e3 * float(t) / int(s) for t, s in loops[-a.repeats:])
        kspace = [1e3 * float(t) / steps for t in re.findall(
            r"^Kspace +\|[^|]*\| *([\d.e+-]+)", done.stdout, re.M)]
        got = np.array([line.split() for line in forces.read_text()
                        .split("fz\n", 1)[1].splitlines()], float)[:, 1:]
        error = np.sqrt(((got - self.exact)**2).sum() / (self.exact**2).sum())
        return error, step, min(kspace[-a.repeats:], default=0.0)

    def tried(self, *how):
        try:
            return self.run(*how)
        except (RuntimeError, subprocess.TimeoutExpired, IndexError) as fault:
            print("# failed:", str(fault)[-400:].replace("\n", "\n# "),
                  flush=True)
            return None


BARE = "pair_style lj/cut 10"


def pppm_settings(a):
    for rc, order, accuracy in itertools.product(a.cutoffs, a.orders,
                                                 a.accuracies):
        yield (f"cutoff {rc:g} accuracy {accuracy:.2g} order {order}",
               f"pair_style lj/cut/coul/long 10 {rc:g}\n"
               f"kspace_style pppm {accuracy}\nkspace_modify order {order}")


def pppm_rows(a, runs, replicate, steps, kept):
    for suffix in a.suffix:
        bare = runs.tried(replicate, a.cores, suffix, BARE, steps)
        if bare is None:
            continue
        found, key = [], ("pppm", suffix)
        for name, style in kept.get(key) or list(pppm_settings(a)):
            r = runs.tried(replicate, a.cores, suffix, style, steps)
            if r and r[0] <= a.target:
                found.append((r[1], name, style, r))
        found.sort()
        kept[key] = [v[1:3] for v in found[:a.keep]]
        for step, name, _, r in found[:1]:
            yield dict(form="pppm", ranks=a.cores, threads=1, suffix=suffix,
                       settings=name, measured=f"{r[0]:.3g}", step_ms=step,
                       coulomb_ms=step - bare[1], kspace_ms=r[2])


def farsum_rows(a, runs, replicate, steps, device, kept):
    for ranks in a.device_ranks if device != "host" else [1]:
        bare = runs.tried(replicate, ranks, "omp", BARE, steps)
        if bare is None:
            continue
        key = ("farsum", device, ranks)
        for accuracy in kept.get(key, a.accuracies):
            style = (f"{BARE}\nkspace_style farsum {accuracy}\n"
                     f"kspace_modify farsum device {device} precision "
                     f"{a.precision}")
            r = runs.tried(replicate, ranks, "omp", style, steps)
            if r is None:
                break
            if r[0] <= a.target:
                kept[key] = [accuracy, accuracy / 10 ** 0.5]
                yield dict(form="device" if device != "host" else "host",
                           ranks=ranks, threads=max(1, a.cores // ranks),
                           suffix="omp", measured=f"{r[0]:.3g}",
                           settings=f"accuracy {accuracy:.2g} {device} "
                           f"{a.precision}", step_ms=r[1],
                           coulomb_ms=r[1] - bare[1], kspace_ms=r[2])
                break


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("input")
    p.add_argument("--plugin", required=True, type=os.path.abspath)
    p.add_argument("--lmp", default="lmp")
    p.add_argument("--mpiexec", default="mpiexec")
    p.add_argument("--out", required=True)
    p.add_argument("--cores", type=int, default=os.cpu_count())
    p.add_argument("--replicate", nargs="+", type=common.numbers(int),
                   default=[[2, 2, 3], [4, 5, 5], [7, 7, 7]])
    p.add_argument("--forms", type=common.numbers(str), default=["device", "pppm"])
    p.add_argument("--target", type=float, default=1e-4)
    p.add_argument("--device", default="cuda")
    p.add_argument("--device-ranks", type=common.numbers(int), default=[1])
    p.add_argument("--precision", default="mixed")
    p.add_argument("--suffix", type=common.numbers(str), default=["opt", "intel"])
    p.add_argument("--cutoffs", type=common.numbers(float), default=[8, 10, 12])
    p.add_argument("--accuracies", type=common.numbers(float),
                   default=[10 ** (-k / 2) for k in (8, 9, 10, 11)])
    p.add_argument("--orders", type=common.numbers(int), default=[5, 7])
    p.add_argument("--keep", type=int, default=2)
    p.add_argument("--warm", type=int, default=10)
    p.add_argument("--steps", type=int, default=50,
                   help="of the smallest box; larger ones have fewer")
    p.add_argument("--repeats", type=int, default=2)
    p.add_argument("--limit", type=float, default=120, help="s of a run")
    p.add_argument("--minutes", type=float, default=1e9)
    a = p.parse_args()
    end, kept = time.time() + 60 * a.minutes, {}
    with tempfile.TemporaryDirectory() as name, \
            open(a.out, "a", newline="") as f:
        runs = Runs(a, pathlib.Path(name))
        out = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        if f.tell() == 0:
            out.writeheader()
        for replicate in a.replicate:
            steps = max(10, a.steps * int(np.prod(a.replicate[0]))
                        // int(np.prod(replicate)))
            for form in a.forms:
                if time.time() > end:
                    return
                rows = (pppm_rows(a, runs, replicate, steps, kept)
                        if form == "pppm" else farsum_rows(
                            a, runs, replicate, steps,
                            "host" if form == "host" else a.device, kept))
                for row in rows:
                    row.update(n=runs.base.n * int(np.prod(replicate)),
                               target=a.target)
                    for k in ("step_ms", "coulomb_ms", "kspace_ms"):
                        row[k] = f"{row[k]:.4g}"
                    out.writerow(row)
                    f.flush()
                    print(row, flush=True)


if __name__ == "__main__":
    main()
