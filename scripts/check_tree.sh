#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the rules that the tree lives by; prints every breach, exits 1 if any.
#
#   includes run one way, and no folder is too large (check_layers.py).
#   prose avoids the turns of banned_words.txt (check_words.py).
#   a file has at most 500 lines, a function at most 120, a line of C at most
#   80 characters; nothing names this machine's folders; the library reads the
#   environment by secure_getenv and keeps files by base/store.h.
#   numbers that programs read are printed and read by base/number.h.
set -eu
cd "$(dirname "$0")/.."
bad=0
breach() {
    echo "$*"
    bad=1
}

sources=$(find src include tools test examples bench -name '*.[chk]' -o -name '*.kh' \
              -o -name '*.cc' -o -name '*.def' | sort)

python3 -B scripts/check_layers.py || bad=1
python3 -B scripts/check_words.py || bad=1
for file in $(find tools examples -name '*.[ch]' | sort); do
    for header in $(sed -n 's/^ *# *include "\([^"]*\)".*/\1/p' "$file"); do
        case $header in test/* | unit/*)
            breach "$file: may not include \"$header\"" ;;
        esac
    done
done

texts=$(find src include tools test examples bench cmake scripts docs \
             -name '*.[chk]' -o -name '*.kh' -o -name '*.def' -o -name '*.cc' -o -name '*.py' -o -name '*.sh' \
             -o -name '*.cmake' -o -name 'CMakeLists.txt' | sort)
for file in $texts; do
    lines=$(wc -l <"$file")
    [ "$lines" -le 500 ] || breach "$file: $lines lines, above 500"
done

# Each source says its licence at its head.
bare=$(find src include tools test examples bench cmake scripts .ci \
           -name '*.[chk]' -o -name '*.kh' -o -name '*.cc' -o -name '*.def' \
           -o -name '*.sym' -o -name '*.py' -o -name '*.sh' -o -name '*.map' \
           -o -name '*.cmake' -o -name 'CMakeLists.txt' | sort \
           | xargs grep -L 'SPDX-License-Identifier: Apache-2.0' || :)
[ -z "$bare" ] || breach "$bare: no line of the licence (SPDX) at the head"

# A function's body starts and ends with a brace in the first column.
long=$(awk '
    FNR == 1 { open = 0 }
    /^\{/ { open = FNR }
    /\)[^;]*\{$/ && /^[a-z]/ { open = FNR }
    /^\}/ { if (open && FNR - open > 120)
                printf "%s:%d: a function of %d lines\n", FILENAME, open,
                       FNR - open
            open = 0 }
    length($0) > 80 { printf "%s:%d: %d characters\n", FILENAME, FNR,
                             length($0) }' $sources)
[ -z "$long" ] || breach "$long"

# Threads and locks of the process go through base/par.h and base/fork.h: a
# team in the library's floating-point environment, locks that fork waits for.
regions=$(grep -rnE '# *pragma omp parallel|_Pragma\("omp parallel' src \
              | grep -v '^src/base/par\.' || :)
[ -z "$regions" ] || breach "$regions: use PAR_FOR or PAR_TEAM of base/par.h"
locks=$(grep -rnE 'PTHREAD_MUTEX_INITIALIZER|pthread_mutex_init' src \
            | grep -v '^src/base/fork\.' || :)
[ -z "$locks" ] || breach "$locks: use FORK_LOCK of base/fork.h"

# A program with another user's rights must not be led by the environment.
loose=$(grep -rnE '(^|[^_a-z])getenv *\(' src || :)
[ -z "$loose" ] || breach "$loose: the library reads by secure_getenv"

# Kept files are opened, written and renamed in one place.
loose=$(grep -rnE '(^|[^_a-z])(rename|renameat|mkstemp|mkdir) *\(' src \
            | grep -v '^src/base/store\.c:' || :)
[ -z "$loose" ] || breach "$loose: files are kept by base/store.h"

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
