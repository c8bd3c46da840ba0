#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the data of bench/reports/fmm.md on one device, in parts.

    fmm.py cuda:0 results/h200 --build build
    fmm.py cuda:0 results/h200 --part whole --minutes 3
    fmm.py --report results/h200/*.csv --pictures bench/reports/fmm \\
        > bench/reports/fmm.md

Appends lines of m2l_rows and m2l_micro to OUT/m2l.csv, of m2l_mix.py and
fmm_stages.py to OUT/mix.csv, of ewald_rows to OUT/fmm.csv, and error messages
to the .log files there.  A case that is already in the file is skipped, so an
interrupted run continues.  Kernels are compiled first, in parallel, and kept
in FARSUM_CACHE_DIR (default: OUT/kernels).  The report reads those files, and
those of peers/fmm_cpu.py and peers/gpu_fmm.py, in any order.  Parts:

  m2l     every variant of m2l on devices by order, and the two bounds of dense
          operators, depth 5, f32 and f64
  depths  the fastest variants and the paper's at depths 3, 4, 6 and 7, p = 8
          and 12
  paper   dense operators as in a paper, and both bounds, by order, p = 0 to 20,
          depths 3 and 4
  images  time with operators for 1, 2, 4 and 8 targets, compared with lists of
          the same pairs without symmetries
  ladder  a paper's fast rotation step by step
  shapes  the same by threads per block and blocks per launch
  tiling  the same with columns in shared memory and in global memory, by order
  levels  the same by depth, compared with one core of the host
  stages  time of each stage of a whole sum with fast rotation
  throughput  use of the GPU by these stages, by counters (fmm_stages.py)
  equal   whole sums with every variant of m2l at equal measured error
  mix     instructions of those variants, by Nsight Compute's counters
          (m2l_mix.py): orders 4, 8, 12 and 16, depth 4
  launch  the variants whose kernels launch kernels, from order 0 on; at order 0
          launching takes all of the time
  whole   whole sums of the methods fmm and spectral at equal measured error
  cross   both methods by points, error and clustering, one reference per case
  fixed   fmm by points at each depth of a tree with one root box
  open    charges of one sign in open space
  large   1e8 and 5e8 points, with errors measured at 1e5 and 3e4 of them
  tensor  the fastest variants at every order, depths 4 and 6, some at 7
"""
import argparse
import os
import re
import subprocess
import sys
import time

import fmm_papers
import fmm_report
import parts
from fmm_papers import TYPES, sums

PAPER = ["gpu_naive", "gpu_sorted", "gpu_symmetric", "gpu_symmetric_pointers"]
FASTEST = ["gpu_plane_wave", "gpu_plane_wave_mma", "gpu_rotation",
           "gpu_rotation_hybrid_source", "gpu_walsh", "gpu_walsh_mma",
           "gpu_symmetric"]
SLOW = {"gpu_naive": 4}  # measured only up to this order
NESTED = ["gpu_dynamic", "gpu_dynamic_split"]
ORDERS = (8, 12, 4, 20, 16)
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
CROSS = [("laplace n=%s%s" % (n, d), "spectral:1e-12")
         for n in ("1e4", "1e5", "1e6") for d in ("", " dist=clustered")]
CROSS_ERRORS = (("f32", 1e-3), ("f32", 2e-5), ("f64", 1e-5), ("f64", 1e-7),
                ("f64", 1e-9))


def m2l_case(a, precision, p, depth, rows, micro, what="m2l"):
    device = [a.device, precision, str(p), str(depth)]
    yield ("%s %s %d %d" % (what, precision, p, depth),
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


def launch(a):
    for p in (0,) + tuple(sorted(ORDERS)):
        for t in TYPES:
            yield from m2l_case(a, t, p, 4, NESTED, False, "launch")


def whole(a):
    for case, reference, (precision, error) in WHOLE:
        yield sums(a, "whole %s %s %g" % (case, precision, error), case,
                   reference, ["want=%g,prec=%s,method=%s,potential=1"
                               % (error, precision, method)
                               for method in ("fmm", "spectral")])


def mix(a):
    for p in (12, 4, 8, 16):
        for t in TYPES:
            rows = FASTEST[:4] + ["gpu_walsh_mma"] + PAPER
            for row in [r for r in rows if p <= SLOW.get(r, 99)]:
                yield ("mix %s %s %d" % (row, t, p),
                       [os.path.join(parts.TREE, "bench/m2l_mix.py"), a.device,
                        t, str(p), "4", row, "--build", a.build])


def cross(a):
    for case, reference in CROSS:
        yield sums(a, "cross " + case, case, reference,
                   ["want=%g,prec=%s,method=%s" % (error, t, method)
                    for t, error in CROSS_ERRORS
                    for method in ("fmm", "spectral")])


def fixed(a):
    for n in ("1e4", "3e4", "1e5", "3e5", "1e6", "3e6", "1e7"):
        yield sums(a, "fixed " + n, "laplace n=" + n, None,
                   ["method=fmm,prec=%s,boxes=1,levels=%d,order=8,tag=fixed"
                    % (t, depth + 1) for t in TYPES
                    for depth in (2, 3, 4, 5, 6)
                    if 2 < float(n) / 8 ** depth < 4000])


def open_space(a):
    case = "laplace n=1e6 cell=open net=1"
    yield sums(a, "open " + case, case, "direct:500",
               ["want=%g,prec=%s,method=fmm,potential=1" % (e, t) for t in TYPES
                for e in (1e-3, 1e-4, 1e-5, 1e-9)
                if t == "f64" or e > 1e-6])


def large(a):
    # At this tolerance the measured error of 1e7 points is 2e-5.
    for n, how in (("1e8", "fmm:1e5:120:14"), ("5e8", "fmm:3e4:128:12")):
        yield sums(a, "large " + n, "laplace n=" + n, how,
                   ["tol=1.3e-4,prec=f32,method=fmm,potential=1"])


def tensor(a):
    rows = ["gpu_plane_wave_mma", "gpu_walsh_mma", "gpu_plane_wave"]
    for depth, orders in ((4, range(2, 21)), (6, range(2, 21)),
                          (7, (4, 8, 12, 16, 20))):
        for p in orders:
            for t in TYPES:
                if depth < 7 or t == "f32" or p < 16:  # others exceed the memory
                    yield from m2l_case(a, t, p, depth, rows, False, "tensor")


PARTS = {"whole": (whole, "fmm.csv"), "m2l": (m2l, "m2l.csv"),
         "depths": (depths, "m2l.csv"),
         "paper": (fmm_papers.paper, "m2l.csv"),
         "images": (fmm_papers.images, "m2l.csv"),
         "ladder": (fmm_papers.ladder, "m2l.csv"),
         "shapes": (fmm_papers.shapes, "m2l.csv"),
         "tiling": (fmm_papers.tiling, "m2l.csv"),
         "levels": (fmm_papers.levels, "m2l.csv"),
         "stages": (fmm_papers.stages, "fmm.csv"),
         "throughput": (fmm_papers.throughput, "mix.csv"),
         "equal": (fmm_papers.equal, "fmm.csv"),
         "mix": (mix, "mix.csv"), "launch": (launch, "m2l.csv"),
         "cross": (cross, "fmm.csv"), "fixed": (fixed, "fmm.csv"),
         "open": (open_space, "fmm.csv"), "large": (large, "fmm.csv"),
         "tensor": (tensor, "m2l.csv")}


def machine(device):
    """GPU and driver, or the device's name; the processor."""
    words = ["nvidia-smi", "--query-gpu=name,driver_version",
             "--format=csv,noheader", "-i", device.split(":")[-1]]
    try:
        gpu = subprocess.run(words, capture_output=True, text=True, check=True,
                             timeout=60).stdout.strip()
        gpu = gpu.replace(", ", ", driver ")
    except (OSError, subprocess.SubprocessError):
        gpu = device
    with open("/proc/cpuinfo") as f:
        found = re.search(r"model name\s*: (.*)", f.read())
    return "%s, %s" % (gpu, found.group(1) if found else "a processor")


def warm(a, cases):
    """Compiles the kernels of m2l, which depend on the order, the precision and
    the threads per block."""
    seen = []
    for _, words in cases:
        if not words[0].endswith("m2l_rows") or words[1] == "host":
            continue
        one, group = words[:4] + ["2", "repeats=0", "header=0"], []
        for word in words[6:]:
            if word.startswith("group="):
                group = [word]
            elif "=" not in word and one + group + [word] not in seen:
                seen.append(one + group + [word])
    parts.quietly(seen, a.jobs, 200)


def measure(a, part, end):
    make, name = PARTS[part]
    path = os.path.join(a.out, name)
    left = parts.left(path, list(make(a)))
    if left:
        with open(path, "a") as out:
            out.write("# machine %s, %s\n" % (machine(a.device),
                                              time.strftime("%Y-%m-%d")))
    start = time.time()
    warm(a, left)
    print("%s: kernels %.0f s" % (part, time.time() - start), flush=True)
    not_begun = parts.run(path, left, end, a.most)
    print("%s: %.0f s, %d cases left" % (part, time.time() - start, not_begun),
          flush=True)


def main():
    ask = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ask.add_argument("device", nargs="?")
    ask.add_argument("out", nargs="?")
    ask.add_argument("--report", nargs="+", metavar="CSV")
    ask.add_argument("--pictures", help="folder for pictures; requires "
                     "matplotlib")
    ask.add_argument("--build", default="build")
    ask.add_argument("--part", choices=list(PARTS), action="append")
    ask.add_argument("--minutes", type=float, default=60)
    ask.add_argument("--most", type=float, default=60,
                     help="time limit of a case, seconds")
    ask.add_argument("--jobs", type=int, default=os.cpu_count())
    a = ask.parse_args()
    if a.report:
        fmm_report.write(a.report, a.pictures)
        return
    if not a.out:
        ask.error("give DEVICE and OUT, or --report CSV...")
    os.makedirs(a.out, exist_ok=True)
    os.environ.setdefault("FARSUM_CACHE_DIR",
                          os.path.abspath(os.path.join(a.out, "kernels")))
    end = time.time() + 60 * a.minutes
    for part in a.part or list(PARTS):
        measure(a, part, end)


if __name__ == "__main__":
    sys.exit(main())
