"""The entry point of the web server: the site, as Granian runs it."""

from django.conf import settings

from config.web_server.application import Application
from config.wsgi import application as wsgi_application

application = Application(wsgi_application, settings.WEB_THREADS)
