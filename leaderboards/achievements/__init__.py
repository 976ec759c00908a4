"""Achievements, granted by the ledger and final standings, shown on profiles. Start with: reading, seasons, showing."""
