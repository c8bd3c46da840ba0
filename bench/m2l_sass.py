#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the machine instructions of the inner loop of those m2l kernels that
other kernels launch.  Nsight Compute counts only kernels that the host
launches.

    m2l_sass.py 4 8 12 16 >> results/mix.csv

Prints lines in the format of m2l_mix.py: shares of a loop's instructions in per
cent, without times and rates.  Requires nvcc and cuobjdump, but no GPU.
"""
import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile

import m2l_mix
import parts

ROWS = {"gpu_dynamic": 0, "gpu_dynamic_split": 1}
TEXT = """#define REAL_BITS {bits}
#define ORDER {p}
#define WS 1
#define SPLIT {split}
#define CHILD {child}
#include "dialect/cuda.h"
#include "stage/m2l/papers/dynamic.k"
"""
KINDS = (("uniform", r"U[A-Z]"), ("float", r"[FD](FMA|MUL|ADD|SETP)|MUFU"),
         ("load_store", r"LD|ST|ATOM|RED"),
         ("integer", r"I[A-Z]|LEA|LOP|SHF|VIADD"),
         ("control", r"B[A-Z]|EXIT|CALL|RET|WARP"),
         ("movement", r"MOV|SEL|PRMT|CS2R|S2R"))
LINE = re.compile(r"/\*([0-9a-f]{4})\*/\s+(?:@!?U?P\w+\s+)?(\w+)[^;]*?"
                  r"(?:0x([0-9a-f]+))?\s*;")


def assembly(folder, bits, p, split):
    source, binary = (os.path.join(folder, n) for n in ("d.cu", "d.cubin"))
    with open(source, "w") as f:
        f.write(TEXT.format(bits=bits, p=p, split=split,
                            child=(p + 1) * (p + 1 + split)))
    subprocess.run(["nvcc", "-arch=sm_90", "-rdc=true", "-std=c++17", "-cubin",
                    "-I", os.path.join(parts.TREE, "src"), "-o", binary,
                    source], check=True)
    text = subprocess.run(["cuobjdump", "--dump-sass", binary], check=True,
                          capture_output=True, text=True).stdout
    text = text[text.index("Function : m2l_child"):]
    end = text.find("Function :", 20)
    return [(int(at, 16), name, int(to, 16) if to else None)
            for at, name, to in LINE.findall(text[:end])]


def kind(name):
    for k, pattern in KINDS:
        if re.match(pattern, name):
            return k
    return "other"


def inner(lines):
    """The innermost loop with the most floating-point instructions."""
    best = []
    back = [(to, at) for at, name, to in lines
            if name == "BRA" and to is not None and to < at]
    for begin, end in back:
        if any(begin <= b and e < end for b, e in back):
            continue
        names = [kind(n) for at, n, _ in lines if begin <= at <= end]
        if names.count("float") > best.count("float"):
            best = names
    return best


def main():
    ask = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    ask.add_argument("p", nargs="+", type=int)
    a = ask.parse_args()
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(m2l_mix.COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        for row, split in ROWS.items():
            for p in a.p:
                for bits in (32, 64):
                    loop = inner(assembly(folder, bits, p, split))
                    shares = ["%.3g" % (100 * loop.count(k) / len(loop))
                              for k in list(m2l_mix.KINDS) + ["other"]]
                    out.writerow(["sm_90", row, "f%d" % bits, p, "", ""]
                                 + shares + [""] * len(m2l_mix.SHARES))


if __name__ == "__main__":
    sys.exit(main())
