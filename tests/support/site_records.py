"""Records all that the product says, and compares two records: before code changes that changes nothing, and after.

    .venv/bin/python -m tests.support.site_records make SITES
    .venv/bin/python -m tests.support.site_records record before.zip --database SITES/*.sqlite3
    .venv/bin/python -m tests.support.site_records compare before.zip after.zip

`make` fills the databases of tests.support.recorded_sites once; both records are made of copies of them. Everybody
follows the links of all pages and sends their forms, by every button and action; every call of the API is made with
each kind of key, allowed and refused; commands print. What comes back is kept, and which tables changed; then the
database is what it was. The clock stands still, and chance is always the same.
"""

import argparse
import datetime as dt
import difflib
import hashlib
import io
import json
import logging
import os
import random
import re
import sqlite3
import sys
import tempfile
import time
import warnings
import zipfile
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

import django
import time_machine

if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.execve(sys.executable, [sys.executable, "-m", "tests.support.site_records", *sys.argv[1:]],
                  {**os.environ, "PYTHONHASHSEED": "0", "COLUMNS": "120"})  # fmt: skip
    SCRATCH = tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").exists() else None)
    os.environ |= {"RUNGS_DATABASE_URL": f"sqlite:///{SCRATCH.name}/scratch", "RUNGS_SECRET_KEY": "k" * 80}
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    time.perf_counter = lambda: 0.0  # seconds that commands print
    django.setup()

from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command, get_commands, load_command_class
from django.db import connection
from django.test import Client
from django.test.utils import setup_test_environment
from django.urls import Resolver404, resolve

from matchmaking.models import Lobby, Party, Ticket
from ranking.models import Appeal, Ban, BanProposal, Incident, Match, Mode, Player, PlayerNote, PlayerWarning
from tests.support.acts_by_api import CALLS
from tests.support.api import make_key, make_token
from tests.support.caches import forget_everything
from tests.support.factories import NOW
from tests.support.html_forms import Form, forms_of
from tests.support.paths import SHARED
from tests.support.routes import SCOPES, all_rows
from tests.support.schema_answers import raw_schema

MADE_AT = NOW + dt.timedelta(hours=1)
PEOPLE = {"nobody": ("en", "de"), "player": ("en", "de"), "locked": ("en",), "junior": ("en",), "root": ("en", "de")}
ALIKE = 2  # addresses of a route with the same names in their queries that one person looks at
HIDDEN = re.compile(
    r'(?<=name="csrfmiddlewaretoken" value=")\w+|(?<=nonce=")[^"]+|(?<=\'nonce-)[^\']+|(?<=[?&]v=)\w+'
    r"|(?<=\.)[0-9a-f]{8,12}(?=\.(?:css|js|svg|png|woff2))"
)
EVERYWHERE = ("theme/", "language/", "account/logout/", "admin/logout/")  # forms that each page has
WRITTEN = re.compile(r'(?:INTO|UPDATE|DELETE FROM) "?(\w+)')
UNKEPT = ("django_session", "sqlite_sequence", "ranking_player_names")  # the last: an index that triggers keep
ROWS = {"matches": Match, "bans": Ban, "incidents": Incident, "appeals": Appeal, "notes": PlayerNote,
        "warnings": PlayerWarning, "tickets": Ticket, "parties": Party,
        "ban-proposals": BanProposal}  # fmt: skip
DUEL = {"mode": "duel", "teams": [{"place": 1, "players": [{"id": "player-001"}]},
                                  {"place": 2, "players": [{"id": "player-002"}]}]}  # fmt: skip
RESULT = {"id": "new", "ended_at": MADE_AT.isoformat(), **DUEL}
BODIES: dict[str, Any] = {
    "record_match": RESULT,
    "record_matches": {"matches": [RESULT, {**RESULT, "id": "other", "mode": "nothing"}]},
    "withdraw_match": {"id": "new", "reason": "It was a test."},
    "put_match_links": {"links": [{"kind": "replay", "url": "https://example.org/1"}]},
    "report_player": {"player": "player-002", "reason": "cheating", "text": "He flew."},
    "put_server": {"name": "eu-1", "region": "eu-west", "address": "192.0.2.1:7000", "capacity": 2, "modes": ["duel"],
                   "state": "open", "matches": []},
    "create_ticket": {"mode": "duel", "player": "player-003", "width": 20},
    "put_pings": {"regions": {"eu-west": 20}, "ping_limit": 90},
    **{name: {"player": "player-004"} for name in ("invite_player", "pass_leadership", "remove_from_party",
                                                   "withdraw_invitation")},
}  # fmt: skip
ASKED = {"author": ("root", "junior", "none"), "limit": (1, 0, "x"), "rank": (2, "x"), "q": ("a", "zz"),
         "season": (1, 9),
         "since": ("2026-05-19T00:00:00Z", "x"), "until": ("2026-05-19T00:00:00Z", "x"), "friends": ("me", "x"),
         "region": ("eu-west", "x"), "matches": (1,), "player": ("player-001", "x"), "mode": ("duel", "x"),
         "around": ("demo-player", "x"), "state": ("open", "x"), "who": ("root",), "act": ("ban", "x"),
         "as": ("played", "x"), "after": ("x",), "before": ("x",), "fields": ("rank", "x"), "id": ("player-001", "x"),
         "dry_run": ("true", "x"), "name": ("eu-1", "x")}  # fmt: skip
LISTS = ("?q=a", "?o=1", "?o=-2", "?p=2", "?all=", "?e=1", "?nonsense=1", "?_popup=1")
H2H, LARGE = (str(SHARED / "data" / f"halo2-{name}.jsonl") for name in ("head-to-head", "large-team"))
COMMANDS = [line.split() for line in f"""
doctor | doctor --data | report_abuse | report_abuse --json | report_abuse --mode duel --kind delevelling
report_abuse --kind x | report_abuse --mode x | evaluate {LARGE} | evaluate {LARGE} --details --system elo trueskill
evaluate {H2H} --json --system elo margin | evaluate --mode duel
evaluate --mode duel --system margin:party=0.1 elo --details
evaluate --mode control-6v6 --against elo | evaluate --mode sprint --plot OUT | evaluate --mode duel --plot-course OUT
evaluate x.jsonl | evaluate --mode x | evaluate --mode duel --system x | evaluate
evaluate --mode duel --system elo:x=1
fit duel --max 2 | fit duel --limit 20 | fit head-to-head --matches {H2H} --system elo --json --max 1
fit x | fit duel --system x
fit head-to-head --matches {H2H} --system trueskill elo:alpha=0.2 --impact --max 1 | fit duel --matches {LARGE}
fit duel --write --max 1 | fit sprint --max 1 --anyway --write | rate {SHARED / "vectors/ratings.jsonl"} | rate x
explain 1 demo-player | explain 3 x | explain x x | explain 880 demo-player | export results | export players
export conduct | export boards | export x | export_season duel | export_season duel 2 | export_season x
simulate --online 40 --hours 1 --seed 3 | simulate --online 40 --hours 1 --json --system elo --strategy fifo --plot OUT
plan_queues --online 500 --participants 10 --minutes 15 | plan_queues --online 5 --participants 10 --minutes 15 --json
plan_queues --online 500 --participants 10 --minutes 15 --target 60 --plot OUT | create_key x --scope x | end_season x
refresh_standings duel | grant_achievements | rerate duel | import_matches x | import_ratings duel x | jobs --queue x
""".replace("\n", " | ").split(" | ") if line.strip()]  # fmt: skip


class Recorder:
    """Asks one site; what is written meanwhile is told and undone."""

    def __init__(self, site: str, names: dict[str, Any], kept: zipfile.ZipFile) -> None:
        self.site, self.names, self.kept, self.done = site, names, kept, set[str]()
        self.cookies: dict[str, Any] = {}
        for who in PEOPLE:
            client = Client()
            if who != "nobody":
                client.force_login(User.objects.get(username=who))
            self.cookies[who] = client.cookies.copy()
        self.headers = {f"key for {scope}": make_key(scope) for scope in SCOPES} | {"key": make_key(*SCOPES)}
        for who in ("player", "locked"):
            self.headers[f"token of {who}"] = make_token(Player.objects.get(user__username=who))
        self.pristine = sqlite3.connect(":memory:")
        connection.connection.backup(self.pristine)
        self.tables = self._digests()

    def _digests(self, statements: str = "") -> dict[str, str]:
        """A digest of each table, or of those that some statements write to."""
        written = {*WRITTEN.findall(statements)}
        with connection.cursor() as cursor:
            names = [name for name in connection.introspection.table_names(cursor) if not name.startswith(UNKEPT)]
            names = [name for name in names if name in written or not statements]
            rows = {name: cursor.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}
        return {name: hashlib.sha256(repr(found).encode()).hexdigest()[:8] for name, found in rows.items()}

    def keep(self, name: str, act: Callable[[], bytes]) -> None:
        """Keep what an act says and which tables it changed, and undo that."""
        forget_everything()
        chance.seed(0)
        random.seed(0)
        before, statements = connection.connection.total_changes, list[str]()
        connection.connection.set_trace_callback(statements.append)
        said = act()
        connection.connection.set_trace_callback(None)
        if connection.connection.total_changes != before:
            digests = self._digests("\n".join(statements))
            changed = {name: digest for name, digest in digests.items() if self.tables.get(name) != digest}
            said += f"\nwritten: {changed}".encode() if changed else b""
            restore(self.pristine)
        self.kept.writestr(f"{self.site}/{name}", said)

    def ask(self, who: str, method: str, address: str, body: Any = None, *, language: str = "en", note: str = "",
            kind: str = "application/json", **headers: str) -> str | None:  # fmt: skip
        """The page, if this wasn't asked before and it is one. A body that is a dictionary of lists is a form's."""
        name = f"{who} {language}/{method} {address}{note}"
        if name in self.done:
            return None
        self.done.add(name)
        client, answer = Client(raise_request_exception=False), ""
        client.cookies = self.cookies.get(who, Client().cookies).copy()
        if who in self.headers:
            headers["Authorization"] = f"Bearer {self.headers[who]}"

        def act() -> bytes:
            nonlocal answer
            sent = {"headers": {"Accept-Language": language, **headers}}
            if method == "POST" and kind == "form":
                response = client.post(address, body, **sent)
            else:
                data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
                response = client.generic(method, address, data, content_type=kind, **sent)
            content = b"".join(response) if response.streaming else response.content
            told = [f"{name}: {value}" for name, value in sorted(response.headers.items()) if name != "Date"]
            told += sorted(f"Sets {name}" for name in response.cookies)
            text = f"{response.status_code}\n" + "\n".join(told) + "\n\n"
            if "html" in response.headers.get("Content-Type", "") and response.status_code == 200:
                answer = content.decode()
            try:
                return HIDDEN.sub("…", text + content.decode()).encode()
            except UnicodeDecodeError:
                return text.encode() + content

        self.keep(name, act)
        return answer or None

    # --- pages ------------------------------------------------------------------------------------

    def crawl(self) -> None:
        for who, languages in PEOPLE.items():
            for language in languages:
                self.follow_links(who, language)

    def follow_links(self, who: str, language: str) -> None:
        """Look at every page that links lead to, and send its forms."""
        first = ["/", "/admin/", "/search/?q=a", "/calculator/", "/help/", "/api/docs/", "/api/problems/", "/party/",
                 "/conduct/", "/account/", "/people/", "/notifications/", "/queues/", "/play/"]  # fmt: skip
        waiting, alike, sent = deque(first), Counter[Any](), set[Any]()
        while waiting:
            address = waiting.popleft()
            page = self.ask(who, "GET", address, language=language)
            if page is None:
                continue
            links = re.findall(r'(?:href|hx-get|data-url)="([^"#]+)', page)
            if re.fullmatch(r"/admin/\w+/\w+/", address):
                links += LISTS
            for link in links:
                target = urlsplit(urljoin(f"http://testserver{address}", link.replace("&amp;", "&")))
                shape = (route_of(target.path), *sorted({name for name, _ in parse_qsl(target.query, True)}))
                where = target.path + (f"?{target.query}" if target.query else "")
                if target.netloc != "testserver" or where.startswith("/static/") or where in waiting:
                    continue
                if len(shape) < (4 if language == "en" else 3) and f"{who} {language}/GET {where}" not in self.done:
                    alike[shape] += 1
                    if alike[shape] <= ALIKE:
                        waiting.append(where)
            if language == "en":
                self.send_forms(who, address, page, sent)

    def send_forms(self, who: str, address: str, page: str, sent: set[Any], *, depth: int = 2) -> None:
        """Send the forms of a page: empty, as they are, and with words where there are none, by every button."""
        for form in forms_of(page):
            target = urljoin(address, form.action) if form.action else address
            routes = [route_of(urlsplit(place).path) for place in (address, target)]
            shape = (*routes[routes[1] in EVERYWHERE :], *sorted(form.values), *form.values.get("action", []))
            if form.method != "post" or shape in sent:
                continue
            sent.add(shape)
            for note, values in ways_to_send(form, page):
                answer = self.ask(who, "POST", target, values, kind="form", note=f" from {address} {note} {depth}")
                if answer and depth > 1:
                    self.send_forms(who, target, answer, sent, depth=depth - 1)

    def ask_routes(self) -> None:
        """Every route of the table of routes, which tests keep complete."""
        for _, method, address, _ in all_rows():
            address = address.format(**self.names)
            for who in (*PEOPLE, "key"):
                self.ask(who, method, address, {} if method != "GET" else None, note=" by the table")

    # --- the API ----------------------------------------------------------------------------------

    def call_api(self) -> None:
        for path, operations in raw_schema()["paths"].items():
            for method in ("get", "post", "put", "patch", "delete"):
                operation = operations.get(method)
                for number, address in enumerate(addresses(path)):
                    if operation is None:
                        if not number:
                            self.ask("key", method.upper(), address, {})
                    elif method == "get":
                        self.get_api(address, operation, few=number > 0)
                    else:
                        self.write_api(method.upper(), address, operation, few=number > 0)
        for kind in ("application/json", "application/yaml", "application/vnd.oai.openapi", "*/*", "text/html"):
            for language in ("en", "de"):
                self.ask("nobody", "GET", "/api/schema/", language=language, note=f" as {kind}", Accept=kind)
        for query in ("?format=json", "?format=yaml", "?lang=de", "?format=x"):
            self.ask("nobody", "GET", f"/api/schema/{query}")

    def callers(self) -> list[str]:
        return ["nobody", *self.headers, "player", "root"]

    def get_api(self, address: str, operation: dict[str, Any], *, few: bool) -> None:
        asked = [parameter for parameter in operation.get("parameters", []) if parameter["in"] == "query"]
        authored = {"author": "root"} if any(parameter["name"] == "author" for parameter in asked) else {}
        for who in self.callers():
            self.ask(who, "GET", address)
            self.ask(who, "GET", f"{address}?{urlencode(authored)}")
        for parameter in [] if few else asked:
            values = parameter["schema"].get("enum", [])[:4] or ASKED[parameter["name"]]
            for value in values:
                who = "token of player" if "/me/" in address else "key"
                self.ask(who, "GET", f"{address}?{urlencode({**authored, parameter['name']: value})}")
        self.ask("key", "GET", f"{address}?nonsense=1", language="de")

    def write_api(self, method: str, address: str, operation: dict[str, Any], *, few: bool) -> None:
        call, content = CALLS.get(operation["operationId"]), operation.get("requestBody", {}).get("content", {})
        examples = [example["value"] for example in content.get("application/json", {}).get("examples", {}).values()]
        bodies = [{**call.body, "author": "root"}] if call and call.body else examples
        if own := BODIES.get(operation["operationId"]):
            bodies = [*bodies, own]
        for who in self.callers():
            self.ask(who, method, address, {})
            for number, body in enumerate(bodies or [None]):
                self.ask(who, method, address, body, note=f" with {number}", language=("en", "de")[number % 2])
        if few:
            return
        who = "token of player" if "players/me/" in address or "parties/" in address else "key"
        for body in bodies[-1:]:
            for name in body:
                left = {key: value for key, value in body.items() if key != name}
                self.ask(who, method, address, left, note=f" without {name}")
                for wrong in ([5], "x", -1, "", None, {"x": 1}, "w" * 5000):
                    self.ask(who, method, address, {**left, name: wrong}, note=f" {name}={str(wrong)[:20]}")
            self.ask(who, method, address, {**body, "nonsense": 1}, note=" with nonsense")
            self.ask(who, method, address, body, note=" as text", kind="text/plain")
            self.ask(who, method, address, {**body, "author": "junior"}, note=" by junior")
        for wrong in (b"{", b"[]", b"\xff", b'{"id": NaN}'):
            self.ask("key", method, address, wrong, note=f" with {wrong!r}")

    # --- commands ---------------------------------------------------------------------------------

    def run_commands(self) -> None:
        ours = {config.name for config in apps.get_app_configs()} & {"ranking", "leaderboards", "matchmaking", "config"}
        for name, app in sorted(get_commands().items()):
            if app in ours:
                parser = load_command_class(app, name).create_parser("manage.py", name)
                self.keep(f"commands/{name} --help", lambda parser=parser: parser.format_help().encode())
        for words in COMMANDS:
            self.keep(f"commands/{' '.join(words)}".replace(str(SHARED), "SHARED"), lambda words=words: run(words))


def run(words: list[str]) -> bytes:
    out, err, drawn = io.TextIOWrapper(io.BytesIO()), io.StringIO(), Path(SCRATCH.name, "drawn.svg")
    drawn.unlink(missing_ok=True)
    with redirect_stdout(out), redirect_stderr(err):
        try:
            call_command(*(str(drawn) if word == "OUT" else word for word in words))
            end = "ended"
        except (Exception, SystemExit) as error:
            end = f"{type(error).__name__}: {error} {getattr(error, 'returncode', '')}"
    out.flush()
    said = out.buffer.getvalue().decode() + f"\n{err.getvalue()}\n{end}\n"  # type: ignore[attr-defined]
    return said.replace(str(SHARED), "SHARED").encode() + (drawn.read_bytes() if drawn.exists() else b"")


def route_of(path: str) -> str:
    try:
        return resolve(path).route
    except Resolver404:
        return path


def ways_to_send(form: Form, page: str) -> Iterator[tuple[str, dict[str, list[str]]]]:
    filled = {name: values if any(values) else ["Because."] for name, values in form.values.items()}
    yield "as it is", form.values
    yield "empty", {name: [""] for name in form.values}
    for button in [*dict.fromkeys(form.buttons)][:6]:
        yield f"by {button}", {**filled, **({button: ["1"]} if button else {})}
    if "action" in form.values:
        rows = re.findall(r'name="_selected_action" value="([^"]+)"', page)
        [options] = re.findall(r'<select name="action".*?</select>', page, re.S)[:1] or [""]
        for action in (*re.findall(r'value="(\w+)"', options), "nonsense"):
            for chosen in (rows[:2], []):
                yield f"{action} {len(chosen)}", {**form.values, "action": [action], "_selected_action": chosen}


def addresses(path: str) -> list[str]:
    """What stands for an address of the schema: two of what there is, and what there isn't."""
    if "{" not in path:
        return [path]
    [name] = re.findall(r"{(\w+)}", path)
    if name == "number":
        numbers = list(ROWS[path.split("/")[3]].objects.order_by("pk").values_list("pk", flat=True))
        values = [*dict.fromkeys([*numbers[-1:], *numbers[:1]]), 999_999]
    elif name == "key":
        values = [*Lobby.objects.order_by("pk").values_list("pk", flat=True)[:2], "nothing"]
    elif name == "mode":
        values = [*Mode.objects.order_by("slug").values_list("slug", flat=True), "nothing"]
        values.sort(key=lambda slug: slug != "duel")
    else:
        people = Player.objects.filter(user__username__in=["locked", "player"]).values_list("key", flat=True)
        values = [*sorted(people), "player-004", "nobody"]
    return [path.replace(f"{{{name}}}", str(value)) for value in values]


def restore(source: sqlite3.Connection) -> None:
    connection.ensure_connection()
    connection.connection.execute("PRAGMA synchronous = OFF")
    source.backup(connection.connection)
    forget_everything()


chance = random.Random(0)
PARTS = {"pages": Recorder.crawl, "routes": Recorder.ask_routes, "api": Recorder.call_api,
         "commands": Recorder.run_commands}  # fmt: skip
PARTS_OF = {"demo": ("pages", "api", "commands"), "whole": ("pages", "routes"), "moderated": ("api",)}


def record(file: Path, databases: list[Path], parts: list[str]) -> None:
    os.urandom = random._urandom = chance.randbytes  # type: ignore[attr-defined,assignment]
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.WHITENOISE_AUTOREFRESH = True
    setup_test_environment()
    logging.disable()
    warnings.simplefilter("ignore")
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as kept, time_machine.travel(MADE_AT, tick=False):
        for database in databases:
            restore(sqlite3.connect(database))
            call_command("migrate", verbosity=0)
            recorder = Recorder(database.stem, json.loads(database.with_suffix(".json").read_text()), kept)
            for part in PARTS_OF[database.stem]:
                if part in parts:
                    PARTS[part](recorder)


def compare(old: zipfile.ZipFile, new: zipfile.ZipFile, most: int) -> int:
    """Print what differs, item by item; return how many items do."""
    names, others, differing = set(old.namelist()), set(new.namelist()), 0
    for name in sorted(names ^ others):
        sys.stdout.write(f"only {'before' if name in names else 'after'}: {name}\n")
    for name in sorted(names & others):
        if (before := old.read(name)) != (after := new.read(name)):
            differing += 1
            lines = [text.decode(errors="replace").splitlines() for text in (before, after)]
            told = [*difflib.unified_diff(*lines, "before", "after", lineterm="", n=1)]
            sys.stdout.write(f"== {name}\n" + "".join(f"{line[:400]}\n" for line in told[2:most]))
    apart = len(names ^ others)
    sys.stdout.write(f"{len(names & others):,} items compared, {differing} differ, {apart} are in one record only.\n")
    return differing + apart


def make(folder: Path) -> None:
    from tests.support.recorded_sites import SITES

    folder.mkdir(exist_ok=True)
    for name, fill in SITES.items():
        connection.close()
        Path(SCRATCH.name, "scratch").unlink(missing_ok=True)
        with time_machine.travel(MADE_AT, tick=False):
            call_command("migrate", verbosity=0)
            (folder / f"{name}.json").write_text(json.dumps(fill()))
        connection.connection.backup(sqlite3.connect(folder / f"{name}.sqlite3"))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.support.site_records", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("act", choices=["make", "record", "compare"])
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--database", type=Path, nargs="+", default=[])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--lines", type=int, default=30, help="of a difference")
    words = parser.parse_args()
    if words.act == "compare":
        sys.exit(min(1, compare(*map(zipfile.ZipFile, words.files), most=words.lines)))
    if words.act == "record":
        record(words.files[0], words.database, words.parts)
    if words.act == "make":
        make(words.files[0])


if __name__ == "__main__":
    main()
