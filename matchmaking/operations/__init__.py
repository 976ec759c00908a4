"""What operators of matchmaking see and do, and what the other apps call here. Start with: page, closing."""
