# SPDX-License-Identifier: Apache-2.0
"""The mirror of the headers has the compiler's sizes, offsets and numbers."""

import ctypes
import shutil
import subprocess

import pytest

import farsum
from farsum import _c, _lib, _options
from conftest import ROOT

HEADERS = ("farsum", "expert", "mesh", "device", "batch")


def structs():
    return {name: kind for name, kind in vars(_c).items()
            if isinstance(kind, type) and issubclass(kind, ctypes.Structure)
            and kind is not ctypes.Structure}


def enum_names():
    """C names of the enums' values, by (enum, text)."""
    for enum, values in _c.ENUMS.items():
        for text, number in values.items():
            yield enum, text, number


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_layout(tmp_path):
    lines, mirrored = [], []
    for name, kind in structs().items():
        lines.append(f'printf("%zu\\n", sizeof({name}));')
        mirrored.append(ctypes.sizeof(kind))
        for field, _ in kind._fields_:
            lines.append(f'printf("%zu\\n", offsetof({name}, {field}));')
            lines.append(f'printf("%zu\\n", sizeof((({name} *)0)->{field}));')
            at = getattr(kind, field)
            mirrored += [at.offset, at.size]
    for constant, number in _c.CONSTANTS.items():
        lines.append(f'printf("%zu\\n", (size_t){constant});')
        mirrored.append(number % 2**64)
    prefix = {"farsum_error_kind": "ERROR_", "farsum_excess": "EXCESS_",
              "farsum_option_kind": "OPTION_"}
    for enum, text, number in enum_names():
        c_name = "FARSUM_" + prefix.get(enum, "") + text.upper()
        lines.append(f'printf("%zu\\n", (size_t){c_name});')
        mirrored.append(number)
    source = tmp_path / "layout.c"
    source.write_text("".join(f"#include <farsum/{h}.h>\n" for h in HEADERS)
                      + "int main(void)\n{\n" + "\n".join(lines) + "\n}\n")
    subprocess.run(["cc", f"-I{ROOT}/include", str(source), "-o",
                    str(tmp_path / "layout")], check=True)
    out = subprocess.run([str(tmp_path / "layout")], check=True,
                         capture_output=True, text=True).stdout
    found = [int(line) for line in out.split()]
    for line, c, python in zip(lines, found, mirrored):
        assert c == python, line
    assert len(found) == len(mirrored) > 300


def test_every_struct_and_function_is_mirrored():
    text = "".join((ROOT / "include" / "farsum" / f"{h}.h").read_text()
                   for h in HEADERS)
    for name, kind in structs().items():
        assert f"}} {name};" in text
    assert text.count("\nFARSUM_API ") == len(_c.FUNCTIONS)


def test_every_field_has_a_keyword():
    from farsum import _mesh, _plan
    kinds = {"KEYWORDS": (_c.farsum_problem, _c.farsum_options),
             "MESH": (_c.farsum_mesh_problem, _c.farsum_mesh_options),
             "NUFFT": (_c.farsum_nufft_problem, _c.farsum_mesh_options)}
    for name, structs in kinds.items():
        table = getattr(_plan if name == "KEYWORDS" else _mesh, name)
        paths = {(k, path) for k, path, _, _ in table.values()}
        for k, struct in enumerate(structs):
            for keyword, path, _, _ in _options.fields(struct):
                # a mesh's upsampling is the problem's, that in the options is
                # for NUFFTs
                assert (k, path) in paths or (name, k, keyword) == (
                    "MESH", 1, "upsampling"), path


def test_every_status_has_a_class():
    for number, (name, _) in _c.STATUS.items():
        if name != "OK":
            assert _lib.ERRORS[name].status == number
            assert issubclass(_lib.ERRORS[name], farsum.Error)


def test_every_name_has_a_docstring():
    for name in farsum.__all__:
        value = getattr(farsum, name)
        if callable(value) or name == "cache":
            assert len(value.__doc__ or "") > 20, name


def test_units_are_the_commands():
    text = (ROOT / "tools" / "farsum" / "units.c").read_text()
    for name, value in farsum.UNITS.items():
        number = f"{value / 1e9:.11g}e9" if value > 1e9 else f"{value:.9g}"
        assert f'"{name}", {number},' in text
