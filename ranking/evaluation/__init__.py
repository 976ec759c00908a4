"""Tries rating systems on a mode's recorded history, as jobs of administrators. Start with: jobs, histories."""
