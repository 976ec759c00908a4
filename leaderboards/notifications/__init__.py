"""Notices that tell players about their ranks, achievements and conduct. Start with: notices, news."""
