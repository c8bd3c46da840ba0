# SPDX-License-Identifier: Apache-2.0
"""Lines of fmm.py's files, and the format of its report's tables."""
import csv
import re

TYPES = ("f32", "f64")
STAGES = ("p2p", "p2m", "m2m", "m2l", "lattice", "l2l", "l2p")


class Lines:
    """The lines of some files, in one list per kind of table."""

    def __init__(self, paths):
        self.m2l, self.sums, self.cpu, self.peers, self.mix, self.h100 = (
            [] for _ in range(6))
        self.host, self.shapes, self.counters, self.machines, self.shifts = (
            [] for _ in range(5))
        for path in paths:
            self.read(path)

    def kind(self, path, row):
        """The list that holds the lines under this header."""
        if "fma" in row:
            return self.h100 if path.endswith("_h100.csv") else self.m2l
        if "mix" in row:
            return self.mix
        if "compute" in row:
            return self.counters
        if "method" in row:
            return self.sums
        return self.cpu if row[0] == "program" else self.peers

    def read(self, path):
        """Reads a file, without the lines of commands that failed."""
        names, to, pending = None, None, []
        with open(path) as f:
            for line in f:
                if line.startswith("# machine "):
                    text = line[len("# machine "):].strip()
                    if text not in self.machines:
                        self.machines.append(text)
                elif line.startswith("# done"):
                    self.keep(pending)
                    pending = []
                elif line.startswith("# failed"):
                    pending = []
                if line[0] == "#":
                    continue
                row = next(csv.reader([line]))
                if row[0] in ("device", "program", "peer"):
                    names, to = row, self.kind(path, row)
                elif names:
                    pending.append((to, dict(zip(names, row))))
        self.keep(pending)

    def keep(self, pending):
        for to, r in pending:
            # Files without the column `room` have only lines of m2l.
            if "fma" in r and r.get("room", "m2l") != "m2l":
                to = self.shifts
            elif to is self.m2l and r["device"] == "host":
                to = self.host
            elif (to is self.m2l or to is self.h100) and r.get("setting"):
                to = self.shapes if to is self.m2l else []
            to.append(r)


def setting(r):
    return {k: int(v) for k, v in
            (w.split("=") for w in r.get("setting", "").split())}


def pick(rows, **wanted):
    """Lines with these values; numbers are compared as texts."""
    return [r for r in rows if all(r[k] == str(v) for k, v in wanted.items())]


def asked(r):
    return dict(w.split("=") for w in r["asked"].split())


def ms(r, stage):
    found = re.search(r"(?:^|; )%s \S+ ([^\s;]+)" % stage, r["rows"])
    return float(found.group(1)) if found else 0.0


def times(rows):
    """{(variant, order): minimum ms}"""
    best = {}
    for r in rows:
        key = r["row"], int(r["p"])
        best[key] = min(1e3 * float(r["seconds"]), best.get(key, 1e99))
    return best


def table(title, head, body, words=""):
    if not body:
        return
    print("\n## %s\n%s\n| %s |\n|%s" % (
        title, "\n" + words + "\n" if words else "", " | ".join(head),
        "---|" * len(head)))
    for row in body:
        print("| %s |" % " | ".join(row))


def by_order(title, rows, value, words="", names=None, form="%.3g"):
    """A table of variants by order; value: {(variant, order): number}."""
    orders = sorted({p for _, p in value})
    names = names or sorted({n for n, _ in value})
    table(title, ["variant"] + ["p = %d" % p for p in orders],
          [["`%s`" % n] + [form % value[n, p] if (n, p) in value else ""
                           for p in orders]
           for n in names if any(m == n for m, _ in value)], words)
