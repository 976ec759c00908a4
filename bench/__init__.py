"""Benchmarks against floors: `make bench`. Figures are ratios of medians measured side by side in one run."""
