#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the built files:
#   - No program or library of the build tree searches the working directory for
#     libraries.
#   - The shared library exports exactly the names of exports.txt, and
#     libfarsum_mpi, if it was built, those of exports_mpi.txt.
#   - glibc 2.34 is sufficient.
#   - The loader's tables are read-only, and stack and buffers are guarded.
#
#     binaries.sh BUILD CONFIG
set -eu
build=$1 here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
breach() {
    echo "$*"
    bad=1
}
dynamic() { readelf -dW "$1" 2>/dev/null; }

# An element of a run path that is empty or not absolute depends on the folder
# in which the program is started.  Files that PoCL caches are not ours.
count=0
for file in $(find "$build" -path "$build/pocl" -prune -o -type f \
                  \( -perm -u+x -o -name '*.so*' \) -print); do
    [ "$(head -c 4 "$file" | tr -d '\0')" = "$(printf '\177ELF')" ] || continue
    count=$((count + 1))
    path=$(dynamic "$file" | sed -n 's/.*R.*PATH).*\[\(.*\)\]$/\1/p')
    [ -n "$path" ] || continue
    case :$path: in
    *::*) breach "$file: the run path \"$path\" has an empty element" ;;
    esac
    for element in $(echo "$path" | tr ':' ' '); do
        case $element in
        /* | '$ORIGIN' | '$ORIGIN'/*) ;;
        *) breach "$file: the run path \"$path\" has \"$element\"" ;;
        esac
    done
done
[ "$count" -gt 5 ] || breach "only $count programs and libraries were found"

exports() { # LIBRARY LIST
    nm -D --defined-only "$1" | awk '{print $3}' | LC_ALL=C sort \
        >"$work/exports"
    diff "$here/$2" "$work/exports" \
        || breach "the exports differ from test/install/$2 (< listed)"
}
library=$build/libfarsum.so
libraries=$library
mpi=$build/libfarsum_mpi.so
exports "$library" exports.txt
if [ -f "$mpi" ]; then
    libraries="$library $mpi"
    exports "$mpi" exports_mpi.txt
fi

# A minor version may change structs: a program must not load another one's.
version=$(cut -d . -f 1,2 "$here/../../VERSION")
for file in $libraries; do
    name=$(basename "$file").$version
    dynamic "$file" | grep SONAME | grep -qF "[$name]" \
        || breach "$file: its name is not $name"
done

# With a symbol of a later glibc the library would not load on older systems.
for file in "$library" "$build/tools/farsum/farsum"; do
    newest=$(objdump -T "$file" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' \
                 | sort -V | tail -n 1)
    [ "$(printf '%s\n2.34\n' "${newest:-none}" | sort -V | tail -n 1)" = 2.34 ] \
        || breach "$file: asks for glibc $newest, 2.34 has to do: $(objdump -T \
               "$file" | grep -F "GLIBC_$newest" | awk '{print $NF}' | xargs)"
    # With glibc 2.38 or later these calls become new symbols.
    objdump -T "$file" | grep -Eq \
        ' (__isoc[0-9]+_)?(strto(u?ll?|[iu]max)|ato(i|ll?)|v?[fs]?scanf)$' \
        && breach "$file: reads whole numbers by the C library"
done

for file in $libraries "$build/tools/farsum/farsum"; do
    readelf -lW "$file" | grep -q GNU_RELRO || breach "$file: no RELRO"
    dynamic "$file" | grep -Eq 'BIND_NOW|FLAGS_1.*NOW' \
        || breach "$file: symbols are bound late, so that RELRO is partial"
    readelf -lW "$file" | grep -E 'GNU_STACK.* RWE' \
        && breach "$file: the stack is executable"
    nm -D "$file" | grep -q __stack_chk_fail \
        || breach "$file: the stack is not guarded"
    case $2 in # guards of buffers exist only in optimised builds
    Release | RelWithDebInfo)
        nm -D "$file" | grep -q '[a-z]_chk@' \
            || breach "$file: buffers are not guarded" ;;
    esac
done
[ "$bad" -eq 0 ] && echo "the binaries are as they should be"
exit "$bad"
