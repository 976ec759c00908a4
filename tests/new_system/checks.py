"""What test_adding.py runs in a copy of the product that has one more rating system, Elo with home advantage."""

import json
import re
from io import StringIO
from math import erfc

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse

from ranking.models import Mode, Rating
from ranking.modes.parameters import current_parameters
from ranking.systems.base import State
from ranking.systems.conversion import convert_state
from ranking.systems.registry import get_system, system_choices
from tests.ranking.admin.modes.test_modes import ADD, GOOD
from tests.support.api import call, make_key, post_match, result
from tests.support.batch_histories import check_replay, history
from tests.support.factories import make_mode, record
from tests.support.fit_histories import columns_of, duel_lines, random_rosters
from tests.support.replay import alike
from tests.support.reratings import ledger, rate_anew, told

KEY, TITLE = "home-elo", "Elo with home advantage"
BETA = 25 / 6
K = 0.07 * BETA * np.pi**0.5


def chance(lead):
    return erfc(-lead / (2 * BETA)) / 2


def run(command, *arguments):
    out = StringIO()
    call_command(command, *map(str, arguments), stdout=out)
    return out.getvalue()


@pytest.fixture
def played_at_home(tmp_path):
    """A file of duels of equals, of whom the one at home plays as if 3 points stronger."""
    rng = np.random.default_rng(1)
    rosters = random_rosters(rng, 1_300, 60, 1)
    history = columns_of(rosters, (rng.random(1_300) < chance(3.0)).astype(float))
    path = tmp_path / "duels.jsonl"
    path.write_text("\n".join(duel_lines(history)))
    return path


@pytest.mark.django_db
def test_a_mode_is_made_with_it_in_the_admin_and_a_result_rated_by_it(admin_client):
    assert (KEY, TITLE) in system_choices()
    page = admin_client.get(ADD).content.decode()
    assert TITLE in page
    assert "By how many points a player at home is stronger." in page
    assert admin_client.post(ADD, {**GOOD, "system": KEY, f"{KEY}__home": "2"}).status_code == 302
    version = current_parameters(Mode.objects.get(slug="ladder"))
    assert (version.system, version.params["home"]) == (KEY, 2.0)
    sent = result(mode="ladder")
    assert post_match(sent, key=make_key()).status == 201
    winner = sent["teams"][0]["players"][0]["id"]
    rating = Rating.objects.get(player__key=winner)
    assert rating.mu == pytest.approx(25 + K * (1 - chance(2)))
    explained = run("explain", f"test:{sent['id']}", winner)
    assert f"{chance(2):.0%}".replace("%", " %") in explained


@pytest.mark.django_db
def test_it_is_in_the_calculator_and_the_api_of_the_calculator(client):
    page = client.get(reverse("leaderboards:calculator")).content.decode()
    assert TITLE in page
    teams = [{"place": place, "players": [{"id": name, "skill": None}]} for place, name in ((1, "a"), (2, "b"))]
    answer = call("POST", "rate/", {"system": KEY, "params": {"home": 2}, "teams": teams})
    assert answer.status == 200
    first, second = answer.body["teams"]
    assert (first["win_probability"], second["win_probability"]) == pytest.approx((chance(2), 1 - chance(2)))
    assert first["players"][0]["skill"]["rating"] == pytest.approx(25 + K * (1 - chance(2)))
    assert KEY in client.get("/api/schema/").content.decode()


def test_a_history_replayed_on_tables_is_rated_as_match_by_match():
    matches = history("at home", matches=200, players=40)
    check_replay([(0, get_system(KEY, {"home": 1.5}))], matches, {"00001": State(2750, mu=27.5)})


@pytest.mark.django_db
def test_a_mode_rated_anew_is_what_was_lived():
    mode = make_mode(system=KEY)
    for number, (winner, loser) in enumerate(["ab", "bc", "ca", "dc"]):
        record([winner], [loser], id=f"m{number}")
    lived = told(mode), ledger(mode)
    assert rate_anew(mode).error == ""
    assert alike((told(mode), ledger(mode)), lived)


@pytest.mark.django_db
def test_a_mode_moves_to_it_and_keeps_its_order():
    make_mode(system="glicko-2", team_size_max=1)
    for number, (winner, loser) in enumerate(["ab", "ab", "bc"]):
        record([winner], [loser], id=f"m{number}")
    glicko, home = get_system("glicko-2"), get_system(KEY)
    strengths = {rating.player.key: convert_state(rating.state, glicko, home).mu for rating in Rating.objects.all()}
    assert strengths["a"] > strengths["b"] > strengths["c"]


@pytest.mark.django_db
def test_it_is_evaluated_beside_the_others_and_foresees_what_it_supposes(played_at_home):
    rows = json.loads(run("evaluate", played_at_home, "--system", "elo", "home-elo:home=3", "--json"))
    elo, home = rows
    assert home["log_loss"] < elo["log_loss"] - 0.05


@pytest.mark.django_db
def test_a_fit_finds_the_advantage(played_at_home):
    answer = json.loads(run("fit", "duel", "--matches", played_at_home, "--system", KEY, "--json"))
    (found,) = answer["results"]
    assert found["params"]["home"] == pytest.approx(3, abs=0.6)
    assert re.search(r"home +1 +[23]\.", run("fit", "duel", "--matches", played_at_home, "--system", KEY))
