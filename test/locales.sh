#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Creates the locales of the tests from the sources of the package `locales`:
# decimal commas, grouped thousands, a decimal point of two bytes, an i without a
# dot.
#
#     locales.sh FOLDER
set -eu
mkdir -p "$1"
for name in de_DE.UTF-8 ps_AF.UTF-8 tr_TR.ISO-8859-9; do
    [ ! -d "$1/$name" ] || continue
    new=$(mktemp -d "$1/new.XXXXXX")
    localedef -i "${name%%.*}" -f "${name#*.}" "$new/$name" \
        || { echo "the package locales is missing: scripts/install_deps.sh"
             exit 1; }
    mv "$new/$name" "$1/$name"
    rmdir "$new"
done
