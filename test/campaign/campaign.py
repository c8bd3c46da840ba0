#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums that are made to err: order in space, near pairs, one large strength.

    campaign.py FARSUM [--cases 200] [--seed 1] [--first 0] [--csv FILE]
                [--device opencl:0] [--apart] [--norms] [--show]

Case k of a seed is always the same; with --norms it is asked for in the norm of
energy, pressure or each.  Each is summed by the command and measured
by its --check, whose reference shares nothing with the fast methods.  Rows go to
the CSV file as they come; cases that it has already are left out, so that a long
run may be stopped and goes on.  At the end there is a table by class.

A case fails if its error is above the tolerance and nothing says so: with a
check of the plan nothing may be above; where the targets are apart, which of 100
cases are some 8 and all with --apart, the estimate of the sum must be above too.
Exit status 1: cases failed, or fewer than 97 of 100 estimates that were checked
by a second sum are within a factor of 5."""

import argparse
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile

KERNELS = {"laplace": 1, "yukawa": 1, "r6": 1, "stokeslet": 3, "rotlet": 3,
           "stresslet": 6}
COLUMNS = {"laplace": ["charge:R:1"], "yukawa": ["charge:R:1"],
           "r6": ["charge:R:1"], "stokeslet": ["force:R:3"],
           "rotlet": ["torque:R:3"], "stresslet": ["strength:R:3",
                                                   "normal:R:3"]}
FIELDS = ["case", "class", "n", "kernel", "cell", "method", "precision",
          "error", "tolerance", "verified", "measured", "estimated", "energy",
          "energy_estimated", "virial", "virial_estimated", "status", "words"]


class System:
    """Places in a unit cube, and strengths."""

    def __init__(self, r, kernel):
        self.r, self.kernel = r, kernel
        self.x, self.q = [], []

    def strength(self, mean, spread):
        return [self.r.gauss(mean, spread) for _ in range(KERNELS[self.kernel])]

    def ball(self, n, size, mean, spread=0):
        centre = [self.r.random() for _ in range(3)]
        for _ in range(n):
            self.x.append([self.r.gauss(c, size) for c in centre])
            self.q.append(self.strength(mean, spread))

    def uniform(self, n, mean, spread=0):
        for _ in range(n):
            self.x.append([self.r.random() for _ in range(3)])
            self.q.append(self.strength(mean, spread))

    def grid(self, n, jitter, sign):
        edge = max(2, round(n ** (1 / 3)))
        for i in range(edge ** 3):
            at = (i % edge, i // edge % edge, i // edge ** 2)
            self.x.append([(a + 0.5 + jitter * self.r.uniform(-0.5, 0.5)) / edge
                           for a in at])
            self.q.append(self.strength(sign(at), 0))


def one_ball(s, n):
    s.ball(n, s.r.choice([0.01, 0.03, 0.1]), 1, s.r.choice([0, 0.3]))


def plummer(s, n):
    centre = [s.r.random() for _ in range(3)]
    for _ in range(n):
        far = 0.05 / math.sqrt(max(s.r.random(), 1e-6) ** (-2 / 3) - 0.99999)
        way = [s.r.gauss(0, 1) for _ in range(3)]
        size = math.sqrt(sum(w * w for w in way))
        s.x.append([c + min(far, 0.5) * w / size for c, w in zip(centre, way)])
        s.q.append(s.strength(1, 0))


def halos(s, n):
    for _ in range(s.r.randint(2, 6)):
        s.ball(max(1, n // 5), s.r.uniform(0.005, 0.05), 1)


def colloid(s, n):
    s.ball(n // 2 + 1, s.r.choice([0.02, 0.05]), 1)
    s.uniform(n // 2 + 1, -1)


def balls(s, n):
    size = s.r.choice([0.02, 0.05])
    s.ball(n // 2 + 1, size, 1)
    s.ball(n // 2 + 1, size, -1)


def planes(s, n):
    s.grid(n, s.r.choice([0, 0.2, 0.6]), lambda at: 1 - 2 * (at[2] % 2))


def lattice(s, n):
    s.grid(n, 0, lambda at: 1)


def jittered(s, n):
    s.grid(n, s.r.choice([0.1, 0.3, 0.6]), lambda at: 1)


def salt(s, n):
    s.grid(n, s.r.choice([0, 0.3]), lambda at: 1 - 2 * (sum(at) % 2))


def huge(s, n):
    s.uniform(n, 0, 1)
    k = s.r.randrange(n)
    s.q[k] = [v * s.r.choice([30, 100, 1000]) for v in s.q[k]]


def near(s, n):
    s.uniform(max(n, 2), 0, 1)
    for k in range(s.r.choice([1, 3])):
        if 2 * k + 1 < len(s.x):
            s.x[2 * k + 1] = list(s.x[2 * k])
            s.x[2 * k + 1][s.r.randrange(3)] += 10 ** s.r.uniform(-5, -2)


def few(s, n):
    s.uniform(s.r.randint(1, 4), 1 if s.r.random() < 0.5 else 0, 1)


def net(s, n):
    s.uniform(n, 1, s.r.choice([0, 0.5]))


def tame(s, n):
    s.uniform(n, 0, 1)


CLASSES = [one_ball, plummer, halos, colloid, balls, planes, lattice, jittered,
           salt, huge, near, few, net, tame]


def cell_of(r):
    kind = r.choice(["cubic", "cubic", "brick", "triclinic", "open"])
    edge = 10 ** r.uniform(-1, 2)
    rows = [[edge, 0, 0], [0, edge, 0], [0, 0, edge]]
    if kind == "brick":
        rows = [[edge * r.uniform(0.5, 2) if i == j else 0 for j in range(3)]
                for i in range(3)]
    if kind == "triclinic":
        rows = [[edge, 0, 0], [edge * r.uniform(-0.4, 0.4), edge, 0],
                [edge * r.uniform(-0.4, 0.4), edge * r.uniform(-0.4, 0.4),
                 edge]]
    return kind, edge, rows


def write(path, s, kind, rows, apart):
    place = [[sum(x[i] * rows[i][j] for i in range(3)) for j in range(3)]
             for x in s.x]
    box = " ".join("%.17g" % v for row in rows for v in row)
    head = ('pbc="F F F"' if kind == "open"
            else 'Lattice="%s" pbc="T T T"' % box)
    columns = [] if apart else COLUMNS[s.kernel]
    with open(path, "w") as f:
        f.write("%d\n%s Properties=%s\n" % (
            len(place), head, ":".join(["species:S:1", "pos:R:3"] + columns)))
        for x, q in zip(place, s.q):
            f.write("X " + " ".join("%.17g" % v for v in
                                    x + ([] if apart else q)) + "\n")


def make(seed, k, folder, always=False):
    """The files and the words of case k."""
    r = random.Random("%d/%d" % (seed, k))
    kernel = r.choice(["laplace"] * 4 + list(KERNELS))
    kind, edge, rows = cell_of(r)
    of = r.choice(CLASSES)
    s = System(r, kernel)
    of(s, int(10 ** r.uniform(0.5, 3.3)))
    if kernel == "stresslet":
        for q in s.q:
            size = math.sqrt(sum(v * v for v in q[3:])) or 1
            q[3:] = [v / size for v in q[3:]] if size != 1 else [1, 0, 0]
    precision = r.choice(["f64"] * 4 + ["f32", "mixed", "auto"])
    low = -5 if precision == "f32" else -10
    tolerance = 10 ** r.uniform(low, -2)
    flow = KERNELS[kernel] > 1
    words = ["--kernel", kernel, "--tolerance", "%.3g" % tolerance,
             "--precision", precision]
    if kernel == "yukawa":
        words += ["--kappa", "%.6g" % (10 ** r.uniform(-2, 1.3) / edge)]
    error = "velocity" if flow else "force"
    if not flow and r.random() < 0.3:
        error = "potential"
        words += ["--error", "potential"]
    method = r.choice(["auto", "auto", "spectral", "fmm"])
    if method == "spectral" and kind == "open" or \
            method == "fmm" and kernel != "laplace":
        method = "auto"
    words += ["--method", method]
    if method == "spectral" and r.random() < 0.3:
        words += ["--split", "gaussian"]
    if method == "fmm" and kind != "open":
        words += ["--no-virial"]
    file = os.path.join(folder, "s.xyz")
    write(file, s, kind, rows, False)
    apart = r.random() < 0.08 or always
    if apart:
        targets = System(r, kernel)
        targets.uniform(50, 1)
        at = os.path.join(folder, "t.xyz")
        write(at, targets, kind, rows, True)
        words += ["--targets", at]
    row = {"case": k, "class": of.__name__ + (" (apart)" if apart else ""),
           "n": len(s.x), "kernel": kernel, "cell": kind, "method": method,
           "precision": precision, "error": error,
           "tolerance": "%.3g" % tolerance}
    return row, [file, *words]


def in_other_norm(row, words):
    """The same case, its tolerance in one of the norms that no estimate is of."""
    norm = ["energy", "pressure", "each"][row["case"] % 3]
    if KERNELS[row["kernel"]] > 1 or "(apart)" in row["class"]:
        norm = "each"
    words = [word for at, word in enumerate(words)
             if "--error" not in (word, words[at - 1])]
    if norm == "pressure":
        words = [word for word in words if word != "--no-virial"]
    return {**row, "error": norm}, words + ["--error", norm]


def measure(options, row, words, folder):
    report = os.path.join(folder, "r.json")
    more = ["--device", options.device] if options.device else []
    run = subprocess.run([options.farsum, "run", *words, *more, "--check",
                          "--check-targets",
                          "4000" if row["error"] == "each" else "300",
                          "--report", report],
                         capture_output=True, text=True)
    row["status"] = run.returncode
    text = (run.stderr or run.stdout).strip().splitlines()
    row["words"] = " ".join(words[1:]) if run.returncode in (0, 3) \
        else (text[-1] if text else "")[:300].replace(folder, "")
    if run.returncode in (0, 3):
        with open(report) as f:
            said = json.load(f)
        row.update(measured=said["checked_error"],
                   estimated=said["estimated_error"],
                   verified=said["verified_error"],
                   energy=said["checked_energy_error"],
                   energy_estimated=said["estimated_energy_error"],
                   virial=said["checked_virial_error"],
                   virial_estimated=said["estimated_virial_error"])
    return row


def fails(row):
    """The error is above the tolerance, and nothing says so."""
    if row.get("measured") in ("", None):
        return int(row["status"]) not in (1, 2)
    measured, tolerance = float(row["measured"]), float(row["tolerance"])
    if row.get("verified") in ("", None) or "(apart)" in row["class"]:
        return not (measured <= tolerance
                    or float(row["estimated"]) > tolerance)
    return not measured <= tolerance


def ratios(rows):
    """Estimated over measured, above rounding."""
    return [float(row["estimated"]) / float(row["measured"]) for row in rows
            if row.get("measured") not in ("", None)
            and float(row["measured"]) > 1e-13]


def energies(rows, what):
    """The part of the estimates of energies, or virials, that are within 5, of
    sums whose particles are all summed again, above rounding; their number."""
    pairs = [(float(row[what]), float(row[what + "_estimated"]))
             for row in rows if row.get(what) not in ("", None)
             and row.get(what + "_estimated") not in ("", None)
             and row.get("verified") not in ("", None) and int(row["n"]) <= 1000]
    pairs = [(a, b) for a, b in pairs if a > 1e-13]
    good = sum(1 / 5 <= b / a <= 5 for a, b in pairs)
    return good / len(pairs) if pairs else 1, len(pairs)


def within(factor, rows):
    """The part of the estimates that are within a factor."""
    all_of = ratios(rows)
    return sum(1 / factor <= v <= factor for v in all_of) / max(1, len(all_of))


def table(rows):
    """By class: cases, refused, failed, median and most of measured over
    tolerance, and how many estimates are within 2 and 5 of the measured."""
    out = ["%-20s %5s %7s %6s %8s %8s %6s %6s" % (
        "class", "cases", "refused", "failed", "median", "most", "in 2",
        "in 5")]
    names = sorted({row["class"] for row in rows})
    for name in names + ["all"]:
        mine = [row for row in rows if name in ("all", row["class"])]
        done = [row for row in mine if row.get("measured") not in ("", None)]
        parts = sorted(float(row["measured"]) / float(row["tolerance"])
                       for row in done)
        out.append("%-20s %5d %7d %6d %8.3g %8.3g %5.0f%% %5.0f%%" % (
            name, len(mine), len(mine) - len(done), sum(map(fails, mine)),
            parts[len(parts) // 2] if parts else 0, parts[-1] if parts else 0,
            100 * within(2, mine), 100 * within(5, mine)))
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("farsum")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--csv")
    parser.add_argument("--device")
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--norms", action="store_true")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    rows = []
    if options.csv and os.path.exists(options.csv):
        with open(options.csv, newline="") as f:
            rows = list(csv.DictReader(f))
    have = {int(row["case"]) for row in rows}
    out = open(options.csv or os.devnull, "a", newline="")
    writer = csv.DictWriter(out, FIELDS)
    if not rows:
        writer.writeheader()
    with tempfile.TemporaryDirectory() as folder:
        for k in range(options.first, options.first + options.cases):
            if k in have:
                continue
            case = make(options.seed, k, folder, options.apart)
            if options.norms:
                case = in_other_norm(*case)
            row = measure(options, *case, folder)
            rows.append(row)
            writer.writerow(row)
            out.flush()
            if fails(row) or options.show:
                print("FAIL" if fails(row) else "    ", row, flush=True)
    out.close()
    print(table(rows))
    checked = [row for row in rows if row.get("verified") not in ("", None)]
    print("%.1f %% of %d estimates by a second sum are within 5" % (
        100 * within(5, checked), len(ratios(checked))))
    good = [within(5, checked)]
    for what in ["energy", "virial"]:
        part, count = energies(checked, what)
        good.append(part)
        print("%.1f %% of %d of the %s, up to 1000 particles" % (
            100 * part, count, what))
    return any(map(fails, rows)) or min(good) < 0.97


if __name__ == "__main__":
    sys.exit(main())
