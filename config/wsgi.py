"""The site as a WSGI application; config/rsgi.py gives it to the web server."""

import gc
import os
from contextlib import suppress

from django.core.wsgi import get_wsgi_application
from django.db import DatabaseError, connection
from django.urls import reverse

from config.processes.supervision import exit_with_supervisor

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
exit_with_supervisor()
application = get_wsgi_application()
reverse("leaderboards:home")  # loads every view before the first request
from ranking.api.views.openapi import openapi_document  # noqa: E402 - needs what is loaded by now

openapi_document()

if connection.vendor == "sqlite":
    # The last connection that closes takes the files -wal and -shm away, and the next one has to write them again: on
    # a full disk it can't. While this one stays open, pages are shown all the same.
    kept = connection.copy()
    with suppress(DatabaseError):  # the pages and /health/ready tell what is wrong
        kept.cursor().execute("SELECT 1 FROM sqlite_master")

# Loaded modules stay in memory, so the garbage collector needn't visit them again. It also runs less often than after
# every few hundred objects, because a request makes thousands. This saves a quarter of the processor time of a large
# batch of results.
gc.collect()
gc.freeze()
gc.set_threshold(10_000, 20, 100)
