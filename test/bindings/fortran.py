# SPDX-License-Identifier: Apache-2.0
"""Compares the constants and structs of the Fortran modules with C's.

    fortran.py CC GFORTRAN HEADER MODULE[,MODULE...] [FLAG...]

Each struct of the last MODULE must have the fields of C's struct of that name, in their
order; each field the size and offset that the C compiler gives it; and each
enumeration constant of HEADER its value.  The test makes a program in each
language that prints them, and compares the texts.  FLAGs: of both compilers.
Exit status 77 if there is no Fortran compiler.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def c_structs(header):
    """Yields (name, fields) for each struct that is defined."""
    text = re.sub(r"(?s)/\*.*?\*/", "", header)
    for body, name in re.findall(
            r"(?s)typedef struct \w+ \{(.*?)\n\} (\w+);", text):
        fields = []
        for line in body.split(";"):
            pointer = re.search(r"\(\*(\w+)\)", line)
            names = [pointer[1]] if pointer else re.findall(
                r"(\w+)\s*(?:\[\w+\])?\s*(?:,|$)", line.strip())
            fields += names
        yield name, fields


def fortran_structs(module):
    for name, body in re.findall(
            r"(?s)type, bind\(c\) :: (\w+)\n(.*?)\n *end type", module):
        yield name, re.findall(r"(?m)^ *\w+(?:\(.*?\))? :: (\w+)", body)


def c_constants(header):
    text = re.sub(r"(?s)/\*.*?\*/", "", header)
    names = re.findall(r"\b(FARSUM_\w+) = -?\d+", text)
    statuses = re.search(r"(?s)#define FARSUM_STATUS_LIST.*?\n\n", header)
    if statuses:
        names += ["FARSUM_" + n for n in
                  re.findall(r"X\((\w+), \"", statuses[0])]
    return names


def output(command, **more):
    return subprocess.run(command, check=True, text=True,
                          stdout=subprocess.PIPE, **more).stdout


def c_program(header, structs, constants):
    lines = [f'#include "{header}"', "#include <stddef.h>", "int main(void){"]
    for name, fields in structs.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        for field in fields:
            lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({name},'
                         f' {field}), sizeof((({name} *)0)->{field}));')
    for name in constants:
        lines.append(f'printf("{name} %d\\n", (int){name});')
    return "\n".join(lines + ["return 0;}\n"])


def fortran_program(module, structs, constants):
    """c_loc of a component is its address; arrays count all elements."""
    lines = ["program print_layout", f"use {module}", "implicit none"]
    for k, name in enumerate(structs):
        lines.append(f"type({name}), target :: s{k}")
    for k, (name, fields) in enumerate(structs.items()):
        lines.append(f"print '(a,i0)', '{name} ', c_sizeof(s{k})")
        for field in fields:
            lines.append(f"print '(a,i0,1x,i0)', '{name}.{field} ', "
                         f"at(c_loc(s{k}%{field})) - at(c_loc(s{k})), "
                         f"c_sizeof(s{k}%{field})")
    for name in constants:
        lines.append(f"print '(a,i0)', '{name} ', {name}")
    lines += ["contains", "integer(c_intptr_t) function at(where)",
              "type(c_ptr), intent(in) :: where",
              "at = transfer(where, 0_c_intptr_t)", "end function",
              "end program"]
    return "\n".join(lines) + "\n"


def main():
    cc, fortran, header, modules, *flags = sys.argv[1:]
    modules = modules.split(",")
    if not shutil.which(fortran):
        print(f"no {fortran}")
        return 77
    texts = read(header), read(modules[-1])
    c, f = dict(c_structs(texts[0])), dict(fortran_structs(texts[1]))
    constants = c_constants(texts[0])
    bad = 0
    for name, fields in f.items():
        if fields != c.get(name):
            print(f"{name}: C has {c.get(name)}, Fortran {fields}")
            bad = 1
    if bad or not f:
        return 1
    lacks = [n for n in constants if not re.search(rf"\b{n} = ", texts[1])]
    if lacks:
        print("Fortran lacks", lacks)
        return 1
    mirrored = {n: c[n] for n in f}
    with tempfile.TemporaryDirectory() as folder:
        def write(name, text):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        write("layout.c", c_program(header, mirrored, constants))
        name = os.path.splitext(os.path.basename(modules[-1]))[0]
        write("layout.f90", fortran_program(name, mirrored, constants))
        output([cc, "layout.c", "-o", "layout_c", *flags], cwd=folder)
        output([fortran, "-w", "-ffree-line-length-none", *modules,
                "layout.f90", "-o", "layout_f", *flags], cwd=folder)
        want = output(["./layout_c"], cwd=folder).split("\n")
        got = output(["./layout_f"], cwd=folder).split("\n")
    for a, b in zip(want, got):
        if a != b:
            print(f"C: {a}, Fortran: {b}")
            bad = 1
    print(f"{len(f)} structs, {len(want) - 1} numbers")
    return bad or len(want) != len(got)


if __name__ == "__main__":
    sys.exit(main())
