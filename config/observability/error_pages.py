"""The page of an error while RUNGS_DEBUG is on: the traceback as it is logged, and nothing of settings and request."""

from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.debug import ExceptionReporter

from config.observability.tracebacks import format_exception

_PAGE = '<!doctype html><html lang="en"><title>{}</title><h1>{}</h1><pre>{}</pre></html>'


class TracebackReporter(ExceptionReporter):
    """Replaces Django's report, which shows variables: these hold the database's password and what people typed."""

    def _traceback(self) -> str:
        return format_exception(self.exc_value, settings.REDACT) if self.exc_value else ""

    def get_traceback_text(self) -> SafeString:
        return SafeString(self._traceback())

    def get_traceback_html(self) -> SafeString:
        name = type(self.exc_value).__name__
        return format_html(_PAGE, name, name, self._traceback())
