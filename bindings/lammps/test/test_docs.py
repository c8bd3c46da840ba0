# SPDX-License-Identifier: Apache-2.0
"""The input of docs/lammps.md runs, and the page names all keywords."""

import re

from conftest import PLUGIN, ROOT, launch

TEXT = (ROOT / "docs" / "lammps.md").read_text()
SOURCE = (ROOT / "bindings" / "lammps" / "kspace.cc").read_text()


def test_input(tmp_path):
    script = re.search(r"^```lammps\n(.*?)^```", TEXT, re.S | re.M)[1]
    assert "plugin load build-lammps/farsumplugin.so\n" in script
    script = script.replace("build-lammps/farsumplugin.so", PLUGIN)
    script = script.replace("run 100", "run 10")
    done = launch(2, script, tmp_path)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    line = re.search(r"^```text\n(Farsum .*)\n", TEXT, re.M)[1]
    assert line in done.stdout


def test_keywords():
    """The table has those of the source."""
    known = re.search(r"known\[\] = \{(.*?)\}", SOURCE, re.S)[1]
    for key in re.findall(r'"(\w+)"', known):
        assert re.search(rf"^\|.*`{key}`.*\|.*\|$", TEXT, re.M), key
