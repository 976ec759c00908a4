"""WSGI entry point."""

import os

from django.core.wsgi import get_wsgi_application

from config.supervision import exit_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
if os.environ.get("RUNGS_SUPERVISED"):
    exit_with_parent()
application = get_wsgi_application()
