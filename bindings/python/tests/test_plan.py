# SPDX-License-Identifier: Apache-2.0
"""Plans, their options and their arrays."""

import contextlib
import logging
import math
import sys
import types

import numpy as np
import pytest

import farsum
from farsum import _arrays
from farsum._result import hessian_product


@pytest.fixture
def plan(box):
    x, q, cell = box
    with farsum.Plan(cell=cell, sample=(x, q), tolerance=1e-6) as made:
        made.set_points(x)
        yield made


def test_transforms_agree(box):
    """FFTW is linked, or opened if the system has it, and refused else."""
    x, q, cell = box
    right = farsum.coulomb(x, q, cell=cell, fft="kiss", tolerance=1e-8)
    try:
        r = farsum.coulomb(x, q, cell=cell, fft="fftw", tolerance=1e-8)
    except (farsum.UnsupportedError, farsum.UnknownError) as error:
        assert "fftw" in str(error)
    else:
        assert "fft: fftw" in str(r.plan)
        assert np.allclose(r.field, right.field, atol=1e-8)
    narrow = farsum.coulomb(x.astype("f4"), q.astype("f4"), cell=cell,
                            precision="f32", tolerance=1e-4)
    assert np.allclose(narrow.field, right.field, atol=1e-3)


def test_every_call(box, plan):
    x, q, cell = box
    first = plan.execute(q)
    plan.set_cell(cell * 1.001)
    plan.set_points(x * 1.001)
    assert plan.execute(q).energy == pytest.approx(first.energy / 1.001, rel=1e-4)
    plan.set_cell(cell)
    plan.set_points(x)
    plan.set_exclusions([[0, 1]])
    assert plan.execute(q).energy != first.energy
    plan.set_exclusions([])
    assert plan.execute(q).energy == first.energy
    plan.finish()
    with pytest.raises(farsum.ToleranceError):
        plan.set_cell(cell * 3)


def test_hvp_is_the_slope_of_the_forces(box):
    x, q, cell = box
    v = np.sin(np.arange(180.0)).reshape(60, 3)
    h = 1e-4
    near = [farsum.coulomb(x + t * v, q, cell=cell, tolerance=1e-11).forces
            for t in (-h, h)]
    wanted = (near[0] - near[1]) / (2 * h)
    how = {"kernel": "charge_dipole", "cell": cell, "tolerance": 1e-9,
           "outputs": "field gradient", "sample": (x, np.c_[q, q[:, None] * v])}
    with farsum.Plan(**how) as plan:
        with pytest.raises(farsum.StateError, match="set_points"):
            plan.hvp(q, v)
        plan.set_points(x)
        got = plan.hvp(q, v)
        assert np.linalg.norm(got - wanted) < 1e-5 * np.linalg.norm(wanted)
        for bad in ((q[1:], v), (q, v[:, :2])):
            with pytest.raises(farsum.ArgumentError, match="shape"):
                plan.hvp(*bad)
        # what arrays of devices take
        same = hessian_product(plan, q, v, np.empty((2, 60, 4)))
        assert np.linalg.norm(same - got) < 1e-12 * np.linalg.norm(got)


@pytest.mark.parametrize("product", [
    lambda plan, q, v: plan.hvp(q, v),
    lambda plan, q, v: hessian_product(plan, q, v, np.empty((2, 60, 4)))])
def test_hvp_is_refused(box, product):
    """In the same words for arrays of the host and of devices."""
    x, q, cell = box
    v = np.ones((60, 3))
    both = {"cell": cell, "outputs": "field gradient"}
    for how, strengths, error, words in (
            ({"cell": cell}, 1, "UnsupportedError", "this is laplace"),
            ({**both, "kernel": "charge_quadrupole"}, 10, "UnsupportedError",
             "charge_dipole or yukawa_dipole; this is charge_quadrupole"),
            ({"cell": cell, "kernel": "charge_dipole", "outputs": "field"}, 4,
             "ArgumentError", "the outputs field and gradient")):
        shape = (60,) if strengths == 1 else (60, strengths)
        with farsum.Plan(sample=(x, np.ones(shape)), **how) as plan:
            plan.set_points(x)
            with pytest.raises(getattr(farsum, error), match=words):
                product(plan, q, v)
    with farsum.Plan(kernel="charge_dipole", n_sources=60, n_targets=60,
                     **both) as plan:
        plan.set_points(x, x)
        with pytest.raises(farsum.UnsupportedError, match="are the sources"):
            product(plan, q, v)


def test_info(plan, box):
    info = plan.info
    assert info.kernel == "laplace" and info.method == "spectral"
    assert info.precision == "f64" and info.n_sources == 60
    assert info.estimated_error == plan.estimated_error() <= info.tolerance
    assert [stage.stage for stage in info.stages][:2] == ["near", "spread"]
    assert "tolerance 1e-06" in str(plan)
    assert repr(plan).startswith("<farsum.Plan laplace spectral n=60 rc=")


def test_options_repeat_the_choice(plan, box):
    x, q, cell = box
    with farsum.Plan(cell=cell, sample=(x, q), tolerance=1e-6,
                     **plan.options) as again:
        for name in ("mesh", "cutoff", "support", "window", "bandwidth"):
            assert getattr(again.info, name) == getattr(plan.info, name)


def test_fields_reach_the_library(box):
    x, q, cell = box
    with farsum.Plan(cell=cell, sample=(x, q), tolerance=1e-3, mesh=(16, 16, 20),
                     skin=0.5, precision="mixed", surface="vacuum", threads=1,
                     error="potential", outputs="potential", spread="plain",
                     deterministic=True, verify=False) as plan:
        info = plan.info
        assert info.mesh == (16, 16, 20) and info.threads == 1
        assert info.precision == "mixed" and info.checked_error < 0
        assert info.stages[1].variant == "plain"
    with farsum.Plan(n_sources=500, order=0, method="fmm", tolerance=0.5) as plan:
        assert plan.info.order == 0 and plan.options["order"] == 0
    with farsum.Plan(cell=cell, sample=(x, q), tune_only=True) as plan:
        assert plan.info.method == "spectral"
        with pytest.raises(farsum.StateError):
            plan.set_points(x)


def test_out_is_filled_in_place(plan, box):
    x, q, _ = box
    first = plan.execute(q)
    field, value = first.field, first.field.copy()
    field[:] = 0
    again = plan.execute(q, out=first)
    assert again.field is field and (field == value).all()
    only = np.empty((60, 3))
    r = plan.execute(q, out={"field": only})
    assert r.field is only and not hasattr(r, "potential")
    for bad in (np.empty((60, 3), "f4"), np.empty((3, 60)).T, np.empty(60)):
        with pytest.raises(farsum.ArgumentError, match="field must be"):
            plan.execute(q, out={"field": bad})


def test_no_copies(box, plan, monkeypatch):
    x, q, _ = box
    space = plan._space
    seen = []
    pointer = _arrays.Space.pointer
    monkeypatch.setattr(_arrays.Space, "pointer", lambda self, a: seen.append(
        pointer(self, a)) or seen[-1])
    assert space.take(x, "x") is x
    plan.set_points(x)
    r = plan.execute(q)
    for array in (x, q, r.potential, r.field):
        assert array.ctypes.data in seen


def test_kinds_of_arrays(box):
    x, q, cell = box
    right = farsum.coulomb(x, q, cell=cell)

    def same(x, q, kind=np.float64, tolerance=1e-5):
        r = farsum.coulomb(x, q, cell=cell, tolerance=tolerance)
        assert r.field.dtype == kind and r.potential.dtype == kind
        assert np.allclose(r.field, right.field, atol=1e-4)

    same(x.tolist(), q.tolist())
    same(x, q.astype(int))
    same(x.astype(">f8"), q.astype(">f8"))
    same(np.asfortranarray(x), np.repeat(q, 2)[::2])
    same(np.repeat(x, 2, 0)[::2], q)
    frozen = x.copy()
    frozen.flags.writeable = False
    same(frozen, q)
    same(x.astype("f4"), q.astype("f4"), np.float32)
    with pytest.raises(farsum.ArgumentError, match="f32"):
        farsum.coulomb(x.astype("f4"), q, cell=cell)


def test_one_particle_and_wrong_shapes(box):
    x, q, cell = box
    assert farsum.coulomb(x[:1], q[:1], cell=cell).field.shape == (1, 3)
    for bad in (x[:, :2], x[0], np.empty((0, 3)), 3.0, "abc", None):
        with pytest.raises(farsum.ArgumentError):
            farsum.coulomb(bad, q, cell=cell)
    with pytest.raises(farsum.ArgumentError, match=r"shape \[59\], but x has 60"):
        farsum.coulomb(x, q[:-1], cell=cell)
    with pytest.raises(farsum.ArgumentError, match="cell"):
        farsum.coulomb(x, q, cell=[1, 2])
    with farsum.Plan(n_sources=10) as plan:
        with pytest.raises(farsum.StateError):
            plan.execute(q)


def test_closed(box, plan):
    plan.close()
    plan.close()
    assert repr(plan) == "<farsum.Plan, closed>"
    for call in (lambda: plan.set_points(box[0]), lambda: plan.execute(box[1]),
                 lambda: plan.info, lambda: str(plan), plan.finish):
        with pytest.raises(farsum.StateError, match="closed|set_points"):
            call()


def test_warnings_are_logged(box, caplog):
    x, q, cell = box
    with caplog.at_level(logging.WARNING, "farsum"):
        with farsum.Plan(cell=cell, sample=(x, q), error="absolute",
                         tolerance=1e-3) as plan:
            plan.set_points(x)
            plan.execute(1e6 * q)
    assert "above the tolerance" in caplog.text
    lines = []
    with farsum.Plan(cell=cell, sample=(x, q), error="absolute",
                     tolerance=1e-3, log=lines.append) as plan:
        plan.set_points(x)
        plan.execute(1e6 * q)
    assert "above the tolerance" in lines[-1]


def test_an_exception_of_a_callback_arrives(box):
    x, q, cell = box

    def fail(_line):
        raise KeyError("mine")

    with farsum.Plan(cell=cell, sample=(x, q), error="absolute",
                     tolerance=1e-3, log=fail) as plan:
        plan.set_points(x)
        with pytest.raises(KeyError, match="mine"):
            plan.execute(1e6 * q)
        assert plan.execute(q).error <= 1e-3


def test_on_excess(box):
    x, q, cell = box
    with farsum.Plan(cell=cell, sample=(x, q), error="absolute",
                     tolerance=1e-3, on_excess="fail") as plan:
        plan.set_points(x)
        with pytest.raises(farsum.ToleranceError):
            plan.execute(1e6 * q)


class FakeCupy(types.ModuleType):
    """Stands for CuPy: its arrays are NumPy's, so pointers are the host's."""

    def __init__(self):
        super().__init__("cupy")
        self.ndarray, self.empty = np.ndarray, np.empty
        self.asarray, self.ascontiguousarray = np.asarray, np.ascontiguousarray
        self.cuda = types.SimpleNamespace(
            runtime=types.SimpleNamespace(is_hip=False))


def test_device_arrays_ask_for_their_device(box, monkeypatch):
    """Without a GPU: the arrays' device is named in the refusal."""
    monkeypatch.setitem(sys.modules, "cupy", FakeCupy())
    x, q, cell = box

    class OnDevice:
        __cuda_array_interface__ = dict(x.__array_interface__, version=3)

        def __array__(self, *_, **__):
            return x

    space = _arrays.space_of(OnDevice())
    assert (space.device, space.arrays) == ("cuda:0", "f64")
    monkeypatch.setattr(_arrays.CupySpace, "stream", lambda self: 0)
    monkeypatch.setattr(_arrays.CupySpace, "pointer", lambda self, value: 0)
    with pytest.raises(farsum.DeviceError, match="libcuda"):
        farsum.Plan(cell=cell, sample=(OnDevice(), q))
    with pytest.raises(farsum.DeviceError, match="libcuda"):
        farsum.coulomb_batch(OnDevice(), q, cell, ptr=[0, len(q)])


def test_widths(box):
    """Two clouds in open space interact by erf(r/g)/r."""
    x, q = np.array([[0.0, 0, 0], [0, 0, 1.5]]), np.array([1.0, -2])
    with farsum.Plan(n_sources=2, method="direct",
                     outputs="potential") as plan:
        plan.set_widths([0.6, 0.8])
        with pytest.raises(farsum.ArgumentError, match="widths"):
            plan.set_points(box[0])
        plan.set_points(x)
        got = plan.execute(q).potential
        assert got == pytest.approx(q[::-1] * math.erf(1.5) / 1.5, rel=1e-12)
        plan.set_widths()
        plan.set_points(x)
        assert plan.execute(q).potential == pytest.approx(q[::-1] / 1.5)
        with pytest.raises(farsum.ArgumentError, match="shape"):
            plan.set_widths([[1.0, 1.0]])


def test_capture_is_refused(box, monkeypatch):
    """Without a GPU: a stream that a graph captures is refused in words."""
    cupy = FakeCupy()
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    x, q, cell = box

    class OnDevice:
        __cuda_array_interface__ = dict(x.__array_interface__, version=3)

    cupy.cuda.Device = contextlib.nullcontext
    cupy.cuda.get_current_stream = lambda: types.SimpleNamespace(
        ptr=0, is_capturing=lambda: True)
    for call in (lambda: farsum.Plan(cell=cell, sample=(OnDevice(), q)),
                 lambda: farsum.coulomb_batch(OnDevice(), q, cell, ptr=[0, 9])):
        with pytest.raises(farsum.UnsupportedError, match="CUDA graph"):
            call()
