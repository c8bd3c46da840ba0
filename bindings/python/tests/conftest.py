# SPDX-License-Identifier: Apache-2.0
"""Systems that the tests sum, and pages that they run."""

import pathlib
import re

import numpy as np
import pytest

import farsum

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture
def box():
    """60 charges in a tilted cell, one of them outside it."""
    rng = np.random.default_rng(7)
    cell = np.array([[9.0, 0, 0], [2.0, 8.0, 0], [-1.0, 1.5, 10.0]])
    x = rng.random((60, 3)) @ cell
    x[5] += cell[1] * 2
    q = np.where(np.arange(60) % 2, 1.0, -1.0)
    return x, q, cell


@pytest.fixture(autouse=True)
def nothing_kept():
    yield
    farsum.cache.plans.clear()


def pairs(x, q, kernel=lambda r: 1 / r):
    """Potentials in open space, plainly."""
    d = x[:, None] - x[None]
    r = np.sqrt((d * d).sum(-1))
    np.fill_diagonal(r, 1)
    k = kernel(r)
    np.fill_diagonal(k, 0)
    return k @ q


def run_blocks(page):
    """Runs the Python blocks of a page as one program."""
    text = (ROOT / page).read_text()
    blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.S | re.M))
    assert blocks
    names = {}
    for block in blocks:
        line = text.count("\n", 0, block.start()) + 1
        exec(compile("\n" * line + block[1], ROOT / page, "exec"), names)
