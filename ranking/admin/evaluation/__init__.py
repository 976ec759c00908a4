"""Admin pages of evaluations: rating systems tried on a mode's history. Start with: evaluations, tables."""
