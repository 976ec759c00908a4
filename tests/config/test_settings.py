"""Environment variables: what they mean, what is refused with a sentence, and what the checks say."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import checks, env
from tests.support.environment import SCALED_SITE, SECRET, manage, read_settings


def test_the_scaled_profile_passes_the_deployment_checks():
    code, said = manage("check", "--deploy", "--fail-level", "WARNING", **SCALED_SITE)
    assert (code, said) == (0, "System check identified no issues (0 silenced).\n")


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("RUNGS_SECRET_KEY", "", "RUNGS_SECRET_KEY must be set in the scaled profile."),
        ("RUNGS_DATABASE_URL", "sqlite:///x", "RUNGS_DATABASE_URL names SQLite"),
        ("RUNGS_REDIS_URL", "", "RUNGS_REDIS_URL must be set in the scaled profile."),
        ("RUNGS_PROFILE", "large", "RUNGS_PROFILE is 'large'; it must be one of embedded, scaled."),
        ("RUNGS_PROXIES", "one", "RUNGS_PROXIES is 'one'; it must be a whole number of at least 0."),
        ("RUNGS_ABUSE_SHARE", "1.5", "RUNGS_ABUSE_SHARE is '1.5'; it must be a number from 0 to 1."),
        ("RUNGS_ABUSE_TRADING", "nan", "RUNGS_ABUSE_TRADING is 'nan'; it must be a number from 1 to 100."),
        ("RUNGS_METRICS_ALLOW", "10.0.0.0/99", "RUNGS_METRICS_ALLOW has '10.0.0.0/99'"),
    ],
)
def test_nonsense_is_refused(name, value, sentence):
    with pytest.raises(ImproperlyConfigured) as caught:
        read_settings(**{**SCALED_SITE, name: value})
    assert sentence in str(caught.value)


def test_nonsense_stops_the_start():
    code, output = manage("check", **{**SCALED_SITE, "RUNGS_PROXIES": "one"})
    assert code != 0
    assert "RUNGS_PROXIES is 'one'; it must be a whole number of at least 0." in output


def test_a_check_with_an_error_stops_commands():
    code, said = manage("web", **{**SCALED_SITE, "RUNGS_SECRET_KEY": "a" * 60})
    assert (code, "(rungs.E001) RUNGS_SECRET_KEY is too short" in said) == (1, True)


SQLITE, POSTGRESQL = {"ENGINE": "django.db.backends.sqlite3"}, {"ENGINE": "django.db.backends.postgresql"}


@pytest.mark.parametrize(
    ("check", "scaled", "name", "value", "expected"),
    [
        (checks.check_secret_key, True, "SECRET_KEY", SECRET, []),
        (checks.check_secret_key, True, "SECRET_KEY", SECRET[:49], ["rungs.E001"]),
        (checks.check_secret_key, True, "SECRET_KEY", "ab" * 40, ["rungs.E001"]),
        (checks.check_database, True, "DATABASES", {"default": POSTGRESQL}, []),
        (checks.check_database, True, "DATABASES", {"default": SQLITE}, ["rungs.E002"]),
        (checks.check_database, False, "DATABASES", {"default": SQLITE}, []),
        (checks.check_hosts, True, "ALLOWED_HOSTS", ["ranks.example.org"], []),
        (checks.check_hosts, True, "ALLOWED_HOSTS", ["*"], ["rungs.E003"]),
        (checks.check_hosts, True, "ALLOWED_HOSTS", [], ["rungs.E003"]),
        (checks.check_web_workers, True, "WEB_WORKERS", 8, []),
        (checks.check_web_workers, False, "WEB_WORKERS", 2, ["rungs.E004"]),
        (checks.check_hooks, False, "LOCK_INS", [], []),
        (checks.check_hooks, False, "LOCK_INS", ["matchmaking.queues.entry.find_running"], []),
        (checks.check_hooks, False, "LOCK_INS", ["matchmaking.nowhere.find_running"], ["rungs.E005"]),
        (checks.check_hooks, False, "LOCK_INS", ["matchmaking.queues.entry.nothing"], ["rungs.E005"]),
        (checks.check_hooks, False, "LOCK_INS", ["matchmaking.queues.entry"], ["rungs.E005"]),
        (checks.check_hooks, False, "LOCK_INS", ["nothing"], ["rungs.E005"]),
        (checks.check_hooks, False, "OUTBOX_CONSUMERS", {"note": "nowhere.note"}, ["rungs.E005"]),
        (checks.check_metrics_token, True, "METRICS_TOKEN", "", []),
        (checks.check_metrics_token, True, "METRICS_TOKEN", "short", ["rungs.W001"]),
        (checks.check_https, True, "HTTPS", False, ["rungs.W002"]),
        (checks.check_https, False, "HTTPS", False, []),
    ],
)
@pytest.mark.filterwarnings("ignore:Overriding setting DATABASES")
def test_checks(settings, check, scaled, name, value, expected):
    settings.SCALED = scaled
    setattr(settings, name, value)
    assert [message.id for message in check(None)] == expected


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("nowhere.erase", "No module named 'nowhere'"),
        ("leaderboards.nowhere.erase", "No module named 'leaderboards.nowhere'"),
        ("config.env.erase", 'Module "config.env" does not define a "erase" attribute/class'),
        ("config.env.os", "It can't be called: it is of type module."),
        ("erase", "erase doesn't look like a module path"),
    ],
)
def test_a_hook_that_leads_nowhere_is_named(settings, path, fault):
    settings.ERASERS = ["leaderboards.accounts.erasure.erase_player", path]
    [error] = checks.check_hooks(None)
    assert error.msg == f"ERASERS names {path!r}, which is no function. {fault}"
    assert error.hint == "Correct the dotted path in config/settings.py, or remove it."


@pytest.mark.parametrize(("proxies", "header"), [("0", None), ("1", ("HTTP_X_FORWARDED_PROTO", "https"))])
def test_forwarded_headers_are_believed_only_when_told_so(proxies, header):
    settings = read_settings(**SCALED_SITE, RUNGS_PROXIES=proxies)
    assert settings.get("SECURE_PROXY_SSL_HEADER") == header
    assert settings["CSRF_TRUSTED_ORIGINS"] == ["https://ranks.example.org", "https://*.example.net"]


COOKIES = ("SESSION_COOKIE_NAME", "CSRF_COOKIE_NAME", "DEVICE_COOKIE_NAME")


@pytest.mark.parametrize(
    ("site", "secure", "names"),
    [
        ({}, False, ["sessionid", "csrftoken", "device"]),
        ({"RUNGS_HTTPS": "yes"}, True, ["__Host-sessionid", "__Host-csrftoken", "__Host-device"]),
        (SCALED_SITE, True, ["__Host-sessionid", "__Host-csrftoken", "__Host-device"]),
        ({**SCALED_SITE, "RUNGS_HTTPS": "no"}, False, ["sessionid", "csrftoken", "device"]),
    ],
)
def test_cookies_belong_to_this_host_alone_if_the_site_speaks_https(site, secure, names):
    settings = read_settings(**site)
    assert [settings[name] for name in COOKIES] == names
    assert (settings["SESSION_COOKIE_SECURE"], settings["CSRF_COOKIE_SECURE"]) == (secure, secure)
    assert settings["CSRF_COOKIE_HTTPONLY"]


@pytest.mark.parametrize(
    ("read", "value", "expected"),
    [
        (lambda name: env.flag(name, False), "yes", True),
        (lambda name: env.flag(name, True), "0", False),
        (lambda name: env.flag(name, True), "perhaps", ImproperlyConfigured),
        (lambda name: env.number(name, 3), "12", 12),
        (lambda name: env.number(name, 3, least=1), "0", ImproperlyConfigured),
        (lambda name: env.number(name, 3), "-1", ImproperlyConfigured),
        (lambda name: env.words(name), " a, b ,,c", ["a", "b", "c"]),
        (lambda name: env.networks(name), "127.0.0.1,10.0.0.0/8", ["127.0.0.1", "10.0.0.0/8"]),
        (lambda name: env.networks(name), "localhost", ImproperlyConfigured),
        (lambda name: env.choice(name, ("a", "b"), "a"), "c", ImproperlyConfigured),
    ],
)
def test_readers_refuse_nonsense(monkeypatch, read, value, expected):
    monkeypatch.setenv("RUNGS_TEST", value)
    if expected is ImproperlyConfigured:
        with pytest.raises(ImproperlyConfigured, match="RUNGS_TEST"):
            read("RUNGS_TEST")
    else:
        assert read("RUNGS_TEST") == expected
