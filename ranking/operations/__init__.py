"""What operators follow: the audit log, the outbox, API keys, metrics and findings. Start with: outbox, audit."""
