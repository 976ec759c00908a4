"""Two-layer MMR, a hidden skill and a visible rating. Start with: system, formulas, hidden, visible."""
