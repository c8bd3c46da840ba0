#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds circles of files that include or call each other.

    scripts/check_circles.py BUILD [MOST]

BUILD is a build folder with a finished library.  nm lists the symbols that its
objects define and use.  Each file of src/ is a node.  An edge is an include, or
the use of a symbol that another file defines.  Prints each circle of more than
two files; exit status 1 if one has more than MOST files (default: 3).

Calls through pointers (method->execute, row->variant->run) make no edge.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"


def include_edges():
    edges = {}
    for path in SRC.rglob("*"):
        if path.suffix not in (".c", ".h", ".cc", ".kh", ".k", ".def"):
            continue
        name = path.relative_to(SRC).as_posix()
        text = path.read_text(errors="replace")
        edges[name] = {
            h for h in re.findall(r'^ *# *include "([^"]+)"', text, re.M)
            if (SRC / h).exists() and h != name}
    return edges


def objects(build):
    """Yields (source below src/, object) for each compiled file of the library.
    """
    for path in pathlib.Path(build).rglob("*.o"):
        text = path.as_posix()
        m = re.search(r"/farsum_(?:objects|kernels_\w+)\.dir/src/(.*)\.o$",
                      text)
        if m and (SRC / m[1]).exists():
            yield m[1], text


def call_edges(build):
    source_of = {path: source for source, path in objects(build)}
    if not source_of:
        sys.exit(f"check_circles: found no objects of the library in {build}")
    out = subprocess.run(["nm", "-A", *source_of], capture_output=True,
                         text=True, check=True).stdout
    defined, used = {}, {}
    for line in out.splitlines():
        path, _, rest = line.rpartition(":")
        parts = rest.split()
        if len(parts) < 2:
            continue
        source, kind, symbol = source_of[path], parts[-2], parts[-1]
        if kind in "TDBRV":
            defined.setdefault(symbol, source)
        elif kind == "U":
            used.setdefault(source, set()).add(symbol)
    return {s: {defined[u] for u in symbols if u in defined} - {s}
            for s, symbols in used.items()}


def circles(edges):
    """Strongly connected components of more than one node (Tarjan)."""
    index, low, stack, on, found = {}, {}, [], set(), []
    for root in sorted(edges):
        if root in index:
            continue
        work = [(root, iter(sorted(edges.get(root, ()))))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            node, rest = work[-1]
            for to in rest:
                if to not in index:
                    index[to] = low[to] = len(index)
                    stack.append(to)
                    on.add(to)
                    work.append((to, iter(sorted(edges.get(to, ())))))
                    break
                if to in on:
                    low[node] = min(low[node], index[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = []
                    while True:
                        top = stack.pop()
                        on.discard(top)
                        group.append(top)
                        if top == node:
                            break
                    if len(group) > 1:
                        found.append(sorted(group))
    return sorted(found, key=len, reverse=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    edges = include_edges()
    for source, targets in call_edges(sys.argv[1]).items():
        edges.setdefault(source, set())
        edges[source] |= targets
    worst = 0
    for group in circles(edges):
        worst = max(worst, len(group))
        if len(group) > 2:
            print(f"{len(group)} files: {' '.join(group)}")
    print(f"largest circle: {worst} files")
    return 1 if worst > most else 0


if __name__ == "__main__":
    sys.exit(main())
