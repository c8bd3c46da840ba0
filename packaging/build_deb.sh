#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages of the commit HEAD and checks them with lintian.
# With a folder that debootstrap has made, builds them in a copy of it that has
# the build dependencies only, and installs and uses them in another copy.  Not a
# part of CI: it compiles everything once and takes minutes.
#
#     packaging/build_deb.sh OUT [ROOT]
#
# OUT: where the packages go.  ROOT: a minimal Debian, as root:
#     debootstrap --variant=minbase bookworm ROOT
# DEB_BUILD_OPTIONS=parallel=N limits the processes of the build.
set -eu
cd "$(dirname "$0")/.."
out=$1 root=${2:-} source=$PWD
version=$(cat VERSION)
mkdir -p "$out"
out=$(cd "$out" && pwd)
tree=$out/farsum-$version
step() { echo "--- $*"; }

step "the source"
rm -rf "$tree"
git archive --prefix="farsum-$version/" HEAD | tar -x -C "$out"
tar -C "$out" --sort=name --mtime="@$(git log -1 --format=%ct)" --owner=0 \
    --group=0 --numeric-owner -c "farsum-$version" \
    | gzip -n >"$out/farsum_$version.orig.tar.gz"
cp -r "$tree/packaging/debian" "$tree/debian"
[ "$(sed -n '1s/.*(\(.*\)-.*/\1/p' "$tree/debian/changelog")" = "$version" ] \
    || { echo "packaging/debian/changelog is not of version $version"; exit 1; }
minor=${version%.*}
grep -q "^Package: libfarsum$minor\$" "$tree/debian/control" \
    || { echo "packaging/debian/control is not of version $minor"; exit 1; }

step "the packages"
in_root() { # COPY COMMAND
    cp /etc/resolv.conf "$1/etc/resolv.conf"
    DEBIAN_FRONTEND=noninteractive chroot "$1" sh -euc "$2"
}
build() {
    [ -n "$root" ] || { cd "$tree" && dpkg-buildpackage -us -uc -b; return; }
    rm -rf "$out/build-root"
    cp -a "$root" "$out/build-root"
    mkdir "$out/build-root/build"
    cp -r "$tree" "$out/build-root/build/"
    in_root "$out/build-root" "apt-get update
        apt-get install -y --no-install-recommends build-essential
        apt-get build-dep -y --no-install-recommends /build/farsum-$version
        cd /build/farsum-$version && dpkg-buildpackage -us -uc -b" || return
    find "$out/build-root/build" -maxdepth 1 -type f -exec cp {} "$out/" \;
}
(build) >"$out/build.log" 2>&1 || { tail -n 30 "$out/build.log"; exit 1; }
ls -l "$out"/*.deb

step "lintian"
# Nobody has filed an intent to package.
lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs \
    "$out/farsum_${version}"-*.changes

[ -n "$root" ] || exit 0
step "a clean system: the libraries, the command, a program in C and in Fortran"
rm -rf "$out/use-root"
cp -a "$root" "$out/use-root"
root=$out/use-root
mkdir "$root/debs"
cp "$out"/*.deb "$root/debs/"
cp "$source/data/water_spce_3k.xyz" "$source/examples/nacl.c" \
    "$source/examples/pair.cc" "$source/examples/pair.f90" \
    "$source/examples/ranks.c" "$root/debs/"
cat >"$root/debs/use.sh" <<'USE'
set -eu
cd /debs
apt-get update
apt-get install -y --no-install-recommends ./farsum_*.deb ./libfarsum0*.deb
farsum run water_spce_3k.xyz --tolerance 1e-4 --check
if command -v cc; then exit 1; fi
apt-get install -y --no-install-recommends ./*.deb g++ gfortran pkg-config \
    mpi-default-bin
farsum --version
cc nacl.c $(pkg-config --cflags --libs farsum) -lm -o nacl
./nacl
cc nacl.c $(pkg-config --static --cflags --libs farsum) -lm -static-libgcc -o nacl
./nacl
c++ -std=c++17 pair.cc $(pkg-config --cflags --libs farsum) -o pair
./pair
gfortran $(pkg-config --variable=fortran farsum) pair.f90 \
    $(pkg-config --libs farsum) -o pair
./pair
mpicc ranks.c $(pkg-config --cflags --libs farsum_mpi) -lm -o ranks
mpirun --allow-run-as-root --oversubscribe -n 2 ./ranks
dpkg --verify $(dpkg-query -W -f '${Package}\n' '*farsum*')
apt-get purge -y farsum 'libfarsum*'
if ls /usr/lib/*/libfarsum* /usr/include/farsum /usr/share/farsum; then exit 1; fi
echo "the packages work, and leave nothing"
USE
in_root "$root" ". /debs/use.sh" >"$out/use.log" 2>&1 \
    || { tail -n 30 "$out/use.log"; exit 1; }
tail -n 1 "$out/use.log"
