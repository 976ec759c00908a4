"""Admin pages of evaluations and fits of a mode's history. Start with: pages."""
