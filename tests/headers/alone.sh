#!/bin/sh
# Compiles each header by itself, before any other: alone.sh HEADER... -- COMPILER FLAG...
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
code=0
for header in $headers; do
  if ! "$@" -fsyntax-only -include "$header" -x c++ /dev/null; then
    echo "$header does not compile by itself"
    code=1
  fi
done
exit $code
