"""Makes the measured parts of docs/study.md, and its figures, from finished studies: folders that
bench/trifac-study wrote."""

