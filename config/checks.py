"""System checks of the settings. Their ids don't change. Django's own checks (`check --deploy`) cover the rest."""

from collections.abc import Sequence

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Error, Tags, register
from django.utils.module_loading import import_string

from config.celery import app
from config.languages.compiling import find_catalogues, is_compiled
from ranking.hooks import HOOKS
from ranking.players.forbidden_names import find_fault

LEAST_SECRET = 50  # characters
LEAST_TOKEN = 20


@register(Tags.security)
def check_secret_key(app_configs: object, **options: object) -> list[CheckMessage]:
    key = settings.SECRET_KEY
    if not settings.SCALED or (len(key) >= LEAST_SECRET and len(set(key)) >= 10):
        return []
    hint = "python -c 'import secrets; print(secrets.token_urlsafe(64))'"
    return [Error("RUNGS_SECRET_KEY is too short or too simple: whoever guesses it is anyone.", hint, id="rungs.E001")]


@register(Tags.database)
def check_database(app_configs: Sequence[AppConfig] | None, **options: object) -> list[CheckMessage]:
    engine = settings.DATABASES["default"]["ENGINE"]
    if not settings.SCALED or engine.endswith("postgresql"):
        return []
    return [
        Error(f"The scaled profile needs PostgreSQL; this is {engine}.", "Set RUNGS_DATABASE_URL.", id="rungs.E002")
    ]


@register(Tags.security)
def check_hosts(app_configs: object, **options: object) -> list[CheckMessage]:
    if not settings.SCALED or (settings.ALLOWED_HOSTS and "*" not in settings.ALLOWED_HOSTS):
        return []
    hint = "Set RUNGS_HOSTS to the names people reach this site by, separated by commas."
    return [Error("RUNGS_HOSTS must name this site's hosts, and not '*'.", hint, id="rungs.E003")]


@register(Tags.security)
def check_web_workers(app_configs: object, **options: object) -> list[CheckMessage]:
    if settings.SCALED or settings.WEB_WORKERS == 1:
        return []
    hint = "Unset RUNGS_WEB_WORKERS, or go to the scaled profile."
    return [Error("Limits are counted in the one web process of the embedded profile.", hint, id="rungs.E004")]


@register()
def check_hooks(app_configs: object, **options: object) -> list[CheckMessage]:
    """Each dotted path of a hook must lead to a function."""
    hint = "Correct the dotted path in config/settings.py, or remove it."
    return [
        Error(f"{hook.setting} names {path!r}, which is no function. {fault}", hint, id="rungs.E005")
        for hook in HOOKS
        for path in hook.paths()
        if (fault := _fault_of(path))
    ]


def _fault_of(path: str) -> str:
    try:
        value = import_string(path)
    except ImportError as error:
        return str(error)
    return "" if callable(value) else f"It can't be called: it is of type {type(value).__name__}."


@register(Tags.translation)
def check_catalogues(app_configs: object, **options: object) -> list[CheckMessage]:
    """Pages of the language would be in English, or in words of another version."""
    hint = "Run `make install`, or python -m config.languages.compiling."
    return [
        Error(
            f"{po.with_suffix('.mo')} is missing or stale.",
            hint,
            id="rungs.E006",
        )
        for po in find_catalogues(settings.BASE_DIR)
        if not is_compiled(po)
    ]


@register()
def check_forbidden_names(app_configs: Sequence[AppConfig] | None, **options: object) -> list[CheckMessage]:
    """A file that can't be read would forbid nothing."""
    fault = find_fault(settings.FORBIDDEN_NAMES) if settings.FORBIDDEN_NAMES else ""
    hint = "RUNGS_FORBIDDEN_NAMES names the file: a word a line. Correct it, or unset the variable."
    return [Error(f"Forbidden words of names: {fault}", hint, id="rungs.E007")] if fault else []


@register(Tags.security)
def check_signup_domains(app_configs: Sequence[AppConfig] | None, **options: object) -> list[CheckMessage]:
    """An address that nobody confirmed could be anybody's."""
    if not settings.SIGNUP_DOMAINS or settings.ACCOUNT_EMAIL_VERIFICATION == "mandatory":
        return []
    hint = "Set RUNGS_EMAIL_URL, so that people confirm their addresses; or unset RUNGS_SIGNUP_DOMAINS."
    return [Error("RUNGS_SIGNUP_DOMAINS needs mail: without, anybody types any address.", hint, id="rungs.E008")]


@register(Tags.security)
def check_metrics_token(app_configs: object, **options: object) -> list[CheckMessage]:
    if not settings.METRICS_TOKEN or len(settings.METRICS_TOKEN) >= LEAST_TOKEN:
        return []
    hint = f"Make it at least {LEAST_TOKEN} characters."
    return [checks.Warning("RUNGS_METRICS_TOKEN is short enough to be guessed.", hint, id="rungs.W001")]


@register(Tags.security)
def check_https(app_configs: object, **options: object) -> list[CheckMessage]:
    if not settings.SCALED or settings.HTTPS:
        return []
    hint = "Unset RUNGS_HTTPS and put a proxy that speaks HTTPS before the site."
    return [checks.Warning("RUNGS_HTTPS is off: passwords and keys travel in the open.", hint, id="rungs.W002")]


@register()
def check_heartbeats(app_configs: object, **options: object) -> list[CheckMessage]:
    """A heartbeat of a job that doesn't exist would never be sent."""
    jobs = app.conf.beat_schedule
    names = [name for name in settings.HEARTBEATS if name not in jobs]
    variables = {job: "RUNGS_HEARTBEAT_" + job.upper().replace("-", "_") for job in [*jobs, *names]}
    hint = f"The jobs' variables are {', '.join(variables[job] for job in sorted(jobs))}."
    return [checks.Warning(f"{variables[name]} names no job.", hint, id="rungs.W004") for name in names]


@register()
def check_unknown_variables(app_configs: object, **options: object) -> list[CheckMessage]:
    """A variable with a mistyped name would silently have no effect."""
    hint = "Correct the name, or unset it; docs/operating.md lists the variables."
    return [checks.Warning(sentence, hint, id="rungs.W003") for sentence in settings.UNKNOWN_VARIABLES]
