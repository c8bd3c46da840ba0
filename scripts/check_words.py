#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses turns of phrase that readers stumble over.

    scripts/check_words.py [-v] [FILE...]

scripts/banned_words.txt has one turn per line: the number of hits that it
allows, a regular expression, and words to write instead.  The script reads
prose: Markdown outside code blocks, comments, and literals that contain a
space.  Exit status 1 if a turn has more hits than its line allows.  If it has
fewer, lower the number.  -v prints each hit.  If FILEs are given, the script
reads only these and prints every hit.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "scripts" / "banned_words.txt"
CODE = (".c", ".h", ".hpp", ".cc", ".k", ".kh", ".def")
COMMENT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


def turns():
    for line in LIST.read_text().splitlines():
        if line and not line.startswith("#"):
            most, pattern, instead = line.split("\t")
            yield int(most), re.compile(pattern), instead


def prose(path):
    """Yields (line number, text) for the prose of a file."""
    text = path.read_text(errors="replace")
    if path.suffix == ".md":
        fence = False
        for number, line in enumerate(text.splitlines(), 1):
            if line.lstrip().startswith("```"):
                fence = not fence
            elif not fence:
                yield number, re.sub(r"`[^`]*`", "`", line)
        return
    for match in COMMENT.finditer(text):
        part = match[0]
        if part[0] == '"' and " " not in part:
            continue
        first = text.count("\n", 0, match.start()) + 1
        for k, line in enumerate(part.splitlines()):
            yield first + k, line


def files():
    out = subprocess.run(["git", "-C", str(ROOT), "ls-files"],
                         capture_output=True, text=True, check=False).stdout
    for name in out.splitlines():
        path = ROOT / name
        if path.suffix in CODE + (".md",) and path.is_file() \
                and not name.startswith(("bench/results", "bench/reports",
                                         "third_party/")):
            yield path


def main():
    loud = "-v" in sys.argv
    named = [pathlib.Path(a).resolve() for a in sys.argv[1:] if a != "-v"]
    rules = list(turns())
    hits = [0] * len(rules)
    for path in named or files():
        for number, line in prose(path):
            for k, (_, pattern, instead) in enumerate(rules):
                found = pattern.search(line)
                if not found:
                    continue
                hits[k] += 1
                if loud or named:
                    print(f"{path.relative_to(ROOT)}:{number}: "
                          f"'{found[0].strip()}': {instead}")
    bad = 0
    for (most, pattern, instead), n in zip(rules, hits):
        if not named and n > most:
            print(f"{n} hits, {most} allowed, of {pattern.pattern}: write "
                  f"{instead} (scripts/check_words.py -v)")
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
