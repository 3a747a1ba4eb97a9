#!/bin/sh
# Compiles a program with a mistake: refused.sh FILE COMPILER FLAG... . It must not compile, and the
# compiler must say what the first line of the file does, once, in few lines.
set -u
file=$1
shift
says=$(sed -n '1s|^// ||p' "$file")
if [ -z "$says" ]; then
  echo "$file does not begin with what the compiler must say"
  exit 1
fi
most=20
if output=$("$@" -fsyntax-only "$file" 2>&1); then
  echo "$file compiles"
  exit 1
fi
# Not counted: where a header was included from, and lines of source, which g++ 14 shows at each step.
lines=$(printf '%s\n' "$output" | grep -vcE '^(In file included| *) from |^ *[0-9]* \|')
errors=$(printf '%s\n' "$output" | grep -c 'error:')
if ! printf '%s\n' "$output" | grep 'error:' | grep -qF -e "$says"; then
  printf '%s\nno error says: %s\n' "$output" "$says"
  exit 1
fi
if [ "$errors" -ne 1 ] || [ "$lines" -gt "$most" ]; then
  printf '%s\n%s errors in %s lines; allowed: 1 in %s\n' "$output" "$errors" "$lines" "$most"
  exit 1
fi
