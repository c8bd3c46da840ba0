# SPDX-License-Identifier: Apache-2.0
"""What notebooks and terminals show."""

import html.parser
import logging
import sys

import numpy as np
import pytest

import farsum
from farsum import _show


@pytest.fixture
def plan(box):
    x, q, cell = box
    with farsum.Plan(cell=cell, sample=(x, q), tolerance=1e-4) as made:
        made.set_points(x)
        made.execute(q)
        yield made


def test_a_notebook_shows_stages(plan):
    opened = []

    class Parser(html.parser.HTMLParser):
        def handle_starttag(self, tag, attrs):
            opened.append(tag)

        def handle_endtag(self, tag):
            assert opened.pop() == tag

    text = plan._repr_html_()
    Parser().feed(text)
    assert not opened
    for stage in plan.info.stages:
        assert stage.stage in text and stage.variant in text
    assert text.count("<tr>") == len(plan.info.stages)
    plan.close()
    assert plan._repr_html_() == "&lt;farsum.Plan, closed&gt;"


def test_plot(plan):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = plan.plot()
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(
        [1e3 * stage.seconds for stage in plan.info.stages[::-1]])
    assert plan.plot(ax) is ax


def long_sum(progress):
    """A sum of more than 0.1 s."""
    n = 25000
    x = np.random.default_rng(0).random((n, 3))
    with farsum.Plan(n_sources=n, method="direct", tolerance=1e-6,
                     verify=False, progress=progress) as plan:
        plan.set_points(x)
        plan.execute(np.ones(n))


def test_progress_by_tqdm(capsys):
    pytest.importorskip("tqdm")
    long_sum(True)
    assert "summing" in capsys.readouterr().err


def test_progress_without_tqdm(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with caplog.at_level(logging.INFO, "farsum"):
        long_sum(True)
    assert "summing" in caplog.text and " of " in caplog.text


def test_a_bar_starts_again_for_each_call(monkeypatch):
    pytest.importorskip("tqdm")
    bar = _show.Bar()
    bar(1, 7, "near")
    bar(2, 7, "far")
    assert (bar.bar.n, bar.bar.total, bar.bar.desc) == (2, 7, "far: ")
    bar(0, 0, "placing points")
    assert (bar.bar.n, bar.bar.total) == (0, None)
    bar.close()
    assert bar.bar is None
