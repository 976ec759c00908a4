# ruff: noqa: E501 - one case a line, whole sentences
"""The calculator's page: figures, faults beside their fields, the same match by every system, without a database."""

import re
from urllib.parse import parse_qsl, urlencode

import pytest
from django.test import Client

from leaderboards.calculator._presets import PRESETS, QUITTER
from leaderboards.calculator._results import calculate
from leaderboards.calculator._sheet import query_of, read_sheet
from leaderboards.calculator.modes import SiteMode, example_match
from ranking.systems.registry import SYSTEMS
from tests.support.factories import make_mode

pytestmark = pytest.mark.django_db

DUEL = "system=elo&of=elo&sizes=1,1&0.place=1&1.place=2"


def open_page(query: str = "", **headers: str):
    response = Client().get(f"/calculator/?{query}", headers=headers)
    assert response.status_code == 200
    return response


def page_of(query: str = ""):
    return open_page(query).context["page"]


def figures(query: str) -> list[tuple[str, ...]]:
    return [
        (seat.outcome.before, seat.outcome.after, seat.outcome.won.text, seat.outcome.drew.text, seat.outcome.lost.text)
        for side in page_of(query).sides
        for seat in side.seats
    ]


def faults(query: str) -> dict[str, str]:
    return dict(page_of(f"{DUEL}&{query}").calculation.faults)


def test_the_worked_example_gives_23_00():
    """It prints 23.10: its averages give 21.20/20.81 = 1.02, not 1.10, and the formula 22.9988."""
    page = page_of()
    first = page.sides[0].seats[0].outcome
    assert (first.before, first.after, first.change.text) == ("21.84", "23.00", "+1.16")
    assert first.why.equation == "1.092 × 1.0187 × 1.0416 = +1.1588"
    assert [reason.name for reason in first.why.reasons] == ["Base wager", "Opposition", "Time in game"]
    assert [seat.outcome.after for seat in page.sides[0].seats] == [
        "23.00",
        "20.76",
        "21.00",
        "21.98",
        "19.41",
        "22.85",
    ]


def test_what_each_would_win_or_lose():
    assert figures(DUEL) == [
        ("25.00", "25.26", "+0.26", "±0.00", "−0.26"),
        ("25.00", "24.74", "+0.26", "±0.00", "−0.26"),
    ]


def test_how_a_draw_is_rated():
    lower = "The lower-rated side gains from a draw as from a win: a twentieth of the rating."
    higher = "A draw changes nothing for the higher-rated side."
    page, body = page_of(), open_page().content.decode()
    assert ([side.draw for side in page.sides], page.draw) == ([lower, higher], "")
    assert [side.seats[0].outcome.drew.text for side in page.sides] == ["+1.16", "±0.00"]
    assert (lower in body, higher in body) == (True, True)
    duel = page_of(DUEL)
    assert ([side.draw for side in duel.sides], duel.draw) == (["", ""], "A draw counts as half a win.")
    assert open_page(DUEL).content.decode().count("A draw counts as half a win.") == 1
    newcomer = page_of("system=trueskill&of=trueskill&sizes=1,1&0.place=1&1.place=2&0.0.mu=30")
    assert newcomer.sides[0].draw == "The result was worse than expected."


def test_scores_decide_where_there_are_no_places():
    assert [row[1] for row in figures("system=elo&of=elo&sizes=1,1&0.score=2&1.score=7")] == ["24.74", "25.26"]


def test_parameters_count():
    assert figures(f"{DUEL}&param.alpha=0.14")[0][2] == "+0.52"
    assert figures(f"{DUEL}&param.scale_by_time=on&duration=100&1.0.left=on&1.0.seconds=0")[1][1] == "25.00"


FAULTS = [
    ("0.0.rating=x", "0-0", "“x” is no number."),
    ("1.0.seconds=-5", "1-0", "Seconds must be at least 0, not -5."),
    ("1.place=1.5", "1", "Place must be a whole number, not 1.5."),
    ("1.place=x", "1", "“x” is no number."),
    ("0.score=1e999", "0", "Score must be a finite number, not inf."),
    ("duration=long", "match", "“long” is no number."),
    ("duration=-1", "match", "Match length must be at least 0, not -1."),
    ("param.alpha=0", "params", "alpha must be greater than 0, not 0."),
    ("param.alpha=x", "params", "“x” can’t be read as alpha."),
]


def test_a_fault_stands_beside_its_field():
    assert [(query, faults(query)) for query, _, _ in FAULTS] == [
        (query, {place: sentence}) for query, place, sentence in FAULTS
    ]
    pages = {query: open_page(f"{DUEL}&{query}").content.decode() for query, _, _ in FAULTS}
    assert [query for query, _, sentence in FAULTS if sentence not in pages[query]] == []


@pytest.mark.parametrize(
    ("system", "parameter", "sentence"),
    [
        ("battle-points", "brackets=[[null,-1,1]]", "brackets[0][1] must be at least 0, not -1."),
        ("battle-points", "brackets=[", "“[” can’t be read as brackets."),
        ("two-layer", 'impact_weights={"kills":"x"}', "impact_weights.kills must be a number, not 'x'."),
        ("two-layer", "sigma_min=9", "Two-layer MMR: parameter sigma_min must be less than sigma, not 9 to 8.33333."),
        ("trueskill", "ties=rope", "ties must be one of group, chain, not 'rope'."),
    ],
)
def test_faults_of_parameters(system, parameter, sentence):
    found = page_of(f"system={system}&of={system}&sizes=1,1&0.place=1&1.place=2&param.{parameter}").calculation
    assert (list(found.faults), found.faults["params"][-len(sentence) :]) == (["params"], sentence)


def test_a_parameter_that_is_one_of_some_words():
    three = "system=trueskill&of=trueskill&sizes=1,1,1&0.place=1&1.place=1&2.place=1"
    grouped, chained = figures(three), figures(f"{three}&param.ties=chain")
    assert (len({row[1] for row in grouped}), len({row[1] for row in chained})) == (1, 2)


def test_every_fault_is_told_at_once():
    assert faults("0.place=0&0.0.rating=1e13&1.0.seconds=-5&duration=-1") == {
        "0": "Place must be at least 1, not 0.",
        "0-0": "Rating must be at most 1e+12, not 10000000000000.0.",
        "1-0": "Seconds must be at least 0, not -5.",
        "match": "Match length must be at least 0, not -1.",
    }


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("system=elo&of=elo&sizes=1,1", "Gaussian Elo needs a place for every team, or a score for every team."),
        ("system=glicko-2&of=glicko-2&sizes=2,1&0.place=1&1.place=2", "Glicko-2 is only for one against one."),
        ("system=elk", "There is no rating system “elk”. Here is an example instead."),
        (f"{DUEL}&0.0.name=Fox&1.0.name=Fox", "Gaussian Elo can't rate a result in which player 'Fox' is listed twice."),
    ],
)  # fmt: skip
def test_what_cannot_be_rated_is_said(query, sentence):
    assert page_of(query).problem == sentence


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (f"{DUEL}&1.0.seconds=-5", "Sekunden: mindestens 0, nicht -5."),
        (f"{DUEL}&0.0.rating=1e13", "Wertung: höchstens 1e+12, nicht 10000000000000.0."),
        (f"{DUEL}&param.alpha=0", "alpha: größer als 0, nicht 0."),
        ("system=battle-points&of=battle-points&sizes=1,1&param.brackets=[]", "brackets: mindestens eine Zeile ist nötig."),
        ("system=glicko-2&of=glicko-2&sizes=2,1&0.place=1&1.place=2", "Glicko-2 ist nur für eins gegen eins."),
        ("system=elk", "Ein Wertungssystem „elk“ gibt es nicht. Hier ist stattdessen ein Beispiel."),
    ],
)  # fmt: skip
def test_refusals_are_in_the_language_of_the_page(query, sentence):
    assert sentence in open_page(f"{query}&lang=de").content.decode()


@pytest.mark.parametrize("key", PRESETS)
def test_an_example_is_rated_by_all_systems_that_can(key):
    sheet = PRESETS[key][1]
    rows = calculate(sheet).comparisons
    assert [row.key for row in rows] == [*SYSTEMS]
    alone, two = all(len(team.rows) == 1 for team in sheet.teams), len(sheet.teams) == 2
    able = {
        row for row in SYSTEMS
        if (two or row not in ("team-ratio", "two-layer")) and ((alone and two) or row not in ("battle-points", "glicko-2"))
    }  # fmt: skip
    assert {row.key for row in rows if row.outcome} == able
    assert all(row.refusal.startswith(f"{row.title} ") for row in rows if not row.outcome)


def test_systems_are_compared_by_the_player_chosen():
    query = dict(query_of(QUITTER))
    ratio = {at: calculate(read_sheet({**query, "watched": at})).comparisons[0].outcome.after for at in ("0.5", "1.0")}
    assert ratio == {"0.5": "22.85", "1.0": "21.66"}
    assert page_of(urlencode({**query, "watched": "9.9"})).watched.name == "Kestrel"


def test_the_link_leads_back_to_the_same_figures():
    body = open_page(urlencode(dict(query_of(QUITTER)))).content.decode()
    link = re.search(r'<a href="\?([^"]*)">Link to this match', body)[1].replace("&amp;", "&")
    assert read_sheet(dict(parse_qsl(link))) == QUITTER


def test_the_modes_of_the_site_come_first():
    make_mode("six", system="team-ratio")
    make_mode("duel", system="glicko-2", params={"tau": 0.7}, team_size_max=1)
    make_mode("fun", ranked=False, system="elo")
    page = page_of()
    assert [(mode.slug, mode.system) for mode in page.modes] == [("duel", "glicko-2"), ("six", "team-ratio")]
    assert (page.mode, page.preset, page.sheet.system, page.sheet.params) == ("duel", "", "glicko-2", {"tau": "0.7"})
    assert ([key for key, _ in page.own_systems], len(page.other_systems)) == (
        ["team-ratio", "glicko-2"],
        len(SYSTEMS) - 2,
    )
    assert [row.key for row in page.own_comparisons] == ["team-ratio", "glicko-2"]
    six = page_of("mode=six")
    assert (six.mode, six.sizes, six.problem) == ("six", "6,6", "")
    assert [row.key for row in page_of(DUEL).own_comparisons] == ["team-ratio", "elo", "glicko-2"]
    body = open_page("mode=six").content.decode()
    assert body.index("?mode=duel") < body.index("?preset=upset")
    assert page_of("preset=quitter").sheet == QUITTER
    assert [page_of(query).mode for query in ("mode=fun", "mode=none")] == ["", ""]


@pytest.mark.parametrize("size", [1, 6])
def test_an_example_of_a_mode_begins_with_the_rating_of_a_newcomer(size):
    """Its newcomers start at the bottom: the worked example's ratings are those of a board that is years old."""
    sheet = example_match(SiteMode("mode", "Mode", "team-ratio", {}, 2, 2, size))
    ratings = [float(row.skill["rating"]) for team in sheet.teams for row in team.rows]
    assert (min(ratings), max(ratings) < 1.5, len(set(ratings)) > 1) == (1.0, True, True)


@pytest.mark.parametrize("system", SYSTEMS)
def test_an_example_of_a_mode_is_rated_by_its_system(system):
    duels = system in ("battle-points", "glicko-2")
    shapes = (
        [(2, 1)]
        if duels
        else [(2, 1), (2, 5), (2, 8)] + [(8, 1), (12, 4)] * (system not in ("team-ratio", "two-layer"))
    )
    for teams, size in shapes:
        sheet = example_match(SiteMode("mode", "Mode", system, {"staying_is_better": False}, teams, teams, size))
        found = calculate(sheet)
        assert (found.problem, dict(found.faults), len(found.outcomes)) == ("", {}, teams * size)
        assert read_sheet(dict(query_of(sheet))) == sheet


@pytest.mark.parametrize(
    ("query", "whole"),
    [(DUEL, False), (f"{DUEL}&do=add:0", True), (f"{DUEL}&of=trueskill", True), ("preset=upset", True)],
)
def test_htmx_gets_the_figures_or_the_sheet(query, whole):
    response = open_page(query, hx_request="true")
    body = response.content.decode()
    assert ("<html" in body, "<form" in body, 'id="o-0-0"' in body) == (False, whole, True)
    assert response.get("HX-Retarget") == ("#calculator" if whole else None)


def test_the_address_follows_what_is_entered():
    response = open_page(f"{DUEL}&duration=&do=add:1", hx_request="true")
    assert response["HX-Replace-Url"] == "/calculator/?system=elo&sizes=1%2C2&0.place=1&1.place=2"


@pytest.mark.parametrize("sizes", ["1,1", "6,6", ",".join(["8"] * 12)])
def test_two_queries_whatever_is_entered(django_assert_num_queries, sizes):
    make_mode()
    with django_assert_num_queries(2):  # the header, and the modes
        open_page(f"system=trueskill&of=trueskill&sizes={sizes}")


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", '"><b>', "\x00", "x" * 5000])
def test_names_are_only_text(name):
    body = open_page(f"{DUEL}&{urlencode({'0.0.name': name})}").content.decode()
    assert ("<script>alert" in body, '"><b>' in body) == (False, False)


def test_only_get():
    assert Client().post("/calculator/").status_code == 405
