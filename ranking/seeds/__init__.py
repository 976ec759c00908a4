"""Ratings that players bring along from elsewhere: checked, written, taken back. Start with: seeding, planning."""
