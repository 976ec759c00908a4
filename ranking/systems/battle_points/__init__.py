"""Battle Points: Elo for duels, with K by rating bracket and a modifier for shutouts. Start with: system, brackets."""
