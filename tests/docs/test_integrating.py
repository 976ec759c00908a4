"""The examples of the integration guide, sent as they stand."""

import datetime as dt
import json
import re
import shlex
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils import timezone

from config.management.demo import PLAYS
from leaderboards.models import Delivery, Webhook
from leaderboards.webhooks._messages import write_message
from leaderboards.webhooks.season_messages import read_seasons
from leaderboards.webhooks.signing import secret_of, signature_headers
from ranking.api.schema import EXAMPLE
from ranking.models import Key
from ranking.operations import outbox
from ranking.rules.report import PlayerReport
from tests.support.api import call, make_key
from tests.support.factories import make_mode, record
from tests.support.paths import ROOT
from tests.support.seasons import end
from tests.support.webhooks import make_hook

GUIDE = (ROOT / "docs" / "integrating.md").read_text()
RESULT, REPLACED, PROBLEM, ENDED = (
    json.loads(block) for block in re.findall(r"```json\n(.*?)```", GUIDE, flags=re.DOTALL)
)

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_result_is_rated_and_can_be_sent_again():
    make_mode("duel")
    key = make_key()
    statuses = [call("POST", "matches/", RESULT, key=key).status for _ in range(2)]
    assert statuses == [201, 200]


def test_a_reader_of_readme_guide_and_api_docs_gets_what_they_say():
    """One source sends the examples from the first to the last; nobody meets an id that another example has used."""
    make_mode("duel")
    [body] = re.findall(r"-d '(.*?)'\n", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    key = make_key()
    reports = [json.loads(body), RESULT, EXAMPLE]
    assert [call("POST", "matches/", report, key=key).status for report in reports] == [201, 201, 201]
    assert [call("POST", "matches/", report, key=key).status for report in reports] == [200, 200, 200]


def test_a_substitute_counts_by_their_share():
    mode = make_mode("casual", team_size_max=2)
    answer = call("POST", "matches/", REPLACED, key=make_key())
    assert (answer.status, answer.body["notes"]) == (201, [])
    moved = {change["player"]: float(change["rating"]["after"]) - float(change["rating"]["before"])
             for change in answer.body["changes"]}  # fmt: skip
    assert moved["p3"] < moved["p5"] < moved["p4"] < 0
    assert not mode.matches.get().participations.filter(left_early=True).exists()


def test_every_example_is_of_a_mode_of_the_demo():
    modes = {play.mode for play in PLAYS}
    assert {(report["mode"], report["mode"] in modes) for report in (RESULT, EXAMPLE)} == {("duel", True)}


def test_the_error_reads_as_the_guide_says():
    make_mode("duel")
    bad = json.loads(json.dumps(RESULT))
    bad["teams"][1]["players"][0]["seconds"] = 900
    answer = call("POST", "matches/", bad, key=make_key())
    here = answer.body["type"].replace("http://testserver", "https://rungs.example.com")
    assert (answer.status, {**answer.body, "type": here}) == (400, PROBLEM)


def test_bulk_takes_what_the_guide_says():
    make_mode("duel")
    answer = call("POST", "matches/bulk/", {"matches": [RESULT, RESULT]}, key=make_key())
    assert [said["status"] for said in answer.body["matches"]] == [201, 200]


def test_tokens_and_codes_are_answered_as_the_guide_says():
    make_mode("duel")
    call("POST", "matches/", RESULT, key=make_key())
    paths = re.findall(r"```http\nPOST /api/v1/(.*?)\n```", GUIDE)
    answers = re.findall(r"answers `(\d+) (\{.*?\})`", GUIDE)
    assert [path.split("/")[-2] for path in paths] == ["token", "claim-code"]
    for path, (status, body) in zip(paths, answers, strict=True):
        answer = call("POST", path, key=make_key("players"))
        assert (str(answer.status), answer.body.keys()) == (status, json.loads(body).keys())
        assert call("POST", path.replace("p1", "nobody"), key=make_key("players")).status == 404


def test_the_command_that_makes_a_key_works_as_written(capsys):
    [command] = [line for line in GUIDE.splitlines() if line.startswith(".venv/bin/python manage.py create_key ")]
    call_command(*shlex.split(command)[2:])
    [key] = Key.objects.all()
    assert (key.source.slug, key.name, key.limit, key.scopes) == ("game-servers", "Cluster 1", 6000, ["results"])
    assert key.expires_at - timezone.now() > dt.timedelta(days=89)
    make_mode("duel")
    assert call("POST", "matches/", RESULT, key=capsys.readouterr().out.split()[0]).status == 201


def test_the_address_of_the_guide_fills_in_the_code(client):
    (address,) = re.findall(r"`(/account/claim/\S+)`", GUIDE)
    client.force_login(User.objects.create_user("fox"))
    assert f'value="{address[-9:]}"' in client.get(address).text


def test_the_end_of_a_season_is_told_as_the_guide_says(time_machine):
    began, ended = (dt.datetime.fromisoformat(ENDED["data"]["season"][name]) for name in ("starts_at", "ends_at"))
    mode = make_mode("duel", "team-ratio", now=began)
    played = ended - dt.timedelta(hours=1)
    record([PlayerReport("p1", "Kestrel")], [PlayerReport("p2", "Wren")], ended_at=played, now=played)
    hook = make_hook(events=["season.ended"])
    time_machine.move_to(dt.datetime.fromisoformat(ENDED["timestamp"]), tick=False)
    end(mode, at=ended)
    outbox.sweep(timezone.now())
    delivery = Delivery.objects.select_related("webhook").get(webhook=hook)
    read_seasons([delivery])
    assert json.loads(write_message(delivery, None, timezone.now()).body) == ENDED


def test_what_verifies_signatures_knows_the_genuine_from_the_rest():
    [code] = re.findall(r"```python\n(.*?)```", GUIDE, flags=re.DOTALL)
    told: dict[str, Any] = {}
    exec(code, told)
    is_genuine = told["is_genuine"]
    now = timezone.now()
    hook = Webhook(pk=1, rotation=1, rotated_at=now)
    headers = signature_headers(hook, "match-rated_1", b"{}", now)
    old = signature_headers(hook, "match-rated_1", b"{}", now - dt.timedelta(minutes=6))
    assert is_genuine(headers, b"{}", secret_of(hook))
    assert is_genuine(headers, b"{}", secret_of(hook, rotations_ago=1))
    assert not is_genuine(headers, b"{ }", secret_of(hook))
    assert not is_genuine(headers, b"{}", secret_of(hook, rotations_ago=-1))
    assert not is_genuine({**headers, "webhook-id": "match-rated_2"}, b"{}", secret_of(hook))
    assert not is_genuine(old, b"{}", secret_of(hook))
