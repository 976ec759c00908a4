"""What ships: the entry script, the image's and compose's words, and the page that lists the variables."""

import ast
import os
import re
import subprocess
import sys
import time
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml

from config import VERSION
from config.celery import LONG, NETWORK, QUEUES, URGENT, app
from tests.support.environment import SCALED_SITE, read_settings
from tests.support.patience import wait_until
from tests.support.read_variables import read_by_settings
from tests.support.servers import free_port
from tests.support.sites import ROOT

COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
WORKERS = {"worker": URGENT, "worker-long": LONG, "worker-network": NETWORK}
OURS = {"web", *WORKERS, "beat", "backup", "migrate"}
OPERATING = (ROOT / "docs/operating.md").read_text()


def test_the_page_lists_every_variable():
    cells = re.findall(r"^\| (`RUNGS_\w+`(?:, `RUNGS_\w+`)*) \|", OPERATING, re.MULTILINE)
    assert {name for cell in cells for name in re.findall(r"RUNGS_\w+", cell)} == read_by_settings()


@pytest.mark.parametrize("name", ["compose.yaml", "Dockerfile", "rungs.env.example"])
def test_what_ships_sets_only_variables_that_are_read(name):
    assert set(re.findall(r"RUNGS_\w+", (ROOT / name).read_text())) <= read_by_settings()


def test_compose_runs_every_process_on_migrated_tables():
    assert set(SERVICES) == {*OURS, "caddy", "database", "redis"}
    for name in OURS - {"migrate"}:
        waits = {needed: how["condition"] for needed, how in SERVICES[name]["depends_on"].items()}
        assert waits["migrate"] == "service_completed_successfully", name
    for name, service in SERVICES.items():
        assert service.get("restart") == ("no" if name == "migrate" else "unless-stopped"), name
        assert "healthcheck" in service or name == "web", name  # the image has web's
        for volume in service.get("volumes", ()):
            source = re.sub(r"^\$\{\w+:-(\w+)\}", r"\1", volume).split(":")[0]
            assert source in {*COMPOSE["volumes"], "./Caddyfile"}, name


def test_long_jobs_have_less_of_the_processor_than_any_other_container():
    shares = {name: service.get("cpu_shares", 1_024) for name, service in SERVICES.items()}
    others = {name: share for name, share in shares.items() if name != "worker-long"}
    assert shares["worker-long"] * 10 < min(others.values())


def test_each_container_knows_its_own_secrets_only():
    knows = {name: set(service.get("environment", ())) for name, service in SERVICES.items()}
    assert {name for name, service in SERVICES.items() if "env_file" in service} == OURS
    assert knows["database"] == {"POSTGRES_USER", "POSTGRES_PASSWORD", "POSTGRES_DB"}
    assert knows["caddy"] == {"RUNGS_HOSTS", "CADDY_CERTIFICATE"}
    assert knows["redis"] == set()
    assert SERVICES["web"]["environment"]["RUNGS_PROXIES"] == "1"


def test_backups_are_written_by_their_service_alone():
    holders = [
        name for name, service in SERVICES.items() if "backups:/var/lib/rungs/backups" in service.get("volumes", ())
    ]
    assert holders == ["backup"]
    backup = SERVICES["backup"]
    assert (backup["command"], backup["environment"]["RUNGS_BACKUP_DIR"]) == (
        ["backup_timer"],
        "/var/lib/rungs/backups",
    )


@pytest.mark.parametrize(
    ("name", "every", "days", "status"),
    [
        ("rungs-20260520T120000Z.backup", None, 1.9, 0),
        ("rungs-20260520T120000Z.backup", None, 2.1, 1),
        ("rungs-20260520T120000Z.backup", "168", 13, 0),
        ("rungs-20260520T120000Z.backup", "168", 15, 1),
        ("rungs-20260520T120000Z.backup", "1", 0.1, 1),
        (".rungs-20260520T120000Z.backup.partial", None, 1, 1),
    ],
)
def test_the_backup_service_is_unhealthy_without_a_young_backup(tmp_path, name, every, days, status):
    file = tmp_path / name
    file.write_text("a backup")
    os.utime(file, (time.time() - days * 86_400,) * 2)
    kind, command = SERVICES["backup"]["healthcheck"]["test"]
    assert kind == "CMD-SHELL"
    assert "$" not in command.replace("$$", "")  # Compose would replace it
    command = command.replace("$$", "$").replace("/var/lib/rungs/backups", str(tmp_path))
    given = {"RUNGS_BACKUP_EVERY": every} if every else {}
    assert subprocess.run(["sh", "-c", command], env={"PATH": os.environ["PATH"], **given}).returncode == status


@pytest.mark.parametrize(("minutes", "status"), [(0, 0), (1.9, 0), (2.1, 1), (None, 1)])
def test_a_worker_or_beat_is_unhealthy_that_was_not_at_work_for_two_minutes(tmp_path, minutes, status):
    """tests/journeys/test_health_commands.py runs the same command beside real processes."""
    (alive,) = re.findall(r"RUNGS_ALIVE=(\S+)", (ROOT / "Dockerfile").read_text())
    file = tmp_path / "alive"
    if minutes is not None:
        file.touch()
        os.utime(file, (time.time() - minutes * 60,) * 2)
    for name in (*WORKERS, "beat"):
        kind, command = SERVICES[name]["healthcheck"]["test"]
        assert (kind, "$" in command.replace("$$", "")) == ("CMD-SHELL", False), name
        given = {"PATH": os.environ["PATH"], "RUNGS_ALIVE": str(file)}
        done = subprocess.run(["sh", "-c", command.replace("$$", "$")], env=given, stderr=subprocess.DEVNULL)
        assert done.returncode == status, name
        assert str(Path(alive).parent) in SERVICES[name]["tmpfs"], name


def test_each_folder_that_a_container_writes_to_is_a_volume():
    """Its other files are read-only, and a process doesn't start if it can't make a folder that a variable names."""
    of_image = dict(re.findall(r"(RUNGS_\w+_DIR)=(\S+)", (ROOT / "Dockerfile").read_text()))
    for name in OURS:
        service = SERVICES[name]
        assert service["read_only"], name
        named = of_image | {
            variable: value for variable, value in service["environment"].items() if variable.endswith("_DIR")
        }
        assert "RUNGS_METRICS_DIR" in named, name
        mounted = {volume.split(":")[1] for volume in service["volumes"]}
        assert {folder for folder in named.values() if folder} <= mounted, name


def test_counters_are_in_memory_that_the_containers_share():
    """Processes map these files: if the disk is full, the kernel kills whoever counts (SIGBUS)."""
    uid = re.search(r"useradd .*--uid (\d+)", (ROOT / "Dockerfile").read_text()).group(1)
    options = COMPOSE["volumes"]["metrics"]
    assert options["driver"] == "local"  # which mounts it once, while any container runs
    assert options["driver_opts"] == {"type": "tmpfs", "device": "tmpfs", "o": f"size=128m,uid={uid},mode=0700"}
    assert all("metrics:/var/lib/rungs/metrics" in SERVICES[name]["volumes"] for name in OURS)


def test_the_page_takes_and_restores_backups_where_there_are_any():
    page = (ROOT / "docs/backups.md").read_text().replace("\\\n  ", "")
    commands = re.findall(r"^docker compose (\w+) (.+)$", page, re.MULTILINE)
    assert {command for command, _ in commands} == {"exec", "cp", "run", "stop", "build", "up"}
    for command, words in commands:
        if command in ("stop", "build", "up"):
            assert set(words.split()) <= {*SERVICES, "--pull", "--detach", "--wait"}, words
            continue
        service, *_ = (word for word in re.split(r"[ :]", words) if word in SERVICES)
        folders = set(re.findall(r"/var/lib/rungs/\w+", words))
        assert folders <= {volume.split(":")[1] for volume in SERVICES[service]["volumes"]}, words
    assert "POSTGRES_DB" in page
    assert "${POSTGRES_DB:-rungs}" in SERVICES["web"]["environment"]["RUNGS_DATABASE_URL"]


def test_only_caddy_is_reached_from_outside():
    """And web has no port of the machine, so that there may be several."""
    assert {name for name, service in SERVICES.items() if "ports" in service} == {"caddy"}
    reached = {name: set(service["networks"]) for name, service in SERVICES.items()}
    assert reached["caddy"] == {"outside"}
    assert reached["database"] == reached["redis"] == {"data"}
    assert COMPOSE["networks"]["data"] == {"internal": True}
    assert all("container_name" not in service for service in SERVICES.values())
    for page in ("docs/runbook.md", "ops/README.md", "ops/prometheus/prometheus.yml"):  # so that Prometheus reaches web
        assert f"{COMPOSE['name']}_outside" in (ROOT / page).read_text(), page


def test_no_container_fills_the_machine():
    for name, service in SERVICES.items():
        assert re.fullmatch(r"\d+[mg]", service["mem_limit"]), name
        assert service["logging"]["driver"] == "json-file", name
        assert set(service["logging"]["options"]) == {"max-size", "max-file"}, name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service.get("cap_drop") == (["ALL"] if name in {*OURS, "caddy"} else None), name


def test_images_are_exact_versions_that_a_variable_replaces():
    named = [service["image"] for name, service in SERVICES.items() if name not in OURS]
    (argument,) = re.findall(r"^ARG (PYTHON_IMAGE=\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    built = SERVICES["web"]["build"]["args"]["PYTHON_IMAGE"]
    assert built == "${" + argument.replace("=", ":-") + "}"
    for image in (*named, built):
        assert re.fullmatch(r"\$\{[A-Z]+_IMAGE:-[a-z]+(/[a-z]+)?:\d+\.\d+(\.\d+)?-[a-z-]+\}", image), image


def test_the_sites_image_bears_the_version_that_it_is_built_of():
    """So that the image of the version before is still there after an upgrade."""
    assert {SERVICES[name]["image"] for name in OURS} == {"${SITE_IMAGE:-rungs:" + VERSION + "}"}


def test_the_image_has_the_client_programs_of_the_server_beside_it():
    """Of Debian's own version: the site's image and PostgreSQL's are built on the same Debian."""
    dockerfile = (ROOT / "Dockerfile").read_text()
    (client,) = re.findall(r"postgresql-client-(\d+)", dockerfile)
    (server, debian) = re.search(r":-postgres:(\d+)\.\d+-(\w+)", SERVICES["database"]["image"]).groups()
    assert client == server
    assert f"PostgreSQL up to {client} and" in (ROOT / "ops/kubernetes/README.md").read_text()  # which brings its own
    assert re.search(rf"PYTHON_IMAGE=python:\S+-{debian}\n", dockerfile)


def test_a_site_of_an_older_postgresql_keeps_its_volume_until_its_operator_names_another():
    """An older server's volume must never be passed over: the site would start without any data."""
    (volume,) = SERVICES["database"]["volumes"]
    assert volume == "${POSTGRES_VOLUME:-database}:/var/lib/postgresql/data"
    page = (ROOT / "docs/backups.md").read_text()
    (named,) = set(re.findall(r"POSTGRES_VOLUME=([\w-]+)", page))
    assert {"database", named} <= set(COMPOSE["volumes"])


def test_the_cache_and_broker_take_the_command_of_both_valkey_and_redis(tmp_path):
    """Both images put their server's name before a command that begins with a dash."""
    port = free_port()
    command = SERVICES["redis"]["command"]
    assert command[0].startswith("-")
    kind, check = SERVICES["redis"]["healthcheck"]["test"]
    assert kind == "CMD-SHELL"
    check = check.replace("$$", "$").replace(" ping", f" -p {port} ping")

    def answers():
        return subprocess.run(["sh", "-c", check], capture_output=True).returncode == 0

    assert not answers()
    with (tmp_path / "log").open("wb") as log:
        words = ["redis-server", *command, "--port", str(port), "--bind", "127.0.0.1"]
        server = subprocess.Popen(words, cwd=tmp_path, stdout=log)
    try:
        assert wait_until(answers), (tmp_path / "log").read_text()
    finally:
        server.kill()
        server.wait()


def test_the_example_names_every_variable_that_compose_needs():
    needed = set(re.findall(r"\$\{(\w+):\?", (ROOT / "compose.yaml").read_text()))
    given = set(re.findall(r"^(\w+)=", (ROOT / "rungs.env.example").read_text(), re.MULTILINE))
    assert needed == {"RUNGS_HOSTS", "POSTGRES_PASSWORD"}
    assert needed <= given


def test_caddy_and_the_site_read_the_same_names():
    hosts = "ranks.example.org, www.example.org"
    caddyfile = (ROOT / "Caddyfile").read_text()
    assert "\n{$RUNGS_HOSTS:localhost} {\n" in caddyfile
    assert read_settings(**{**SCALED_SITE, "RUNGS_HOSTS": hosts})["ALLOWED_HOSTS"] == hosts.split(", ")
    web = [re.search(rf"CADDY_WEB_{name}:(\w+)", caddyfile).group(1) for name in ("NAME", "PORT")]
    assert web[0] in SERVICES
    assert f'"--port", "{web[1]}"' in (ROOT / "Dockerfile").read_text()


def test_the_image_runs_as_nobody_special_from_hashed_packages():
    text = (ROOT / "Dockerfile").read_text()
    assert re.findall(r"^FROM (\S+)", text, re.MULTILINE) == ["$PYTHON_IMAGE"] * 2
    assert re.findall(r"^USER (\S+)", text, re.MULTILINE) == ["rungs"]
    assert "--require-hashes" in text
    assert "HEALTHCHECK" in text
    for source in re.findall(r"^COPY (?!--from)(\S+)", text, re.MULTILINE):
        assert (ROOT / source).exists(), source
    (entry,) = re.findall(r'^ENTRYPOINT \["/rungs/(\S+)"\]', text, re.MULTILINE)
    assert os.access(ROOT / entry, os.X_OK)


def test_what_the_site_imports_is_locked_for_it():
    """And not for those only who develop it."""
    locked = set(re.findall(r"^([\w.-]+)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    given_by = packages_distributions()
    imported = {}
    for package in ("config", "leaderboards", "matchmaking", "ranking"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and not node.level:
                    names = [node.module]
                imported |= {name.split(".")[0]: path for name in names}
    foreign = {name: path for name, path in imported.items() if name in given_by}
    assert {"django", "django_stubs_ext", "numpy"} <= foreign.keys()
    missing = {
        name: str(path)
        for name, path in foreign.items()
        if not locked & {re.sub(r"[-_.]+", "-", given).lower() for given in given_by[name]}
    }
    assert missing == {}


def test_every_file_of_others_has_its_notice():
    notices = (ROOT / "THIRD_PARTY_NOTICES.md").read_text()
    files = {
        str(path.relative_to(ROOT))
        for folder in ("static/vendor", "static/fonts")
        for path in (ROOT / folder).iterdir()
        if path.name != "README.md"
    }
    assert files == set(re.findall(r"static/(?:vendor|fonts)/[\w.-]+", notices))
    (python,) = re.findall(r"PYTHON_IMAGE=python:(\d+\.\d+)\.", (ROOT / "Dockerfile").read_text())
    assert f"/venv/lib/python{python}/site-packages/" in notices


def test_licences_are_named_and_there():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["license"] == "Apache-2.0"
    assert all(list(ROOT.glob(pattern)) for pattern in project["license-files"])
    assert "Apache License" in (ROOT / "LICENSE").read_text()


def test_what_running_needs_is_a_part_of_what_developing_needs():
    """So that `make run` and `make test` install the same versions, in either order."""
    locked = [
        set(re.findall(r"^([\w.-]+==\S+)", (ROOT / name).read_text(), re.MULTILINE))
        for name in ("requirements.lock", "requirements-dev.lock")
    ]
    assert locked[0] < locked[1]


def test_a_checkout_on_windows_keeps_line_ends():
    """A script that ends its lines in CR LF doesn't start, neither in a shell nor in the image."""
    assert "* text=auto eol=lf" in (ROOT / ".gitattributes").read_text().splitlines()


def rungs(*arguments):
    environment = {**os.environ, "PYTHON": sys.executable}
    done = subprocess.run([ROOT / "bin/rungs", *arguments], cwd="/", env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "usage: rungs web|jobs|worker|beat"),
        (("web", "--help"), 0, "Serve the site."),
        (("worker", "--help"), 0, "Start worker instance."),
        (("beat", "--help"), 0, "Start the beat periodic task scheduler."),
        (("no-such-command",), 1, "Unknown command: 'no-such-command'"),
    ],
)
def test_the_entry_script_starts_each_process(arguments, code, said):
    got, output = rungs(*arguments)
    assert (got, said in output) == (code, True), output


URGENT_JOBS = {
    "publish-standings", "sweep-outbox", "tell-standings", "tell-endings", "announce-seasons", "tick-queues",
    "sweep-lobbies",
}  # fmt: skip


def test_each_task_has_a_queue_and_the_urgent_ones_have_theirs_to_themselves():
    app.loader.import_default_modules()
    ours = {name for name in app.tasks if name.partition(".")[0] in ("ranking", "leaderboards", "matchmaking")}
    assert set(app.conf.task_routes) == ours
    queues = {name: entry["options"]["queue"] for name, entry in app.conf.beat_schedule.items()}
    assert {name for name, queue in queues.items() if queue == URGENT} == URGENT_JOBS
    assert {name for name, queue in queues.items() if queue == NETWORK} == {"deliver-webhooks", "fetch-avatars"}
    for name, entry in app.conf.beat_schedule.items():
        route = app.amqp.router.route({}, entry["task"])
        assert route["queue"].name == queues[name], name
    assert [queue.name for queue in app.conf.task_queues] == list(QUEUES)
    assert {name: SERVICES[name]["command"][:3] for name in WORKERS} == {
        name: ["worker", "-Q", queue] for name, queue in WORKERS.items()
    }


def test_jobs_are_known_and_their_messages_expire():
    app.loader.import_default_modules()
    for entry in app.conf.beat_schedule.values():
        assert entry["task"] in app.tasks
        assert entry["options"]["expires"] == entry["schedule"]
    assert (app.conf.task_acks_late, app.conf.worker_prefetch_multiplier) == (True, 1)
    assert app.conf.task_time_limit < app.conf.broker_transport_options["visibility_timeout"]


def test_a_web_process_has_loaded_its_views_before_the_first_request():
    code = "import config.wsgi, sys; print({'leaderboards.views.boards', 'matchmaking.api'} <= {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
