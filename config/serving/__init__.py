"""What comes between the web server and the views: threads that wait for no client, static files, error responses.

Start with: application, static_files, errors.
"""
