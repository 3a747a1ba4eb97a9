#!/bin/sh
# README's first example with the header that cmake/single_header.py makes, in two files of a
# program: single.sh <python> <root of the sources> <folder> <compiler>. Exits with 77 without the
# compiler.
set -eu
python=$1 root=$2 work=$3 compiler=$4
if ! command -v "$compiler" > /dev/null; then
  echo "skipped: there is no $compiler"
  exit 77
fi
rm -rf "$work"
mkdir -p "$work"
cd "$work"
"$python" -B "$root/cmake/single_header.py" "$root/include" trifac/trifac.hpp
if grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]trifac/' trifac/trifac.hpp; then
  echo "the single header includes other files of trifac"
  exit 1
fi
awk '/^```cpp$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$root/README.md" > example.cpp
grep -q "int main" example.cpp
printf '#include <trifac/trifac.hpp>\n#include <trifac/trifac.hpp>\n' > other.cpp
"$compiler" -std=c++20 -O0 -Wall -Wextra -Wpedantic -Wshadow -Werror -I . example.cpp other.cpp -o example
./example
