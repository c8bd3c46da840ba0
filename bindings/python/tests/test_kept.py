# SPDX-License-Identifier: Apache-2.0
"""Plans that the one-call functions keep."""

import threading
import time

import numpy as np
import pytest

import farsum
from farsum import _plan


@pytest.fixture
def made(monkeypatch):
    """Counts new plans."""
    count = []
    create = _plan.Plan._create

    def counted(self, *arguments):
        count.append(self.kernel)
        return create(self, *arguments)

    monkeypatch.setattr(_plan.Plan, "_create", counted)
    return count


def test_a_loop_makes_one_plan(box, made):
    x, q, cell = box
    for step in range(5):
        farsum.coulomb(x + 0.01 * step, q, cell=cell * (1 + 1e-4 * step))
    farsum.coulomb(x[:50], q[:50], cell=cell)
    assert len(made) == 1
    farsum.coulomb(x, q, cell=cell, tolerance=1e-4)
    farsum.coulomb(x.astype("f4"), q.astype("f4"), cell=cell)
    farsum.coulomb(x, q, cell=2 * cell)
    farsum.coulomb(x[:20], q[:20], cell=cell)
    assert len(made) == 5


def test_an_estimate_above_the_tolerance_makes_a_new_plan(box, made):
    x, q, cell = box
    weak = farsum.coulomb(x, 1e-3 * q, cell=cell, error="absolute",
                          tolerance=1e-7)
    before = len(made)
    strong = farsum.coulomb(x, 10 * q, cell=cell, error="absolute",
                            tolerance=1e-7)
    assert len(made) == before + 1
    assert weak.error <= 1e-7 and strong.error <= 1e-7


def test_most(box):
    x, q, cell = box
    for k in range(12):
        farsum.coulomb(x, q, cell=cell, tolerance=1e-3 / (1 + k))
    assert len(farsum.cache.plans) == farsum.cache.plans.most == 8


def test_an_error_does_not_lose_the_plan(box, made):
    x, q, cell = box
    farsum.coulomb(x, q, cell=cell)
    with pytest.raises(farsum.PositionError):
        farsum.coulomb(x * np.nan, q, cell=cell)
    farsum.coulomb(x, q, cell=cell)
    assert len(made) == 1


def test_a_closed_plan_is_not_used(box, made):
    x, q, cell = box
    farsum.coulomb(x, q, cell=cell).plan.close()
    farsum.coulomb(x, q, cell=cell)
    assert len(made) == 2


def test_threads(box):
    x, q, cell = box
    expected = farsum.coulomb(x, q, cell=cell, threads=1).potential
    wrong = []

    def loop(k):
        for _ in range(20):
            r = farsum.coulomb(x, q * k, cell=cell, threads=1)
            if not np.allclose(r.potential, k * expected, rtol=1e-4, atol=1e-4):
                wrong.append(k)

    threads = [threading.Thread(target=loop, args=(k,)) for k in (1, 2, 3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_cost_of_a_call():
    rng = np.random.default_rng(1)
    x, q = rng.random((1000, 3)) * 10, np.repeat([1.0, -1.0], 500)
    with farsum.Plan(cell=10.0, sample=(x, q), tolerance=1e-6,
                     threads=1) as plan:
        def calls():
            plan.set_points(x)
            plan.execute(q)

        def one():
            farsum.coulomb(x, q, cell=10.0, tolerance=1e-6, threads=1)

        ratios = []
        for _ in range(5):
            best = {calls: 1.0, one: 1.0}
            for function in (calls, one) * 15:
                began = time.thread_time()
                function()
                best[function] = min(best[function],
                                     time.thread_time() - began)
            ratios.append(best[one] / best[calls])
            if ratios[-1] <= 1.1:
                return
    pytest.fail(f"a call costs {min(ratios):.2f} times a plan's")
