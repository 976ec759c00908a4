"""Standings: from the live ratings to the published boards. Start with: publishing, snapshots."""
