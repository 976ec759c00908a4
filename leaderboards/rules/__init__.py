"""The rules of achievements and of crossings as functions of arrays. Start with: achievements, crossings."""
