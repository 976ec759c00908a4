"""Achievements, read from the ledger and shown on profiles. Start with: reading, showing."""
