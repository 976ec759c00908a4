"""Backups: files of the whole database, and the timer that writes and deletes them. Start with: files, timer."""
