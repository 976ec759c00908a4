"""TrueSkill for teams, draws and free-for-all. Start with: system, formulas."""
