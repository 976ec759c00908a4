"""The WSGI entry point: the application that web servers run."""

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import reverse

from config.supervision import exit_with_supervisor

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
exit_with_supervisor()
application = get_wsgi_application()
reverse("leaderboards:home")  # loads every view before the first request

# Loaded modules stay in memory, so the garbage collector needn't visit them again. It also runs less often than after
# every few hundred objects, because a request makes thousands. This saves a quarter of the processor time of a large
# batch of results.
gc.collect()
gc.freeze()
gc.set_threshold(10_000, 20, 100)
