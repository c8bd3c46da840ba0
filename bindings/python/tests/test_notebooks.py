# SPDX-License-Identifier: Apache-2.0
"""The notebooks of examples/python run without a browser."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

import farsum
from conftest import ROOT

FOLDER = ROOT / "examples" / "python"
BOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.stem)
def test_no_outputs_are_committed(book):
    cells = json.loads(book.read_text())["cells"]
    assert [c["cell_type"] for c in cells[:2]] == ["markdown", "code"]
    for cell in cells:
        assert not cell.get("outputs") and not cell.get("execution_count")
    assert book.stat().st_size < 16384
    assert book.name in (ROOT / "examples" / "README.md").read_text()


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.stem)
def test_it_runs(book):
    for name in ("nbclient", "ipykernel", "matplotlib"):
        pytest.importorskip(name)
    package = pathlib.Path(farsum.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-B", FOLDER / "run_notebooks.py", book],
        env={**os.environ, "PYTHONPATH": str(package)}, capture_output=True,
        text=True, timeout=280)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
