#!/bin/sh
# Compiles every two headers together: pairs.sh HEADER... -- COMPILER FLAG...
set -u
headers=""
while [ "$1" != -- ]; do
  headers="$headers $1"
  shift
done
shift
code=0
for second in $headers; do
  for first in $headers; do
    [ "$first" = "$second" ] && break
    if ! "$@" -fsyntax-only -include "$first" -include "$second" -x c++ /dev/null; then
      echo "$first and $second do not compile together"
      code=1
    fi
  done
done
exit $code
