"""Following, blocking and finding players, and the boards of friends. Start with: following, friends_board."""
