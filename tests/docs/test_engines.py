"""docs/engines: the requests of each guide are made as they stand; the code for Unity is compiled and run."""

import json
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.utils import timezone

from matchmaking.models import Lobby, Queue, Server, Ticket
from matchmaking.queues.queueing import Wish, cancel_ticket, queue_player
from matchmaking.tick.tick import tick
from ranking.models import Match, Player
from tests.support.api import call, make_key
from tests.support.matchmaking import make_player, make_queue
from tests.support.paths import ROOT

FOLDER = ROOT / "docs" / "engines"
CLIENT = ROOT / "clients" / "csharp" / "Rungs.cs"


class Sent(NamedTuple):
    """A request of a guide. `path` has a %s or %d for each part that a program fills in."""

    method: str
    path: str
    body: Any
    by_player: bool


def requests_of(guide: str) -> list[Sent]:
    """The requests that the code of a guide makes, in order, with its results as POST matches/."""
    page = (FOLDER / guide).read_text()
    blocks = re.findall(r"```(?:gdscript|cpp)\n(.*?)```", page, flags=re.DOTALL)
    text = "\n".join(block for block in blocks if "func ask" not in block and "#include" not in block)
    # One form for both languages: METHOD "path" {body} token
    text = re.sub(r'R"\((.*?)\)"', lambda raw: raw[1], text, flags=re.DOTALL)
    text = text.replace("HTTPClient.METHOD_", "").replace("FString::Printf(", "").replace("TEXT(", "")
    text = re.sub(r"(?:Rungs->SendResult|Rungs\.send_result)\(", 'Ask("POST", "matches/", ', text)
    calls = re.split(r"(?:Rungs\.ask|Rungs->Ask|\bAsk)\(", text)[1:]
    return [_read(each) for each in calls]


def _read(text: str) -> Sent:
    method, path, rest = re.match(r'"?(\w+)"?\)?, "([^"]+)"(.*)', text, flags=re.DOTALL).groups()  # type: ignore[union-attr]
    statement = rest.partition("\n\n")[0]
    start = statement.find("{")
    first_line = statement.partition("\n")[0]
    body, end = (None, 0) if start < 0 or "{" not in first_line else json.JSONDecoder().raw_decode(statement[start:])
    after = statement[start + end :].partition("\n")[0] if body is not None else first_line
    return Sent(method, path, body, bool(re.search(r", [tT]oken\)", after)))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("guide", ["godot.md", "unreal.md"])
def test_the_requests_of_a_guide_lead_from_a_result_to_a_match(guide: str) -> None:
    make_queue()
    key = make_key("results", "servers", "players")
    token, ticket, lobby, made = "", "", "", []
    for sent in requests_of(guide):
        path = sent.path.replace("%d", ticket).replace("%s", lobby)
        answer = call(sent.method, path, sent.body, key=token if sent.by_player else key)
        made.append((sent.method, re.sub(r"%\w", "*", sent.path), answer.status))
        if path.endswith("/token/"):
            token = answer.body["token"]
        if sent.method == "POST" and path == "tickets/":
            ticket = str(answer.body["id"])
        if sent.method == "GET":
            lobby = form_lobby_with("p2")
        if path.endswith("/accept/"):
            call("POST", path, key=call("POST", "players/p2/token/", key=key).body["token"])
    assert made == [
        ("POST", "matches/", 201),
        ("PUT", "servers/me/", 200),
        ("POST", "players/p1/token/", 201),
        ("POST", "tickets/", 201),
        ("GET", "tickets/*/", 200),
        ("POST", "lobbies/*/seen/", 200),
        ("POST", "lobbies/*/accept/", 200),
        ("POST", "lobbies/*/start/", 200),
    ]
    assert Lobby.objects.get().state == "live"


def form_lobby_with(key: str) -> str:
    queue = Queue.objects.get()
    queue_player(Player.objects.get(key=key), queue, wish=Wish(width=100), now=timezone.now())
    tick(queue, now=timezone.now())
    return str(Lobby.objects.get().pk)


@pytest.mark.parametrize("guide", ["godot.md", "unreal.md"])
def test_a_spool_does_with_an_answer_what_the_clients_do(guide: str) -> None:
    page = (FOLDER / guide).read_text()
    refused = re.search(r"const REFUSED := \[(.*?)\]|bRefused = (.*?)\n", page)
    assert refused
    assert re.findall(r"\d{3}", refused[0]) == ["400", "409", "413", "414", "415", "422"]
    assert page.count("other-mode") == 1


def scripts_of(page: str) -> list[str]:
    """Each block of GDScript as a script: a block that isn't one becomes a function's body."""
    blocks = re.findall(r"```gdscript\n(.*?)```", page, flags=re.DOTALL)
    head = "extends Node\n\n\nfunc example(ticket, token, lobby):\n"
    return [block if block.startswith("extends") else head + textwrap.indent(block, "    ") for block in blocks]


@pytest.mark.long  # installs gdtoolkit from PyPI
def test_the_code_for_godot_is_gdscript(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    pip = [tmp_path / "venv/bin/pip", "install", "-qq", "--disable-pip-version-check"]
    subprocess.run([*pip, "gdtoolkit==4.5.0"], check=True)
    scripts = scripts_of((FOLDER / "godot.md").read_text())
    for number, script in enumerate([*scripts, "func broken(:\n"]):
        (tmp_path / f"{number}.gd").write_text(script)
    parsed = [
        subprocess.run([tmp_path / "venv/bin/gdparse", f"{number}.gd"], cwd=tmp_path, capture_output=True, text=True)
        for number in range(len(scripts) + 1)
    ]
    assert [done.stderr for done in parsed[:-1] if done.returncode] == []
    assert (len(scripts), parsed[-1].returncode) == (7, 1)


ENGINE = """
using System; using System.Reflection; using System.Text.RegularExpressions;
namespace UnityEngine {
    public class MonoBehaviour { public object gameObject; public static void DontDestroyOnLoad(object it) { } }
    public static class Application { public static string persistentDataPath = "."; }
    public static class Debug {
        public static void LogWarning(string words) { Console.WriteLine(words); }
        public static void LogError(string words) { Console.WriteLine(words); }
    }
    public static class JsonUtility {
        public static T FromJson<T>(string json) where T : new() {
            object made = new T();
            foreach (FieldInfo field in typeof(T).GetFields()) {
                string text = Regex.Match(json, "\\"" + field.Name + "\\":\\\\s*\\"?([^\\",}]*)").Groups[1].Value;
                field.SetValue(made, field.FieldType == typeof(long) ? (object)long.Parse(text) : text);
            }
            return (T)made;
        }
    }
}
static class Program {
    static void Do(object it, string name) {
        it.GetType().GetMethod(name, BindingFlags.NonPublic | BindingFlags.Instance).Invoke(it, null);
    }
    static void Main(string[] given) {
        var server = new RankedServer();
        Do(server, "Awake");
        server.SendResult("eu1-48219", "p1", "p2");
        bool answered = false;
        server.Heartbeat(answer => answered = true);
        for (int tries = 0; tries < 300 && !answered; tries++) {
            System.Threading.Thread.Sleep(100);
            Do(server, "Update");
        }
        Do(server, "OnApplicationQuit");
        Console.WriteLine(answered ? "heartbeat" : "silence");
        Console.WriteLine("ticket " + Ticket.Of(Queueing.AwaitMatch(given[0], given[1])).state);
    }
}
"""


@pytest.mark.long  # mcs is missing? apt-get install mono-mcs mono-runtime
@pytest.mark.django_db(transaction=True)
def test_the_code_for_unity_sends_a_result_registers_and_queues(live_server: Any, tmp_path: Any) -> None:
    make_queue()
    key = make_key("results", "servers", "players")
    make_player("p9")
    token = call("POST", "players/p9/token/", key=key).body["token"]
    blocks = re.findall(r"```csharp\n(.*?)```", (FOLDER / "unity.md").read_text(), flags=re.DOTALL)
    for number, source in enumerate([*blocks, ENGINE]):
        (tmp_path / f"{number}.cs").write_text(source)
    sources = [f"{number}.cs" for number in range(len(blocks) + 1)]
    subprocess.run(["mcs", "-langversion:7.2", "-out:game.exe", *sources, str(CLIENT)], cwd=tmp_path, check=True)
    environment = {"RUNGS_URL": live_server.url, "RUNGS_KEY": key, "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    command = ["mono", "game.exe", live_server.url, token]
    game = subprocess.Popen(command, cwd=tmp_path, env=environment, text=True, stdout=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 60
        while not Ticket.objects.exists():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        cancel_ticket(Ticket.objects.get(), by=None, now=timezone.now())
        said, _ = game.communicate(timeout=60)
    finally:
        game.kill()
    assert said.splitlines()[:2] == ["heartbeat", "ticket cancelled"]  # Mono may crash and dump when all is done
    assert (Match.objects.get().external_id, Server.objects.get().name) == ("eu1-48219", "unity-1")
    assert list((tmp_path / "spool-unity-1").glob("*.json")) == []
