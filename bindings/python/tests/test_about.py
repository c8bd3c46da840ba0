# SPDX-License-Identifier: Apache-2.0
"""Devices, the command, types."""

import importlib
import importlib.util
import os
import subprocess
import sys

import pytest

import farsum
from conftest import ROOT


def test_devices():
    host, *others = farsum.devices()
    assert host.name == "host" and host.available and host.units >= 1
    for device in others:
        assert device.available or device.missing
    if not any(d.name.startswith("cuda") and d.available for d in others):
        with pytest.raises(farsum.DeviceError):
            farsum.warm("cuda:0")


def test_show(capsys):
    farsum.show()
    out = capsys.readouterr().out
    for word in (farsum.__version__, "libfarsum.so", "openmp", "cache", "host"):
        assert word in out


def test_version():
    assert farsum.__version__ == (ROOT / "VERSION").read_text().strip()


def test_command():
    def run(*arguments):
        return subprocess.run([sys.executable, "-m", "farsum", *arguments],
                              capture_output=True, text=True)
    assert run("--version").stdout.strip() == f"farsum {farsum.__version__}"
    assert "laplace" in run("list", "kernels").stdout
    assert run("nonsense").returncode == 2


def test_cache_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FARSUM_CACHE_DIR", str(tmp_path))
    folder, files, size = farsum.cache.files()
    assert (folder, files, size) == (str(tmp_path), 0, 0)
    assert farsum.cache.clear() == 0


@pytest.mark.skipif(not importlib.util.find_spec("mypy"), reason="no mypy")
def test_types(tmp_path):
    # by a link, since mypy refuses to check files of site-packages
    package = tmp_path / "farsum"
    package.symlink_to(os.path.dirname(farsum.__file__))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--ignore-missing-imports",
         "--cache-dir", str(tmp_path / "cache"), str(package)],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name, words", [("torch", "needs PyTorch"),
                                         ("jax", "needs JAX")])
def test_missing_packages_are_named(monkeypatch, name, words):
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "farsum." + name, raising=False)
    with pytest.raises(ImportError, match=words):
        importlib.import_module("farsum." + name)
