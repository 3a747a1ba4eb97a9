#!/bin/sh
# The binary interface of trifac.h is the recorded one: abi.sh <library> <program of abi.c> <record>.
# Within a minor version lines may be added, to the record too; none may change or go. (Descriptions
# of the library by libabigail differ between compilers; what these lines do not have, the types of
# arguments, is in c_api.c, which calls every function.)
set -eu
library=$1 program=$2 record=$3
{
  "$program"
  nm -D --defined-only "$library" | awk '$3 !~ /^_Z/ { print $3 }' | LC_ALL=C sort
} | diff "$record" -
