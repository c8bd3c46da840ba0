# SPDX-License-Identifier: Apache-2.0
"""Lines of mesh_rows, bounds of its variants, and number formats."""
import collections
import csv
import math

COLUMNS = ("room,row,device,precision,P,channels,K,N,dist,set_ms,run_min_ms,"
           "run_median_ms,per_us,off,bytes,cost_ms,window,parts").split(",")
CASE = ("room", "device", "precision", "P", "channels", "K", "N", "dist",
        "window", "parts")
# Measured on one H200: multiply-adds, bytes and atomic sums per second.
FMA = {"f64": 16.4e12, "f32": 31.9e12}
HBM = 4.29e12
LOCAL_BYTES = 132 * 128 * 1.98e9   # shared memory, by its width and clock
LOCAL_ATOMICS = {"f64": 373e9, "f32": 630e9}
# Atomic sums in the second-level cache: to scattered words, and to runs of
# eight adjacent ones.
ATOMICS = {"f64": (103e9, 307e9), "f32": (103e9, 591e9)}
CACHE = 60e6
# Minimum seconds of a run: the start and the end of one kernel.
LAUNCH = 2e-6
REAL = {"f64": 8, "f32": 4}

Case = collections.namedtuple("Case", CASE)


def read(paths):
    """{Case: {variant: line}}, in the order of the files; the last
    measurement counts.  Lines before any header have COLUMNS."""
    cases = collections.OrderedDict()
    for path in paths:
        names = COLUMNS
        with open(path) as f:
            for words in csv.reader(f):
                if not words or words[0].startswith("#"):
                    continue
                if words[0] == "room":
                    names = words
                    continue
                r = dict(zip(names, words))
                r.setdefault("window", "prolate")
                r.setdefault("parts", "1")
                for name in ("set_ms", "run_min_ms", "run_median_ms", "per_us",
                             "bytes", "cost_ms"):
                    r[name] = float(r[name])
                case = Case(*(int(r[k]) if k in ("P", "channels", "K", "N",
                                                 "parts") else r[k]
                              for k in CASE))
                cases.setdefault(case, collections.OrderedDict())[r["row"]] = r
    return cases


def density(case):
    return case.N / case.K ** 3


def asm(case):
    """The paper's N p^3 / K^3."""
    return density(case) * case.P ** 3


def best_from(rows):
    """For each variant, the fewest runs on the same positions for which it is
    the best, set-up included."""
    first, runs = {}, 1.0
    while runs < 1e7:
        total = {n: r["set_ms"] + runs * r["run_min_ms"]
                 for n, r in rows.items()}
        first.setdefault(min(total, key=total.get), int(runs))
        runs = max(runs + 1, runs * 1.02)
    return first


def rows_of_mesh(case):
    """Bytes from memory if particles in random order read the mesh points under
    their windows and the cache holds a part of the mesh."""
    real = REAL[case.precision]
    values = case.channels * case.parts
    mesh = case.K ** 3 * values * real
    row = (case.P * case.parts * real + 31) // 32 * 32
    missed = max(0.0, 1 - CACHE / mesh) * {
        "uniform": 1, "clustered": 0.5}.get(case.dist, 0)
    return missed * case.N * case.P ** 2 * case.channels * row


def parts(case, row):
    """Minimum seconds of each part of a variant's work, by name."""
    real, fma = REAL[case.precision], FMA[case.precision]
    values = case.channels * case.parts
    sums = case.N * case.P ** 3 * values
    mesh = case.K ** 3 * values * real
    entries = case.N * case.P ** 3
    seen = {"multiply-adds": sums / fma,
            "memory": (case.N * (24 + values * real) + mesh) / HBM,
            "launch": LAUNCH}
    name = row.split(":")[0]
    edge = (case.P + 1) // 2
    far, runs = ATOMICS[case.precision]
    if case.room == "spread":
        if name in ("gpu_particle", "gpu_particle_cas", "gpu_particle_stored"):
            seen["atomics"] = sums / far
            seen["memory"] += 2 * rows_of_mesh(case) / HBM
        elif name == "gpu_particle_warp":
            seen["atomics"] = sums / runs
            seen["memory"] += 2 * rows_of_mesh(case) / HBM
        elif name == "gpu_gather":  # each mesh point computes its weights
            seen["multiply-adds"] += 3 * case.P * entries / fma
        elif name in ("gpu_single", "gpu_single_local", "gpu_hybrid_mesh",
                      "gpu_cusparse_csr", "gpu_cusparse_sell"):
            seen["memory"] += entries * (4 + real) / HBM
        elif name == "gpu_group":
            seen["memory"] += entries * (5 + real) / HBM
            seen["shared memory"] = sums / LOCAL_ATOMICS[case.precision]
        elif name == "gpu_cell_grid":  # tests all particles of 27 cells too
            seen["multiply-adds"] += (3 * case.P * entries
                                      + 81 * edge ** 3 * case.N) / fma
        elif name == "gpu_cell_hybrid":  # adds only sums that are not zero
            held = density(case) * edge ** 3
            cells = (case.K / edge) ** 3 * (1 - math.exp(-held))
            each = min(max(held, 1) * case.P ** 3, (edge + case.P - 1) ** 3)
            seen["multiply-adds"] *= 27 * edge ** 3 / case.P ** 3
            seen["atomics"] = cells * each * values / runs
        elif name == "gpu_output":
            seen["shared memory"] = 2 * sums * real / LOCAL_BYTES
        elif name.startswith(("gpu_stream", "gpu_walk")):
            seen["multiply-adds"] *= columns(case, name)
    elif name.startswith("gpu_particle"):
        seen["cache"] = sums * real / LOCAL_BYTES
        if "sorted" not in name:
            seen["memory"] += rows_of_mesh(case) / HBM
    elif name.startswith(("gpu_stream", "gpu_walk")):
        seen["multiply-adds"] *= columns(case, name)
    else:
        seen["shared memory"] = sums * real / LOCAL_BYTES
    return seen


def columns(case, name):
    """Multiply-adds per useful one, if a warp owns a column of mesh points and
    evaluates all its points for each particle that reaches the column."""
    y, z = (8, 8) if case.precision == "f32" and case.channels == 1 else (4, 8)
    if "mma" in name:
        y, z = 4, 8
    p = case.P
    planes = (p + 7) // 8 * 8 if "mma" in name else p
    reached = (y + p - 1) / y * (z + p - 1) / z
    return reached * planes * y * z / p ** 3


def bound(case, row):
    """(seconds, name) of the part that takes longest."""
    seen = parts(case, row)
    name = max(seen, key=seen.get)
    return seen[name], name


def short(v):
    """A number in few characters."""
    if v == 0:
        return "0"
    if v >= 1e5 or v < 1e-3:
        return "%.2g" % v
    return "%.3g" % v if v < 1000 else "%.0f" % v


def counted(n):
    """1e6 for 1000000."""
    e = int(math.floor(math.log10(n)))
    lead = n / 10 ** e
    return "%ge%d" % (lead, e) if e > 3 or lead == 1 else "%d" % n
