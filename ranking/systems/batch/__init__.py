"""The machinery of replays: histories as NumPy columns, planned and rated in groups. Start with: history, kernel."""
