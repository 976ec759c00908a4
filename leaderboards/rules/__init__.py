"""The rules of achievements, and the detection of crossed tiers and ranks. Pure.

Start with: achievements, crossings.
"""
