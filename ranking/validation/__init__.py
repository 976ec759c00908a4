"""What clients send, read strictly; each fault is reported as a sentence. Start with: match_report, problems."""
