"""The site: settings, addresses, jobs and the commands that run it. Start with: settings, urls, celery."""

VERSION = "0.2.0"  # of Rungs, its wheel and its clients; CHANGELOG.md says the same
