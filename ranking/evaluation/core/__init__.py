"""Predicts a history by rating systems and measures them, without a database. Start with: trials, accuracy."""
