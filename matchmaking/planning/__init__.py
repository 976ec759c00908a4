"""Predicts a queue's waits from how many players come. Start with: planner, report."""
