#!/usr/bin/env bash
# usage: packages.sh BUILD_DIR WORK_DIR
#
# Packs what is built in BUILD_DIR, installs the packages into this system,
# uses them from WORK_DIR as a user does, and removes them. Ends with 77, and
# the reason, where packages cannot be installed.
set -euo pipefail
build=$(realpath "$1")
work=$2
names=(reprise libreprise-dev reprise-doc)
plugin=$build/lib/libreprise-comm-mpi.so
[ ! -e "$plugin" ] || names+=(reprise-mpi)

skip() {
  echo "skipped: $1"
  exit 77
}

fail() {
  echo "error: $1" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || skip "packages are installed by root only"
for tool in dpkg dpkg-shlibdeps apt-get readelf; do
  command -v $tool >/dev/null || skip "there is no $tool"
done
installed() { [ -n "$(dpkg-query -W -f='${Status}' "$1" 2>/dev/null)" ]; }
for name in "${names[@]}"; do
  ! installed "$name" || skip "$name is installed already, and would be lost"
done

rm -rf "$work"
mkdir -p "$work/home"
work=$(realpath "$work")
cd "$work"
# Packing takes most of the time, so that only lintian, which asks for it, sees
# compressed packages.
compression=none
! command -v lintian >/dev/null || compression=gzip
cpack --config "$build/CPackConfig.cmake" -B "$work/debs" \
  -D CPACK_DEBIAN_COMPRESSION_TYPE=$compression >cpack.log 2>&1 ||
  { cat cpack.log; fail "packing"; }
if [ $compression = gzip ]; then
  lintian --allow-root --fail-on error debs/*.deb >lintian.log 2>&1 ||
    { cat lintian.log; fail "lintian"; }
else
  echo "no lintian: not asked"
fi

# What they depend on is here, or the build would not have been possible: they
# need no other package.
apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 "$@" -y \
    --no-install-recommends ./debs/*.deb >apt.log 2>&1 ||
    { cat apt.log; fail "apt-get $1"; }
}
apt install --simulate
[ "$(grep -c ^Inst apt.log)" = ${#names[@]} ] || { cat apt.log; fail "others"; }
remove() { dpkg --purge "${names[@]}" >purge.log 2>&1; }
trap remove EXIT
apt install

# Nothing of the tree it was built in.
for file in /usr/bin/reprise{,-opt,-plan,-reduce,-lsp-server} \
  $(dpkg -L "${names[@]}" | grep '\.so$'); do
  ! readelf -d "$file" | grep -F "$build" || fail "$file looks into the tree"
done
source=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
texts=$(dpkg -L libreprise-dev | grep '\.cmake$')
# shellcheck disable=SC2086
! grep -F -e "$build" -e "$source" $texts || fail "paths of the tree"

# As a user has it: no variable of this shell.
user() { env -i HOME="$work/home" PATH=/usr/bin:/bin LANG=C.UTF-8 "$@"; }
user reprise --version
user reprise train mlp --data synthetic --synthetic-size 32 --batch 16 \
  --threads 1 --steps 2 --save state.safetensors >train.log 2>&1 ||
  { cat train.log; fail "training"; }
grep -aq '"step":"2"' state.safetensors || fail "no state of step 2"

if [ -e "$plugin" ]; then
  user OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    mpirun --oversubscribe -n 2 reprise train mlp --data synthetic \
    --synthetic-size 32 --batch 16 --threads 1 --steps 2 --ranks 2 \
    >ranks.log 2>&1 || { cat ranks.log; fail "training by two ranks"; }
  grep -q 'ranks  *2; ' ranks.log || fail "the ranks did not meet"
fi

# Small systems leave out documents and pages: these are then the package's.
page=/usr/share/man/man1/reprise.1.gz
example=/usr/share/doc/libreprise-dev/examples/consumer
for deb in debs/*.deb; do
  dpkg-deb -x "$deb" unpacked
done
[ -e $page ] || page=$work/unpacked$page
[ -e $example ] || example=$work/unpacked$example
if command -v man >/dev/null; then
  user man -P cat --warnings "$page" >page 2>page.log
  [ ! -s page.log ] || { cat page.log; fail "the page has mistakes"; }
  grep -q 'reprise train' page || fail "the page lacks a command"
else
  echo "no man: the page is not shown"
fi
grep -q 'Apache-2.0 WITH LLVM-exception' \
  "$work/unpacked/usr/share/doc/reprise/copyright"
user bash --norc -c '. /usr/share/bash-completion/completions/reprise
  complete -p reprise' | grep -q -- '-F _reprise' || fail "no completion"

cp -r "$example" example
user cmake -G Ninja -S example -B example/build \
  -DCMAKE_BUILD_TYPE=Release >example.log 2>&1 &&
  user cmake --build example/build >>example.log 2>&1 ||
  { cat example.log; fail "the example does not build"; }
clones=$(user example/build/consumer | grep -c 'phase<recompute>')
[ "$clones" = 2 ] || fail "the example computes $clones blocks again, not 2"
user reprise compile mlp --batch 16 --threads 1 -o mlp.rpx >compile.log 2>&1 ||
  { cat compile.log; fail "compiling"; }
user example/build/train_with_hook mlp.rpx | grep -q '^step 8: loss ' ||
  fail "the example does not train"

trap - EXIT
remove || { cat purge.log; fail "removing"; }
for name in "${names[@]}"; do
  ! installed "$name" || fail "$name is still there"
done
[ ! -e /usr/bin/reprise ] || fail "/usr/bin/reprise is still there"
echo "packages: built, installed, used and removed"
