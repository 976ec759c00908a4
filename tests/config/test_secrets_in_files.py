"""Secrets in files, which variables RUNGS_…_FILE name, as Docker and Kubernetes hand them over."""

import re

import pytest

from config.env import SECRETS, InvalidEnvironment
from tests.support.environment import SCALED_SITE, SECRET, manage, read_settings
from tests.support.paths import ROOT

OIDC = {"RUNGS_OIDC_ISSUER": "https://id.example.org", "RUNGS_OIDC_ID": "rungs"}


@pytest.fixture
def put(tmp_path):
    """Write a file and return its path."""

    def write(content, name="secret"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write


def test_each_secret_is_read_from_its_file(put):
    found = {
        "RUNGS_SECRET_KEY": ("k" * 60, lambda settings: settings["SECRET_KEY"]),
        "RUNGS_DATABASE_URL": ("postgres://u:pw@db/x", lambda settings: settings["DATABASES"]["default"]["PASSWORD"]),
        "RUNGS_REDIS_URL": ("redis://:pw@redis/1", lambda settings: settings["REDIS_URL"]),
        "RUNGS_BROKER_URL": ("redis://:pw@redis/2", lambda settings: settings["CELERY_BROKER_URL"]),
        "RUNGS_EMAIL_URL": ("smtp://u:pw@mail:25", lambda settings: settings["MAILERS"]["default"]["OPTIONS"]),
        "RUNGS_STEAM_KEY": ("steam-key", lambda settings: settings["SOCIALACCOUNT_PROVIDERS"]["steam"]),
        "RUNGS_DISCORD_SECRET": ("discord-secret", lambda settings: settings["SOCIALACCOUNT_PROVIDERS"]["discord"]),
        "RUNGS_OIDC_SECRET": ("oidc-secret", lambda settings: settings["SOCIALACCOUNT_PROVIDERS"]["openid_connect"]),
        "RUNGS_DEVICE_PEPPER": ("the-pepper", lambda settings: settings["DEVICE_PEPPER"]),
        "RUNGS_BACKUP_SECRET": ("the-storage", lambda settings: settings["BACKUP_SECRET"]),
        "RUNGS_METRICS_TOKEN": ("the-token-of-metrics", lambda settings: settings["METRICS_TOKEN"]),
    }
    assert found.keys() == SECRETS
    site = {**SCALED_SITE, **OIDC, "RUNGS_DISCORD_ID": "1", "RUNGS_BACKUP_KEY_ID": "1"}
    by_variable = read_settings(**{**site, **{name: secret for name, (secret, _) in found.items()}})
    files = {f"{name}_FILE": put(f"{secret}\n", name) for name, (secret, _) in found.items()}
    by_file = read_settings(**{name: value for name, value in site.items() if name not in found}, **files)
    wrong = {name for name, (_, look) in found.items() if look(by_file) != look(by_variable)}
    assert (wrong, by_file["UNKNOWN_VARIABLES"]) == (set(), [])


@pytest.mark.parametrize("written", [SECRET, f"{SECRET}\n", f"{SECRET}\r\n"])
def test_the_end_of_the_line_is_cut(put, written):
    assert secret_key_from(put(written)) == SECRET


def secret_key_from(path, **more):
    return read_settings(**{**SCALED_SITE, "RUNGS_SECRET_KEY": "", "RUNGS_SECRET_KEY_FILE": path, **more})["SECRET_KEY"]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (None, "can't be read (No such file or directory)."),
        ("\n", "is empty."),
        (b"\xff" + SECRET.encode(), "is no text in UTF-8."),
        (SECRET * 200, "is longer than 10000 bytes, so it holds something else than a secret."),
    ],
)
def test_a_file_that_holds_no_secret_is_named(put, tmp_path, content, what):
    path = str(tmp_path / "nowhere") if content is None else put(content)
    with pytest.raises(InvalidEnvironment) as refused:
        secret_key_from(path)
    assert str(refused.value) == f"RUNGS_SECRET_KEY_FILE names {path}, which {what}"


def test_a_fault_stands_once_and_quotes_no_secret(put):
    with pytest.raises(InvalidEnvironment) as refused:
        read_settings(**{**SCALED_SITE, "RUNGS_DATABASE_URL": "", "RUNGS_DATABASE_URL_FILE": put("postgres://u:p/w@x")})
    [fault] = str(refused.value).splitlines()
    assert (fault.startswith("RUNGS_DATABASE_URL can't be read"), "p/w" in fault) == (True, False)


def test_a_variable_and_its_file_are_refused_together(put):
    with pytest.raises(InvalidEnvironment) as refused:
        secret_key_from(put(SECRET), RUNGS_SECRET_KEY="x" * 60)
    assert str(refused.value) == "RUNGS_SECRET_KEY and RUNGS_SECRET_KEY_FILE are both set; unset one of them."


def test_the_name_of_no_file_counts_as_unset():
    site = {**SCALED_SITE, "RUNGS_SECRET_KEY_FILE": ""}
    assert read_settings(**site)["SECRET_KEY"] == SECRET


def test_a_secret_from_a_file_is_masked(put):
    redact = read_settings(**SCALED_SITE, RUNGS_METRICS_TOKEN_FILE=put("a-token-of-the-metrics\n"))["REDACT"]
    assert redact("It is a-token-of-the-metrics.") == "It is ***."


def test_only_secrets_are_read_from_files(put):
    code, output = manage("check", RUNGS_HOSTS_FILE=put("ranks.example.org"))
    warning = "RUNGS_HOSTS_FILE is unknown, so it has no effect; did you mean RUNGS_HOSTS?"
    assert (code, warning in output) == (0, True)


def test_the_documentation_names_each_secret():
    section = (ROOT / "docs" / "operating.md").read_text().split("### Secrets in files")[1].split("\n#")[0]
    assert set(re.findall(r"`(RUNGS_[A-Z_]+)`", section)) - {"RUNGS_SECRET_KEY_FILE"} == SECRETS
