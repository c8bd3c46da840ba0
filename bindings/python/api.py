# SPDX-License-Identifier: Apache-2.0
"""Writes docs/python-api.md from the docstrings of the package.

    python3 bindings/python/api.py [OUT]

Reads the sources only, so no module has to be importable.
"""

import ast
import inspect
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "python-api.md"
HEAD = """\
# Python API

What does each function of the package `farsum` take, return and raise?
[python.md](python.md) is the introduction. `bindings/python/api.py` writes this page from the
docstrings, which `help(farsum.coulomb)` prints too.

Lengths are in the caller's unit, and energies in charge² / length times the option `coulomb`,
unless a module names its units. Arrays of shape [n, 3] are of NumPy, PyTorch, JAX or CuPy.
"""


def sources():
    """Module's name -> its syntax tree."""
    return {path.stem: ast.parse(path.read_text())
            for path in sorted((HERE / "farsum").glob("*.py"))}


def words(node):
    return inspect.cleandoc(ast.get_docstring(node) or "")


def is_shared(node):
    """The docstring ends with the text SHARED of _sums.py."""
    return any(getattr(d, "id", "") == "_documented"
               for d in node.decorator_list)


def signature(node, name, is_method):
    """A call with defaults, without types."""
    arguments = node.args
    for group in (arguments.posonlyargs, arguments.args, arguments.kwonlyargs,
                  [arguments.vararg, arguments.kwarg]):
        for one in group:
            if one:
                one.annotation = None
    if is_method:
        del arguments.args[0]
    return f"{name}({ast.unparse(arguments)})"


def block(text):
    return f"```text\n{text}\n```\n"


def members(node, found):
    """Public methods and properties with a docstring, inherited ones first."""
    for base in node.bases:
        if getattr(base, "id", "").startswith("_"):
            yield from members(found[base.id], found)
    for one in node.body:
        if isinstance(one, ast.FunctionDef) and words(one) \
                and not one.name.startswith("_"):
            yield one, any(getattr(d, "id", "") == "property"
                           for d in one.decorator_list)


def entry(node, name, found):
    """The section of a function or a class; found: all of the package."""
    if isinstance(node, ast.FunctionDef):
        shared = "\nAlso the [shared arguments](#shared-arguments).\n" \
            if is_shared(node) else ""
        return (f"### {name}\n\n"
                + block(signature(node, name, False) + "\n\n" + words(node))
                + shared)
    parts = [words(node)]
    for one in node.body:
        if isinstance(one, ast.FunctionDef) and one.name == "__init__":
            parts.insert(0, signature(one, name, True))
    text = f"### {name}\n\n" + block("\n\n".join(parts))
    for one, is_property in members(node, found):
        call = one.name if is_property else signature(one, one.name, True)
        text += "\n" + block(f"{call}\n\n{words(one)}")
    return text


def definitions(tree):
    return {node.name: node for node in tree.body
            if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def values(tree):
    """Top-level constants by name."""
    return {node.targets[0].id: node.value for node in tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)}


def errors(tree):
    rows = ["| class | also | raised when |", "|---|---|---|"]
    for name, node in definitions(tree).items():
        if not name.endswith("Error"):
            continue
        also = [base.id for base in node.bases if base.id != "Error"]
        rows.append(f"| `{name}` | {', '.join(f'`{b}`' for b in also)} | "
                    f"{words(node).splitlines()[0]} |")
    return "\n".join(rows) + "\n"


def page():
    trees = sources()
    names = ast.literal_eval(values(trees["__init__"])["__all__"])
    found = {name: node for stem, tree in trees.items() if stem[0] == "_"
             for name, node in definitions(tree).items()}
    public = [n for n in names if n in found and not n.endswith("Error")]
    shared = ast.literal_eval(values(trees["_sums"])["SHARED"])
    text = [HEAD, "## farsum\n"]
    text += [entry(found[n], n, found) for n in public
             if isinstance(found[n], ast.FunctionDef)]
    text += ["### Shared arguments\n\n" + block(inspect.cleandoc(shared))]
    text += [entry(found[n], n, found) for n in public
             if isinstance(found[n], ast.ClassDef)]
    text += ["### Errors\n\n" + errors(trees["_lib"])]
    for stem, tree in trees.items():
        if stem[0] == "_":
            continue
        text += [f"## farsum.{stem}\n\n" + block(words(tree))]
        text += [entry(node, name, found) for name, node in definitions(tree).items()
                 if name[0] != "_" and words(node)]
    text += derivatives(trees["_doors"], found)
    return "\n".join(text)


def derivatives(tree, found):
    """The functions that farsum.torch and farsum.jax share."""
    own = definitions(tree)
    functions = definitions(own["functions"])
    shared = ast.literal_eval(values(tree)["SHARED"])
    return (["## Functions of farsum.torch and farsum.jax\n"]
            + [entry(node, name, found) for name, node in functions.items()]
            + ["### Arguments of sums with derivatives\n\n"
               + block(inspect.cleandoc(shared)), entry(own["Sums"], "Sums", found)])


if __name__ == "__main__":
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    out.write_text(page())
