#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the rules of the tree.  Prints every breach; exit status 1 if there is
# one.
#
#   - Includes run one way, and no folder is too large (check_layers.py).
#   - Prose avoids the turns of banned_words.txt (check_words.py).
#   - A file has at most 500 lines, a function of C at most 120, and a line of
#     C or Fortran at most 80 characters.
#   - No file names folders of this machine.
#   - The library reads the environment by secure_getenv and writes files by
#     base/store.h.
#   - Numbers that programs read are printed and read by base/number.h.
set -eu
cd "$(dirname "$0")/.."
bad=0
breach() {
    echo "$*"
    bad=1
}

sources=$(find src include tools test examples bench bindings -name '*.[chk]' -o -name '*.kh' \
              -o -name '*.cc' -o -name '*.hpp' -o -name '*.def' \
              -o -name '*.f90' | sort)

python3 -B scripts/check_layers.py || bad=1
python3 -B scripts/check_words.py || bad=1
for file in $(find tools examples -name '*.[ch]' | sort); do
    for header in $(sed -n 's/^ *# *include "\([^"]*\)".*/\1/p' "$file"); do
        case $header in test/* | unit/*)
            breach "$file: may not include \"$header\"" ;;
        esac
    done
done

texts=$(find src include tools test examples bench bindings cmake scripts docs \
             -name '*.[chk]' -o -name '*.kh' -o -name '*.def' -o -name '*.cc' -o -name '*.hpp' -o -name '*.f90' -o -name '*.py' -o -name '*.sh' \
             -o -name '*.cmake' -o -name 'CMakeLists.txt' | sort)
for file in $texts; do
    lines=$(wc -l <"$file")
    [ "$lines" -le 500 ] || breach "$file: $lines lines, above 500"
done

# Each source names its licence at its head.
bare=$(find src include tools test examples bench bindings cmake scripts .ci \
           -name '*.[chk]' -o -name '*.kh' -o -name '*.cc' -o -name '*.hpp' -o -name '*.def' \
           -o -name '*.f90' -o -name '*.sym' -o -name '*.py' -o -name '*.sh' -o -name '*.map' \
           -o -name '*.cmake' -o -name 'CMakeLists.txt' | sort \
           | xargs grep -L 'SPDX-License-Identifier: Apache-2.0' || :)
[ -z "$bare" ] || breach "$bare: the head lacks the licence line (SPDX)"

# A function's body starts and ends with a brace in the first column.
long=$(awk '
    FNR == 1 { open = 0 }
    /^\{/ && last !~ /^(class|namespace|template)/ { open = FNR }
    { last = $0 }
    /\)[^;]*\{$/ && /^[a-z]/ { open = FNR }
    /^\}/ { if (open && FNR - open > 120)
                printf "%s:%d: a function of %d lines\n", FILENAME, open,
                       FNR - open
            open = 0 }
    length($0) > 80 { printf "%s:%d: %d characters\n", FILENAME, FNR,
                             length($0) }' $sources)
[ -z "$long" ] || breach "$long"

# base/par.h gives threads the library's floating-point environment.  fork waits
# for the locks of base/fork.h.
regions=$(grep -rnE '# *pragma omp parallel|_Pragma\("omp parallel' src \
              | grep -v '^src/base/par\.' || :)
[ -z "$regions" ] || breach "$regions: use PAR_FOR or PAR_TEAM of base/par.h"
locks=$(grep -rnE 'PTHREAD_MUTEX_INITIALIZER|pthread_mutex_init' src \
            | grep -v '^src/base/fork\.' || :)
[ -z "$locks" ] || breach "$locks: use FORK_LOCK of base/fork.h"

# The environment must not control a program with another user's rights.
loose=$(grep -rnE '(^|[^_a-z])getenv *\(' src || :)
[ -z "$loose" ] || breach "$loose: use secure_getenv"

# Only base/store.c opens, writes and renames cached files.
loose=$(grep -rnE '(^|[^_a-z])(rename|renameat|mkstemp|mkdir) *\(' src \
            | grep -v '^src/base/store\.c:' || :)
[ -z "$loose" ] || breach "$loose: use base/store.h for files"

python3 -B scripts/check_numbers.py || bad=1

here=$(pwd -P)
names=$(grep -rnIE "(^|[^A-Za-z0-9_.-])/(home|root|Users)/[a-z]" \
            --exclude-dir=.git --exclude-dir='build*' \
            --exclude=check_tree.sh . || :)
[ -z "$names" ] || breach "$names"
case $here in
/?*/?*)
    names=$(grep -rnIF "$here" --exclude-dir=.git --exclude-dir='build*' . \
                || :)
    [ -z "$names" ] || breach "$names"
    ;;
esac

[ "$bad" -eq 0 ] && echo "the tree is as it should be"
exit "$bad"
