"""Detectors of abuse, one module a kind; they read NumPy columns. Start with: registry, cases."""
