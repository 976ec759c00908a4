"""Gaussian Elo with home advantage, a system for tests. Start with: system."""
