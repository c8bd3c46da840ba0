#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the files of a release from the commit HEAD: the tarball, its checksum
# and the notes, the section of CHANGELOG.md.  The same commit gives the same
# bytes.  Wheels that lie in OUT get checksums too.
#
#     packaging/release.sh OUT [--draft]
#
# --draft: also if the section is still "(unreleased)".
set -eu
cd "$(dirname "$0")/.."
out=$1 draft=${2:-}
fail() { echo "$*" >&2; exit 1; }
version=$(cat VERSION)
name=farsum-$version

[ -z "$(git status --porcelain)" ] || fail "the working tree has changes"
for part in MAJOR MINOR PATCH; do
    sed -n "s/^#define FARSUM_VERSION_$part //p" include/farsum/farsum.h
done | paste -sd . | grep -qxF "$version" \
    || fail "include/farsum/farsum.h has another version than $version"
grep -q "^farsum ($version-" packaging/debian/changelog \
    || fail "packaging/debian/changelog has no entry of version $version"
grep -qF "<!-- farsum $version -->" packaging/abi/libfarsum.xml \
    || fail "packaging/abi/libfarsum.xml is not of version $version"
notes=$(awk -v v="$version" '/^## / { on = $2 == v; next } on' CHANGELOG.md)
[ -n "$notes" ] || fail "CHANGELOG.md has no section of version $version"
if grep -q "^## $version (unreleased)" CHANGELOG.md; then
    [ "$draft" = --draft ] || fail "CHANGELOG.md says \"$version (unreleased)\""
fi

mkdir -p "$out"
git archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$out/$name.tar.gz"
printf '%s\n' "$notes" >"$out/NOTES.md"
cd "$out"
set -- "$name.tar.gz"
for wheel in *.whl; do
    [ ! -f "$wheel" ] || set -- "$@" "$wheel"
done
sha256sum "$@" >SHA256SUMS
cat SHA256SUMS
