"""What operators observe: logs, metrics and health checks. Start with: endpoints, logs."""
