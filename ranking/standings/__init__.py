"""From live ratings to published boards. Start with: publishing, snapshots."""
