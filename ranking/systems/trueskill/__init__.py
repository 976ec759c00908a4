"""The rating system TrueSkill. Start with: system, chain."""
