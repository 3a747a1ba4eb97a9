#!/bin/sh
# Builds and runs the consumer with what pkg-config says of an installed trifac:
# pkg_config.sh <compiler> <program> <prefix>. Exits with 77 where there is no pkg-config.
set -eu
compiler=$1 program=$2 prefix=$3
if ! command -v pkg-config > /dev/null; then
  echo "skipped: there is no pkg-config"
  exit 77
fi
PKG_CONFIG_PATH=$prefix/share/pkgconfig
export PKG_CONFIG_PATH
echo "trifac $(pkg-config --modversion trifac): $(pkg-config --cflags trifac)"
# shellcheck disable=SC2046 # several words are wanted
exec "$(dirname "$0")/by_hand.sh" "$compiler" "$program" $(pkg-config --cflags trifac)
