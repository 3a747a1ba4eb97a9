#!/bin/sh
# Measures what the pages of this folder and README.md publish, and writes it into them:
#   docs/measure.sh --list            the parts, their pages and how long each takes
#   docs/measure.sh [page or part…]   measures what is not finished yet; default all
# docs/benchmarks.md ("To repeat it") says more; --help lists the options.
exec python3 -B "$(dirname "$0")/measure/measure.py" "$@"
