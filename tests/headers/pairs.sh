#!/bin/sh
# Compiles every two headers together, as many pairs at a time as there are cores:
# pairs.sh HEADER... -- COMPILER FLAG...
set -u
headers=""
while [ "$1" != -- ]; do
  headers="$headers $1"
  shift
done
shift
if [ -z "$headers" ]; then
  echo "no header was named"
  exit 1
fi
for second in $headers; do
  for first in $headers; do
    [ "$first" = "$second" ] && break
    echo "$first:$second"
  done
done | xargs -P "$(nproc)" -I {} sh -c '
  first=${1%:*} second=${1#*:}
  shift
  "$@" -fsyntax-only -include "$first" -include "$second" -x c++ /dev/null && exit 0
  echo "$first and $second do not compile together"
  exit 1' pairs {} "$@"
