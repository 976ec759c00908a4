"""Histories as NumPy columns, planned in groups that a kernel can rate at once. Start with: history, kernel."""
