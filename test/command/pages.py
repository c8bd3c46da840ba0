# SPDX-License-Identifier: Apache-2.0
"""Runs the blocks of a page of documentation and compares their output.

The label of a fenced block determines its treatment:

    sh     is run, in one folder for the whole page, with data/ and examples/
           of the source tree
    c, cpp, fortran, rust, r
           is written to the file that its first comment names
    text   is the output of the sh block before it, errors included

Other blocks are not run.  A line "..." in a text block matches any number of
lines.  A block may fail only if its text has a line "farsum: ...".  Words must
agree.  Numbers must agree to the digits that are the same on all machines
(`same_line`).  An sh block that names cuda:0 runs on $FARSUM_TEST_DEVICE, or is
skipped if that is not set.

    FARSUM=... pages.py PAGE     replaces the page's text blocks by the
                                 present output, except blocks with "..."
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])")
TOLERANCE = re.compile(r"tolerance ([\d.e-]+)")
ERROR = re.compile(r"(?:estimated|measured) (?:error )?([\d.e-]+)")
FENCE = re.compile(r"(?m)^```(\w*)\n(.*?)^```$", re.S)
# Lines that begin with these words contain times and the machine's choices.
LOOSE = ("time", "near", "near:", "spread:", "fft:", "scale:", "interp:",
         "p2p", "memory", "split", "window", "options", "method:")


def blocks(page):
    """Yields (label, text, start of the text) for each fenced block."""
    with open(page, encoding="utf-8") as file:
        return [(m[1], m[2], m.start(2)) for m in FENCE.finditer(file.read())]


def here(text):
    """The text with this machine's device."""
    return text.replace("cuda:0",
                        os.environ.get("FARSUM_TEST_DEVICE", "cuda:0"))


def numbers(line):
    return [float(n) for n in NUMBER.findall(line)]


def words(line):
    """The line's words, with # for numbers and for words that depend on the
    machine."""
    line = re.sub(r"isa \w+|\S+ threads?\b|in \S+ s\b", "#", line)
    return NUMBER.sub("#", line).split()


def same_line(want, got, tolerance):
    """Whether the printed line `got` agrees with the page's line `want`.

    Energies and virials must agree to ten tolerances, and errors lie below the
    tolerance of their line.  Numbers of a refusal agree within a half, all
    other numbers to six digits."""
    if want.split()[:1] == got.split()[:1] and want.split()[0] in LOOSE:
        return True
    if words(want) != words(got):
        return False
    a, b = numbers(want), numbers(got)
    if want.startswith(("energy", "virial")):
        return all(abs(x - y) <= 10 * tolerance * max(map(abs, a))
                   for x, y in zip(a, b))
    if re.search("estimated|measured", want):
        b = [float(t) for t in TOLERANCE.findall(got)]
        errors = ERROR.findall(got) if "tolerance" in want else []
        return TOLERANCE.findall(want) == TOLERANCE.findall(got) \
            and all(float(e) <= b[0] for e in errors)
    near = 0.5 if want.startswith("farsum: ") else 1e-6
    return all(abs(x - y) <= max(near * abs(x), 1e-12) for x, y in zip(a, b))


def difference(want, got):
    """The first difference between a text block and the output, or None."""
    found = TOLERANCE.search(want)
    tolerance = float(found[1]) if found else 1e-5
    lines = [x for x in got.splitlines() if not x.startswith("farsum: note:")]
    at, skip = 0, False
    for line in want.splitlines():
        if line.strip() == "...":
            skip = True
            continue
        if skip:
            while at < len(lines) and not same_line(line, lines[at],
                                                    tolerance):
                at += 1
        if at == len(lines) or not same_line(line, lines[at], tolerance):
            return f"not printed: {line!r}\ninstead: " \
                + "\n".join(lines[at:at + 3])
        at, skip = at + 1, False
    if at < len(lines) and not skip:
        return f"printed too: {lines[at]!r}"
    return None


class Page:
    """A page's blocks, run in `folder`."""

    def __init__(self, page, folder):
        self.page, self.folder = page, folder
        for name in "data", "examples":
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
        tools = os.path.join(folder, ".tools")
        os.mkdir(tools)
        os.symlink(os.path.abspath(os.environ["FARSUM"]),
                   os.path.join(tools, "farsum"))
        self.environment = dict(os.environ)
        self.environment["PATH"] = tools + ":" + os.environ["PATH"]
        library = os.environ.get("FARSUM_LIBRARY_DIR")
        if library:  # The compiler finds the library as after an installation.
            with open(os.path.join(tools, "farsum.pc"), "w") as file:
                modules = os.path.join(ROOT, "bindings/fortran/")
                file.write(f"libdir={library}\nfortran={modules}farsum_c.f90 {modules}farsum.f90"
                           "\nName: farsum\nDescription: sums\nVersion: 0\n"
                           f"Cflags: -I{ROOT}/include\nLibs: -L{library} "
                           f"-Wl,-rpath,{library} -lfarsum\n")
            # Without .tools in PATH: ccache would find cc there, for ever.
            for name, compiler in ("cc", "CC"), ("c++", "CXX"):
                path = os.path.join(tools, name)
                with open(path, "w") as file:
                    file.write("#!/bin/sh\nPATH=${PATH#*:}\n"
                               f'exec {os.environ[compiler]} "$@"\n')
                os.chmod(path, 0o755)
            self.environment["PKG_CONFIG_PATH"] = tools

    def skipped(self, text):
        device = os.environ.get("FARSUM_TEST_DEVICE")
        if "cuda:0" in text and not device:
            return True
        tool = re.match(r"(gfortran|rustc|Rscript) ", text)
        if tool and not shutil.which(tool[1]):
            return True
        return (tool or re.search(r"(?m)^(cc|c\+\+) ", text)) \
            and "PKG_CONFIG_PATH" not in self.environment

    def run(self, text):
        """Exit status and output of a block."""
        done = subprocess.run(["sh", "-ec", here(text)], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=500, env=self.environment)
        return done.returncode, done.stdout

    def results(self):
        """Yields (command, expected text or None, where, status, output)."""
        found = blocks(self.page)
        for i, (label, text, _) in enumerate(found):
            if label in ("c", "cpp", "fortran", "rust", "r"):
                name = re.match(r"(?:/\*|//|!|#) (\w+\.\w+)\b", text)
                if name:
                    with open(os.path.join(self.folder, name[1]), "w") as file:
                        file.write(here(text))
            elif label == "sh" and not self.skipped(text):
                want, where = None, 0
                if i + 1 < len(found) and found[i + 1][0] == "text":
                    _, want, where = found[i + 1]
                yield text, want, where, *self.run(text)

    def faults(self):
        """Yields a text for each block that does not run as the page shows."""
        for text, want, _, status, got in self.results():
            may_fail = want and re.search(r"(?m)^farsum: ", want)
            if status != 0 and not may_fail:
                yield f"status {status} of\n{text}{got}"
            elif want is not None:
                other = difference(want, got)
                if other:
                    yield f"{text}{other}"

    def rewritten(self):
        """The page, with the present output in its text blocks."""
        with open(self.page, encoding="utf-8") as file:
            page = file.read()
        for text, want, where, _, got in reversed(list(self.results())):
            if want is None or not difference(want, got):
                continue
            if re.search(r"(?m)^ *\.\.\.$", want):
                print(f"left as it is:\n{text}{difference(want, got)}")
                continue
            page = page[:where] + got + page[where + len(want):]
        return page


if __name__ == "__main__":
    for page in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            text = Page(page, folder).rewritten()
        with open(page, "w", encoding="utf-8") as file:
            file.write(text)
