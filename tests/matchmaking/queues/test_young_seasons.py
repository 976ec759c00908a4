"""Matchmaking while a season is young: by the ratings after the reset, until the new board lists enough players."""

import datetime as dt
import re
from itertools import combinations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from matchmaking.lobbies.balance import estimate_chances
from matchmaking.lobbies.page import load_lobby_page
from matchmaking.models import Queue, TicketMember
from matchmaking.queues._skills import load_skills
from matchmaking.queues.queueing import cancel_ticket
from matchmaking.queues.ticket_page import load_ticket_page, members_of
from ranking.matches.recording import record_results
from ranking.models import Change, Player, Rating, ResetTable
from ranking.rerating.reratings import request_rerating, rerate
from ranking.rules.rank_table import RankTable
from ranking.seasons import reset_tables
from ranking.standings.publishing import publish
from ranking.systems.base import HARD, KEEP, SOFT, ResetRule
from tests.support.api import call
from tests.support.factories import NOW, make_report, make_source, record
from tests.support.matchmaking import accept_all, form, make_player, make_queue, people_of, queue_up
from tests.support.matchmaking_calls import as_player
from tests.support.savepoints import rolled_back
from tests.support.seasons import HALF, end, season_of

pytestmark = pytest.mark.django_db

HOUR = dt.timedelta(hours=1)
PLAYERS = "abcdefgh"


def told_off(text):
    """What is said of filters that are off: how many the board must list, and how many it lists."""
    return re.findall(r"lists (\d+) players; now it lists (\d+)", text)


@pytest.fixture
def queue(_queue, db):
    """A queue whose mode has listed eight players, a the best and h the last; nobody has equals."""
    return Queue.objects.select_related("mode").get()


@pytest.fixture(scope="module")
def _queue(module_db):
    made = make_queue()
    reports = [make_report([winner], [loser]) for winner, loser in combinations(PLAYERS, 2)]
    record_results(reports, source=make_source(), now=NOW)
    publish(made.mode, now=NOW)


def over(queue, reset=HALF):
    return end(queue.mode, at=NOW + HOUR, reset=reset)


def play(*winners):
    for winner, loser in winners:
        record([winner], [loser], now=NOW + 2 * HOUR, ended_at=NOW + 2 * HOUR)


def ids(keys=PLAYERS):
    found = dict(Player.objects.filter(key__in=keys).values_list("key", "pk"))
    return [found[key] for key in keys]


def skills(queue, keys=PLAYERS):
    loaded = load_skills(queue.mode, ids(keys))
    return [loaded[player] for player in ids(keys)]


def percentiles(queue, keys=PLAYERS):
    return [skill.percentile for skill in skills(queue, keys)]


@pytest.mark.parametrize("system", ["elo", "trueskill", "team-ratio", "two-layer", "glicko-2"])
def test_who_has_not_played_yet_is_compared_by_the_ratings_after_the_reset(queue, system):
    if system != "elo":
        request_rerating(queue.mode, reason="test", now=NOW, system=system)
        rerate(queue.mode)
        publish(queue.mode, now=NOW)
    for rule in (HALF, ResetRule(KEEP), ResetRule(SOFT, 0.8)):
        with rolled_back():
            check_comparison_after(rule, Queue.objects.get())


def check_comparison_after(rule, queue):
    before = percentiles(queue)
    over(queue, rule)
    after = [skill.hundredths for skill in skills(queue)]
    assert percentiles(queue) == before == sorted(before, reverse=True), rule
    assert (before[0], before[-1]) == (100, 1), rule
    [table] = ResetTable.objects.all()
    assert (table.season.number, table.listed) == (2, 8), rule
    counted = RankTable.from_bytes(bytes(table.table))
    assert [counted.count(value) for value in after] == [after.count(value) for value in after], rule
    assert Change.objects.filter(kind=Change.RESET).count() == Rating.objects.filter(season__number=2).count() == 0
    play("ab")
    assert dict(zip(PLAYERS, after, strict=True))["c"] == skills(queue, "c")[0].hundredths, rule
    resets = Change.objects.filter(kind=Change.RESET).order_by("player__key").values_list("display_after", flat=True)
    # The skill before the first match was the one that the match began with.
    assert list(resets) == after[:2], rule


def test_a_quarter_of_the_old_board_is_enough_for_the_new_one(queue):
    over(queue, ResetRule(KEEP))
    play("hg")
    assert percentiles(queue, "hga")[2] == 100
    publish(queue.mode, now=NOW + 2 * HOUR)  # lists h and g, a quarter of eight: the board has only them
    [h, g, a] = skills(queue, "hga")
    assert (g.own, a.own) == (Rating.objects.get(season__number=2, player__key="g").published_hundredths, None)
    assert (h.percentile, g.percentile, a.percentile) == (
        (100, 1, 100) if h.hundredths > g.hundredths else (1, 100, 100)
    )
    assert a.hundredths > max(h.hundredths, g.hundredths)
    Rating.objects.filter(season__number=2, player__key="g").update(active_until=NOW)
    publish(queue.mode, now=NOW + 3 * HOUR)  # one is left
    assert reset_tables.find_ranks(season_of(queue.mode)).reset
    assert percentiles(queue, "a") == [100]


def test_a_player_of_the_reset_table_is_not_compared_with_themselves(queue):
    over(queue, ResetRule(KEEP))
    play("hg")
    [h, new] = [*skills(queue, "h"), *load_skills(queue.mode, [make_player("z").pk]).values()]
    old = Rating.objects.get(season__number=1, player__key="h").display_hundredths
    assert (h.own, new.own) == (old, None)
    assert h.hundredths > old
    others = [rating.display_hundredths for rating in Rating.objects.filter(season__number=1).exclude(player__key="h")]
    below = sum(other < h.hundredths for other in others)
    assert h.percentile == 1 + 100 * below // len(others)


def page_of(ticket):
    return load_ticket_page(ticket, members_of(ticket), NOW)


def test_after_a_hard_reset_rank_filters_are_off_and_the_queue_says_so(queue):
    assert page_of(queue_up(queue, Player.objects.get(key="a"), width=1, strict=True)).window is not None
    over(queue, ResetRule(HARD))
    assert percentiles(queue) == [50] * 8
    ticket = queue_up(queue, Player.objects.get(key="b"), width=1, strict=True)
    waiting = page_of(ticket)
    assert (waiting.window, waiting.filters_off) == (None, True)
    assert [told_off(warning) for warning in waiting.warnings] == [[("2", "0")]]
    play("hg")
    publish(queue.mode, now=NOW + 2 * HOUR)  # two of eight: filters are back
    waiting = page_of(ticket)
    assert waiting.filters_off is False
    assert [re.findall(r"holds (\w+) other .* needs (\d+)", warning) for warning in waiting.warnings] == [[("no", "1")]]
    assert sorted(percentiles(queue, "hg")) == [1, 100]


def look(player):
    """The queue's page as this player sees it."""
    user, _ = User.objects.get_or_create(username=player.key)
    Player.objects.filter(pk=player.pk).update(user=user)
    client = Client()
    client.force_login(user)
    return " ".join(client.get("/play/duel/").text.split())


def test_the_page_and_the_api_say_so(queue, clock):
    clock(4_000)
    over(queue, ResetRule(SOFT, 0.0))
    player = Player.objects.get(key="a")
    text = look(player)
    assert told_off(text) == [("2", "0")]
    made = as_player("POST", "tickets/", player, {"mode": "duel"}).body
    assert (made["window"], told_off(made["warning"])) == (None, [("2", "0")])
    text = look(player)
    assert (told_off(text), "Search range" in text, "ranks don’t matter" in text) == ([("2", "0")], False, True)


def test_a_queue_without_filters_says_nothing_of_them(queue):
    over(queue, ResetRule(HARD))
    queue.strategy = queue.FIFO
    queue.save()
    waiting = page_of(queue_up(queue, Player.objects.get(key="a")))
    assert (waiting.window, waiting.filters_off, waiting.warnings) == (None, False, ())


def test_filters_are_off_once_another_system_has_replaced_the_one_of_the_table(queue):
    over(queue)
    request_rerating(queue.mode, reason="test", now=NOW + HOUR, system="trueskill")
    rerate(queue.mode)
    queue.mode.refresh_from_db()
    assert page_of(queue_up(queue, Player.objects.get(key="a"))).filters_off
    assert percentiles(queue) == [50] * 8


def test_the_table_is_shown_nowhere(queue):
    over(queue)
    for address in ("boards/duel/", "modes/duel/seasons/", "boards/duel/?season=1"):
        assert "reset_table" not in str(call("GET", address).body)
    assert call("GET", "boards/duel/").body["listed"] == 0


def test_a_table_is_written_once_and_after_a_worker_was_killed(queue):
    archived = over(queue)
    ResetTable.objects.all().delete()
    reset_tables.write_reset_table(archived)
    before = ResetTable.objects.values().get()
    reset_tables.write_reset_table(archived)
    assert ResetTable.objects.values().get() == before


def test_stakes_and_chances_before_the_first_match_are_those_of_the_match(queue):
    over(queue)
    for key in "ah":
        queue_up(queue, Player.objects.get(key=key), width=100)
    [lobby] = form(queue)
    blind = estimate_chances(lobby, {}, NOW)
    people = people_of(accept_all(lobby))
    content = load_lobby_page(lobby, people[0], NOW)
    record([people[0].key], [people[1].key], now=NOW + 2 * HOUR, ended_at=NOW + 2 * HOUR)
    change = Change.objects.get(kind=Change.MATCH, season__number=2, player=people[0])
    assert content.sides[0].probability == blind[0] == change.win_probability
    assert content.stakes.won.change.size == f"{(change.display_after - change.display_before) / 100:.2f}"
    seats = {seat.player.key: seat for side in content.sides for seat in side.seats}
    assert TicketMember.objects.get(player=people[0]).strength == pytest.approx(change.mu_before)
    assert [seats[key].absence.split()[:3] for key in "ah"] == [["0", "of", "1"]] * 2


# In the first season; by the reset table; when filters are off.
@pytest.mark.parametrize(("reset", "number"), [(None, 4), (HALF, 11), (ResetRule(HARD), 8)])
def test_as_many_queries_for_any_number_of_players(queue, django_assert_num_queries, reset, number):
    if reset:
        over(queue, reset)
        play("ab")
    load_skills(queue.mode, ids())  # the table is read once
    for keys in ("c", PLAYERS):
        players = ids(keys)
        with django_assert_num_queries(number):
            load_skills(queue.mode, players)


def test_a_ticket_of_a_young_season_is_cancelled_and_made_anew_as_ever(queue):
    over(queue)
    player = Player.objects.get(key="a")
    cancel_ticket(queue_up(queue, player), by=player, now=NOW)
    assert queue_up(queue, player).members.get().percentile == 100
