"""Modes: made and changed through the domain, every refusal a sentence at its field."""

import re

import pytest
from django.contrib.admin import site
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.urls import reverse

from ranking.models import Mode, ParameterVersion
from ranking.modes.parameters import changed_params, current_parameters
from ranking.systems.registry import SYSTEMS, describe_params
from tests.support.factories import make_mode, record

pytestmark = pytest.mark.django_db
ADD = reverse("admin:ranking_mode_add")
GOOD = {
    "name": "Ladder", "slug": "ladder", "description": "", "team_count": 2, "team_size_min": 1, "team_size_max": 3,
    "reconnect_grace": 180, "time_zone": "Europe/Berlin", "ranked": "on", "shows_rating": "on", "placement_matches": 5,
    "activity_matches": 1, "activity_days": 30, "tier_scheme": "named", "named_tiers": "", "system": "elo",
    "tier_least_listed": 20, "entry_days": 0, "entry_matches": 0, "schedule": "", "late_results": 300,
    "placement_after_reset": 3, "least_seconds": 0, "least_rounds": 0, "withdraw_seconds": 0,
}  # fmt: skip
INLINES = {f"{prefix}-{name}_FORMS": 0 for prefix in ("parameter_versions", "seasons") for name in ("TOTAL", "INITIAL")}


def change(client, mode, **said):
    address = reverse("admin:ranking_mode_change", args=[mode.pk])
    return client.post(address, {**GOOD, **INLINES, "name": mode.name, **said})


def errors(response) -> dict[str, list[str]]:
    return dict(response.context["adminform"].form.errors)


def test_a_mode_is_made_with_season_and_parameters(boss):
    tiers = "1 Iron\n50 Steel"
    made = boss.post(ADD, {**GOOD, "named_tiers": tiers, "elo__alpha": "0.05", "elo__scale_by_time": "on"})
    assert made.status_code == 302
    mode = Mode.objects.get(slug="ladder")
    version = current_parameters(mode)
    assert (version.system, version.params) == (
        "elo",
        {"staying_is_better": True, "counts_shares": True, "alpha": 0.05, "scale_by_time": True},
    )
    assert mode.named_tiers == [{"name": "Iron", "from": 1}, {"name": "Steel", "from": 50}]
    assert (mode.shows_rating, mode.shows_tier, mode.time_zone) == (True, False, "Europe/Berlin")
    assert mode.seasons.get().number == 1
    assert LogEntry.objects.get().object_repr == "Ladder"


def test_a_mode_has_a_line_for_its_name_in_each_language(boss):
    mode = make_mode()
    assert change(boss, mode, name_de="Liga").status_code == 302
    mode.refresh_from_db()
    assert mode.names == {"de": "Liga"}
    page = boss.get(reverse("admin:ranking_mode_change", args=[mode.pk]))
    fields = page.context["adminform"].form.fields
    assert [(name, fields[name].initial) for name in ("name_en", "name_de")] == [("name_en", ""), ("name_de", "Liga")]
    refused = errors(change(boss, mode, name_de="x" * 65))
    assert [*refused] == ["name_de"]
    assert "64 characters" in refused["name_de"][0]
    change(boss, mode, name_de="")
    mode.refresh_from_db()
    assert mode.names == {}


def test_tiers_and_columns_have_their_names_in_other_languages_on_their_line(boss):
    mode = make_mode()
    tiers, columns = "1 Iron, de: Eisen\n50 Steel, fine", "kills = Kills, de: Abschüsse, 1 decimal\ndeaths = Deaths"
    assert change(boss, mode, named_tiers=tiers, scoreboard=columns).status_code == 302
    mode.refresh_from_db()
    assert mode.named_tiers == [
        {"name": "Iron", "from": 1, "names": {"de": "Eisen"}},
        {"name": "Steel, fine", "from": 50},
    ]
    assert mode.scoreboard == [
        {"stat": "kills", "name": "Kills", "form": "1 decimal", "names": {"de": "Abschüsse"}},
        {"stat": "deaths", "name": "Deaths"},
    ]
    shown = boss.get(reverse("admin:ranking_mode_change", args=[mode.pk])).context["adminform"].form
    assert shown["named_tiers"].value() == tiers
    assert shown["scoreboard"].value() == "kills = Kills, 1 decimal, de: Abschüsse\ndeaths = Deaths"
    refused = errors(change(boss, mode, named_tiers="1 Iron, xx: Eisen", scoreboard="kills = Kills, de: " + "x" * 33))
    assert sorted(refused) == ["named_tiers", "scoreboard"]
    assert re.search('"xx" .* en, de', refused["named_tiers"][0])
    assert re.search("language de .* 1 to 32 ", refused["scoreboard"][0])


def test_the_columns_of_scoreboards_are_lines(boss):
    lines = "kills = Kills\nkills / deaths = K/D, 2 decimals\ndeaths = Deaths, least is best"
    boss.post(ADD, {**GOOD, "scoreboard": lines, "best_by": "kills"})
    mode = Mode.objects.get(slug="ladder")
    assert [(column.key, column.name, column.form, column.least) for column in mode.columns] == [
        ("kills", "Kills", "number", False),
        ("kills/deaths", "K/D", "2 decimals", False),
        ("deaths", "Deaths", "number", True),
    ]
    page = boss.get(reverse("admin:ranking_mode_change", args=[mode.pk]))
    assert page.context["adminform"].form["scoreboard"].value() == lines


def test_every_parameter_has_a_field_with_its_meaning_and_default(form):
    fields, bare = form().fields, []
    for system in SYSTEMS:
        for parameter in describe_params(system):
            told = fields[f"{system}__{parameter.name}"].help_text
            if not (told.startswith(parameter.meaning) and " Default: " in told):
                bare.append((system, parameter.name, told))
    assert bare == []


def test_a_new_mode_is_proposed_what_sources_ask_for(form, boss):
    fields = form().fields
    proposed = {
        name: (field.initial, f"Proposed: {'on' if field.initial is True else field.initial}. " in field.help_text)
        for name, field in fields.items()
        if "Proposed: " in field.help_text
    }
    assert proposed == {
        "elo__alpha": (0.1, True),
        "elo__alpha_first": (0.3, True),
        "elo__alpha_matches": (30, True),
        "battle-points__provisional_matches": (20, True),
        "two-layer__tau_by_sigma": (True, True),
    }
    mode = make_mode(params={"alpha": 0.05})
    shown = boss.get(reverse("admin:ranking_mode_change", args=[mode.pk])).context["adminform"].form
    assert [shown[f"elo__{name}"].value() for name in ("alpha", "alpha_first", "alpha_matches")] == [0.05, None, None]


def test_a_parameter_that_may_be_null(form, boss):
    said = {**GOOD, "system": "glicko-2", "team_size_max": 1}
    boss.post(ADD, {**said, "glicko-2__period_days": " Null "})
    mode = Mode.objects.get()
    assert changed_params(current_parameters(mode)) == {"period_days": None}
    shown = boss.get(reverse("admin:ranking_mode_change", args=[mode.pk])).context["adminform"].form
    assert shown["glicko-2__period_days"].value() == "null"
    assert [*form({**said, "slug": "other", "glicko-2__period_days": "none"}).errors] == ["glicko-2__period_days"]


REFUSED = [  # the field, what was entered, and what the sentence names
    ("elo__alpha", "-1", "alpha must be greater than 0, not -1.0"),
    ("elo__alpha", "x", "a number"),
    ("elo__alpha", "nan", "a number"),
    ("elo__beta", "0", "beta must be greater than 0, not 0.0"),
    ("tier_least_listed", "-1", "equal to 0"),
    ("tier_least_listed", "", "required"),
    ("named_tiers", "5 Iron", "percentile 1; Iron begins at 5"),
    ("named_tiers", "Iron 1", '"Iron 1"'),
    ("named_tiers", "1 Iron\n1 Gold", "Gold must begin above Iron, which begins at 1"),
    ("scoreboard", "Kills", '"Kills"'),
    ("scoreboard", "kills = Kills, big", "number, 1 decimal, 2 decimals, 3 decimals, percent, time, least is best"),
    ("scoreboard", "kills = A\nkills = B", "Two columns show kills"),
    ("conduct__points", "-1", "-1.0 isn't a number from 0 to 1000"),
    ("conduct__decay_percent", "0", "0.0 isn't a number from 1 to 100"),
    ("conduct__lockouts", "4.5 30", '"4.5 30"'),
    ("conduct__lockouts", "4: 30\n3: 60", "rise"),
    ("conduct__missed_minutes", "0, few", "0, 3, 10"),
    ("conduct__missed_hours", "200", "200.0 isn't a number from 1 to 168"),
    ("time_zone", "Mars", "Mars"),
    ("activity_matches", "11", "equal to 10"),
    ("team_count", "1", "at least 2 teams; ladder has 1"),
    ("team_size_max", "0", "at most 0 can't have at least 1"),
    ("system", "chess", "chess"),
    ("slug", "Lad der", "“slug”"),
]


@pytest.fixture
def form(rf):
    """The class of the form that makes a mode."""
    request = rf.post(ADD)
    request.user = User(is_superuser=True)
    return site.get_model_admin(Mode).get_form(request)


def test_refusals_stand_at_their_field_and_name_what_is_wrong(form):
    wrong = {}
    for field, value, named in REFUSED:
        errors = form({**GOOD, field: value}).errors
        if [*errors] != [field] or len(errors[field]) != 1 or named not in errors[field][0]:
            wrong[field, value] = dict(errors)
    assert wrong == {}


def test_refusals_of_several_fields_come_together(boss):
    refused = boss.post(ADD, {**GOOD, "elo__alpha": "-1", "named_tiers": "5 Iron", "activity_matches": "11"})
    assert sorted(errors(refused)) == ["activity_matches", "elo__alpha", "named_tiers"]
    assert not Mode.objects.exists()


def test_teams_that_the_system_cannot_rate(boss):
    refused = boss.post(ADD, {**GOOD, "system": "team-ratio", "team_count": 3})
    assert [*errors(refused)] == ["team_count"]
    assert re.search("team-ratio .* 2 teams; ladder has 3", errors(refused)["team_count"][0])


def test_a_slug_is_taken_once(boss):
    make_mode("ladder")
    assert list(errors(boss.post(ADD, GOOD))) == ["slug"]


def test_parameters_of_other_systems_do_not_count(boss):
    boss.post(ADD, {**GOOD, "system": "team-ratio", "elo__alpha": "0.5"})
    assert changed_params(current_parameters(Mode.objects.get())) == {}


@pytest.mark.parametrize(
    ("said", "version", "params"),
    [
        ({}, 1, {"alpha": 0.05}),
        ({"elo__alpha": "0.06"}, 2, {"alpha": 0.06}),
        ({"elo__alpha": ""}, 2, {}),
        ({"elo__alpha": "0.05", "elo__beta": "4"}, 2, {"alpha": 0.05, "beta": 4.0}),
    ],
)
def test_changing_parameters_makes_a_version(boss, said, version, params):
    mode = make_mode(params={"alpha": 0.05})
    assert change(boss, mode, **{"elo__alpha": "0.05", **said}).status_code == 302
    current = current_parameters(mode)
    assert (current.number, changed_params(current)) == (version, params)


def test_settings_change_and_the_slug_stays(boss):
    mode = make_mode()
    assert change(boss, mode, slug="other", name="Duels", activity_days="", placement_matches=3).status_code == 302
    mode.refresh_from_db()
    assert (mode.slug, mode.name, mode.activity_days, mode.placement_matches) == ("duel", "Duels", None, 3)


def test_from_how_many_players_on_tiers_are_given(boss):
    mode = make_mode(tier_least_listed=20)
    assert change(boss, mode, tier_least_listed=50).status_code == 302
    mode.refresh_from_db()
    assert mode.tier_least_listed == 50
    assert "Players for tiers" in LogEntry.objects.latest("pk").get_change_message()


def test_another_system_until_a_match_is_rated(boss):
    mode = make_mode()
    change(boss, mode, system="team-ratio")
    assert current_parameters(mode).system == "team-ratio"
    record(["a"], ["b"])
    page = boss.get(reverse("admin:ranking_mode_change", args=[mode.pk]))
    assert "Fixed: " in page.text
    assert ('name="team-ratio__' in page.text, 'name="elo__' in page.text) == (True, False)
    change(boss, mode, system="elo", team_count=3)
    mode.refresh_from_db()
    assert (current_parameters(mode).system, mode.team_count) == ("team-ratio", 2)


def test_what_happened_since_the_form_was_checked_is_a_sentence(boss, monkeypatch):
    mode = make_mode()
    record(["a"], ["b"])
    monkeypatch.setattr("ranking.admin.modes.forms.has_ratings", lambda mode: False)
    monkeypatch.setattr("ranking.admin.modes.modes.has_ratings", lambda mode: False)
    refused = change(boss, mode, system="team-ratio", name="Changed")
    assert refused.status_code == 302
    page = boss.get(refused.headers["Location"])
    assert "Duel has ratings" in page.text
    assert Mode.objects.get().name == "Duel"


def test_the_page_tells_history(boss):
    page = boss.get(reverse("admin:ranking_mode_change", args=[make_mode("duel").pk])).text
    assert "their defaults" in page
    assert f'href="{reverse("leaderboards:board", args=["duel"])}"' in page


def test_numbers_of_conduct_have_fields_with_their_defaults(form):
    fields = {name: field for name, field in form().fields.items() if "conduct" in name}
    told = {name: field.help_text.partition(" Default: ")[2] for name, field in fields.items()}
    assert told == {
        "conduct__points": "3", "conduct__decay_percent": "10", "conduct__missed_hours": "24",
        "conduct__lockouts": "1.5: 10, 4.5: 30, 7.5: 120, 10.5: 720, 13.5: 2880",
        "conduct__missed_minutes": "0, 3, 10, 30",
    }  # fmt: skip


def test_conduct_keeps_what_was_said_and_shows_it_again(boss):
    said = {"conduct__points": "2.5", "conduct__lockouts": "1: 5\n2: 10\n", "conduct__missed_minutes": "1, 2"}
    boss.post(ADD, {**GOOD, **said})
    mode = Mode.objects.get(slug="ladder")
    assert mode.conduct == {"points": 2.5, "lockouts": [[1, 5], [2, 10]], "missed_minutes": [1, 2]}
    page = boss.get(reverse("admin:ranking_mode_change", args=[mode.pk])).text
    assert "1: 5\n2: 10</textarea>" in page
    change(boss, mode)
    mode.refresh_from_db()
    assert mode.conduct == {}


def test_a_mode_asks_for_matches_of_another(boss):
    fun = make_mode("fun", ranked=False)
    boss.post(ADD, {**GOOD, "entry_days": 7, "entry_matches": 3, "entry_mode": fun.pk})
    mode = Mode.objects.get(slug="ladder")
    assert (mode.entry_days, mode.entry_matches, mode.entry_mode) == (7, 3, fun)


def test_matches_are_of_a_mode(boss):
    assert [*errors(boss.post(ADD, {**GOOD, "entry_matches": 3}))] == ["entry_mode"]


@pytest.mark.parametrize(("chosen", "system"), [("", "margin"), ("elo", "elo")])
def test_margin_is_proposed_for_a_new_mode(boss, chosen, system):
    boss.post(ADD, {**GOOD, "system": chosen})
    assert current_parameters(Mode.objects.get(slug=GOOD["slug"])).system == system


def test_an_old_mode_keeps_its_rule_for_ties_until_another_is_chosen(boss):
    boss.post(ADD, {**GOOD, "system": "weng-lin"})
    mode = Mode.objects.get(slug=GOOD["slug"])
    assert changed_params(current_parameters(mode)) == {}
    ParameterVersion.objects.update(params={"staying_is_better": True, "counts_shares": True})
    page = boss.get(reverse("admin:ranking_mode_change", args=[mode.pk])).content.decode()
    assert '<option value="chain" selected>Chain</option>' in page
    for ties, number, params in (("chain", 1, {"ties": "chain"}), ("", 2, {}), ("chain", 3, {"ties": "chain"})):
        change(boss, mode, system="weng-lin", **{"weng-lin__ties": ties})
        current = current_parameters(mode)
        assert (current.number, changed_params(current)) == (number, params)


def test_an_old_mode_keeps_practice_in_defeat_until_it_is_turned_off(boss):
    boss.post(ADD, {**GOOD, "system": "margin"})
    mode = Mode.objects.get(slug=GOOD["slug"])
    assert changed_params(current_parameters(mode)) == {}
    ParameterVersion.objects.update(params={"staying_is_better": True, "counts_shares": True})
    page = boss.get(reverse("admin:ranking_mode_change", args=[mode.pk])).content.decode()
    assert re.search(r'<input type="checkbox" name="margin__practice_in_defeat"[^>]* checked', page)
    for entries, number, params in (
        ({"margin__practice_in_defeat": "on"}, 1, {"practice_in_defeat": True}),
        ({}, 2, {}),
        ({"margin__practice_in_defeat": "on"}, 3, {"practice_in_defeat": True}),
    ):
        change(boss, mode, system="margin", **entries)
        current = current_parameters(mode)
        assert (current.number, changed_params(current)) == (number, params)


def test_the_statistic_of_own_impact_is_a_word_with_a_warning(boss):
    boss.post(ADD, {**GOOD, "system": "margin", "margin__impact_stat": "score"})
    mode = Mode.objects.get(slug=GOOD["slug"])
    assert changed_params(current_parameters(mode)) == {"impact_stat": "score"}
    page = boss.get(reverse("admin:ranking_mode_change", args=[mode.pk])).content.decode()
    assert re.search(r"Beware: .* Default: none\.", page)
    assert 'name="margin__impact_stat" value="score"' in page
    change(boss, mode, system="margin", margin__impact_stat="")
    assert changed_params(current_parameters(mode)) == {}


def test_the_sizes_and_rules_of_a_race(boss):
    said = {"system": "margin", "team_count": 12, "team_count_min": 3, "least_is_best": "on", "least_seconds": 30}
    boss.post(ADD, {**GOOD, **said, "team_size_max": 1})
    mode = Mode.objects.get(slug=GOOD["slug"])
    assert (mode.fewest_teams, mode.team_count, mode.least_is_best, mode.least_seconds) == (3, 12, True, 30)
    record(["a"], ["b"], ["c"], mode=mode.slug, duration=30.0)
    change(boss, mode, system="margin", team_count=20, team_count_min="", team_size_max=1)
    mode.refresh_from_db()
    assert (mode.fewest_teams, mode.team_count) == (20, 20)
    refused = change(boss, mode, system="margin", team_count=2, team_size_max=1)
    assert errors(refused) == {
        "team_count": ["Matches of this mode exist: it stays a mode of two teams, or one of more."]
    }
    refused = change(boss, mode, system="margin", team_count=20, team_count_min=21, team_size_max=1)
    assert errors(refused) == {"team_count_min": ["Matches of at most 20 teams can't have at least 21."]}
    assert errors(change(boss, mode, system="margin", team_count=129, team_size_max=1)).keys() == {"team_count"}
