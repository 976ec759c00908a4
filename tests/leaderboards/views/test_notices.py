"""Notices: listed, counted, marked as read, dropped when old; with and without JavaScript."""

import datetime as dt
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from leaderboards.models import Notice
from leaderboards.notifications.notices import drop_old, tell
from leaderboards.notifications.wording import words_of
from ranking.models import Mode, Player
from tests.support.factories import NOW, make_mode, record

pytestmark = pytest.mark.django_db
PAGE, READ, HOME = reverse("leaderboards:notices"), reverse("leaderboards:read"), reverse("leaderboards:home")
DATA = {
    "tier": {"tier": "Gold II", "colour": "gold"},
    "top": {"percent": 10},
    "rank": {"by": 14, "rank": 212},
    "achievement": {"feat": "comeback"},
}


@pytest.fixture
def me(log_in) -> Player:
    make_mode()
    record(["me"], ["b"])
    return log_in("me")


def notify(player: Player, number: int = 1, kind: str = "top", **fields: object) -> list[Notice]:
    mode = Mode.objects.get()
    return [
        Notice.objects.create(
            **{"player": player, "kind": kind, "occasion": f"{kind}-{each}", "mode": mode, "data": DATA[kind],
               "created_at": NOW, **fields}
        )
        for each in range(number)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "data", "expected"),
    [
        ("tier", {"tier": "Gold II"}, "You reached Gold II in 6v6"),
        ("top", {"percent": 10}, "You entered the top 10 % of 6v6"),
        ("rank", {"by": 14, "rank": 212}, "Up 14 ranks since yesterday in 6v6, now rank 212"),
        ("rank", {"by": -1_200, "rank": 3_001}, "Down 1,200 ranks since yesterday in 6v6, now rank 3,001"),
        ("rank", {"by": 1, "rank": 1}, "Up 1 rank since yesterday in 6v6, now rank 1"),
        ("achievement", {"feat": "comeback"}, "Comeback in 6v6: won after 5 losses in a row"),
    ],
)
def test_words(kind, data, expected):
    assert words_of(kind, data, "6v6") == expected


def test_only_those_with_an_account_are_told_and_once(me):
    other = Player.objects.get(key="b")
    for _ in range(2):
        tell([Notice(player=each, kind="top", occasion="x", data=DATA["top"], created_at=NOW) for each in (me, other)])
    assert Notice.objects.values_list("player__key").get() == ("me",)


def test_strangers_are_asked_to_log_in(client, me):
    client.logout()
    assert client.get(PAGE).headers["Location"] == f"/account/login/?next={PAGE}"
    assert client.post(READ).headers["Location"] == f"/account/login/?next={READ}"


@pytest.mark.parametrize("number", [0, 1, 3])
def test_the_page_takes_as_many_queries_however_many(client, me, django_assert_num_queries, number):
    for kind in DATA:
        notify(me, number, kind)
    with django_assert_num_queries(
        7
    ):  # session, user, player with what is unread; notices; announcements; topics; modes
        page = client.get(PAGE)
    assert page.text.count('class="told told-new"') == 4 * number
    assert ("Nothing yet" in page.text) is (number == 0)


def test_an_account_without_a_player_has_an_empty_page(client):
    client.force_login(User.objects.create_user("alone"))
    page = client.get(PAGE).text
    assert "No player yet" in page
    assert 'href="/account/claim/"' in page
    assert client.get("/notifications/", headers={"HX-Request": "true"}).status_code == 200


def test_pages_follow_each_other(client, me):
    made = notify(me, 45)
    seen, address = [], PAGE
    while address:
        page = client.get(address, headers={"HX-Request": "true"} if "after" in address else {}).context["page"]
        seen += [line.pk for line in page.lines]
        address = page.next and f"{PAGE}?after={page.next}"
    assert seen == [notice.pk for notice in reversed(made)]


def test_a_page_of_nowhere_is_the_first(client, me):
    notify(me)
    page = client.get(f"{PAGE}?after=x")
    assert ("That page doesn" in page.text, page.text.count('class="told ')) == (True, 1)


def bell(client: Client, address: str = HOME) -> str:
    _, _, rest = client.get(address).text.partition('id="bell"')
    return rest.partition("</a>")[0]


@pytest.mark.parametrize(
    ("number", "words", "count"), [(0, "", ""), (1, ", 1 unread", "1"), (120, ", 120 unread", "99+")]
)
def test_the_bell_counts_what_is_unread(client, me, number, words, count):
    notify(me, number)
    shown = bell(client)
    assert f"Notifications{words}<" in shown
    assert re.findall(r'bell-count"[^>]*>([^<]+)<', shown) == [count] * bool(count)


def test_the_bell_costs_no_query_of_its_own_where_the_viewer_is_known(client, me, django_assert_num_queries):
    notify(me, 3)
    with django_assert_num_queries(9):
        client.get(reverse("leaderboards:board", args=["duel"]))


def test_strangers_have_no_bell(client, me):
    client.logout()
    assert bell(client) == ""


def unread() -> list[str]:
    return list(Notice.objects.filter(read_at=None).order_by("pk").values_list("occasion", flat=True))


def test_one_is_marked_and_all_up_to_what_was_seen(client, me):
    first, _, third, _ = notify(me, 4)
    assert client.post(READ, {"notice": first.pk}).headers["Location"] == PAGE
    assert unread() == ["top-1", "top-2", "top-3"]
    client.post(READ, {"upto": third.pk})
    assert unread() == ["top-3"]


def test_htmx_gets_the_list_with_a_new_bell(client, me):
    [notice] = notify(me)
    headers = {"HX-Request": "true"}
    page = client.post(READ, {"notice": notice.pk}, headers=headers, follow=True).text
    assert ("<html" in page, 'id="bell"' in page, "hx-swap-oob" in page, "told-new" in page) == (
        False,
        True,
        True,
        False,
    )


def test_nonsense_marks_nothing(client, me):
    notify(me)
    forms = ({}, {"notice": "x"}, {"upto": "-1"}, {"notice": "9" * 30})
    outcomes = [(form, client.post(READ, form).status_code, len(unread())) for form in forms]
    assert outcomes == [(form, 302, 1) for form in forms]


def test_nobody_marks_somebody_elses(client, me):
    other = Player.objects.get(key="b")
    [notice] = notify(other)
    client.post(READ, {"notice": notice.pk, "upto": notice.pk})
    assert len(unread()) == 1


def test_looking_changes_nothing(client, me):
    notify(me)
    client.get(PAGE)
    assert (client.get(READ).status_code, len(unread())) == (405, 1)


@pytest.mark.parametrize(
    ("hidden", "left"),
    [
        ({}, ["achievement", "rank", "top", "tier"]),
        ({"shows_tier": False}, ["achievement", "rank", "top"]),
        ({"shows_percentile": False}, ["achievement", "rank", "tier"]),
        ({"ranked": False}, []),
    ],
)
def test_what_a_mode_hides_now_is_hidden_here_too(client, me, hidden, left):
    for kind in DATA:
        notify(me, 1, kind)
    Mode.objects.update(**hidden)
    page = client.get(PAGE).context["page"]
    assert ([line.kind for line in page.lines], page.unread) == (left, len(left))


@pytest.mark.parametrize(
    ("read", "age", "stays"), [(89, 89, True), (91, 91, False), (None, 91, True), (None, 359, True), (None, 361, False)]
)
def test_old_ones_are_dropped(me, read, age, stays):
    days = dt.timedelta(days=1)
    notify(me, created_at=NOW - age * days, read_at=None if read is None else NOW - read * days)
    assert drop_old(NOW) == (not stays)
    assert Notice.objects.exists() is stays


def test_notices_stand_under_their_days(client, me):
    for days in (0, 0, 2):
        notify(me, occasion=f"{Notice.objects.count()}", created_at=NOW - dt.timedelta(days=days))
    page = client.get(PAGE)
    assert [(day, len(lines)) for day, lines in page.context["page"].days] == [
        (NOW.date(), 2), (NOW.date() - dt.timedelta(days=2), 1)]  # fmt: skip
    assert re.findall(r'<h2 class="notices-day">(?:<time[^>]*>)?([^<]+)<', page.text) == [
        "Today", f"{NOW - dt.timedelta(days=2):%a %-d %b}"]  # fmt: skip


def test_a_tier_reached_shows_its_emblem(client, me):
    notify(me, kind="tier", data={"tier": "Gold II", "division": "II", "colour": "gold", "emblem": "gold-2"})
    page = client.get(PAGE).text
    assert re.search(r'<span class="told-sign tier-gold"><img class="emblem" src="[^"]*#gold-2" alt="">', page)
    assert "Gold II in Duel" in page
    Notice.objects.update(data={"tier": "Platinum II", "emblem": "platinum-2"})
    assert "Platin II in Duel" in client.get(PAGE, headers={"accept-language": "de"}).text


def test_topics_that_are_turned_off_are_told_no_more(client, me):
    chosen = reverse("leaderboards:topics")
    mode = Mode.objects.get()
    notices = [Notice(player=me, kind=kind, occasion="x", mode=mode, data=DATA[kind], created_at=NOW) for kind in DATA]
    assert client.post(chosen, {"topic": ["achievements", "nonsense"]})["Location"] == PAGE
    tell(notices)
    assert set(Notice.objects.values_list("kind", flat=True)) == {"achievement"}
    boxes = re.findall(r'name="topic" value="(\w+)"( checked)?', client.get(PAGE).text)
    assert boxes == [("tiers", ""), ("ranks", ""), ("achievements", " checked")]
    client.post(chosen, {"topic": ["tiers", "ranks", "achievements"]})
    tell(notices)
    assert set(Notice.objects.values_list("kind", flat=True)) == set(DATA)


@pytest.mark.parametrize(
    ("kind", "data", "sign"),
    [
        ("warned", {"reason": "Words."}, "warned"),
        ("unwarned", {"reason": "Words."}, "scales"),
        ("hidden", {"reason": "Words."}, "scales"),
        ("reviewed", {}, "reviewed"),
    ],
)
def test_only_good_news_has_a_tick(client, me, kind, data, sign):
    Notice.objects.create(player=me, kind=kind, occasion="x", data=data, created_at=NOW)
    page = client.get(PAGE)
    ((_, (line,)),) = page.context["page"].days
    assert (line.sign, 'd="m10.5 16.5 4 4 7-9"' in page.text) == (sign, sign == "reviewed")
