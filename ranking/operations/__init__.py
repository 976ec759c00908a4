"""What operators follow: the audit log, the outbox, API keys, metrics and violations. Start with: outbox, audit."""
