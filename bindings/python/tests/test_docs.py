# SPDX-License-Identifier: Apache-2.0
"""The Python blocks of docs/python.md and README.md run as one program each."""

import importlib.util
import re

import pytest

from conftest import ROOT, run_blocks


@pytest.mark.parametrize("page", ["docs/python.md", "README.md"])
def test_blocks(page, capsys):
    run_blocks(page)
    assert capsys.readouterr().out


def test_the_first_sum_takes_ten_lines():
    text = (ROOT / "docs" / "python.md").read_text()
    first = re.search(r"## A first sum\n\n```python\n(.*?)```", text, re.S)[1]
    assert len(first.splitlines()) <= 10


def test_the_api_page_is_current():
    path = ROOT / "bindings" / "python" / "api.py"
    spec = importlib.util.spec_from_file_location("api", path)
    api = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(api)
    assert api.PAGE.read_text() == api.page(), \
        "run python3 bindings/python/api.py"
