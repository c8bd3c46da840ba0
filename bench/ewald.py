#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the data of bench/reports/ewald.md on one device, in parts, then
writes that report.

    ewald.py cuda:0 results/h200 --build build
    ewald.py cuda:0 results/h200 --part near --part whole --minutes 3
    ewald.py cuda:0 results/h200 --portable opencl:0 --portable host

Appends lines of near_rows, ewald_rows and mesh_rows to OUT/near.csv, whole.csv
and mesh.csv, and error messages to the .log files there.  A case that is
already in the file is skipped, so an interrupted run continues.  Kernels are
compiled first, in parallel, and kept in FARSUM_CACHE_DIR (default:
OUT/kernels).  Parts, by priority:

  whole     Stokes sums of 4e6 and 1e6 points, f64 and f32: tuned, with the
            parameters of the 2025 slides, and with their 224 points per cutoff
            cell
  host      two of these sums on all cores of the processor
  near      the slides' near-field table, and our values
  coulomb   forces of water, 1e3 to 1e7 atoms, at measured errors
  dists     clusters, a slab, a sediment
  portable  near field, spreading and a whole sum on DEVICE and on each
            --portable device: the same kernels through other interfaces
  proof     the converged plan, which is the other parts' reference, compared
            with an Ewald sum

--scale 0.01 multiplies the numbers of points, for a trial run.
"""
import argparse
import os
import sys
import time

import parts

WATER = "data/water_spce_3k.xyz"
SMALL = "data/water_spc_1k.xyz"
SALT = "data/nacl_melt.xyz"
PROOF = ("tol=1e-12,tag=proof", "tol=1e-9,tag=proof", "tol=1e-6,tag=proof")
THEIRS = ("gm_1d", "gm_2d", "sm_1d", "sm_2d")
# The slides' teams, b_x x b_y.
TEAMS = {1e6: ("gm_1d:team=64x1", "gm_2d:team=1x32", "sm_1d:team=32x1",
               "sm_2d:team=64x2"),
         4e6: ("gm_1d:team=64x1", "gm_2d:team=8x32", "sm_1d:team=32x1",
               "sm_2d:team=64x2")}
# The slides' BASE, GRID and HYBRID, then ours.
SPREADING = ("gpu_particle", "gpu_cell_grid", "gpu_cell_hybrid", "gpu_stream",
             "gpu_walk")
# The slides' parameters: Gaussian split with exp(-xi^2 rc^2) = 1e-9, P = 8.
SEED = "tol=1e-3,split=gaussian,s=224,c=41.45,P=8"
SEED_ROWS = SEED + ",near=%s,spread=gpu_cell_hybrid,interp=gpu_cell"
CONVERGED = "reference=spectral:1e-12"
CONVERGED_4E6 = "reference=spectral:1e-11"


def near_row(a, device, precision, n, s, *more):
    return [a.build + "/bench/near_rows", device, precision, "stokeslet",
            "%d" % n, str(s), "whole=1", *more]


def whole_row(a, device, case, *plans):
    return [a.build + "/bench/ewald_rows", device, case, *plans]


def near(a):
    rows = parts.device_rows("near")
    ours = [r for r in rows if r not in THEIRS]
    gauss, prolate = ["split=gaussian"], ["split=prolate"]
    four, one = 4e6 * a.scale, 1e6 * a.scale
    for n, teams in ((four, TEAMS[4e6]), (one, TEAMS[1e6])):
        yield near_row(a, a.device, "f64", n, 256, *gauss, *ours, *teams,
                       *[r for r in rows if r not in ours])
        yield near_row(a, a.device, "f64", n, 256, *prolate, *ours)
    yield near_row(a, a.device, "f64", four, 224, *gauss, *rows)
    yield near_row(a, a.device, "f64", four, 224, *prolate, *ours)
    for s in (100, 50, 25):
        yield near_row(a, a.device, "f64", four, s, *prolate, *ours)
    yield near_row(a, a.device, "f32", four, 224, *gauss, *rows)
    yield near_row(a, a.device, "f32", four, 224, *prolate, "tolerance=1e-5",
                   *ours)
    yield near_row(a, a.device, "f32", one, 256, *gauss, *rows)


def whole(a):
    def sized(n, *plans):
        return whole_row(a, a.device, "stokeslet n=%d" % (n * a.scale),
                         CONVERGED if n < 4e6 else CONVERGED_4E6, *plans)
    yield sized(4e6, "want=1e-9,tag=tuned", SEED_ROWS % "gm_1d" + ",tag=seed",
                SEED + ",tag=seed_ours", "want=1e-9,s=224,tag=s224")
    yield sized(4e6, "want=1e-9,split=gaussian,tag=gaussian",
                SEED_ROWS % "sm_1d" + ",tag=seed",
                "want=3.5e-8,tag=seed_error", "want=1e-5,prec=f32,tag=f32",
                "want=1e-4,prec=f32,tag=f32")
    yield sized(1e6, "want=1e-9,tag=tuned", "want=1e-9,split=gaussian,"
                "tag=gaussian", "want=1e-4,prec=f32,tag=f32",
                "want=1e-5,prec=f32,tag=f32")
    yield sized(4e6, "want=1e-9,split=gaussian,s=224,tag=gaussian_s224",
                "want=1e-6,tag=tuned")
    often = ",repeats=1000,tag=repeats"
    yield sized(4e6, "want=1e-9" + often, "want=3.5e-8" + often,
                "want=1e-4,prec=f32" + often)
    yield sized(1e6, "want=1e-9" + often, "want=1e-4,prec=f32" + often)
    yield whole_row(a, a.device, "%s:%d" % (WATER, 7), "reference=ewald",
                    *["want=%g,prec=%s" % e + often for e in
                      ((1e-4, "f32"), (1e-3, "f32"), (1e-9, "f64"))])


def on_host(a):
    yield whole_row(a, "host", "stokeslet n=%d" % (4e6 * a.scale), CONVERGED,
                    "tol=1e-9,tag=tuned", SEED + ",tag=seed_ours")


def coulomb(a):
    boxes = [(WATER, copies) for copies in (7, 4, 2, 1, 15)] + [(SMALL, 1)]
    for file, copies in boxes:
        c = max(1, round(copies * a.scale ** (1 / 3)))
        yield whole_row(
            a, a.device, "%s:%d" % (file, c), "reference=ewald",
            *["want=%g,prec=f32,tag=coulomb" % e for e in (1e-4, 1e-3, 1e-5)],
            "want=1e-9,tag=coulomb", "want=1e-5,tag=coulomb")


def dists(a):
    for dist in ("clustered", "sediment", "slab", "uniform"):
        yield whole_row(
            a, a.device, "stokeslet n=%d dist=%s" % (1e6 * a.scale, dist),
            CONVERGED, "want=1e-9,tag=dists", "want=1e-4,prec=f32,tag=dists",
            *(["want=1e-9,split=gaussian,near=gm_1d,spread=gpu_cell_hybrid,"
               "interp=gpu_cell,tag=dists"] if a.device != "host" else []))


def portable_on(a, device):
    host = device == "host"
    n = 1e6 * a.scale * (0.1 if host else 1)
    rows = ["host_cluster"] if host else parts.device_rows("near")
    for split in ("gaussian", "prolate"):
        # One command per variant, so that a failure spoils only that one.
        for row in rows:
            if split == "gaussian" or row not in THEIRS:
                yield near_row(a, device, "f64", n, 256, "split=" + split, row)
    mesh = int(216 * (n / 1e6) ** (1 / 3))
    for row in ("host_tile", "multicolour") if host else SPREADING:
        yield [a.build + "/bench/mesh_rows", device, "f64", "8", "3",
               str(mesh), "%d" % n, "uniform", "stage=spread", "header=1", row]
    for plan in ("tol=1e-9", "tol=1e-4,prec=f32"):
        yield whole_row(a, device, "stokeslet n=%d" % n,
                        "reference=ewald:200:1e-11" if n <= 1e5 else CONVERGED,
                        plan + ",tag=portable")


def portable(a):
    for device in [a.device] + a.portable:
        yield from portable_on(a, device)


def proof(a):
    yield whole_row(a, a.device,
                    "stokeslet n=%d" % (2e5 * min(1, a.scale * 10)),
                    "reference=ewald:500:1e-13", *PROOF)
    copies = max(1, round(4 * min(1, a.scale * 10) ** (1 / 3)))
    for file in (WATER, SALT):
        yield whole_row(a, a.device, "%s:%d" % (file, copies),
                        "reference=ewald:0:1e-13", *PROOF)


PARTS = {"whole": whole, "host": on_host, "near": near, "coulomb": coulomb,
         "dists": dists, "portable": portable, "proof": proof}
FILES = {"near_rows": "near.csv", "ewald_rows": "whole.csv",
         "mesh_rows": "mesh.csv"}


def fewer(words):
    """The command for a shorter run that compiles the same kernels."""
    if words[0].endswith("near_rows"):
        return words[:4] + ["3000"] + words[5:] + ["repeats=1"]
    if words[0].endswith("mesh_rows"):
        return words[:5] + ["64", "10000"] + words[7:]
    case = words[2].split(" ")
    if len(case) > 1:
        case[1] = "n=100000"
    else:
        case[0] = case[0].split(":")[0] + ":3"
    plans = [w.replace("want=", "tol=") for w in words[3:]
             if not w.startswith("reference=")]
    return words[:2] + [" ".join(case)] + plans


def measure(a, part, end):
    """Measures device by device, so that a slow compiler delays only its own
    device."""
    by_device = {}
    for words in PARTS[part](a):
        by_device.setdefault(words[1], []).append(words)
    for device, commands in by_device.items():
        measure_on(a, part, device, commands, end)


def measure_on(a, part, device, commands, end):
    start = time.time()
    by_file = {}
    for words in commands:
        file = FILES[os.path.basename(words[0])]
        key = part + " " + " ".join(words[1:])
        by_file.setdefault(os.path.join(a.out, file), []).append((key, words))
    todo = {p: parts.left(p, cases) for p, cases in by_file.items()}
    if device != "host" and a.jobs > 1 and start < end:
        parts.quietly([fewer(w) for cases in todo.values() for _, w in cases],
                      a.jobs, max(1, min(a.most, end - start)))
    print("%s %s: kernels %.0f s" % (part, device, time.time() - start),
          flush=True)
    not_begun = sum(parts.run(p, cases, end, a.most)
                    for p, cases in todo.items())
    print("%s %s: %.0f s%s" % (part, device, time.time() - start,
                               not_begun and ", %d cases left" % not_begun
                               or ""), flush=True)


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("device")
    p.add_argument("out")
    p.add_argument("--build", default="build")
    p.add_argument("--part", action="append", choices=sorted(PARTS),
                   help="may be repeated (default: all parts)")
    p.add_argument("--portable", action="append", default=[], metavar="DEVICE")
    p.add_argument("--minutes", type=float, default=60,
                   help="no case starts after this time")
    p.add_argument("--most", type=float, default=120,
                   help="time limit of a case, seconds")
    p.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 2),
                   help="processes that compile kernels in advance; 1: do not")
    p.add_argument("--scale", type=float, default=1)
    p.add_argument("--machine", help="name of the machine in the report")
    p.add_argument("--no-report", action="store_true")
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    os.environ.setdefault("FARSUM_CACHE_DIR", os.path.join(a.out, "kernels"))
    end = time.time() + 60 * a.minutes
    for part in a.part or PARTS:
        measure(a, part, end)
    if not a.no_report:
        import ewald_report
        ewald_report.write([ewald_report.of_folder(a.machine or a.device, a.out)])


if __name__ == "__main__":
    sys.exit(main())
