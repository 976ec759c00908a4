"""Settings of a site whose `POST matches/` only validates, the floor of DRF's cost."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "bench.validating_urls"
