"""The operators' pages for planning: staff only, numbers in, words and drawings out, nonsense refused."""

import re

import pytest
from django.contrib.auth.models import User

from matchmaking.forms import PlanForm, SimulationForm
from matchmaking.simulation.scenarios import STRATEGIES, Scenario
from matchmaking.views import planning
from matchmaking.views.planning import simulate_for
from tests.support.evenings import simulate

pytestmark = pytest.mark.django_db
PLAN, SIMULATE = "/admin/matchmaking/planning/", "/admin/matchmaking/planning/simulation/"
QUICK = {
    "strategy": ["fifo", "skill"], "system": "elo", "online": 24, "hours": 0.2, "team_size": 2, "team_count": 2,
    "match_minutes": 2, "width": 20, "placement": 1, "in_parties": 0.2, "regions": 1, "leaves": 0.1, "seed": 3,
}  # fmt: skip


@pytest.fixture
def staff(client):
    client.force_login(User.objects.create_user("operator", is_staff=True))
    return client


def text_of(response):
    assert response.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def numbers_of(form):
    return {name: field.initial for name, field in form.base_fields.items()}


@pytest.mark.parametrize("address", [PLAN, SIMULATE])
def test_others_are_sent_to_the_login(client, address):
    assert client.get(address).status_code == 302
    client.force_login(User.objects.create_user("player"))
    assert client.get(address).status_code == 302


def test_a_plan_needs_no_question(staff):
    said = text_of(staff.get(PLAN))
    assert "T_wait = 1 mode × 10 min × 8 players × 5 skill buckets / 500 online = 48 s" in said
    assert "100 players share each queue." in said
    assert "For a wait of 1 min you could afford one of these:" in said
    assert "Players online: 400 instead of 500" in said
    assert "Placing 10,000 players takes each at least 5 matches of 8" in said


def test_a_plan_of_numbers_asked_for(staff):
    numbers = numbers_of(PlanForm) | {"online": 4, "target": "", "population": ""}
    response = staff.get(PLAN, numbers)
    said = text_of(response)
    assert "Only 0.8 players share a queue, and a match wants 8" in said
    assert ("For a wait of" in said, "Placing" in said) == (False, False)
    assert response.content.count(b'<svg class="plot"') == 1


REFUSED = [
    (PLAN, numbers_of(PlanForm) | {"online": 0}, "Players online: 0 isn&#x27;t between 1 and 100,000,000."),
    (PLAN, numbers_of(PlanForm) | {"width": "nan"}, "Enter a number."),
    (PLAN, numbers_of(PlanForm) | {"target": 1e9}, "isn&#x27;t between 1 and 86,400."),
    (PLAN, numbers_of(PlanForm) | {"participants": ""}, "This field is required."),
    (SIMULATE, QUICK | {"online": 3}, "3 players online never fill a match of 4."),
    (SIMULATE, QUICK | {"online": 5000}, "A page simulates 2,000 players at most"),
    (SIMULATE, QUICK | {"system": "glicko-2"}, "glicko-2 can&#x27;t rate 2 teams of 2."),
    (SIMULATE, QUICK | {"hours": 25}, "A page simulates 24 hours at most; the command has no such limit."),
    (SIMULATE, QUICK | {"hours": 0.01}, "Hours: 0.01 isn&#x27;t between 0.05 and 1,000."),
    (SIMULATE, {**QUICK, "strategy": []}, "Tick at least one strategy."),
]  # fmt: skip


def test_nonsense_is_refused_beside_the_field(staff):
    pages = [staff.get(address, numbers).content.decode() for address, numbers, _ in REFUSED]
    assert [row for row, page in zip(REFUSED, pages, strict=True) if row[-1] not in page] == []
    assert [row for row, page in zip(REFUSED, pages, strict=True) if '<svg class="plot"' in page] == []


def test_a_simulation_shows_figures_and_plots(staff):
    assert b"In figures" not in staff.get(SIMULATE).content
    for _ in range(20):  # a page plays for a second at a time, and goes on
        response = staff.get(SIMULATE, QUICK)
        said = text_of(response)
        if "and came this far" not in said:
            break
    assert response.content.count(b'<svg class="plot"') == 5
    assert re.search(r"What fifo skill hours simulated 0\.2 0\.2 matches \d+ \d+ people who played", said)
    assert "and came this far" not in said
    assert b"style=" not in response.content.partition(b'id="content"')[2]


def test_a_page_shows_as_much_as_its_seconds_allow(staff, rf):
    request = rf.get(SIMULATE, QUICK)
    request.user = staff.get(SIMULATE).wsgi_request.user
    said = text_of(planning.simulate_view(request, seconds=0.0).render())
    assert "and came this far" in said


def test_the_same_question_is_answered_once():
    scenarios = [Scenario(online=12, hours=0.1, team_size=1, match_minutes=1.0)]
    first, whole = simulate_for(scenarios, 60)
    assert (whole, simulate_for(scenarios, 0.0)) == (True, (first, True))
    other = [Scenario(online=12, hours=0.1, team_size=1, match_minutes=1.0, seed=8)]
    assert simulate_for(other, 0.0)[1] is False


def test_it_goes_on_from_where_it_stopped():
    """A page's time is bounded, an evening isn't; played piece by piece it is the same evening."""
    scenarios = [Scenario(online=12, hours=0.1, team_size=1, match_minutes=1.0, strategy=name) for name in STRATEGIES]
    hours = []
    while True:
        reports, whole = simulate_for(scenarios, 0.0)
        hours.append(min(report.hours for report in reports))
        if whole:
            break
    assert hours == sorted(hours)
    assert len(hours) > 10
    assert reports == [simulate(scenario) for scenario in scenarios]


def test_the_form_begins_with_what_a_page_can_play():
    form = SimulationForm({**numbers_of(SimulationForm)})
    assert form.is_valid(), form.errors


@pytest.mark.parametrize(("form", "name", "bounds"), [
    (PlanForm, "online", ("1", "100000000", "1")), (PlanForm, "match_minutes", ("0.1", "1440", "any")),
    (SimulationForm, "leaves", ("0", "0.5", "any")), (SimulationForm, "online", ("2", "2000", "1")),
])  # fmt: skip
def test_browsers_know_the_limits(form, name, bounds):
    attributes = form.base_fields[name].widget.attrs
    assert (attributes["min"], attributes["max"], attributes["step"]) == bounds


def test_the_admin_leads_there(staff):
    body = staff.get("/admin/").content.decode()
    assert [address in body for address in (f'href="{PLAN}"', f'href="{SIMULATE}"')] == [True, True]
