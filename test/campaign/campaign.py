#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs sums with difficult particles (systems.py) by the command.

    campaign.py FARSUM [--cases 200] [--seed 1] [--first 0] [--jobs 1]
                [--kernel NAME] [--most 5000] [--fewer 0.3] [--csv FILE]
                [--device opencl:0] [--share 1] [--seconds S] [--apart]
                [--norms] [--show]

Case k of a seed is always the same.  --most limits the particles.  --fewer is
the share of slabs, wires and open space, also with flat and long systems.  With
--norms the tolerance is in the norm of energy, pressure or each.  The command's
--check measures each case, by a reference without code of the fast methods.
Rows are appended to the CSV file as they are computed.  Cases already in the
file are skipped, so an interrupted run continues.  After --seconds no case
starts, and those that still run are ended and left out.  With --device and
--share 0.05 the device sums a twentieth of the cases.  Several devices, as
cuda:0,cuda:1, share them.  At the end a table by class is printed.

A case fails if its error is above the tolerance without a warning.  If a second
sum checks the plan, every error above the tolerance fails.  With separate
targets (8 in 100 cases, or all with --apart), an error above the tolerance
fails unless the estimate is above it too.  Exit status 1: cases failed, or
fewer than 97 in 100 of the estimates by a second sum are within a factor of 5.
"""

import argparse
import concurrent.futures
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time

from systems import (CLASSES, DIPOLES, FLAT, FLOWS, KERNELS, System, cell_of,
                     write)

FIELDS = ["case", "class", "n", "kernel", "cell", "device", "method",
          "precision", "error", "tolerance", "verified", "measured", "estimated",
          "energy", "energy_estimated", "virial", "virial_estimated", "status",
          "seconds", "words"]


# Cells of cases.  The second group has those of fewer axes.
CELLS = ["cubic", "cubic", "brick", "triclinic", "open"]
FEWER = ["slab", "slab", "wire", "open"]


def method_of(r, kernel, cell):
    """A method that sums the kernel in this cell, or auto."""
    methods = ["auto", "auto"]
    by_mesh = kernel in ("laplace", "yukawa") or cell.whole() \
        or kernel in FLOWS and cell.kind == "slab"
    by_boxes = kernel in ["laplace", "charge_dipole"] if cell.whole() \
        else cell.kind == "open" and kernel in ["laplace", "charge_dipole",
                                                *FLOWS]
    method = r.choice(methods + ["spectral", "fmm"])
    if kernel == "charge_quadrupole":  # auto: spectral in a whole cell
        return r.choice(["auto", "direct" if cell.kind == "open" else "ewald"])
    if method == "spectral" and not by_mesh or method == "fmm" and not by_boxes:
        return "auto"
    return method


def some_options(r, n, kernel, cell, method, folder):
    """Options that only some cases have.  folder holds the file of excluded
    pairs; None: no pairs, as with separate targets."""
    words, edge = [], cell.edge
    vacuum = r.random() < 0.1 and cell.whole() \
        and kernel in ("laplace", "charge_dipole")
    if vacuum:
        words += ["--surface", "vacuum"]
    soft = method != "spectral" or cell.kind not in ("open", "wire")
    if r.random() < 0.1 and kernel == "laplace" and soft and not vacuum:
        words += ["--softening", "%.3g" % (edge * 10 ** r.uniform(-4, -1))]
    if r.random() < 0.1 and cell.kind != "open" and method == "spectral":
        words += ["--cutoff", "%.3g" % (edge * r.uniform(0.1, 0.4))]
    if folder and r.random() < 0.1 and n > 2:
        file = os.path.join(folder, "pairs.txt")
        pairs = {tuple(sorted(r.sample(range(1, n + 1), 2)))
                 for _ in range(r.randint(1, 20))}
        with open(file, "w") as f:
            for one, other in pairs:
                f.write("%d %d %g\n" % (one, other, r.choice([0, 0.5])))
        words += ["--exclude", file]
    if r.random() < 0.2:
        words += ["--threads", r.choice("12")]
    return words


def make(options, k, folder):
    """The CSV row and the command's words of case k; writes its files."""
    r = random.Random("%d/%d" % (options.seed, k))
    fewer = r.random() < options.fewer
    kernel = options.kernel or r.choice(["laplace"] * 4 + list(KERNELS))
    cell = cell_of(r, FEWER if fewer else CELLS)
    of = r.choice(CLASSES + FLAT if fewer else CLASSES + FLAT[:9])
    s = System(r, kernel)
    most = options.most  # references of open axes and of dipoles are slow
    if kernel in DIPOLES:
        most = min(most, 1000)
    if cell.kind == "slab":
        most = min(most, 100 if kernel in DIPOLES or kernel == "r6" else 500)
    if cell.kind == "wire":
        most = min(most, 100)
    of(s, int(10 ** r.uniform(0, math.log10(most))))
    if kernel == "stresslet":
        for q in s.q:
            size = math.sqrt(sum(v * v for v in q[3:])) or 1
            q[3:] = [v / size for v in q[3:]] if size != 1 else [1, 0, 0]
    precision = r.choice(["f64"] * 4 + ["f32", "mixed", "auto"])
    low = -5 if precision == "f32" else -10
    tolerance = 10 ** r.uniform(low, -2)
    flow = kernel in FLOWS
    words = ["--kernel", kernel, "--tolerance", "%.3g" % tolerance,
             "--precision", precision]
    if kernel.startswith("yukawa"):
        words += ["--kappa", "%.6g" % (10 ** r.uniform(-2, 1.3) / cell.edge)]
    error = "velocity" if flow else "force"
    lone = kernel in DIPOLES and len(s.x) == 1  # its potential is 0
    if not flow and r.random() < 0.3 and not lone:
        error = "potential"
        words += ["--error", "potential"]
    method = method_of(r, kernel, cell)
    words += ["--method", method]
    if method == "spectral" and r.random() < 0.3:
        words += ["--split", "gaussian"]
    if method == "fmm" and cell.kind != "open":
        words += ["--no-virial"]
    apart = r.random() < 0.08 or options.apart
    words += some_options(r, len(s.x), kernel, cell, method,
                          None if apart else folder)
    file = os.path.join(folder, "s.xyz")
    write(file, s, cell, False)
    if apart:
        targets = System(r, kernel)
        targets.uniform(50, 1)
        at = os.path.join(folder, "t.xyz")
        write(at, targets, cell, True)
        words += ["--targets", at]
    row = {"case": k, "class": of.__name__ + (" (apart)" if apart else ""),
           "n": len(s.x), "kernel": kernel, "cell": cell.kind, "method": method,
           "precision": precision, "error": error,
           "tolerance": "%.3g" % tolerance}
    return row, [file, *words]


def in_other_norm(row, words):
    """The same case with its tolerance in the norm energy, pressure or each."""
    norm = ["energy", "pressure", "each"][row["case"] % 3]
    if row["kernel"] in FLOWS or "(apart)" in row["class"]:
        norm = "each"
    words = [word for at, word in enumerate(words)
             if "--error" not in (word, words[at - 1])]
    if norm == "pressure":
        words = [word for word in words if word != "--no-virial"]
    return {**row, "error": norm}, words + ["--error", norm]


def measure(options, row, words, folder, targets=300):
    """Sums a case.  If the error at a few targets is above the tolerance, or the
    estimate is far from it, it is measured again at all of them, because the RMS
    of a few errors varies."""
    report = os.path.join(folder, "r.json")
    row["device"] = "host"
    r = random.Random(row["case"])
    if options.device and r.random() < options.share:
        row["device"] = r.choice(options.device.split(","))
    if row["error"] == "each":
        targets = 4000
    run = subprocess.run([options.farsum, "run", *words, "--device",
                          row["device"], "--check", "--check-targets",
                          str(targets), "--report", report],
                         capture_output=True, text=True,
                         timeout=options.end - time.time())
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
    if (fails(row) or far_off(row)) and targets < row["n"] \
            and row["error"] != "each":
        return measure(options, row, words, folder, row["n"])
    return row


def fails(row):
    """Whether the error is above the tolerance without a warning."""
    if row.get("measured") in ("", None):
        return int(row["status"]) not in (1, 2)
    measured, tolerance = float(row["measured"]), float(row["tolerance"])
    if row.get("verified") in ("", None) or "(apart)" in row["class"]:
        return not (measured <= tolerance
                    or float(row["estimated"]) > tolerance)
    return not measured <= tolerance


def ratios(rows):
    """Estimated over measured error, where the error is above rounding."""
    return [float(row["estimated"]) / float(row["measured"]) for row in rows
            if row.get("measured") not in ("", None)
            and float(row["measured"]) > 1e-13]


def far_off(row):
    """Whether an estimate by a second sum is off by more than a factor of 5."""
    return row.get("verified") not in ("", None) \
        and any(not 1 / 5 <= v <= 5 for v in ratios([row]))


def energies(rows, what):
    """The share of the estimates of energies, or virials, within a factor of 5
    of the measured error, and their number.  Only sums whose particles are all
    summed again count, and only errors above rounding."""
    pairs = [(float(row[what]), float(row[what + "_estimated"]))
             for row in rows if row.get(what) not in ("", None)
             and row.get(what + "_estimated") not in ("", None)
             and row.get("verified") not in ("", None) and int(row["n"]) <= 1000]
    pairs = [(a, b) for a, b in pairs if a > 1e-13]
    good = sum(1 / 5 <= b / a <= 5 for a, b in pairs)
    return good / len(pairs) if pairs else 1, len(pairs)


def within(factor, rows):
    """The share of the estimates within a factor of the measured error."""
    all_of = ratios(rows)
    return sum(1 / factor <= v <= factor for v in all_of) / max(1, len(all_of))


def table(rows):
    """For each class: cases, refused and failed ones, median and maximum of
    measured error over tolerance, and the shares of estimates within factors of
    2 and 5 of the measured error."""
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


def run_case(options, k):
    """The CSV row of case k, or None after the end."""
    start = time.time()
    if start >= options.end:
        return None
    with tempfile.TemporaryDirectory() as folder:
        row, words = make(options, k, folder)
        if options.norms:
            row, words = in_other_norm(row, words)
        try:
            measure(options, row, words, folder)
        except subprocess.TimeoutExpired:
            return None
    row["seconds"] = "%.2f" % (time.time() - start)
    return row


def rows_of(path):
    """The rows of a CSV file.  A last line that was cut off is removed."""
    if not path or not os.path.exists(path):
        return []
    with open(path, "rb+") as f:
        f.truncate(f.read().rfind(b"\n") + 1)
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("farsum")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kernel", choices=KERNELS)
    parser.add_argument("--most", type=int, default=5000)
    parser.add_argument("--fewer", type=float, default=0.3)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--csv")
    parser.add_argument("--device")
    parser.add_argument("--share", type=float, default=1)
    parser.add_argument("--seconds", type=float, default=1e6)
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--norms", action="store_true")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    options.end = time.time() + options.seconds
    rows = rows_of(options.csv)
    have = {int(row["case"]) for row in rows}
    out = open(options.csv or os.devnull, "a", newline="")
    writer = csv.DictWriter(out, FIELDS)
    if not rows:
        writer.writeheader()
    cases = [k for k in range(options.first, options.first + options.cases)
             if k not in have]
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        jobs = [pool.submit(run_case, options, k) for k in cases]
        for job in concurrent.futures.as_completed(jobs):
            row = job.result()
            if not row:
                continue
            rows.append(row)
            writer.writerow(row)
            out.flush()
            if fails(row) or options.show:
                print("FAIL" if fails(row) else "    ", row, flush=True)
    out.close()
    if len(rows) < len(have) + len(cases):
        print("%d cases are left" % (len(have) + len(cases) - len(rows)))
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
