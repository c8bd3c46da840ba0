# SPDX-License-Identifier: Apache-2.0
"""`python -m farsum` is the command `farsum`."""

import os
import pathlib
import sys


def main() -> None:
    command = pathlib.Path(__file__).absolute().parent / "bin" / "farsum"
    if not command.is_file():
        sys.exit("farsum: this package was built without the command")
    sys.stdout.flush()
    os.execv(command, ["farsum", *sys.argv[1:]])


if __name__ == "__main__":
    main()
