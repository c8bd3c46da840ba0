# SPDX-License-Identifier: Apache-2.0
"""Loading and unloading, clear, and several instances."""

import pytest

from conftest import BEGIN, PLUGIN, SUMS, salt


def energy(lmp):
    lmp.command("run 0")
    return lmp.get_thermo("elong")


def again(lmp, box, path):
    """Sets the box up after clear."""
    for text in (BEGIN, SUMS):
        lmp.commands_string(text.format(
            data=path / "data", special="1 1 1", accuracy=1e-9,
            pair="lj/cut 6.0"))


def test_loaded_twice(run):
    lmp = run(salt())
    first = energy(lmp)
    lmp.command(f"plugin load {PLUGIN}")
    lmp.command(f"plugin load {PLUGIN}")
    assert energy(lmp) == first


def test_clear(run, tmp_path):
    lmp = run(salt())
    first = energy(lmp)
    for _ in range(2):
        lmp.command("clear")
        lmp.command(f"plugin load {PLUGIN}")
        lmp.command("plugin restore")
        again(lmp, salt(), tmp_path)
        assert energy(lmp) == first


def test_unload(run):
    """The style is no more; loaded again, it works."""
    lmp = run(salt())
    first = energy(lmp)
    lmp.command("plugin unload kspace farsum")
    with pytest.raises(Exception):
        lmp.command("kspace_style farsum 1e-9")
    lmp.command(f"plugin load {PLUGIN}")
    lmp.command("kspace_style farsum 1e-9")
    assert energy(lmp) == first


def test_two_instances(tmp_path, run):
    one = run(salt(seed=1))
    first = energy(one)
    two = run(salt(seed=5), accuracy=1e-8)
    other = energy(two)
    assert energy(one) == first != other == energy(two)


def test_style_replaced(run):
    """Another style and back."""
    lmp = run(salt())
    first = energy(lmp)
    lmp.command("kspace_style none")
    lmp.command("run 0")
    lmp.command("kspace_style farsum 1e-9")
    assert energy(lmp) == first


def test_plan_is_kept(run, capfd):
    """A second run with the same settings makes no second plan."""
    lmp = run(salt(), args=["-screen", "/dev/stdout"])
    energy(lmp)
    energy(lmp)
    lmp.command("kspace_modify farsum skin 0.5")
    energy(lmp)
    lmp.lmp.close()
    assert capfd.readouterr().out.count("Farsum 0.") == 2
