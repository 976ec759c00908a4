"""The site: settings, addresses, jobs and the commands that run it. Start with: settings, urls, celery."""
