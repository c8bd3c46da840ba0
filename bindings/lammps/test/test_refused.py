# SPDX-License-Identifier: Apache-2.0
"""What would be summed wrongly is refused before the first step."""

import numpy as np
import pytest

from conftest import BEGIN, SUMS, chains, salt

CASES = {
    "slab": ("boundary p p p", "", "kspace_modify slab 3.0",
             "slab without boundary p p f"),
    "slab across": ("boundary f p p", "", "kspace_modify slab 3.0",
                    "slab without boundary p p f"),
    "nozforce": ("boundary p p f", "", "kspace_modify slab nozforce",
                 "nozforce"),
    "wire": ("boundary f f p", "", "kspace_modify wire 3.0",
             "kspace_modify wire"),
    "respa": ("", "", "run_style respa 2 2 pair 1 kspace 2\n"
              "fix move all nve", "respa"),
    "exclude": ("", "neigh_modify exclude type 1 1", "", "exclude"),
    "gewald": ("", "kspace_modify gewald 0.3", "", "gewald"),
    "qeq": ("", "fix q all qeq/point 1 10 1e-6 100 coul/streitz", "",
            "fix qeq/point"),
    "coul/cut": ("", "pair_style lj/cut/coul/cut 5\npair_coeff * * 0 1", "",
                 "pair_style lj/cut/coul/cut"),
    "coul/long": ("", "pair_style lj/cut/coul/long 5\npair_coeff * * 0 1", "",
                  "pair_style lj/cut/coul/long"),
    "tip4p": ("", "pair_style lj/cut/tip4p/cut 1 2 1 1 0.1 5", "",
              "pair_style lj/cut/tip4p/cut"),
    "hybrid": ("", "pair_style hybrid/overlay lj/cut 5 coul/cut 5\n"
               "pair_coeff * * lj/cut 0 1\npair_coeff * * coul/cut", "",
               "pair_style hybrid/overlay"),
    "no pair": ("", "pair_style none", "", "requires a pair style"),
    "group/group": ("", "compute g all group/group all kspace yes\n"
                    "thermo_style custom step c_g", "", "group/group"),
    "accuracy": ("", "kspace_style farsum 1e-40", "", "tolerance"),
    "cutoff": ("", "kspace_modify farsum cutoff -1", "", "cutoff"),
    "device": ("", "kspace_modify farsum device moon:0", "", "moon"),
}


@pytest.mark.parametrize("name", CASES)
def test_refused(run, name):
    first, middle, last, words = CASES[name]
    lmp = run(salt(), begin=first + BEGIN, sums=SUMS + middle + "\n" + last)
    with pytest.raises(Exception, match=words):
        lmp.command("run 0")


def test_oblique_slab_by_fmm(run):
    lmp = run(salt(tilt=(1.5, 0, 0)), begin="boundary p p f" + BEGIN,
              sums=SUMS + "kspace_modify farsum method fmm")
    with pytest.raises(Exception, match="right angles.*; use method spectral"):
        lmp.command("run 0")


@pytest.mark.parametrize("line, words", [
    ("kspace_style farsum", "one argument"),
    ("kspace_style farsum 1e-5 7", "one argument"),
    ("kspace_modify farsum", "keyword"),
    ("kspace_modify farsum speed 3", "keyword: speed"),
    ("kspace_modify farsum skin", "skin"),
    ("kspace_modify farsum precision f16", "precision: f16"),
    ("kspace_modify farsum threads two", "two"),
    ("kspace_modify farsum method spectral speed 3", "speed"),
])
def test_illegal(run, line, words):
    lmp = run(salt())
    with pytest.raises(Exception, match=words):
        lmp.command(line)


@pytest.mark.parametrize("line", ["boundary p p f", "method fmm"])
def test_stress(run, line):
    """Of the other parts it is LAMMPS' own; where the library does not sum it,
    that of kspace is NaN."""
    begin, sums = BEGIN, SUMS
    if line[0] == "b":
        begin = line + "\n" + begin
    else:
        sums += "kspace_modify farsum " + line + "\n"
    lmp = run(chains(), (0, 0, 0.5), accuracy=1e-5, begin=begin, sums=sums)
    lmp.commands_string("""
        compute s all stress/atom NULL pair bond
        compute t all reduce sum c_s[1]
        compute whole all stress/atom NULL
        compute sum all reduce sum c_whole[1]
        thermo_style custom step c_t c_sum
        run 0
    """)
    part, whole = (lmp.lmp.extract_compute(c, 0, 0) for c in ("t", "sum"))
    assert np.isfinite(part) and np.isnan(whole)


def test_net_charge_warns(run, capfd):
    """The sum has a background then."""
    box = salt()
    box.q[0] += 1
    lmp = run(box, args=["-screen", "/dev/stdout"])
    lmp.command("run 0")
    lmp.lmp.flush_buffers()
    assert "not charge neutral" in capfd.readouterr().out
