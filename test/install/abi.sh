#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares the binary interface of libfarsum (functions, structs, enumerations)
# with packaging/abi/libfarsum.xml, that of the version in VERSION.  A new
# function is allowed; any other difference fails.  Exit status 77 if abidw is
# missing (Debian: abigail-tools).
#
#     abi.sh CC             compares
#     abi.sh CC --update    writes the file: after a change that VERSION and
#                           CHANGELOG.md describe
#
# The interface is read from a library that contains only the files that define
# public functions, with debugging information.
set -eu
cd "$(dirname "$0")/../.."
cc=$1
kept=packaging/abi/libfarsum.xml
version=$(cat VERSION)
command -v abidw >/dev/null || { echo "no abidw"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

files=$(find src -path src/mpi -prune -o -name '*.c' -print | sort \
            | xargs grep -lE '^([a-z_]+ |const char \*)?farsum_[a-z_]+\(')
for file in $files; do
    "$cc" -std=gnu17 -g -O0 -fPIC -fvisibility=hidden -w -Isrc -Iinclude \
        -D_GNU_SOURCE -DFARSUM_HAVE_X86=0 -DFARSUM_WITH_FFTW=0 \
        -DFARSUM_WITH_VKFFT=0 -DFARSUM_PAPERS=1 \
        -DFARSUM_VERSION_TEXT="\"$version\"" -c "$file" \
        -o "$work/$(echo "$file" | tr / _).o"
done
# farsum_comm_* and farsum_ranks_* are for libfarsum_mpi of the same version.
grep -vE '^farsum_(comm|ranks)_' test/install/exports.txt >"$work/public"
{
    echo "{ global:"
    sed 's/$/;/' "$work/public"
    echo "local: *; };"
} >"$work/map"
"$cc" -shared -Wl,--version-script="$work/map" \
    -Wl,-soname,"libfarsum.so.${version%.*}" "$work"/*.o \
    -o "$work/libfarsum.so"
nm -D --defined-only "$work/libfarsum.so" | awk '{print $3}' | LC_ALL=C sort \
    | diff "$work/public" - || {
    echo "the files do not define the public functions"
    exit 1
}

# Only structs of public headers count.  --headers-dir compares no folders, and
# src/ has headers of the same names.
cat >"$work/private" <<'END'
[suppress_type]
  source_location_not_regexp = include/farsum/
  drop = yes
END
abidw --suppressions "$work/private" --drop-private-types \
    --drop-undefined-syms --no-corpus-path --no-show-locs --no-comp-dir-path \
    --type-id-style hash "$work/libfarsum.so" >"$work/new.abi"

if [ "${2:-}" = --update ]; then
    grep -qF "## $version (unreleased)" CHANGELOG.md || {
        echo "CHANGELOG.md has no section \"## $version (unreleased)\":" \
             "a released interface may not change"
        exit 1
    }
    {
        echo "<!-- SPDX-License-Identifier: Apache-2.0 -->"
        echo "<!-- farsum $version -->"
        cat "$work/new.abi"
    } >"$kept"
    exit
fi
grep -qF "<!-- farsum $version -->" "$kept" || {
    echo "$kept is not of version $version: run test/install/abi.sh --update"
    exit 1
}
grep -qF "## $version" CHANGELOG.md || {
    echo "CHANGELOG.md has no section of version $version"
    exit 1
}
grep -v '^<!--' "$kept" >"$work/kept.abi"
abidiff --no-added-syms --harmless "$work/kept.abi" "$work/new.abi" || {
    echo "the interface is not that of $kept: raise VERSION, describe the" \
         "change in CHANGELOG.md, and run test/install/abi.sh --update"
    exit 1
}
echo "the interface is that of version $version"
