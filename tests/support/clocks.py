"""A clock for jobs that ask for the time."""

import datetime as dt

from tests.support.factories import NOW


class Clock:
    """Goes on by `step` seconds whenever somebody looks."""

    def __init__(self, step=0.0):
        self.now, self.step = NOW, dt.timedelta(seconds=step)

    def __call__(self):
        self.now += self.step
        return self.now
