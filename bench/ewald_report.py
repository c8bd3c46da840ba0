#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes bench/reports/ewald.md and its pictures from the measurements.

    ewald_report.py h200="One NVIDIA H200" h100="One NVIDIA H100" \\
        cpu="Two cores of an AMD EPYC (Zen 3)"

The report is about the first machine; its portability tables include the
others.  Lines come from bench/results/ewald_PART_LABEL.csv, measured by
ewald.py (near, whole, mesh) and peers/gpu_pme.py (gpu_peers).  Lines of
programs on a processor come from peers.csv, ewald_cpu_peers.csv and
ewald_cpu_clock.csv (peers/versus.py).  The report contains
bench/reports/ewald_notes.md before the tables.  Pictures go to a folder with
the report's name; they require matplotlib.
"""
import argparse
import csv
import os
import sys

import ewald_peers as peers
import ewald_portable
import ewald_tables as tables
from parts import TREE

RESULTS = os.path.join(TREE, "bench/results")
REPORT = os.path.join(TREE, "bench/reports/ewald.md")
PARTS = ("near", "whole", "mesh", "gpu_peers")
ON_HOST = ("peers.csv", "ewald_cpu_peers.csv", "ewald_cpu_clock.csv")
INTRO = """# Ewald sums: near field, whole sums, other programs

{machine}.

`bench/ewald_report.py` made this page from {sources}.
These files hold lines of `near_rows`, `ewald_rows` and `mesh_rows`, measured by one
command, and lines of the scripts that time other programs:

```
bench/ewald.py cuda:0 DIR --build build --portable opencl:0 --portable host
bench/peers/gpu_pme.py time data/water_spce_3k.xyz --reference ref.npz \\
    --sets bench/results/gpu_peers_sets.csv --device cuda --out DIR/gpu_peers.csv
```

The second command also ran with `data/water_spc_1k.xyz --copies 1`, and with
`--copies 15 --finer 2` for 1.01e7 atoms.

**Errors** are measured, not estimated. An error is the RMS difference from a reference
over the RMS velocity (force). The reference is a plan that is converged in f64, or
Ewald's own sum; the last section compares the two. "At equal error" means that the
tolerance was adjusted until the measured error was just below the number.

**Times** are in ms: the minimum of several runs, with positions, strengths and results on
the device. The plan's own clocks time the stages. *total* is the time per execute when
many executes are enqueued one after another. *new positions* is the additional time of
`set_points` for positions in another order than before. *s* is the mean number of
sources in a cube whose edge is the cutoff.
"""


def read(path):
    """The lines as dictionaries by the last header; comments are skipped."""
    lines, names = [], None
    if not os.path.exists(path):
        return lines
    with open(path) as f:
        for words in csv.reader(f):
            if not words or words[0].startswith("#"):
                continue
            if words[0] in ("device", "peer", "program", "room"):
                names = words
            elif names and len(words) == len(names):
                lines.append(dict(zip(names, words)))
    return lines


class Machine:
    """All measurements on one machine."""

    def __init__(self, title, paths):
        self.title, self.paths = title, [p for p in paths.values()
                                         if os.path.exists(p)]
        for part in PARTS:
            setattr(self, part, read(paths[part]))
        # An interrupted case was repeated: the last line counts.
        self.whole = list({(r["device"], r["case"], r["asked"]): r
                           for r in self.whole}.values())


def of_results(label, title):
    paths = {p: os.path.join(RESULTS, "ewald_%s_%s.csv" % (p, label))
             for p in PARTS}
    if not os.path.exists(paths["mesh"]):  # the spreading report's file
        paths["mesh"] = os.path.join(RESULTS, "spreading_%s.csv" % label)
    return Machine(title, paths)


def of_folder(title, folder):
    return Machine(title, {p: os.path.join(folder, p + ".csv")
                           for p in PARTS})


def draw(machines, host, folder):
    try:
        import ewald_pictures
        return ewald_pictures.all_pictures(machines, host, folder)
    except ImportError as missing:
        print("no pictures: %s" % missing, file=sys.stderr)
        return {}


def write(machines, path=REPORT):
    on_host = [os.path.join(RESULTS, n) for n in ON_HOST]
    *host, clock = map(read, on_host)
    folder = os.path.splitext(path)[0]
    pictures = draw(machines, host[0] + host[1], folder)
    first = machines[0]
    paths = [p for m in machines for p in m.paths]
    paths += filter(os.path.exists, on_host)
    sources = ", ".join("`%s`" % os.path.relpath(p, TREE) for p in paths)
    out = [INTRO.format(machine=first.title, sources=sources)]
    notes = folder + "_notes.md"
    if os.path.exists(notes):
        with open(notes) as f:
            out.append(f.read().rstrip() + "\n")

    def picture(name):
        if name in pictures:
            out.append("\n![%s](%s/%s)\n" % (name, os.path.basename(folder),
                                             pictures[name]))
    tables.near(out, first)
    picture("near")
    tables.whole(out, first, machines[1:])
    picture("whole")
    tables.single(out, first)
    tables.dists(out, first)
    peers.coulomb(out, first)
    picture("coulomb")
    ewald_portable.portable(out, machines)
    picture("portable")
    peers.host(out, host[0] + host[1], clock)
    peers.twice(out, first, host[0] + host[1], clock)
    tables.proof(out, machines)
    with open(path, "w") as f:
        f.write("\n".join(out).rstrip() + "\n")


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("machine", nargs="+", metavar="LABEL=TITLE")
    p.add_argument("--out", default=REPORT)
    a = p.parse_args()
    write([of_results(*m.split("=", 1)) for m in a.machine], a.out)


if __name__ == "__main__":
    sys.exit(main())
