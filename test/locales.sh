#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Creates the tests' locales from the sources in the package `locales`.  They
# have decimal commas, grouped thousands, a decimal point of two bytes, and an i
# without a dot.
#
#     locales.sh FOLDER
set -eu
mkdir -p "$1"
for name in de_DE.UTF-8 ps_AF.UTF-8 tr_TR.ISO-8859-9; do
    [ ! -d "$1/$name" ] || continue
    new=$(mktemp -d "$1/new.XXXXXX")
    localedef -i "${name%%.*}" -f "${name#*.}" "$new/$name" \
        || { echo "the package locales is missing; run scripts/install_deps.sh"
             exit 1; }
    mv "$new/$name" "$1/$name"
    rmdir "$new"
done
