"""Environment variables: what they mean, what is refused with a sentence, and what the checks say."""

import re
import subprocess
import sys

import pytest
from django.test import override_settings

from config import checks
from config.env import SECRETS, Environment, InvalidEnvironment
from tests.support.environment import SCALED_SITE, SECRET, manage, read_settings, run
from tests.support.paths import ROOT


def test_the_scaled_profile_passes_the_deployment_checks():
    mailer = {"RUNGS_EMAIL_URL": "smtp+tls://user:password@host:587"}  # without one, Django 6.1 has a silenced finding
    code, said = manage("check", "--deploy", "--fail-level", "WARNING", **SCALED_SITE, **mailer)
    assert (code, said) == (0, "System check identified no issues (0 silenced).\n")


_ESCAPING = "and write special characters of the password in percent form, such as %23 for #."
DATABASE_UNREADABLE = f"RUNGS_DATABASE_URL can't be read: begin it with postgres:// or postgresql://, {_ESCAPING}"
REDIS_UNREADABLE = f"RUNGS_REDIS_URL can't be read: begin it with redis:// or rediss:// or unix://, {_ESCAPING}"
MAIL_UNREADABLE = f"RUNGS_EMAIL_URL can't be read: write it like smtp+tls://user:password@host:587, {_ESCAPING}"
RUNGS_WITHOUT_DJANGO = (
    "Django isn't installed for '{}'. Run `make install`, or set PYTHON to the python of your virtual environment.\n"
)


def test_nonsense_is_refused():
    cases = [
        ("RUNGS_SECRET_KEY", "", "RUNGS_SECRET_KEY must be set in the scaled profile."),
        (
            "RUNGS_DATABASE_URL",
            "sqlite:///x",
            "RUNGS_DATABASE_URL names SQLite; the scaled profile needs postgres://….",
        ),
        ("RUNGS_DATABASE_URL", "", "RUNGS_DATABASE_URL must be set in the scaled profile."),
        ("RUNGS_DATABASE_URL", "postgre://u:pw@db/x", DATABASE_UNREADABLE),
        ("RUNGS_DATABASE_URL", "postgres://u:p/w@db/x", DATABASE_UNREADABLE),
        ("RUNGS_DATABASE_URL", "postgres://u:pw@[db/x", DATABASE_UNREADABLE),
        ("RUNGS_REDIS_URL", "redis://:p#w@redis/0", REDIS_UNREADABLE),
        ("RUNGS_REDIS_URL", "redis:6379", REDIS_UNREADABLE),
        ("RUNGS_EMAIL_URL", "smtp://u:p/w@host", MAIL_UNREADABLE),
        ("RUNGS_EMAIL_URL", "host:25", MAIL_UNREADABLE),
        (
            "RUNGS_LIMIT_KEY",
            "9" * 5_000,
            f"RUNGS_LIMIT_KEY is '{'9' * 5_000}'; it must be a whole number of at least 0.",
        ),
        ("RUNGS_DISCORD_ID", "1", "RUNGS_DISCORD_ID and RUNGS_DISCORD_SECRET belong together; one is missing."),
        ("RUNGS_REDIS_URL", "", "RUNGS_REDIS_URL must be set in the scaled profile."),
        ("RUNGS_PROFILE", "large", "RUNGS_PROFILE is 'large'; it must be one of embedded, scaled."),
        ("RUNGS_PROXIES", "one", "RUNGS_PROXIES is 'one'; it must be a whole number of at least 0."),
        ("RUNGS_ABUSE_SHARE", "1.5", "RUNGS_ABUSE_SHARE is '1.5'; it must be a number from 0 to 1."),
        ("RUNGS_ABUSE_TRADING", "nan", "RUNGS_ABUSE_TRADING is 'nan'; it must be a number from 1 to 100."),
        ("RUNGS_HEARTBEAT_URL", "https://hc.example/", "RUNGS_HEARTBEAT_URL must have {job} in it."),
        (
            "RUNGS_HEARTBEAT_TELL_STANDINGS",
            "file:///etc/passwd",
            f"RUNGS_HEARTBEAT_TELL_STANDINGS can't be read: begin it with https:// or http://, {_ESCAPING}",
        ),
        *(
            (
                "RUNGS_EMBED_ORIGINS",
                f"https://clan.example,{word}",
                f"RUNGS_EMBED_ORIGINS has {word!r}, which is no origin: write it like https://example.org or"
                " https://example.org:8443, in lower case, without path, '*' and the port that goes without saying.",
            )
            for word in ("*", "clan.example", "https://clan.example/", "https://*.example", "https://a.example:443")
        ),
        (
            "RUNGS_METRICS_ALLOW",
            "10.0.0.0/99",
            "RUNGS_METRICS_ALLOW has '10.0.0.0/99', which is no address and no network.",
        ),
    ]
    given = {(name, value): refusal_of(**{name: value}) for name, value, _ in cases}
    assert given == {(name, value): sentence for name, value, sentence in cases}


def refusal_of(**variables):
    """The sentence with which the settings of a scaled site are refused; None if they are taken."""
    try:
        read_settings(**{**SCALED_SITE, **variables})
    except InvalidEnvironment as refusal:
        return str(refusal)
    return None


INVALID = {
    "RUNGS_PROFILE": "scaled",
    "RUNGS_DATABASE_URL": "postgre://u:pw@db/x",
    "RUNGS_PROXIES": "one",
    "RUNGS_HTTPS": "perhaps",
    "RUNGS_LIMT_KEY": "5",
    "RUNGS_ZZZZ": "5",
}
FAULTS = """RUNGS_SECRET_KEY must be set in the scaled profile.
RUNGS_DATABASE_URL can't be read: begin it with postgres:// or postgresql://, and write special characters of the \
password in percent form, such as %23 for #.
RUNGS_REDIS_URL must be set in the scaled profile.
RUNGS_HTTPS is 'perhaps'; it must be yes or no.
RUNGS_PROXIES is 'one'; it must be a whole number of at least 0.
RUNGS_LIMT_KEY is unknown, so it has no effect; did you mean RUNGS_LIMIT_KEY?
RUNGS_ZZZZ is unknown, so it has no effect.
"""


@pytest.mark.parametrize(
    "command", [["manage.py", "check"], ["manage.py", "web"], ["-m", "celery", "-A", "config", "beat"]]
)
def test_nonsense_stops_the_start_with_a_sentence_for_each_fault(command):
    assert run(sys.executable, *command, **INVALID) == (1, FAULTS)


def test_heartbeats_are_read_by_the_names_of_jobs():
    names = {"RUNGS_HEARTBEAT_URL": "https://hc.example/{job}", "RUNGS_HEARTBEAT_TELL_STANDINGS": "https://hc.example/1",
             "RUNGS_HEARTBEAT_DROP_OLD": ""}  # fmt: skip
    settings = read_settings(**SCALED_SITE, **names)
    assert settings["HEARTBEAT_URL"] == "https://hc.example/{job}"
    assert settings["HEARTBEATS"] == {"tell-standings": "https://hc.example/1", "drop-old": ""}


def test_a_heartbeat_of_no_job_is_a_warning():
    code, output = manage("check", RUNGS_HEARTBEAT_PUBLISH="https://hc.example/1")
    assert (code, "(rungs.W004) RUNGS_HEARTBEAT_PUBLISH " in output) == (0, True)
    assert "RUNGS_HEARTBEAT_PUBLISH_STANDINGS, " in output


def test_an_unknown_variable_is_a_warning():
    code, output = manage("check", RUNGS_LIMT_KEY="5")
    warning = "(rungs.W003) RUNGS_LIMT_KEY is unknown, so it has no effect; did you mean RUNGS_LIMIT_KEY?\n"
    assert (code, output.count(warning), output.count("rungs.W")) == (0, 1, 1)


def test_every_variable_of_the_documentation_is_known():
    documented = set(
        re.findall(r"^\| `(RUNGS_[A-Z_]+)` \|", (ROOT / "docs" / "operating.md").read_text(), re.MULTILINE)
    )
    code = "from config import settings; print(*sorted(settings.env._known))"
    known = set(run(sys.executable, "-c", code)[1].split())
    assert documented == known - {"RUNGS_SUPERVISED", "RUNGS_COUNTED_AS"} - {f"{name}_FILE" for name in SECRETS}


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["manage.py", "web"], "Django isn't installed for {}. Run `make install`, then .venv/bin/python manage.py.\n"),
        (["bin/rungs", "web"], RUNGS_WITHOUT_DJANGO),
        (["bin/rungs", "worker"], RUNGS_WITHOUT_DJANGO),
    ],
)
def test_a_python_without_django_says_what_to_do(tmp_path, command, sentence):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path], check=True)
    python = str(tmp_path / "bin" / "python")
    interpreter = python if command[0] == "manage.py" else "/bin/sh"
    assert run(interpreter, *command, PYTHON=python) == (1, sentence.format(python))


def test_a_check_with_an_error_stops_commands():
    code, said = manage("web", **{**SCALED_SITE, "RUNGS_SECRET_KEY": "a" * 60})
    assert (code, "(rungs.E001) RUNGS_SECRET_KEY " in said) == (1, True)


SQLITE, POSTGRESQL = {"ENGINE": "django.db.backends.sqlite3"}, {"ENGINE": "django.db.backends.postgresql"}


@pytest.mark.filterwarnings("ignore:Overriding setting DATABASES")
def test_checks(settings):
    cases = [
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
    ]
    wrong = {}
    for check, scaled, name, value, wanted in cases:
        with override_settings(SCALED=scaled, **{name: value}):
            given = [message.id for message in check(None)]
        if given != wanted:
            wrong[check.__name__, scaled, str(value)] = (given, wanted)
    assert wrong == {}


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
    assert (error.msg.startswith(f"ERASERS names {path!r}"), error.msg.endswith(f" {fault}")) == (True, True)
    assert "config/settings.py" in error.hint


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


REFUSED = "refused"


def test_readers_refuse_nonsense():
    cases = [
        (lambda env: env.flag("RUNGS_TEST", False), "yes", True),
        (lambda env: env.flag("RUNGS_TEST", True), "0", False),
        (lambda env: env.flag("RUNGS_TEST", True), "perhaps", REFUSED),
        (lambda env: env.number("RUNGS_TEST", 3), "12", 12),
        (lambda env: env.number("RUNGS_TEST", 3, least=1), "0", REFUSED),
        (lambda env: env.number("RUNGS_TEST", 3), "-1", REFUSED),
        (lambda env: env.words("RUNGS_TEST"), " a, b ,,c", ["a", "b", "c"]),
        (lambda env: env.networks("RUNGS_TEST"), "127.0.0.1,10.0.0.0/8", ["127.0.0.1", "10.0.0.0/8"]),
        (lambda env: env.networks("RUNGS_TEST"), "localhost", REFUSED),
        (lambda env: env.choice("RUNGS_TEST", ("a", "b"), "a"), "c", REFUSED),
        (lambda env: env.url("RUNGS_TEST", ("redis",)), "redis://:x@h:1/0", "redis://:x@h:1/0"),
        (lambda env: env.url("RUNGS_TEST", ("redis",)), "redis://h:0/0", REFUSED),
    ]
    given = {number: (value, read_or_refused(read, value)) for number, (read, value, _) in enumerate(cases)}
    assert given == {number: (value, wanted) for number, (_, value, wanted) in enumerate(cases)}


def read_or_refused(read, value):
    env = Environment({"RUNGS_TEST": value})
    result = read(env)
    try:
        env.check()
    except InvalidEnvironment as refusal:
        return REFUSED if "RUNGS_TEST" in str(refusal) else str(refusal)
    return result


def test_a_secret_key_that_cant_be_kept_is_told_in_a_sentence(tmp_path):
    (tmp_path / "file").touch()
    env = Environment({})
    env.stored_secret(tmp_path / "file" / "rungs" / "secret_key")
    with pytest.raises(InvalidEnvironment) as caught:
        env.check()
    path = tmp_path / "file" / "rungs" / "secret_key"
    assert str(caught.value) == f"{path} can't be read or made (Not a directory); set RUNGS_SECRET_KEY instead."


def test_each_check_has_an_id_of_its_own():
    ids = re.findall(r'id="(rungs\.\w+)"', (ROOT / "config" / "checks.py").read_text(encoding="utf-8"))
    assert sorted(ids) == sorted(set(ids))
    assert len(ids) > 10
