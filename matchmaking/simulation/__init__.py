"""Plays whole evenings of a community through the real matcher. Start with: run, evening."""
