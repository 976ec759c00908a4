"""Settings of both profiles; docs/operating.md lists the environment variables.

*Embedded* (default): SQLite, nothing to install or start. *Scaled* (RUNGS_PROFILE=scaled): PostgreSQL,
Redis as broker and cache, any number of processes.
"""

import os
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django_stubs_ext
from csp.constants import NONE, SELF
from django.conf.locale import LANG_INFO

from config import VERSION
from config.django_versions import PARTIALS_APPS, PARTIALS_TAGS, mail_settings
from config.env import Environment
from config.languages.compiling import find_catalogues
from config.observability import logs, redaction
from config.observability.metrics.files import count_in_files
from config.redis_addresses import broker_address
from config.storage import databases

django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
env = Environment(os.environ)
PROFILE = env.choice("RUNGS_PROFILE", ("embedded", "scaled"), "embedded")
SCALED = PROFILE == "scaled"
DEBUG = env.flag("RUNGS_DEBUG", False)

_config_home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
SECRET_KEY_FILE = _config_home / "rungs" / "secret_key"  # of the embedded profile, unless the variable is set
SECRET_KEY = env.required("RUNGS_SECRET_KEY", needed=SCALED) or ("" if SCALED else env.stored_secret(SECRET_KEY_FILE))

INSTALLED_APPS = [
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "config",  # after the apps whose admin pages it replaces
    "ranking",
    "leaderboards",
    "matchmaking",
    "config.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    *PARTIALS_APPS,
    "csp",
    "corsheaders",
]

MIDDLEWARE = [
    "config.observability.request_metrics.RequestMetrics",
    "config.observability.request_log.RequestLog",
    "corsheaders.middleware.CorsMiddleware",  # before everything that answers: programs read refusals, too
    "django.middleware.security.SecurityMiddleware",
    *([] if SCALED else ["config.serving.static_files.Compression"]),  # before the scaled one stands a proxy
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.security.policy.ContentSecurityPolicy",
    "config.security.request_sizes.RequestSizes",
    "config.security.slow_bodies.SlowBodies",
    "config.observability.endpoints.OperatorEndpoints",
    "config.security.address_limits.AddressLimits",
    "config.serving.kept_pages.KeptPages",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "config.languages.middleware.Languages",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "config.languages.templates.Templates",
        "NAME": "django",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": PARTIALS_TAGS,
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# --- database -----------------------------------------------------------------------------------

_data = env.text("RUNGS_DATA_DIR")
DATA_DIR = Path(_data) if _data else BASE_DIR / "var"
_prepared = env.flag("RUNGS_DATABASE_PREPARED", True)
_sqlite = f"sqlite:///{DATA_DIR / 'rungs.sqlite3'}"
_database = env.database("RUNGS_DATABASE_URL", _sqlite, server=SCALED)
DATABASES: dict[str, dict[str, Any]] = {"default": databases.with_options(_database, prepared=_prepared)}
if databases.is_sqlite(_database):
    env.folder(
        Path(_database["NAME"]).parent, of="RUNGS_DATABASE_URL" if env.text("RUNGS_DATABASE_URL") else "RUNGS_DATA_DIR"
    )
SILENCED_SYSTEM_CHECKS = [
    "models.W040",  # SQLite's indexes leave out columns that are only read along: smaller, too
    "mail.E001",  # of Django 6.1: a site needs no mail server
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- cache and jobs -----------------------------------------------------------------------------

REDIS_URL = env.redis("RUNGS_REDIS_URL", ("redis", "rediss", "unix"), needed=SCALED)
PAGES_IN_MEMORY = 2_000  # kept pages of some 10 kB in the memory of a process
CACHES: dict[str, dict[str, object]] = {
    name: (
        {
            "BACKEND": "config.storage.caches.SharedCache",
            "LOCATION": REDIS_URL,
            "KEY_PREFIX": "rungs",
            # Seconds that a request waits if Redis doesn't answer.
            "OPTIONS": {"socket_connect_timeout": 0.5, "socket_timeout": 0.5},
            "max_entries": entries,  # in memory, while Redis is gone
        }
        if SCALED
        else {"BACKEND": "config.storage.caches.LocalCache", "LOCATION": name, "max_entries": entries}
    )
    # The default number of entries, 300, would lose counters of rate limits.
    for name, entries in {"default": 100_000, "pages": PAGES_IN_MEMORY}.items()
}
_broker_url = broker_address(
    env.redis("RUNGS_BROKER_URL", ("redis", "rediss", "unix", "redis+socket", "sentinel")) or REDIS_URL
)
CELERY_BROKER_URL = _broker_url if SCALED else None
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # retry for ever: the broker will be back
CELERY_TASK_TIME_LIMIT, CELERY_TASK_SOFT_TIME_LIMIT = 660, 600  # seconds
# If a worker dies, its message is delivered again after this time, which is longer than any job may take.
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 900, "socket_connect_timeout": 5, "socket_keepalive": True}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True  # a job that kills its worker isn't repeated at once: beat sends each job again
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CONCURRENCY = env.number("RUNGS_WORKER_PROCESSES", 3, least=1)
CELERY_WORKER_MAX_MEMORY_PER_CHILD = env.number("RUNGS_WORKER_MEMORY", 400, least=100) * 1_024  # MB
CELERY_WORKER_HIJACK_ROOT_LOGGER = CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_BEAT_SCHEDULER = "config.processes.celery_parts:Scheduler"
CELERY_WORKER_CONSUMER = "config.processes.celery_parts:Consumer"
ALIVE = env.text("RUNGS_ALIVE", "")  # the file that a worker or beat touches while it is at work
CELERY_TIMEZONE = "UTC"
PUBLISH_EVERY = env.number("RUNGS_PUBLISH_EVERY", 60, least=1)  # seconds between publications of boards

OUTBOX_MAX_ATTEMPTS = 8

# --- hooks --------------------------------------------------------------------------------------

# Functions of the apps above that `ranking` calls, by dotted path; ranking/hooks.py says what each takes and returns.
# Consumers of the outbox, by name: the work that follows rated events.
OUTBOX_CONSUMERS: dict[str, str] = {
    "achievements": "leaderboards.achievements.reading.read_events",
    "notifications": "leaderboards.announcing.note_played",
    "webhooks": "leaderboards.webhooks.queueing.queue_events",
}
# Called with keys of lobbies that results name; returns the lobbies: a result for an unknown one is refused.
LOBBIES: list[str] = ["matchmaking.lobbies.results.find_named_lobbies"]
# Called with matches that name a lobby, just recorded; returns which of them are void, as seen under its locks.
RESULT_FOLLOWERS: list[str] = ["matchmaking.lobbies.results.finish_lobbies"]
# Asked which of them are void as they come, and why.
RESULT_VOIDERS: list[str] = ["matchmaking.lobbies.results.find_late_results"]
# Called when a result is corrected: with the void match and the one that has its place.
REPLACEMENT_FOLLOWERS: list[str] = [
    "leaderboards.webhooks.queueing.queue_replacement",
    "matchmaking.lobbies.results.follow_replacement",
]
# Called when an archived season is corrected: somebody was struck or restored, or its end was taken back.
CORRECTION_FOLLOWERS: list[str] = [
    "leaderboards.achievements.seasons.follow_correction",
    "leaderboards.webhooks.queueing.queue_correction",
]
# Called with matches that were just voided.
VOID_FOLLOWERS: list[str] = ["leaderboards.webhooks.queueing.queue_voids"]
# Called with players whom a moderator renamed, or whose name a moderator unlocked.
RENAME_FOLLOWERS: list[str] = ["leaderboards.webhooks.queueing.queue_renamings"]
# Called in the search for abuse. They return matches that were never reported, while a player was behind.
UNREPORTED_MATCHES: list[str] = ["matchmaking.lobbies.silence.find_unreported"]
# Called when a player's data is erased.
ERASERS: list[str] = ["leaderboards.accounts.erasure.erase_player", "matchmaking.operations.erasure.erase_player"]
# Called when one player is merged into another, and when the two are split. An app has the same name in both.
MERGERS: dict[str, str] = {
    "leaderboards": "leaderboards.accounts.merging.merge_players",
    "matchmaking": "matchmaking.operations.merging.merge_players",
}
SPLITTERS: dict[str, str] = {
    "leaderboards": "leaderboards.accounts.merging.split_players",
    "matchmaking": "matchmaking.operations.merging.split_players",
}
# Called when events get new sequences.
RENUMBERERS: list[str] = ["leaderboards.webhooks.queueing.renumber"]
# The lists of the codes of the API's problems: see ranking/validation/problem_codes.py.
PROBLEM_CODES: list[str] = ["ranking.validation.problem_codes.CODES", "matchmaking.problem_codes.CODES"]
# Called to find the matches that are still running: their players may not queue.
LOCK_INS: list[str] = ["matchmaking.queues.entry.find_running"]

# --- time, language, static files -----------------------------------------------------------------

LANGUAGE_CODE = "en"
# English, and each language that has a catalogue; config/checks.py refuses one that isn't compiled.
LANGUAGES = [("en", "English")] + [
    (code, LANG_INFO.get(code, {}).get("name_local", code))
    for code in (catalogue.parts[-3] for catalogue in find_catalogues(BASE_DIR))
]
# Before those of the libraries, whose words ours replace.
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_TZ = True
FORMAT_MODULE_PATH = "config.languages.formats"
DATE_FORMAT, DATETIME_FORMAT = "j M Y", "j M Y, H:i e"  # templates that write for machines have no others
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
_static_root = env.text("RUNGS_STATIC_ROOT") or (DATA_DIR if _data else BASE_DIR) / "staticfiles"
STATIC_ROOT = Path(_static_root) if SCALED else None
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder", "config.serving.static_files.AppFiles"]
WHITENOISE_USE_FINDERS = not SCALED  # the embedded profile needs no collectstatic
WHITENOISE_MAX_AGE = 60 if SCALED else 30 * 24 * 3600  # seconds; addresses change with their files
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": f"config.serving.static_files.{'CollectedFiles' if SCALED else 'DigestedStaticFilesStorage'}"
    },
}

# --- people ---------------------------------------------------------------------------------------

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
AUTHENTICATION_BACKENDS = ["config.people.backend.PasswordBackend"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "leaderboards:home"
LOGOUT_REDIRECT_URL = "leaderboards:home"
# If true, staff need a second factor to enter the admin.
ADMIN_MFA = env.flag("RUNGS_ADMIN_MFA", SCALED)

# Mail goes to a server; without one, to the terminal in the embedded profile, to nobody in the scaled one
# (config/people/accounts.py tells people so).
EMAIL_URL = env.text("RUNGS_EMAIL_URL", "")
SENDS_MAIL = bool(EMAIL_URL) or not SCALED
_mailer = env.mailer("RUNGS_EMAIL_URL", "dummymail:" if SCALED else "consolemail:", timeout=10)
globals().update(mail_settings(_mailer))
DEFAULT_FROM_EMAIL = env.text("RUNGS_EMAIL_FROM", "") or "Rungs <rungs@localhost>"

# Who may make an account: everybody, or nobody but who comes by OpenID Connect; and with which addresses.
SIGNUP_OPEN = env.choice("RUNGS_SIGNUP", ("open", "closed"), "open") == "open"
SIGNUP_DOMAINS = env.domains("RUNGS_SIGNUP_DOMAINS")

ACCOUNT_ADAPTER = "config.people.accounts.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
ACCOUNT_FORMS = {
    "signup": "config.people.forms.SignupForm",
    "reset_password": "config.people.forms.ResetPasswordForm",
}
ACCOUNT_PREVENT_ENUMERATION = "strict"  # an address may be in several accounts until somebody confirms it
ACCOUNT_SIGNUP_REDIRECT_URL = "leaderboards:account"
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if EMAIL_URL else "none"
ACCOUNT_EMAIL_NOTIFICATIONS = bool(EMAIL_URL)  # mail about changes of the account
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Rungs] "
ACCOUNT_MAX_EMAIL_ADDRESSES = 5
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True  # before email addresses and connections change
# Tries of a number/period/of whom, added to the library's own limits. Right ones don't count.
ACCOUNT_RATE_LIMITS = {
    "claim": "10/m/user",  # claim codes
    "export": "10/h/user",  # downloads of a player's data
    "reset_password": "20/m/ip,100/h/ip,5/m/key",
    # Mails that anybody can have sent to an address; those beyond aren't sent, the links in the first ones work.
    "mail": "10/h/key,30/d/key",
    # Passwords: see config/people/login_limits.py.
    "password_by_address": "10/m/ip,100/h/ip",
    "password_by_address_and_account": "5/5m/key",
    "password_by_account": "30/h/key",
    "password_by_device": "5/5m/key",
    # Second factors and recovery codes: the key is the account, whose password is known already.
    "login_failed": "10/m/ip,5/5m/key,50/d/key",
}
MFA_TOTP_ISSUER = "Rungs"
MFA_TOTP_PERIOD = 30  # seconds
MFA_TOTP_TOLERANCE = 1  # periods that a phone's clock may be off
MFA_FORMS = {
    "authenticate": "config.people.forms.AuthenticateForm",
    "reauthenticate": "config.people.forms.ReauthenticateForm",
}
MFA_ALLOW_UNVERIFIED_EMAIL = not EMAIL_URL
SOCIALACCOUNT_ADAPTER = "config.people.accounts.SocialAdapter"
SOCIALACCOUNT_EMAIL_REQUIRED = False  # Steam gives no email address
# Log-in providers: only the configured ones are loaded.
SOCIALACCOUNT_PROVIDERS: dict[str, dict[str, object]] = {}
_provider_hosts = []
if _steam_key := env.text("RUNGS_STEAM_KEY", ""):
    SOCIALACCOUNT_PROVIDERS["steam"] = {"APPS": [{"client_id": "steam", "secret": _steam_key}]}
    INSTALLED_APPS += ["allauth.socialaccount.providers.openid", "allauth.socialaccount.providers.steam"]
    _provider_hosts.append("https://steamcommunity.com")
_discord_id, _discord_secret = env.text("RUNGS_DISCORD_ID", ""), env.text("RUNGS_DISCORD_SECRET", "")
if bool(_discord_id) != bool(_discord_secret):
    env.refuse("RUNGS_DISCORD_ID and RUNGS_DISCORD_SECRET belong together; one is missing.")
if _discord_id:
    SOCIALACCOUNT_PROVIDERS["discord"] = {"APPS": [{"client_id": _discord_id, "secret": _discord_secret}]}
    INSTALLED_APPS += ["allauth.socialaccount.providers.discord"]
    _provider_hosts.append("https://discord.com")
# Log-in of staff by OpenID Connect; config/people/oidc.py.
ROLES = ("viewer", "junior moderator", "moderator", "administrator")  # groups that migrations make
_oidc = (
    env.url("RUNGS_OIDC_ISSUER", ("https", "http")).rstrip("/"),
    env.text("RUNGS_OIDC_ID", ""),
    env.text("RUNGS_OIDC_SECRET", ""),
)
OIDC_NAME = env.text("RUNGS_OIDC_NAME", "") or "OpenID Connect"
OIDC_CLAIM = env.text("RUNGS_OIDC_CLAIM", "") or "groups"
OIDC_ROLES = env.pairs("RUNGS_OIDC_ROLES", ROLES)
OIDC_MFA = env.flag("RUNGS_OIDC_MFA", False)  # if true, the provider asks everybody for a second factor
_oidc_scopes = env.words("RUNGS_OIDC_SCOPES", "openid,profile,email")
if any(_oidc) and not all(_oidc):
    env.refuse("RUNGS_OIDC_ISSUER, RUNGS_OIDC_ID and RUNGS_OIDC_SECRET belong together; set all three or none.")
if (OIDC_ROLES or OIDC_MFA) and not any(_oidc):
    env.refuse("RUNGS_OIDC_ROLES and RUNGS_OIDC_MFA mean nothing without RUNGS_OIDC_ISSUER.")
if _oidc[0].startswith("http://") and urlsplit(_oidc[0]).hostname not in ("127.0.0.1", "localhost"):
    env.refuse(
        "RUNGS_OIDC_ISSUER must begin with https://: whoever changes its answers on the way is an administrator."
    )
if all(_oidc):
    SOCIALACCOUNT_PROVIDERS["openid_connect"] = {
        "APPS": [
            {
                "provider_id": "openid_connect",
                "name": OIDC_NAME,
                "client_id": _oidc[1],
                "secret": _oidc[2],
                "settings": {"server_url": _oidc[0], "oauth_pkce_enabled": True, "scope": _oidc_scopes},
            }
        ]
    }
    INSTALLED_APPS += ["allauth.socialaccount.providers.openid_connect"]
    _provider_hosts.append("{0.scheme}://{0.netloc}".format(urlsplit(_oidc[0])))

# --- security -------------------------------------------------------------------------------------

ALLOWED_HOSTS = env.words("RUNGS_HOSTS", "" if SCALED else "127.0.0.1,localhost,[::1]")
HTTPS = env.flag("RUNGS_HTTPS", SCALED)
CSRF_TRUSTED_ORIGINS = [f"https://{'*' if host.startswith('.') else ''}{host}" for host in ALLOWED_HOSTS if HTTPS]
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
# Browsers take a cookie named __Host-… only from this very host, by HTTPS, for all paths: no other host can plant one.
_cookie_prefix = "__Host-" if HTTPS else ""
SESSION_COOKIE_NAME = f"{_cookie_prefix}sessionid"
CSRF_COOKIE_NAME = f"{_cookie_prefix}csrftoken"
LANGUAGE_COOKIE_NAME = "language"
DEVICE_COOKIE_NAME = f"{_cookie_prefix}device"  # config/people/devices.py
CSRF_COOKIE_HTTPONLY = True  # forms hold the token; no script reads the cookie
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^((api/v1/)?health/(live|ready)|metrics)/?$"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
# The number of proxies in front of the web process. If it is 0, X-Forwarded-Proto and X-Forwarded-For are ignored.
PROXIES = env.number("RUNGS_PROXIES", 0)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PROXIES else None
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "worker-src": [SELF],
        "media-src": [SELF],
        "form-action": [SELF, *_provider_hosts],  # the policy also covers the redirect after a form
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
# Other sites that may frame boards (leaderboards/views/embedding.py), and whose pages may read the API: what it tells
# everybody, never what it tells an account or a key.
EMBED_ORIGINS = env.origins("RUNGS_EMBED_ORIGINS")
CORS_ALLOWED_ORIGINS = EMBED_ORIGINS
READ_API = r"^/api/v1/(?!health/)"
CORS_URLS_REGEX = READ_API if EMBED_ORIGINS else r"$^"  # without origins no answer changes
CORS_ALLOW_METHODS = ["GET", "HEAD"]
CORS_ALLOW_HEADERS: list[str] = []  # no Authorization, no X-CSRFToken
CORS_EXPOSE_HEADERS = ["ETag", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Retry-After"]
CORS_ALLOW_CREDENTIALS = False
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000_000  # a form; config/security/request_sizes.py refuses larger bodies with 413

# --- API ------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["ranking.validation.json_body.StrictJSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "ranking.api.authentication.KeyAuthentication",
        "ranking.api.authentication.AccountAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_THROTTLE_CLASSES": ["config.security.throttling.KeyThrottle"],
    "DEFAULT_SCHEMA_CLASS": "ranking.api.schema.ApiSchema",
    "EXCEPTION_HANDLER": "ranking.validation.problems.problem_response",
    "UNAUTHENTICATED_USER": None,
    "DATETIME_FORMAT": "iso-8601",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Rungs",
    "DESCRIPTION": "Ranked play in a box: match results in; ratings, ranks and boards out.",
    "VERSION": VERSION,
    "OAS_VERSION": "3.1.0",
    "WEBHOOKS": "leaderboards.api.webhooks.WEBHOOKS",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "ranking.api.component_names.name_components",
        "ranking.api.schema_headers.share_headers",
        "ranking.api.component_names.share_refusals",
        "leaderboards.api.webhooks.add_signatures",
    ],
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,  # they only repeat the values
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "syntaxHighlight": False},  # its colours are too faint
    "COMPONENT_SPLIT_REQUEST": True,
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "ENUM_NAME_OVERRIDES": {
        "StateEnum": "ranking.api.answers.STATES",
        "TicketStateEnum": "matchmaking.api.ticket_answers.TICKET_STATES",
        "LobbyStateEnum": "matchmaking.api.lobby_answers.LOBBY_STATES",
        "OutcomeEnum": "ranking.api.answers.OUTCOMES",
        "StakedOutcomeEnum": "matchmaking.api.lobby_answers.STAKED_OUTCOMES",
        "MatchLinkKindEnum": "ranking.rules.match_links.KINDS",
        "ComplaintReasonEnum": "ranking.api.views.complaints.REASONS",
    },
}

# --- operating --------------------------------------------------------------------------------------

# The most requests a minute, 0 = any number: of a key; of an address without a key; of an address for pictures, each
# of which takes longer than a page; and of failed log-ins from an address.
LIMITS = {
    "key": env.number("RUNGS_LIMIT_KEY", 60_000),
    "address": env.number("RUNGS_LIMIT_ADDRESS", 6_000),
    "picture": env.number("RUNGS_LIMIT_PICTURE", 300),
    "failed": env.number("RUNGS_LIMIT_FAILED", 60),
}
# Abuse reports: what is searched and what is reported; see ranking/abuse/detection/thresholds.py.
ABUSE: dict[str, Any] = {
    "days": env.number("RUNGS_ABUSE_DAYS", 90, least=1),
    "most": env.number("RUNGS_ABUSE_MOST", 1_000_000, least=1_000),
    "kept": env.number("RUNGS_ABUSE_KEPT", 200, least=1),
    "reopen": env.decimal("RUNGS_ABUSE_REOPEN", 1.5, 1, 100),
    "boosting": env.decimal("RUNGS_ABUSE_BOOSTING", 6.0, 1, 100),
    "trading": env.decimal("RUNGS_ABUSE_TRADING", 6.0, 1, 100),
    "delevelling": env.decimal("RUNGS_ABUSE_DELEVELLING", 6.0, 1, 100),
    "smurfing": env.decimal("RUNGS_ABUSE_SMURFING", 3.0, 1, 100),
    "newcomer": env.decimal("RUNGS_ABUSE_NEWCOMER", 3.0, 1, 100),
    "sharing": env.decimal("RUNGS_ABUSE_SHARING", 5.0, 1, 100),
    "unreported": env.decimal("RUNGS_ABUSE_UNREPORTED", 4.0, 1, 100),
    "matches": env.number("RUNGS_ABUSE_MATCHES", 6, least=2),
    "meetings": env.number("RUNGS_ABUSE_MEETINGS", 8, least=2),
    "share": env.decimal("RUNGS_ABUSE_SHARE", 0.4, 0, 1),
    "lopsided": env.decimal("RUNGS_ABUSE_LOPSIDED", 0.8, 0, 1),
    "quick": env.decimal("RUNGS_ABUSE_QUICK", 0.5, 0, 1),
    "fled": env.decimal("RUNGS_ABUSE_FLED", 0.3, 0, 1),
    "negative": env.decimal("RUNGS_ABUSE_NEGATIVE", 1.0, 0, 100),
    "new_matches": env.number("RUNGS_ABUSE_NEW_MATCHES", 30, least=2),
    "new_days": env.decimal("RUNGS_ABUSE_NEW_DAYS", 7.0, 0, 3650),
    "hop_minutes": env.decimal("RUNGS_ABUSE_HOP_MINUTES", 30.0, 0, 1440),
}
DEVICE_PEPPER = env.text("RUNGS_DEVICE_PEPPER", "")
# A file with a word a line: a name that holds one of them isn't taken over. "" = every name is.
FORBIDDEN_NAMES = env.text("RUNGS_FORBIDDEN_NAMES")
COMPLAINTS_KEPT = env.number("RUNGS_COMPLAINTS_KEPT", 365, least=1)  # days after they were reviewed
DEVICES_KEPT = env.number("RUNGS_DEVICES_KEPT", 90, least=1)  # days
NOTICES_KEPT = env.number("RUNGS_NOTICES_KEPT", 90, least=1)  # days after they were read
# Addresses that are asked for after a job has succeeded: for all jobs, with {job} in it, and of single jobs, by name.
HEARTBEAT_URL = env.template("RUNGS_HEARTBEAT_URL", "{job}", ("https", "http"))
HEARTBEATS = env.urls_beside("RUNGS_HEARTBEAT_URL", ("https", "http"))
WEBHOOK_ALLOW_PRIVATE = env.flag("RUNGS_WEBHOOK_ALLOW_PRIVATE", False)
SITE_URL = env.text("RUNGS_SITE_URL", "").rstrip("/")  # the beginning of links in messages to other programs
METRICS_TOKEN = env.text("RUNGS_METRICS_TOKEN", "")
METRICS_ALLOW = env.networks("RUNGS_METRICS_ALLOW")
METRICS_DIR = env.text("RUNGS_METRICS_DIR", "")
if METRICS_DIR:  # each machine or container has its folder: files are named by process ids, which repeat between them
    _counted_here = Path(METRICS_DIR) / socket.gethostname()
    env.folder(_counted_here, of="RUNGS_METRICS_DIR")
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(_counted_here)
    count_in_files()
    # A process begins files of its own, perhaps after systemd has emptied a temporary folder, or one in memory.
    os.register_at_fork(after_in_child=lambda: _counted_here.mkdir(parents=True, exist_ok=True))
# The backup timer: its folder ("": there is none), the hours between two backups, and how many are kept.
BACKUP_DIR = env.text("RUNGS_BACKUP_DIR", "")
BACKUP_EVERY = env.number("RUNGS_BACKUP_EVERY", 24, least=1)
BACKUPS_KEPT = env.number("RUNGS_BACKUPS_KEPT", 14, least=1)
# Copies of its backups: a storage that speaks S3, another address than Amazon's, a region, and a key with its secret.
BACKUP_URL = env.url("RUNGS_BACKUP_URL", ("s3",))
if BACKUP_URL == "s3://":
    env.refuse("RUNGS_BACKUP_URL names no bucket: write it like s3://bucket/folder.")
BACKUP_ENDPOINT = env.url("RUNGS_BACKUP_ENDPOINT", ("https", "http"))
BACKUP_REGION = env.text("RUNGS_BACKUP_REGION")
BACKUP_KEY_ID = env.text("RUNGS_BACKUP_KEY_ID")
BACKUP_SECRET = env.text("RUNGS_BACKUP_SECRET")
if bool(BACKUP_KEY_ID) != bool(BACKUP_SECRET):
    env.refuse("RUNGS_BACKUP_KEY_ID and RUNGS_BACKUP_SECRET belong together; one is missing.")
KEPT_PAGES = env.flag("RUNGS_KEPT_PAGES", True)  # for visitors without a session: config/serving/kept_pages.py
WEB_WORKERS = env.number("RUNGS_WEB_WORKERS", 2 if SCALED else 1, least=1)
WEB_THREADS = env.number("RUNGS_WEB_THREADS", 4, least=1)
REDACT = redaction.Redactor(  # removes these secrets from logs, from what commands print, and from error pages
    [
        SECRET_KEY, DATABASES["default"].get("PASSWORD") or "", *map(redaction.password_of, (REDIS_URL, _broker_url)),
        _mailer["OPTIONS"].get("password") or "", _steam_key, _discord_secret, _oidc[2], DEVICE_PEPPER, METRICS_TOKEN,
        BACKUP_SECRET,
    ]
)  # fmt: skip
DEFAULT_EXCEPTION_REPORTER = "config.observability.error_pages.TracebackReporter"  # while RUNGS_DEBUG is on
LOGGING = logs.logging_config(
    json=env.choice("RUNGS_LOG_FORMAT", ("json", "text"), "json" if SCALED else "text") == "json",
    level=env.choice("RUNGS_LOG_LEVEL", logs.LEVELS, "INFO"),
    redact=REDACT,
)
env.check()
UNKNOWN_VARIABLES = list(env.unknown())  # sentences, for config/checks.py
