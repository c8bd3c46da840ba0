#!/usr/bin/python3
"""Measures what bench/reports/fmm.md shows, on one device, in parts.

    fmm.py cuda:0 results/h200 --build build
    fmm.py cuda:0 results/h200 --part whole --minutes 3
    fmm.py --report fmm.csv m2l.csv > bench/reports/fmm.md

Appends lines of m2l_rows and m2l_micro to OUT/m2l.csv, of ewald_rows to
OUT/fmm.csv, and what they complain of to the .log beside them.  A case that is
in the file already is left out, so a run that was cut off goes on where it
was.  Kernels are compiled first, side by side, and kept in FARSUM_CACHE_DIR
(OUT/kernels unless it is set).  Parts:

  m2l     every row of m2l on devices by order, and the two bounds of dense
          operators, depth 5, f32 and f64
  depths  the fastest rows and seed's at depths 3, 4, 6 and 7, p = 8 and 12
  whole   whole sums of the methods fmm and spectral at equal measured error
"""
import argparse
import csv
import os
import sys
import time

import parts

FASTEST = ["gpu_plane_wave", "gpu_rotation", "gpu_rotation_hybrid_source",
           "gpu_walsh", "gpu_symmetric"]
SLOW = {"gpu_naive": 4}  # up to that order only
ORDERS = (8, 12, 4, 20, 16)
TYPES = ("f32", "f64")
# (case, reference, plans)
WHOLE = [
    ("laplace n=1e6", "spectral:1e-12", ("f32", 2e-5)),
    ("laplace n=1e5", "spectral:1e-12", ("f32", 2e-5)),
    ("laplace n=1e7", "spectral:1e-11", ("f32", 2e-5)),
    ("laplace n=1e6", "spectral:1e-12", ("f64", 1e-9)),
    ("laplace n=1e6", "spectral:1e-12", ("f32", 1e-3)),
    ("laplace n=1e6", "spectral:1e-12", ("f64", 1e-7)),
    ("laplace n=1e6 dist=clustered", "spectral:1e-12", ("f32", 2e-5)),
    ("laplace n=1e4", "spectral:1e-12", ("f32", 2e-5)),
    ("laplace n=1e6", "spectral:1e-12", ("f64", 1e-5)),
    ("laplace n=1e7", "spectral:1e-11", ("f64", 1e-9)),
]


def m2l_case(a, precision, p, depth, rows, micro):
    device = [a.device, precision, str(p), str(depth)]
    yield ("m2l %s %d %d" % (precision, p, depth),
           [a.build + "/bench/m2l_rows"] + device + ["repeats=4"] + rows)
    if micro:
        yield ("micro %s %d %d" % (precision, p, depth),
               [a.build + "/bench/m2l_micro"] + device)


def m2l(a):
    rows = parts.device_rows("m2l")
    for p in ORDERS:
        for t in TYPES:
            some = [r for r in rows if p <= SLOW.get(r, 99)]
            yield from m2l_case(a, t, p, 5, some, True)


def depths(a):
    for depth in (6, 4, 3, 7):
        for p in (8, 12):
            for t in TYPES:
                if depth < 7 or t == "f32":
                    yield from m2l_case(a, t, p, depth, FASTEST, False)


def whole(a):
    for case, reference, (precision, error) in WHOLE:
        plans = ["want=%g,prec=%s,method=%s" % (error, precision, method)
                 for method in ("fmm", "spectral")]
        yield ("whole %s %s %g" % (case, precision, error),
               [a.build + "/bench/ewald_rows", a.device, case,
                "reference=" + reference] + plans)


PARTS = {"whole": (whole, "fmm.csv"), "m2l": (m2l, "m2l.csv"),
         "depths": (depths, "m2l.csv")}


def warm(a, cases):
    """Kernels of m2l depend on the order and the precision."""
    seen = []
    for key, words in cases:
        if key.startswith("m2l "):
            one = words[:4] + ["2", "repeats=1", "header=0"]
            seen += [one + [r] for r in words[6:]]
    parts.quietly(seen, a.jobs, 200)


def measure(a, part, end):
    make, name = PARTS[part]
    path = os.path.join(a.out, name)
    left = parts.left(path, list(make(a)))
    start = time.time()
    warm(a, left)
    print("%s: kernels %.0f s" % (part, time.time() - start), flush=True)
    not_begun = parts.run(path, left, end, a.most)
    print("%s: %.0f s, %d cases left" % (part, time.time() - start, not_begun),
          flush=True)


def lines(path):
    """Rows of all tables in a file, whatever their columns."""
    names = None
    if not os.path.exists(path):
        return
    with open(path) as f:
        for row in csv.reader(line for line in f if line[0] != "#"):
            if row[0] == "device":
                names = row
            elif names:
                yield dict(zip(names, row))


def table(title, head, body):
    print("\n## %s\n\n| %s |\n|%s" % (title, " | ".join(head),
                                      "---|" * len(head)))
    for row in body:
        print("| %s |" % " | ".join(row))


def report_m2l(path):
    rows = list(lines(path))
    for t in TYPES:
        for depth in sorted({r["depth"] for r in rows}):
            some = [r for r in rows
                    if r["precision"] == t and r["depth"] == depth]
            orders = sorted({int(r["p"]) for r in some})
            if not some:
                continue
            best = {(r["row"], int(r["p"])): 1e3 * float(r["seconds"])
                    for r in some}
            names = sorted({r["row"] for r in some}, key=lambda n: min(
                v / best.get(("gpu_plane_wave", p), 1)
                for (m, p), v in best.items() if m == n))
            table("m2l, %s, depth %s, ms" % (t, depth),
                  ["row"] + ["p = %d" % p for p in orders],
                  [["`%s`" % n] + ["%.3g" % best[n, p] if (n, p) in best else ""
                                   for p in orders] for n in names])


def report_whole(path):
    head = ["case", "precision", "asked", "method", "measured", "ms",
            "points/s", "new points, ms", "order, boxes", "stages, ms"]
    body = []
    for r in lines(path):
        asked = dict(w.split("=") for w in r["asked"].split())
        shape = "%s, %s, %s" % (r["order"], r["boxes"], r["levels"]) \
            if r["method"] == "fmm" else "%s, P %s" % (r["mesh"], r["P"])
        body.append([r["case"], r["precision"], asked["want"], r["method"],
                     r["error"], r["total_ms"],
                     "%.3g" % (float(r["n"]) / float(r["total_ms"]) * 1e3),
                     r["set_ms"], shape, r["rows"]])
    table("Whole sums at equal measured error", head, body)


def main():
    ask = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ask.add_argument("device", nargs="?")
    ask.add_argument("out", nargs="?")
    ask.add_argument("--report", nargs=2, metavar=("FMM", "M2L"))
    ask.add_argument("--build", default="build")
    ask.add_argument("--part", choices=list(PARTS), action="append")
    ask.add_argument("--minutes", type=float, default=60)
    ask.add_argument("--most", type=float, default=60, help="seconds of a case")
    ask.add_argument("--jobs", type=int, default=os.cpu_count())
    a = ask.parse_args()
    if a.report:
        print("# The fast multipole method on a device\n\n"
              "Written by `bench/fmm.py --report`; what it means is said in "
              "[docs/performance.md](../../docs/performance.md).")
        report_whole(a.report[0])
        report_m2l(a.report[1])
        return
    if not a.out:
        ask.error("DEVICE and OUT, or --report FMM M2L")
    os.makedirs(a.out, exist_ok=True)
    os.environ.setdefault("FARSUM_CACHE_DIR",
                          os.path.abspath(os.path.join(a.out, "kernels")))
    end = time.time() + 60 * a.minutes
    for part in a.part or list(PARTS):
        measure(a, part, end)


if __name__ == "__main__":
    sys.exit(main())
