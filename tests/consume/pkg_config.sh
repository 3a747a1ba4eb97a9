#!/bin/sh
# Builds and runs the consumer with what pkg-config says of an installed trifac:
# pkg_config.sh <compiler> <program> <prefix>. Exits with 77 where there is no pkg-config.
set -eu
# shellcheck source=tests/consume/common.sh
. "$(dirname "$0")/common.sh"
compiler=$1 program=$2 prefix=$3
find_trifac "$prefix"
echo "trifac $(pkg-config --modversion trifac): $(pkg-config --cflags trifac)"
# shellcheck disable=SC2046 # several words are wanted
exec "$(dirname "$0")/by_hand.sh" "$compiler" "$program" $(pkg-config --cflags trifac)
