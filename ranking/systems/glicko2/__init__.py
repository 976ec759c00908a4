"""The rating system Glicko-2. Start with: system, step."""
