"""The parts of bench/trifac-study: plans, runs, statistics, figures, the report and the profile."""
