#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Deletes variants, one at a time, and links the library without them.

    delete_variant.py SOURCE BUILD CC OPTION...

A variant of one file consists of that file and its line in the stage's table.
Without them the library must still link: nothing else may name the variant.
The test removes the variant's object from a copy of BUILD's static library and
compiles the table again without the line.  OPTIONs are definitions and
libraries for CC.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
CC, OPTIONS = sys.argv[3], sys.argv[4:]
SRC = SOURCE / "src"
PROGRAM = """#include "farsum/farsum.h"
int main(void) { return farsum_plan_create(0, 0, 0) == FARSUM_OK; }
"""


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def line_of(table, stage, stem):
    """The text VARIANT(stage, stem, "note") in a table."""
    return re.search(rf'VARIANT\(\s*{stage}\s*,\s*{stem}\s*,'
                     r'\s*("(\\.|[^"\\])*"\s*)+\)', table)[0]


def variants():
    """Yields (stage, stem, table, file) for variants of one .c file."""
    for path in sorted(SRC.glob("stage/**/*.def")):
        text = path.read_text()
        for stage, stem in re.findall(r"^VARIANT\(\s*(\w+)\s*,\s*(\w+)", text,
                                      re.M):
            files = [f for f in SRC.glob(f"stage/**/{stem}.c")
                     if f"variant {stage}_{stem}" in f.read_text()
                     or f"{stem}," in f.read_text()]
            files = [f for f in files if path.parent in f.parents]
            if stem != "plain" and len(files) == 1:
                yield stage, stem, path, files[0]


def table_source(table):
    """The C file that includes a table."""
    name = table.relative_to(SRC).as_posix()
    for path in SRC.glob("stage/**/*.c"):
        if f'"{name}"' in path.read_text():
            return path
    raise SystemExit(f"no file includes {name}")


def last_of_stages(library):
    """The last variant of each stage whose file name is unique."""
    members = run("ar", "t", library)[1].split()
    return {stage: (stem, table, source)
            for stage, stem, table, source in variants()
            if members.count(f"{stem}.c.o") == 1}


def main():
    library = BUILD / "libfarsum.a"
    bad = checked = 0
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        (work / "program.c").write_text(PROGRAM)
        for stage, (stem, table, source) in last_of_stages(library).items():
            rest = work / "rest.a"
            shutil.copy(library, rest)
            relative = table.relative_to(SRC)
            copy = work / "src" / relative
            copy.parent.mkdir(parents=True, exist_ok=True)
            text = table.read_text()
            copy.write_text(text.replace(line_of(text, stage, stem), ""))
            compiled = table_source(table)
            code, said = run(CC, *OPTIONS, "-I", work / "src", "-I", SRC, "-I",
                             SOURCE / "include", "-c", compiled, "-o",
                             work / "table.o")
            if code == 0:
                run("ar", "d", rest, f"{stem}.c.o")
                code, said = run(CC, "-fopenmp", "-I", SOURCE / "include",
                                 work / "program.c", work / "table.o", rest,
                                 "-o", work / "program", *OPTIONS)
            copy.unlink()
            checked += 1
            if code:
                bad += 1
                print(f"without {stage} {stem} ({source.name}):\n{said[:2000]}")
    print(f"{checked} variants deleted; other files name {bad} of them")
    return 1 if bad or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
