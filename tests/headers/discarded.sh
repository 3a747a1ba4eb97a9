#!/bin/sh
# The lines of a file whose comment says "warns" are those at which the compiler warns of a
# discarded result: discarded.sh FILE COMPILER FLAG...
set -u
file=$1
shift
output=$("$@" -fsyntax-only -Wunused-result "$file" 2>&1) || { printf '%s\n' "$output"; exit 1; }
expected=$(grep -nE '// warns$' "$file" | cut -d: -f1)
found=$(printf '%s\n' "$output" | sed -n 's/^[^ ]*'"$(basename "$file")"':\([0-9]*\):.*warning: ignoring ret.*/\1/p' | sort -nu)
if [ -z "$expected" ] || [ "$found" != "$expected" ]; then
  printf 'lines with a warning:\n%s\nlines marked:\n%s\n' "$found" "$expected"
  exit 1
fi
