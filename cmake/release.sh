#!/bin/sh
# The release: build/trifac-VERSION.tar.gz, the files of the last commit, always with the same
# bytes. With --check also unpacked elsewhere, away from git, where cmake/test.sh builds it and
# passes its tests.
set -eu
cd "$(dirname "$0")/.."
. cmake/setup.sh

case ${1-} in
  "" | --check) ;;
  *) step="reading the arguments; usage: $0 [--check]" && exit 2 ;;
esac

install_missing git

version=$(sed -n 's/.*TRIFAC_VERSION_STRING "\(.*\)"/\1/p' include/trifac/version.hpp)
archive=build/trifac-$version.tar.gz
begin "writing $archive"
mkdir -p build
# Not through a pipe, which would hide that git failed.
git archive --prefix="trifac-$version/" --output="${archive%.gz}" HEAD
gzip -9 -n -f "${archive%.gz}"
verdict="$archive, $(wc -c < "$archive") bytes"

if [ "${1-}" = --check ]; then
  begin "testing $archive"
  folder=$(mktemp -d)
  tar -xzf "$archive" -C "$folder"
  "$folder/trifac-$version/cmake/test.sh"
  rm -rf "$folder"
  verdict="$verdict; its tests pass"
fi
