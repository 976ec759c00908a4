"""WSGI entry point."""

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import reverse

from config.supervision import exit_with_supervisor

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
exit_with_supervisor()
application = get_wsgi_application()
reverse("leaderboards:home")  # has every view loaded before the first request comes

# What was loaded stays: the collector needn't look at it again, nor come after every few hundred objects, of which
# a request makes thousands. A quarter of the processor time of a large batch of results.
gc.collect()
gc.freeze()
gc.set_threshold(10_000, 20, 100)
