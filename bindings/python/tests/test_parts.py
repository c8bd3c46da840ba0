# SPDX-License-Identifier: Apache-2.0
"""Parts of a sum, and the near function."""

import numpy as np
import pytest

import farsum

EDGE = 6.0


def system():
    rng = np.random.default_rng(3)
    sites = np.stack(np.meshgrid(*[np.arange(5)] * 3, indexing="ij"), -1)
    x = (sites.reshape(-1, 3) + rng.random((125, 3)) * 0.5) * EDGE / 5
    return x, rng.normal(size=125)


@pytest.mark.parametrize("kernel", ["laplace", "r6"])
def test_pairs_and_far_part_are_the_whole(kernel):
    x, q = system()
    options = dict(kernel=kernel, cell=EDGE, sample=(x, q), tolerance=1e-8,
                   method="spectral", cutoff=1.9, coulomb=2.0)
    sums = {}
    for part in ("whole", "far"):
        with farsum.Plan(part=part, **options) as plan:
            plan.set_points(x)
            sums[part] = plan.execute(q)
            cutoff = plan.info.cutoff
            d = x[:, None] - x[None]
            d -= EDGE * np.round(d / EDGE)
            r2 = np.sum(d**2, -1)
            np.fill_diagonal(r2, 4 * EDGE**2)
            u, du = plan.near(r2)
    assert cutoff < EDGE / 2 and u.shape == r2.shape
    potential = 2 * u @ q
    field = -4 * np.einsum("ij,j,ijk->ik", du, q, d)
    far, whole = sums["far"], sums["whole"]
    np.testing.assert_allclose(far.potential + potential, whole.potential,
                               atol=1e-10 * np.abs(whole.potential).max())
    np.testing.assert_allclose(far.field + field, whole.field,
                               atol=1e-10 * np.abs(whole.field).max())
    assert abs(far.energy + q @ potential / 2 - whole.energy) \
        < 1e-10 * abs(whole.energy)


def test_refused():
    x, q = system()
    with farsum.Plan(cell=EDGE, sample=(x, q), method="spectral") as plan:
        with pytest.raises(farsum.ArgumentError, match="r2"):
            plan.near([-1.0])
        assert plan.near(0.5)[0].shape == ()
    with pytest.raises(farsum.UnsupportedError, match="spectral"):
        farsum.Plan(cell=EDGE, sample=(x, q), method="ewald", part="far")
    with pytest.raises(farsum.ArgumentError, match="part"):
        farsum.Plan(cell=EDGE, sample=(x, q), part="middle")
