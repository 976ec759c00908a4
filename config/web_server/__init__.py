"""Between the web server and the site: threads wait for no client. Start with: application."""
