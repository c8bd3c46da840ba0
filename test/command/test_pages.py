# SPDX-License-Identifier: Apache-2.0
"""Commands and programs of the documentation run as the pages show."""

import glob
import math
import os
import re
import unittest

from command import CommandTest
from pages import ROOT, Page, blocks, difference


class Pages(CommandTest):
    def page(self, name):
        faults = list(Page(os.path.join(ROOT, name), self.folder).faults())
        self.assertFalse(faults, "\n\n".join(faults))

    def test_readme(self):
        self.page("README.md")

    def test_program_of_readme(self):
        """README shows examples/minimal.c without its licence line."""
        with open(os.path.join(ROOT, "examples/minimal.c")) as file:
            program = file.read().split("\n", 1)[1]
        shown = [text for label, text, _ in
                 blocks(os.path.join(ROOT, "README.md")) if label == "c"]
        self.assertEqual(shown, [program])

    def test_tutorial(self):
        self.page("docs/tutorial.md")

    def test_command(self):
        self.page("docs/command.md")

    def test_boundaries(self):
        self.page("docs/boundaries.md")

    def test_boundaries_of_ew3dc(self):
        """Behind a thick vacuum the energies differ by the dipole's."""
        self.farsum("gen", "film", "--cells", "4x4x2", "-o", "film.xyz")
        frame = self.frame("film.xyz")
        dipole = sum(q * x[2] for q, x in zip(frame.columns["charge"],
                                              frame.columns["pos"]))
        edge = float(frame.keys["Lattice"].split()[0])
        energy = []
        for axes in "xy", "xyz":
            done = self.farsum("run", "film.xyz", "--tolerance", "1e-11",
                               "--units", "reduced", "--error", "energy",
                               "--cell", f"{edge},{edge},{5 * edge}",
                               "--periodic", axes)
            energy.append(float(done.out.split("energy")[1].split()[0]))
        self.assertAlmostEqual((energy[0] - energy[1]) * 5 * edge**3
                               / (2 * math.pi * dipole**2), 1, 4)

    def test_mesh(self):
        self.page("docs/mesh.md")

    def test_cpp(self):
        self.page("docs/cpp.md")

    def test_fortran(self):
        self.page("docs/fortran.md")

    def test_other_languages(self):
        self.page("docs/other-languages.md")

    def test_moving(self):
        self.page("docs/moving.md")

    def test_moved_fields(self):
        """docs/moving.md has each moved field, and its programs agree."""
        def read(name):
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                return file.read()

        moved = {name: field for name, field in re.findall(
            r"(?m)^OPTION\((\w+), \w+, ([\w.]+),",
            read("src/plan/options.def")) if name != field}
        self.assertEqual(moved.pop("device"), "device.name")
        moved.update(device="device.name", on_device="device.handle")
        shown = re.findall(r"(?m)^\| `(\w+)` \| `([\w.]+)` \|$",
                           read("docs/moving.md"))
        self.assertEqual(sorted(shown), sorted(moved.items()))
        before, after = [text for _, text, _ in
                         blocks(os.path.join(ROOT, "docs/moving.md"))][:2]
        now = re.sub(r"options\.(\w+)",
                     lambda m: "options." + moved.get(m[1], m[1]), before)
        self.assertEqual(now.replace("before.c", "after.c"), after)

    def test_links(self):
        """Links of the pages lead to files and headings that exist."""
        pages = glob.glob("*.md", root_dir=ROOT)
        for folder in "docs", "examples", "bench", "data", "test":
            pages += glob.glob(f"{folder}/**/*.md", root_dir=ROOT,
                               recursive=True)
        for name in pages:
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                text = re.sub(r"(?ms)^```.*?^```$|`[^`\n]*`", "", file.read())
            for file, heading in re.findall(
                    r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", text):
                if ":" in file:
                    continue
                path = os.path.join(ROOT, name) if not file else \
                    os.path.join(ROOT, os.path.dirname(name), file)
                self.assertTrue(os.path.exists(path), f"{name}: {file}")
                if heading:
                    self.assertIn(heading, headings(path),
                                  f"{name}: {file}#{heading}")

    def test_variants(self):
        """docs/variants.md names every variant in the part of its stage."""
        with open(os.path.join(ROOT, "docs/variants.md")) as file:
            parts = re.split(r"(?m)^## +(.*)$", file.read())
        text = {stage: body for title, body in zip(parts[1::2], parts[2::2])
                for stage in re.findall(r"\w+", title)}
        for stage in self.farsum("list", "stages").out.split():
            for name in re.findall(r"(?m)^(\w+)",
                                   self.farsum("list", stage).out):
                if name != "plain":
                    self.assertIn(f"`{name}`", text[stage], stage)


def headings(path):
    """The anchors of a page, as GitHub makes them."""
    with open(path, encoding="utf-8") as file:
        titles = re.findall(r"(?m)^#+ +(.*)$", file.read())
    return {re.sub(r"[^\w\- ]", "", t.lower()).replace(" ", "-")
            for t in titles}


class Comparison(unittest.TestCase):
    """`difference` accepts other last digits, but no other difference."""

    def test_differences(self):
        want = ("particles 8\nenergy 2.5\n...\n"
                "error     tolerance 1e-05, estimated 2e-06\n")
        good = ("particles 8\nenergy 2.50001\nmore\nlines\n"
                "error     tolerance 1e-05, estimated 9e-06\n")
        self.assertIsNone(difference(want, good))
        for old, new in [("8", "9"), ("2.50001", "2.6"), ("9e-06", "2e-05"),
                         ("particles", "points"), ("1e-05", "1e-06")]:
            self.assertIsNotNone(difference(want, good.replace(old, new)), new)
        self.assertIsNotNone(difference(want, good + "one more\n"))


if __name__ == "__main__":
    unittest.main()
