"""Admin pages of fits: parameters fitted to a mode's history, and their use. Start with: fits, forms."""
