"""What counts against players, who may queue, and what moderators do. Start with: sanctions, eligibility."""
