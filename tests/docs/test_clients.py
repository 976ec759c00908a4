"""docs/clients.md: its examples keep and send a result; its table of answers is the one of both clients."""

import os
import re
import subprocess
import sys

import pytest

from ranking.models import Match
from tests.support.api import make_key
from tests.support.factories import make_mode
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "clients.md").read_text()
CLIENTS = [ROOT / "clients" / "python" / "rungs.py", ROOT / "clients" / "csharp" / "Rungs.cs"]


@pytest.mark.django_db(transaction=True)
def test_the_example_of_python_works_as_written(live_server, tmp_path):
    make_mode("duel")
    program = "".join(re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL))
    environment = {
        **os.environ,
        "PYTHONPATH": str(CLIENTS[0].parent),
        "RUNGS_URL": live_server.url,
        "RUNGS_KEY": make_key(),
    }
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=environment, check=True)
    assert Match.objects.get().external_id == "eu1-48215"
    assert sorted(path.name for path in (tmp_path / "spool").iterdir()) == ["lock", "refused"]


UNITY = """
static class Application { public static string persistentDataPath = "."; }
static class Debug { public static void LogWarning(string words) { Console.WriteLine(words); } }
static class Program {
    static void Main(string[] given) {
        string url = given[0], key = given[1];
        %s
        rungs.Flush(TimeSpan.FromSeconds(30));
        rungs.Close();
    }
}
"""


@pytest.mark.long  # mcs is missing? apt-get install mono-mcs mono-runtime
@pytest.mark.django_db(transaction=True)
def test_the_example_of_unity_works_as_written(live_server, tmp_path):
    make_mode("duel")
    [example] = re.findall(r"```csharp\n(.*?)```", PAGE, flags=re.DOTALL)
    using, _, rest = example.partition("\n")
    (tmp_path / "example.cs").write_text(f"using System;\nusing System.IO;\n{using}\n{UNITY % rest}")
    subprocess.run(["mcs", "-out:example.exe", "example.cs", str(CLIENTS[1])], cwd=tmp_path, check=True)
    subprocess.run(["mono", "example.exe", live_server.url, make_key()], cwd=tmp_path, check=True)
    assert Match.objects.get().external_id == "eu1-48216"


def statuses(text):
    return [int(status) for status in re.findall(r"\b\d{3}\b", text)]


@pytest.mark.parametrize("client", CLIENTS, ids=lambda path: path.suffix)
def test_both_clients_do_with_an_answer_what_the_page_says(client):
    taken, waits, more_waits, refused = (
        statuses(line.split("|")[1]) for line in PAGE.splitlines() if re.match(r"\| .*\b(200|429|408|400)\b", line)
    )
    code = client.read_text()
    lists = dict(re.findall(r"\b(taken|refused|later)\b\S* = [{(](.*?)[)}]", code, flags=re.IGNORECASE))
    assert {name.lower(): statuses(text) for name, text in lists.items()} == {
        "taken": taken,
        "refused": refused,
        "later": sorted({*waits, *more_waits} - {503}),
    }
