#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses code that prints or reads real numbers in the program's locale.

Numbers that a program reads go through src/base/number.h, whose digits do not
change with the locale.  Messages for people may use %g where the printing
function sets the C locale: those of MESSAGES in any file, those of WRITERS only
in MESSAGE_FILES.  All other conversions of reals are refused: printf's in any
literal (also one that a macro completes), strtod and its family, scanf.

%d is allowed, because no locale changes whole numbers.  But whole numbers are
read by base/number.h too: strtol and atoi accept spaces and signs, and a
library that is built on glibc 2.38 and calls them requires that version.

Programs of test/, bench/ and examples/ print numbers that other programs read.
So they must stay in the C locale, in which a program starts; IN_LOCALES lists
the exceptions.

    scripts/check_numbers.py [FILE...]      exit status 1 if anything is refused
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "include", "tools")
PROGRAMS = ("test/", "bench/", "examples/")
SUFFIXES = (".c", ".h", ".cc", ".k", ".kh", ".def")
# The printer and the reader of numbers, and the C locale; not checked.
PAIR = ("src/base/number.c", "src/base/c_locale.c", "src/base/c_locale.h")
# Functions that print for people, in the C locale.
MESSAGES = {"FAIL", "GO_FAIL", "status_fail", "status_prefix", "task_log",
            "progress_step", "progress_phase", "say_error", "say_note",
            "say_progress", "text_fail"}
ASSEMBLER = {"asm", "__asm__", "volatile", "__volatile__"}
WRITERS = {"c_locale_text", "c_locale_write"}
MESSAGE_FILES = set("""
    src/base/text.c src/mesh/info.c src/tune/parameters.c
    src/plan/advice.c src/plan/companion.c src/plan/choose_method.c
    src/plan/choose_precision.c src/plan/print.c src/stage/choose.c src/stage/particles/host.c
    tools/farsum/bench.c tools/farsum/bench_exchange.c tools/farsum/cache.c tools/farsum/check.c
    tools/farsum/help_tables.c tools/farsum/kernel.c tools/farsum/list.c
    tools/farsum/outcome.c tools/farsum/tune.c tools/farsum/tune_model.c
    tools/farsum/tune_nufft.c
    tools/farsum/tune_ranks.c
    tools/farsum/verify.c
""".split())

# Tests that enter other locales.
IN_LOCALES = set("""
    test/command/comma.c test/unit/io_extxyz.c test/unit/io_write.c
    test/unit/locale.c test/unit/locales.h test/variants_locale.c
""".split())

LOCALES = re.compile(r"(?:set|new|use|dup)locale")
REFUSED = re.compile(
    r"\b((?:str|wcs)to(?:d|f|ld|f\d+x?|u?ll?|u?q|[iu]max)(?:_l)?|ato(?:f|i|ll?)|"
    r"v?[fsw]*scanf|sto(?:i|u?ll?)|"
    r"v(?:[fds]|sn|as)?printf|strfrom[dfl]|[efg]cvt(?:_r)?|strfmon|setlocale|newlocale|uselocale|"
    r"duplocale|localeconv|stod|stof|stold|to_chars|from_chars|iostream|"
    r"s?[io]?stringstream|iomanip)\b")
REAL = re.compile(r"%[-+ #0-9.*'$I\0]*[hlLqjzt]*[aAeEfFgG]")
# A conversion whose letter comes from a macro or from another literal.
OPEN = re.compile(r"%[-+ #0-9.*'$I]*[hlLqjzt]*(?:\0|$)")
# A format that prints a format: "%%.%dg".
NESTED = re.compile(r"%%[-+#0-9.*]*%[-+ 0-9]*l*[diu][lL]?[aAeEfFgG]")
TOKEN = re.compile(
    r"""(?P<skip>//[^\n]*|/\*.*?\*/|\\\n|[ \t\r\f\v]+)
      |(?P<line>\n)
      |(?P<text>(?:u8|[uUL])?"(?:[^"\\\n]|\\.|\\\n)*")
      |(?P<char>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
      |(?P<name>[A-Za-z_]\w*)
      |(?P<number>\.?\d(?:[eEpP][-+]|[\w.])*)
      |(?P<mark>.)""", re.X | re.S)


def tokens(source):
    line = 1
    for match in TOKEN.finditer(source):
        kind, text = match.lastgroup, match.group()
        if kind not in ("skip", "line"):
            yield kind, text, line
        line += text.count("\n")


def piece(text):
    """A literal's characters; escapes by number become the characters."""
    body = text[text.index('"') + 1:-1].replace("\\\n", "")
    body = re.sub(r"\\x([0-9a-fA-F]+)", lambda m: chr(int(m[1], 16)), body)
    return re.sub(r"\\([0-7]{1,3})", lambda m: chr(int(m[1], 8)), body)


def literals(all_tokens):
    """Yields (text, line, call).  text joins adjacent literals, with \\0 for
    each name between them; call is the innermost call with that argument."""
    calls, joined, start = [], None, 0
    before, inside_macro = "", 0
    for kind, text, line in all_tokens + [("mark", ";", 0)]:
        if kind == "text":
            if joined is None:
                joined, start = "", line
            joined += piece(text)
        elif kind == "name" and joined is not None:
            joined += "d" if text.startswith("PRI") else "\0"
            inside_macro = 1 # a macro's own arguments may follow
        elif text == "(" and joined is not None and inside_macro:
            inside_macro += 1
        elif joined is not None and inside_macro > 1:
            inside_macro -= text == ")"
        elif joined is not None:
            call = next((c for c in reversed(calls) if c), "")
            yield joined, start, call
            joined, inside_macro = None, 0
        if text == "(" and kind == "mark":
            calls.append(before if before != "if" else "")
        elif text == ")" and kind == "mark" and calls:
            calls.pop()
        elif text in ";{}" and kind == "mark":
            calls = []
        before = text if kind == "name" else ""


def wrong_formats(all_tokens, name):
    for text, line, call in literals(all_tokens):
        if call in ASSEMBLER:
            continue
        if NESTED.search(text):
            yield line, "a format that prints a format for a real"
        text = text.replace("%%", "")
        if OPEN.search(text):
            yield line, f"a conversion that a macro completes: {text!r}"
        elif REAL.search(text):
            good = call in MESSAGES or (call in WRITERS
                                        and name in MESSAGE_FILES)
            if not good:
                found = REAL.search(text).group()
                yield line, (f"{found} depends on the locale, or a program "
                             f"reads it ({call or 'no call'}): base/number.h")


def leaves_c(source, name):
    """Yields calls by which a test or a bench enters another locale."""
    if name in IN_LOCALES:
        return
    for kind, text, line in tokens(source):
        if kind == "name" and LOCALES.fullmatch(text):
            yield line, f"{text}: programs stay in the C locale"


def wrong(source, name):
    if name.startswith(PROGRAMS):
        yield from leaves_c(source, name)
        return
    found, before = list(tokens(source)), ""
    for kind, text, line in found:
        if kind == "name" and REFUSED.fullmatch(text) and \
                before not in ("define", "undef"):
            yield line, f"{text}: numbers go through base/number.h"
        before = text
    yield from wrong_formats(found, name)


def main(words):
    files = [pathlib.Path(w).resolve() for w in words] or sorted(
        f for folder in FOLDERS + PROGRAMS for f in (ROOT / folder).rglob("*")
        if f.suffix in SUFFIXES)
    bad = 0
    for file in files:
        name = file.relative_to(ROOT).as_posix() if ROOT in file.parents \
            else str(file)
        if name in PAIR:
            continue
        for line, why in wrong(file.read_text(encoding="utf-8"), name):
            print(f"{name}:{line}: {why}")
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
