# SPDX-License-Identifier: Apache-2.0
"""Runs notebooks without a browser, each in a kernel of its own.

    python3 run_notebooks.py [NAME.ipynb...] [--save FOLDER]

Without names: all of this folder.  Their assertions compare results with closed
forms.  --save writes copies with outputs.  Needs farsum, matplotlib, nbclient
and ipykernel.  Exit status 1 if a cell fails.
"""
import argparse
import pathlib
import sys
import time

import nbclient
import nbformat

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--save", type=pathlib.Path)
    given = parser.parse_args()
    bad = 0
    for path in given.names or sorted(map(str, HERE.glob("*.ipynb"))):
        path = pathlib.Path(path)
        began = time.monotonic()
        book = nbformat.read(path, as_version=4)
        client = nbclient.NotebookClient(
            book, timeout=300, kernel_name="python3",
            resources={"metadata": {"path": str(HERE)}})
        try:
            client.execute()
        except nbclient.exceptions.CellExecutionError as error:
            print(f"{path.name}: {error}")
            bad = 1
        print(f"{path.name}: {time.monotonic() - began:.1f} s")
        if given.save:
            given.save.mkdir(parents=True, exist_ok=True)
            nbformat.write(book, given.save / path.name)
    return bad


if __name__ == "__main__":
    sys.exit(main())
