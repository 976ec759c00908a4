"""Settings of the site whose `POST matches/` only validates: the floor of what DRF costs."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "bench.validating_urls"
