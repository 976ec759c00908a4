"""Following, blocking, search by name, and friends boards.

Start with: following, friends_window.
"""
