"""Two-layer MMR, a hidden skill and a visible rating. Start with: system, hidden, visible."""
