"""Players: hidden and shown after a yes, their names left to their game, their login linked."""

import datetime as dt
import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.urls import reverse

from ranking.models import AuditEntry, Player, Rating
from ranking.rules.report import PlayerReport
from tests.support.factories import NOW, hide_player, record

YES = {"confirmed": "yes", "reason": "Asked for."}
LIST = reverse("admin:ranking_player_changelist")


def act(client, action, *players, **more):
    rows = [player.pk for player in players]
    return client.post(LIST, {"action": action, "index": 0, "_selected_action": rows, **more}, follow=True)


def hidden():
    return sorted(Player.objects.filter(hidden_at__isnull=False).values_list("key", flat=True))


@pytest.fixture
def players(world):
    Rating.objects.update(to_publish=False)
    return {player.key: player for player in Player.objects.all()}


def test_hiding_asks_first(players, boss):
    asked = act(boss, "hide", players["a"], players["b"])
    assert sorted(row.key for row in asked.context["rows"]) == ["a", "b"]
    assert hidden() == []


def test_hidden_with_a_yes_and_logged(players, boss):
    done = act(boss, "hide", players["a"], players["b"], **YES)
    assert hidden() == ["a", "b"]
    assert "Hidden from boards: a, b." in done.text
    assert set(Rating.objects.filter(to_publish=True).values_list("player__key", flat=True)) == {"a", "b"}
    assert LogEntry.objects.filter(change_message="Hidden from boards").count() == 2
    assert list(AuditEntry.objects.filter(act="hide").order_by("pk").values_list("player__key", "who", "reason")) == [
        ("a", "boss", "Asked for."), ("b", "boss", "Asked for."),
    ]  # fmt: skip


def test_a_page_offers_what_changes_something_and_speaks_to_staff(players, boss):
    hide_player(players["b"], now=NOW)
    User.objects.create_user("owner", pk=99)
    Player.objects.filter(key="b").update(user=99, lookalike=True)
    offered = {}
    for key in ("a", "b"):
        page = boss.get(reverse("admin:ranking_player_change", args=[players[key].pk]))
        offered[key] = {"hide", "show", "release", "accept"} & {*page.context["object_actions"]}
        assert "Only you" not in page.text
        assert "You are" not in page.text
    assert offered == {"a": {"hide"}, "b": {"show", "release", "accept"}}


def test_shown_again(players, boss):
    hide_player(players["a"], now=NOW)
    done = act(boss, "show", players["a"], players["b"], **YES)
    assert (hidden(), done.redirect_chain[-1][0]) == (
        [],
        reverse("admin:ranking_player_change", args=[players["a"].pk]),
    )
    assert "Nothing had to be done." in act(boss, "show", players["a"], **YES).text


def test_hiding_again_keeps_the_first_time(players, boss):
    hide_player(players["a"], now=NOW)
    act(boss, "hide", players["a"], **YES)
    assert Player.objects.get(key="a").hidden_at == NOW


def test_only_what_is_ticked(players, boss):
    act(boss, "hide", players["a"], **YES, select_across="1")
    assert hidden() == ["a"]


def test_a_viewer_cannot_hide(players, clerk):
    assert act(clerk, "hide", players["a"], **YES).status_code == 403
    assert hidden() == []


def test_only_the_login_is_edited(players, boss):
    user, moment = User.objects.create_user("fox"), dt.datetime(2030, 1, 1, tzinfo=dt.UTC)
    said = {"user": user.pk, "name": "Mine", "key": "mine", "hidden_at": moment}
    boss.post(
        reverse("admin:ranking_player_change", args=[players["a"].pk]),
        {**said, "ratings-TOTAL_FORMS": 0, "ratings-INITIAL_FORMS": 0},
    )
    player = Player.objects.get(pk=players["a"].pk)
    assert (player.user, player.name, player.key, player.hidden_at) == (user, "a", "a", None)


def test_ratings_and_the_public_page_are_in_reach(players, boss):
    page = boss.get(reverse("admin:ranking_player_change", args=[players["a"].pk])).text
    rating = Rating.objects.get(player=players["a"])
    assert reverse("admin:ranking_rating_change", args=[rating.pk]) in page
    assert f"?player={players['a'].pk}&amp;mode={rating.mode_id}" in page
    assert f'href="{reverse("leaderboards:player", args=["a"])}"' in page


def test_released_from_their_account_and_logged(players, boss):
    Player.objects.filter(key="a").update(user=User.objects.create_user("fox"))
    asked = act(boss, "release", players["a"])
    assert [row.key for row in asked.context["rows"]] == ["a"]
    assert Player.objects.get(key="a").user is not None
    done = act(boss, "release", players["a"], players["b"], **YES)
    assert Player.objects.get(key="a").user is None
    assert "account: a." in done.text
    assert LogEntry.objects.get(change_message__contains="account").object_repr == "a"


@pytest.fixture
def lookalikes(world):
    """Kestrel, and two who look so."""
    for key, name in {"k1": "Kestrel", "k2": "KestreI", "k3": "Kestre1"}.items():
        record([PlayerReport(id=key, name=name)], ["a"])
    return {player.key: player for player in Player.objects.filter(key__startswith="k")}


@pytest.mark.parametrize(
    ("query", "names"), [("lookalike=yes", ["Kestre1", "KestreI"]), ("alike={k2}", ["Kestre1", "KestreI", "Kestrel"])]
)
def test_lookalikes_are_found(lookalikes, boss, query, names):
    page = boss.get(f"{LIST}?{query.format(**{key: player.pk for key, player in lookalikes.items()})}").text
    assert re.findall(r"/change/[^>]*>(Kestre\w)</a>", page) == names


def test_a_name_is_accepted(lookalikes, boss):
    act(boss, "accept", *lookalikes.values(), **YES)
    assert not Player.objects.filter(lookalike=True).exists()


def test_a_player_s_page_tells_former_names_and_lookalikes(lookalikes, boss):
    record([PlayerReport(id="k2", name="Wren")], ["a"])
    page = boss.get(reverse("admin:ranking_player_change", args=[lookalikes["k2"].pk])).text
    assert "KestreI" in page
    assert f"?alike={lookalikes['k2'].pk}" in page


def test_anonymising_asks_first_and_is_for_good(players, boss):
    asked = act(boss, "anonymise", players["a"])
    assert [row.key for row in asked.context["rows"]] == ["a"]
    assert Player.objects.filter(key="a").exists()
    done = act(boss, "anonymise", players["a"], **YES)
    player = Player.objects.get(pk=players["a"].pk)
    assert f"Anonymised: {player.name}." in done.text
    assert LogEntry.objects.get(change_message="Anonymised").object_repr == player.name
    acts = AuditEntry.objects.count()
    for again in ("anonymise", "show"):
        act(boss, again, player, **YES)
    assert AuditEntry.objects.count() == acts
    assert 'name="user"' not in boss.get(reverse("admin:ranking_player_change", args=[player.pk])).text


def test_a_viewer_cannot_anonymise(players, clerk):
    assert act(clerk, "anonymise", players["a"], **YES).status_code == 403
    assert Player.objects.filter(anonymised_at=None).count() == len(players)


def test_bots_are_marked_found_and_marked_as_people_again(players, boss):
    done = act(boss, "bot", players["a"], **YES)
    assert "Marked as bots: a." in done.text
    assert [Player.objects.get(key=key).is_bot for key in "ab"] == [True, False]
    lists = {value: boss.get(LIST, {"bot": value}).context["cl"].result_list for value in ("yes", "no")}
    rows = {value: sorted(row.key for row in found) for value, found in lists.items()}
    assert (rows["yes"], "a" in rows["no"], "b" in rows["no"]) == (["a"], False, True)
    page = boss.get(reverse("admin:ranking_player_change", args=[players["a"].pk]))
    assert {"bot", "person"} & {*page.context["object_actions"]} == {"person"}
    act(boss, "person", players["a"], players["b"], **YES)
    assert not Player.objects.filter(is_bot=True).exists()
    entries = AuditEntry.objects.filter(act__startswith="mark").order_by("pk").values_list("act", "player__key")
    assert list(entries) == [("mark as bot", "a"), ("mark as person", "a")]
