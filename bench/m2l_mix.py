#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures variants of m2l on an NVIDIA GPU, by Nsight Compute's counters; one
CSV line per variant.

    m2l_mix.py cuda:0 f32 12 4 gpu_symmetric gpu_plane_wave --build build

float ... other: shares of the instructions that threads execute, per cent.
issue, fp32, fp64, tensor, group, cache, memory: use of the issue slots, of the
pipes for f32, f64 and matrices, of the shared memory, of the second-level cache
and of the memory, in per cent of their rates.  warps: active warps over the
maximum that fits a multiprocessor.  These are means over the variant's kernels,
weighted by time; ms is their total time, at the GPU's current clock.  The
counters may require root.
"""
import argparse
import csv
import re
import subprocess
import sys

PEAK = ".avg.pct_of_peak_sustained_"
SHARES = {"issue": "sm__inst_issued" + PEAK + "elapsed",
          "fp32": "sm__pipe_fma_cycles_active" + PEAK + "elapsed",
          "fp64": "sm__pipe_fp64_cycles_active" + PEAK + "elapsed",
          "tensor": "sm__pipe_tensor_cycles_active" + PEAK + "elapsed",
          "group": "l1tex__data_pipe_lsu_wavefronts" + PEAK + "elapsed",
          "cache": "lts__throughput" + PEAK + "elapsed",
          "memory": "gpu__dram_throughput" + PEAK + "elapsed",
          "warps": "sm__warps_active" + PEAK + "active"}
TIME = "gpu__time_duration.sum"
CATEGORIES = "sass__thread_inst_executed_per_opcode_category"
KINDS = {"float": "Floating Point", "integer": "Integer",
         "uniform": "Uniform Datapath", "load_store": "Load/Store",
         "control": "Control", "movement": "Movement"}
COLUMNS = ["device", "mix", "precision", "p", "depth", "ms"] + list(KINDS) \
    + ["other"] + list(SHARES)
RUNS = 2  # m2l_rows runs a variant once before it measures
UNITS = {"ns": 1e-6, "us": 1e-3, "usecond": 1e-3, "ms": 1}


def value(text):
    """The number before the parentheses, which hold its instances."""
    return float(text.split(" (")[0].replace(",", ""))


def kernels(device, precision, p, depth, row, build):
    """One dictionary per launch, and the unit of time."""
    done = subprocess.run(
        ["ncu", "--clock-control", "none", "--csv", "--page", "raw",
         "--print-metric-instances", "details", "-k", "regex:^(m2l|plane)",
         "--metrics", ",".join([TIME, CATEGORIES] + list(SHARES.values())),
         build + "/bench/m2l_rows", device, precision, p, depth, "repeats=1",
         row], capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line[:1] == '"']
    if len(lines) < 3:
        raise SystemExit("%s: no counters\n%s%s" % (row, done.stdout[-800:],
                                                    done.stderr[-800:]))
    csv.field_size_limit(1 << 24)  # one field holds all of a kernel's counts
    names, units, *launches = csv.reader(lines)
    return ([dict(zip(names, launch)) for launch in launches],
            UNITS[units[names.index(TIME)]])


def counted(launches, unit):
    kinds, shares, time = {}, dict.fromkeys(SHARES, 0.0), 0.0
    for launch in launches:
        took = value(launch[TIME]) * unit
        time += took
        for name, metric in SHARES.items():
            shares[name] += took * value(launch[metric])
        for name, n in re.findall(r"([A-Z][\w/ ]*): ([\d,]+)",
                                  launch[CATEGORIES]):
            kinds[name] = kinds.get(name, 0) + value(n)
    every = sum(kinds.values())
    known = [100 * kinds.get(name, 0) / every for name in KINDS.values()]
    return ["%.4g" % (time / RUNS)] \
        + ["%.3g" % v for v in known + [100 - sum(known)]] \
        + ["%.3g" % (shares[name] / time) for name in SHARES]


def main():
    ask = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("device", "precision", "p", "depth"):
        ask.add_argument(name)
    ask.add_argument("rows", nargs="+")
    ask.add_argument("--build", default="build")
    a = ask.parse_args()
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(COLUMNS)
    for row in a.rows:
        launches = kernels(a.device, a.precision, a.p, a.depth, row, a.build)
        out.writerow([a.device, row, a.precision, a.p, a.depth]
                     + counted(*launches))
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
