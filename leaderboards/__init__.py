"""What people see: boards, profiles, matches and notifications. Start with: urls, boards."""
