"""Boards: one mode's ranking, its rows and its pages.

Start with: boards, windows, pages.
"""
