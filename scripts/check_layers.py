#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the folders of src/: which may include which, and their sizes.

    scripts/check_layers.py      exit status 1 if a rule is broken

Arrows run one way:
    base <- {math, dialect} <- device <- {cost, points} <- {stage, task}
         <- {tune, reference, ranks} <- {method, mesh} <- plan <- batch <- tools
    base <- comm <- points, {comm, mesh, plan} <- mpi
Stages do not include each other, except for those in SHARED.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
SUFFIXES = (".c", ".h", ".cc", ".k", ".kh")
MOST_FILES = 40  # in one folder

LOW = ["base", "comm", "math", "dialect", "device", "cost", "points"]
# The folders that each folder of the first level may include besides itself.
ALLOWED = {
    "base": [],
    "comm": ["base"],
    "mpi": ["comm", "mesh", "plan"],
    "math": ["base"],
    "dialect": [],
    "device": ["base"],
    "cost": ["base", "math", "dialect", "device"],
    "points": ["base", "comm", "math", "dialect", "device", "cost"],
    "stage": LOW,
    "task": LOW + ["stage"],
    "tune": LOW + ["stage", "task"],
    "reference": LOW + ["stage", "task"],
    "ranks": LOW + ["stage", "task"],
    "method": LOW + ["stage", "task", "tune", "reference", "ranks"],
    "mesh": LOW + ["stage", "task", "tune", "ranks"],
    "plan": LOW + ["stage", "task", "tune", "reference", "ranks", "method"],
    "batch": LOW + ["stage", "task", "tune", "method", "plan"],
}
# Folders of src/stage with common code, which all stages may include.
SHARED = ["stage/particles", "stage/expansions"]
# (stage, a stage that it may include): lattice convolves boxes by transforms.
PAIRS = {("stage/lattice", "stage/fft")}


def includes(path):
    text = path.read_text(errors="replace")
    return re.findall(r'^ *# *include "([^"]+)"', text, re.M)


def folder_of(name):
    return str(pathlib.PurePosixPath(name).parent)


def stage_of(folder):
    """The stage's folder: stage/m2l for stage/m2l/dense, None for src/stage."""
    parts = folder.split("/")
    return "/".join(parts[:2]) if len(parts) > 1 else None


def may_include(folder, header):
    target = folder_of(header)
    if target == "farsum" or target == folder:
        return True
    top, other = folder.split("/")[0], target.split("/")[0]
    if top != other:
        return other in ALLOWED.get(top, [])
    if top != "stage":
        return True
    mine, theirs = stage_of(folder), stage_of(target)
    return (mine is None or theirs is None or mine == theirs
            or theirs in SHARED or (mine, theirs) in PAIRS)


def main():
    bad = 0
    for path in sorted(SRC.rglob("*")):
        if path.is_dir():
            files = sum(1 for p in path.iterdir() if p.is_file())
            if files > MOST_FILES:
                print(f"{path.relative_to(ROOT)}: {files} files, "
                      f"above {MOST_FILES}")
                bad += 1
            continue
        name = path.relative_to(SRC).as_posix()
        folder = folder_of(name)
        if path.suffix not in SUFFIXES:
            continue
        if folder == ".":
            print(f"src/{name}: src/ itself holds no source")
            bad += 1
            continue
        for header in includes(path):
            if not may_include(folder, header):
                print(f'src/{name}: may not include "{header}"')
                bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
