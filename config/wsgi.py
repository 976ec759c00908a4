"""WSGI entry point."""

import os

from django.core.wsgi import get_wsgi_application

from config.supervision import exit_with_supervisor

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
exit_with_supervisor()
application = get_wsgi_application()
