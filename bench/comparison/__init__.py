"""The parts of bench/compare: trifac against other libraries, measured side by side."""
