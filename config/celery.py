"""The Celery app and the beat table that both profiles run.

Scaled: `celery -A config beat` sends these to workers. Embedded: `manage.py jobs` reads the same table
and calls the task functions itself.
"""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("rungs")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.conf.beat_schedule = {
    "publish-standings": {"task": "ranking.publish_standings", "schedule": 60.0},
    "sweep-outbox": {"task": "ranking.sweep_outbox", "schedule": 5.0},
}
