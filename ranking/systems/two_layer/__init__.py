"""The two-layer rating system: a hidden skill, and a visible rating that follows it.

Start with: system, hidden, visible.
"""
