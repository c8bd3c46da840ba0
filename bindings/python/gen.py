#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the ctypes mirror of the public headers.

    gen.py OUTPUT HEADER...

The output defines a ctypes.Structure per struct, a dict per enum and the
signature of each function.  The headers are plain C: one struct, enum or
function at a time.  A declaration that the script cannot read stops it.
"""

import os
import re
import sys

SCALARS = {
    "int": "c_int", "unsigned": "c_uint", "double": "c_double",
    "float": "c_float", "size_t": "c_size_t", "int64_t": "c_int64",
    "uint64_t": "c_uint64", "char": "c_char",
}
HEAD = '''# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
"""Structures, enums and functions of the C headers; written by gen.py."""

from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double,
                    c_float, c_int, c_int64, c_size_t, c_uint, c_uint64,
                    c_void_p)

__all__ = ["CONSTANTS", "ENUMS", "FUNCTIONS", "STATUS"]
'''


class Reader:
    """The declarations of the headers, in their order."""

    def __init__(self):
        self.enums = {}      # name: {value's name: number}
        self.constants = {}  # of enums without a name
        self.structs = {}    # name: [(field, ctypes text, enum or None)]
        self.opaque = set()
        self.calls = {}      # name of a function type: ctypes text
        self.functions = {}  # name: (result, [arguments])
        self.status = []     # (name, text)

    def read(self, text):
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        for name, words in re.findall(r'X\((\w+), "([^"]*)"\)', text):
            self.status.append((name, words))
        text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", text, flags=re.M)
        text = text.replace("FARSUM_MUST_CHECK", " ")
        pattern = re.compile(
            r"typedef struct (?P<struct>\w+) \{(?P<fields>[^}]*)\} \w+;"
            r"|typedef enum (?P<enum>\w+) \{(?P<values>[^}]*)\}\s*\w+;"
            r"|enum \{(?P<bits>[^}]*)\};"
            r"|typedef struct (?P<opaque>\w+) \w+;"
            r"|typedef void (?P<call>\w+)\((?P<callargs>[^)]*)\);"
            r"|FARSUM_API (?P<function>[^;(]*)\((?P<args>[^)]*)\);")
        for match in pattern.finditer(text):
            self.declare(match)
        rest = pattern.sub("", text).replace('extern "C" {', "")
        if rest.replace("}", "").strip():
            sys.exit("gen.py: cannot read " + rest.strip()[:200])

    def declare(self, match):
        if match["struct"]:
            self.structs[match["struct"]] = [
                field for line in match["fields"].split(";") if line.strip()
                for field in self.fields(" ".join(line.split()))]
        elif match["enum"]:
            self.enums[match["enum"]] = self.values(match["values"])
        elif match["bits"]:
            self.constants.update(self.values(match["bits"]))
        elif match["opaque"]:
            self.opaque.add(match["opaque"])
        elif match["call"]:
            self.calls[match["call"]] = "CFUNCTYPE(None, %s)" % ", ".join(
                self.argument(a) for a in match["callargs"].split(","))
        else:
            result, name = re.match(r"(.*?)(\w+)$",
                                    " ".join(match["function"].split())).groups()
            args = [] if match["args"].strip() == "void" else [
                self.argument(a) for a in match["args"].split(",")]
            self.functions[name] = (self.argument(result + " x"), args)

    def values(self, text):
        found, number = {}, 0
        for item in text.split(","):
            item = item.strip()
            if not item:
                continue
            if "FARSUM_STATUS_LIST" in item:
                found.update({"FARSUM_" + name: k
                              for k, (name, _) in enumerate(self.status)})
                number = len(self.status)
                continue
            name, _, value = (part.strip() for part in item.partition("="))
            number = int(value) if value else number
            found[name] = number
            number += 1
        return found

    def base(self, name):
        """The ctypes text of a type without pointers."""
        if name in SCALARS:
            return SCALARS[name]
        if name in self.enums:
            return "c_int"
        if name in self.structs or name in self.calls:
            return name
        sys.exit(f"gen.py: unknown type {name}")

    def pointed(self, name, stars):
        if name in self.calls or not stars:
            return self.base(name)
        if name == "char" and stars == 1:
            return "c_char_p"
        if stars == 1 and (name in ("void", "FILE") or name in self.opaque):
            return "c_void_p"
        inner = "c_void_p" if name == "void" or name in self.opaque \
            else self.base(name)
        return f"POINTER({inner})"

    def argument(self, text):
        text = text.replace("const ", " ").strip()
        name, stars, array = re.fullmatch(
            r"(\w+)\s*(\**)\s*\w*\s*(\[\d*\])?", text).group(1, 2, 3)
        if name == "void" and not stars:
            return "None"
        return self.pointed(name, len(stars) + bool(array))

    def fields(self, line):
        call = re.fullmatch(r"(\w+) \(\*(\w+)\)\((.*)\)", line)
        if call:
            result, name, args = call.groups()
            yield name, "CFUNCTYPE(%s, %s)" % (
                self.argument(result + " x"),
                ", ".join(self.argument(a) for a in args.split(","))), None
            return
        name, rest = line.replace("const ", "").split(" ", 1)
        for part in rest.split(","):
            stars, field, count = re.fullmatch(
                r"\s*(\**)\s*(\w+)(?:\[(\w+)\])?", part).groups()
            kind = self.pointed(name, len(stars))
            if count:
                kind += f" * {self.constants.get(count, count)}"
            yield field, kind, name if name in self.enums else None


def macros(text):
    """Numbers that a header defines by #define."""
    return {name: int(number) for name, number in re.findall(
        r"^#define (FARSUM_\w+) (\d+)$", text, flags=re.M)}


def write(out, reader):
    out.write(HEAD)
    for name, kind in reader.calls.items():
        out.write(f"{name} = {kind}\n")
    for name, fields in reader.structs.items():
        out.write(f"\n\nclass {name}(Structure):\n    _fields_ = [\n")
        for field, kind, _ in fields:
            out.write(f'        ("{field}", {kind}),\n')
        out.write("    ]\n    enums = {\n")
        for field, _, enum in fields:
            if enum:
                out.write(f'        "{field}": "{enum}",\n')
        out.write("    }\n")
    out.write("\n\nENUMS = {\n")
    for name, values in reader.enums.items():
        stem = os.path.commonprefix(list(values)).rpartition("_")[0] + "_"
        out.write(f'    "{name}": {{\n')
        for value, number in values.items():
            out.write(f'        "{value[len(stem):].lower()}": {number},\n')
        out.write("    },\n")
    out.write("}\nCONSTANTS = {\n")
    for name, number in reader.constants.items():
        out.write(f'    "{name}": {number},\n')
    out.write("}\nSTATUS = {\n")
    for number, (name, words) in enumerate(reader.status):
        out.write(f'    {number}: ("{name}", "{words}"),\n')
    out.write("}\nFUNCTIONS = {\n")
    for name, (result, args) in reader.functions.items():
        out.write(f'    "{name}": ({result}, ({"".join(a + ", " for a in args)})),\n')
    out.write("}\n")


def main():
    output, *headers = sys.argv[1:]
    reader = Reader()
    for header in headers:
        with open(header, encoding="utf-8") as file:
            text = file.read()
        reader.constants.update(macros(text))
        reader.read(text)
    os.makedirs(os.path.dirname(output), exist_ok=True)
    with open(output, "w", encoding="utf-8") as out:
        write(out, reader)


if __name__ == "__main__":
    main()
