# SPDX-License-Identifier: Apache-2.0
"""Common code of the command's tests: runs it and reads its output.

$FARSUM is the command.  Each test runs in its own empty folder.
"""

import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest

FARSUM = os.path.abspath(os.environ.get("FARSUM", "farsum"))


class Done:
    """A finished run: exit status, standard output and standard error."""

    def __init__(self, process):
        self.status = process.returncode
        self.out = process.stdout
        self.err = process.stderr


class Frame:
    """One frame of extended XYZ: keys, and columns by name."""

    def __init__(self, comment, rows):
        pairs = re.findall(r'(\w+)=("[^"]*"|\S+)', comment)
        self.keys = {key: value.strip('"') for key, value in pairs}
        self.order = []
        self.columns = {}
        cells = [row.split() for row in rows]
        at = 0
        fields = self.keys["Properties"].split(":")
        for name, kind, width in zip(*[iter(fields)] * 3):
            width = int(width)
            convert = {"R": float, "I": int, "S": str, "L": str}[kind]
            values = [[convert(v) for v in row[at:at + width]]
                      for row in cells]
            self.columns[name] = ([v[0] for v in values] if width == 1
                                  else values)
            self.order.append(name)
            at += width


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="farsum-test-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_farsum(self, *words, timeout=300, stdin=None):
        process = subprocess.run(
            [FARSUM, *map(str, words)], cwd=self.folder, text=True,
            capture_output=True, timeout=timeout, input=stdin)
        return Done(process)

    def farsum(self, *words, status=0, **options):
        """Runs the command and expects a status (default: 0)."""
        done = self.run_farsum(*words, **options)
        self.assertEqual(done.status, status, f"{words}: {done.out}{done.err}")
        return done

    def refused(self, status, pattern, *words, **options):
        """Runs the command; expects this status and this pattern on stderr."""
        done = self.run_farsum(*words, **options)
        self.assertEqual(done.status, status, f"{words}: {done.err}")
        self.assertRegex(done.err, pattern)
        self.assertTrue(done.err.startswith("farsum: "), done.err)
        return done

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return name

    def frames(self, name):
        with open(self.path(name)) as file:
            lines = file.read().splitlines()
        out = []
        while lines:
            n = int(lines[0])
            out.append(Frame(lines[1], lines[2:2 + n]))
            lines = lines[2 + n:]
        return out

    def frame(self, name):
        frames = self.frames(name)
        self.assertEqual(len(frames), 1)
        return frames[0]

    def edges(self, name):
        """The edges of a file's rectangular cell, as for --cell."""
        return ",".join(self.frame(name).keys["Lattice"].split()[::4])

    def write_targets(self, name, count, edge):
        """Writes targets: random positions in a cube, without strengths."""
        draw = random.Random(7)
        rows = "".join(" ".join(f"{edge * draw.random():.6f}" for _ in "xyz")
                       + "\n" for _ in range(count))
        return self.write(name, f"{count}\nProperties=pos:R:3\n{rows}")

    def json(self, name):
        with open(self.path(name)) as file:
            return json.load(file)

    def files(self):
        return sorted(os.listdir(self.folder))

    def with_hdf5(self):
        done = self.run_farsum("gen", "nacl", "-o", "probe.h5")
        if done.status != 0:
            self.skipTest("built without HDF5: " + done.err.strip())
        os.unlink(self.path("probe.h5"))
