"""The operators' pages for planning: staff only, numbers in, words and drawings out, nonsense refused."""

import re

import pytest
from django.contrib.auth.models import User

from matchmaking.forms import PlanForm, SimulationForm
from matchmaking.simulation.scenarios import STRATEGIES, Scenario
from matchmaking.views import planning
from matchmaking.views.planning import simulate_for
from tests.support.evenings import simulate
from tests.support.page_tree import read_page

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


def plan_of(response):
    """The sentences of a plan: the formula, what it means, and what is said of changes and of placing."""
    return [line.text for line in read_page(response.text).one("section.plan").all("p.under")]


def stopped(page):
    """True if a simulation says that it hasn't come to its end."""
    return page.one("p.messagelist-note") is not None


def numbers_of(form):
    return {name: field.initial for name, field in form.base_fields.items()}


@pytest.mark.parametrize("address", [PLAN, SIMULATE])
def test_others_are_sent_to_the_login(client, address):
    assert client.get(address).status_code == 302
    client.force_login(User.objects.create_user("player"))
    assert client.get(address).status_code == 302


def test_a_plan_needs_no_question(staff):
    formula, verdict, heading, placing = plan_of(staff.get(PLAN))
    assert formula == "T_wait = 1 mode × 10 min × 8 players × 5 skill buckets / 500 online = 48 s"
    assert verdict.startswith("100 players")
    assert re.findall(r"a wait of (.*?) you", heading) == ["1 min"]
    assert re.findall(r"([\d,]+) (players|matches)", placing) == [("10,000", "players"), ("5", "matches")]
    ways = read_page(staff.get(PLAN).text).one("ul.ways").all("li")
    assert ways[0].text == "Players online: 400 instead of 500"


def test_a_plan_of_numbers_asked_for(staff):
    numbers = numbers_of(PlanForm) | {"online": 4, "target": "", "population": ""}
    response = staff.get(PLAN, numbers)
    _, verdict = plan_of(response)  # without a target and a population
    assert re.findall(r"0\.8 players|wants \d+", verdict) == ["0.8 players", "wants 8"]
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
        page = read_page(response.text)
        if not stopped(page):
            break
    assert response.content.count(b'<svg class="plot"') == 5
    rows = page.one("table.figures").all("tr")
    head, hours, matches, *_ = ([cell.text for cell in row.inside if not isinstance(cell, str)] for row in rows)
    assert (head, hours) == (["What", "fifo", "skill"], ["hours simulated", "0.2", "0.2"])
    assert (matches[0], all(cell.isdigit() for cell in matches[1:])) == ("matches", True)
    assert not stopped(page)
    assert b"style=" not in response.content.partition(b'id="content"')[2]


def test_a_page_shows_as_much_as_its_seconds_allow(staff, rf):
    request = rf.get(SIMULATE, QUICK)
    request.user = staff.get(SIMULATE).wsgi_request.user
    assert stopped(read_page(planning.simulate_view(request, seconds=0.0).render().text))


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
