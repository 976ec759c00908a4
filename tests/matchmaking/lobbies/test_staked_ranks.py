"""The rank that an outcome has at stake is the rank after a match that ends so."""

import random

import pytest
from django.test import Client

from matchmaking.models import Lobby
from ranking.models import Ban, Participation, Player, Rating
from ranking.standings.publishing import publish
from ranking.systems.registry import SYSTEMS
from tests.support.factories import NOW, ban_player, hide_player, record
from tests.support.matchmaking import accept_all, form, later, make_player, make_queue, queue_up
from tests.support.matchmaking_calls import as_player
from tests.support.savepoints import rolled_back
from tests.support.systems import largest_team

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


def lobby_of(teams: int, size: int, system: str, chance: random.Random, **mode) -> tuple[Lobby, list[list[Player]]]:
    """An accepted lobby among twenty players who have played at random; results came since the last publication."""
    mode = {"team_count": teams, "system": system, "team_size_max": size, "placement_matches": 2, **mode}
    queue = make_queue("arena", size=size, rematches="any", rematch_after=0, mode=mode)
    people = [make_player(f"p{number:02}") for number in range(20)]
    for number in range(24):
        entrants = chance.sample(people, teams * size)
        play(
            [entrants[team * size :][:size] for team in range(teams)], [chance.randint(1, teams) for _ in range(teams)]
        )
        if number in (9, 20):
            publish(queue.mode, now=NOW)
    hide_player(people[0], now=NOW)
    ban_player(people[1], scope=Ban.BOARDS, by=None, reason="Boosted.", now=NOW)
    for person in chance.sample(people, teams * size):
        queue_up(queue, person, width=100)
    [lobby] = form(queue)
    lobby = accept_all(lobby)
    return lobby, [[Player.objects.get(pk=player) for player in team] for team in lobby.teams]


def play(teams: list[list[Player]], places: list[int], at: float = 0) -> None:
    ranks = {place: sum(other < place for other in places) + 1 for place in places}
    keys = [[player.key for player in team] for team in teams]
    record(*keys, mode="arena", places=[ranks[place] for place in places], ended_at=later(at), now=later(at))


def stakes_of(lobby: Lobby, player: Player) -> dict:
    return as_player("GET", f"lobbies/{lobby.pk}/", player).body["you"]["stakes"]


def ranked(standing: dict | None) -> tuple | None:
    return standing and (standing["rank"], standing["percentile"], standing["listed"])


def stored(player: Player, moment: str) -> tuple | None:
    part = Participation.objects.filter(player=player).latest("match_id")
    values = tuple(getattr(part, f"{name}_{moment}") for name in ("rank", "percentile", "listed"))
    return None if values[0] is None else values


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_match_of_two_teams_gives_the_rank_that_was_at_stake(system):
    told, done = {}, {}
    for seed in range(3):
        with rolled_back():
            size = largest_team(system, 2)
            lobby, teams = lobby_of(2, size, system, random.Random(seed))
            for viewer in [player for team in teams for player in team][:2]:
                own = next(index for index, team in enumerate(teams) if viewer in team)
                standings = stakes_of(lobby, viewer)["standings"]
                for outcome, places in {"win": [1, 2], "draw": [1, 1], "loss": [2, 1]}.items():
                    row = seed, viewer.key, outcome
                    told[row] = ranked(standings["now"]), ranked(standings[outcome])
                    with rolled_back():
                        play(teams, places if own == 0 else places[::-1], 60)
                        done[row] = stored(viewer, "before"), stored(viewer, "after")
    assert told == done
    assert any(before != after for before, after in told.values() if before and after)


@pytest.mark.parametrize("system", ["elo", "trueskill", "weng-lin"])
def test_a_match_of_eight_gives_the_rank_that_was_at_stake(system):
    lobby, teams = lobby_of(8, 1, system, random.Random(4))
    rating = dict(Rating.objects.values_list("player", "mu"))
    told, done = {}, {}
    for [viewer] in teams[:3]:
        others = sorted((team for team in teams if viewer not in team), key=lambda team: -(rating[team[0].pk] or 0))
        for staked in stakes_of(lobby, viewer)["places"]:
            row = viewer.key, staked["place"]
            told[row] = ranked(staked["standing"])
            order = [*others[: staked["place"] - 1], [viewer], *others[staked["place"] - 1 :]]
            with rolled_back():
                play(order, list(range(1, 9)), 60)
                done[row] = stored(viewer, "after")
    assert told == done
    assert (len(told), len(set(told.values())) > 3) == (24, True)


def test_who_is_in_placement_has_no_rank_until_the_match_that_places_them():
    told = {}
    for needed in (3, 4):
        with rolled_back():
            queue = make_queue("arena", rematches="any", rematch_after=0, mode={"placement_matches": needed})
            a, b = make_player("a"), make_player("b")
            play([[a], [b]], [1, 2])
            play([[a], [b]], [1, 2])
            publish(queue.mode, now=NOW)
            for player in (a, b):
                queue_up(queue, player, width=100)
            [lobby] = form(queue)
            you = as_player("GET", f"lobbies/{accept_all(lobby).pk}/", a).body["you"]
            standings = you["stakes"]["standings"]
            told[needed] = you["absence"], standings["now"], ranked(standings["win"])
    assert told == {3: ("2 of 3 placement matches", None, (1, 100, 2)), 4: ("2 of 4 placement matches", None, None)}


def test_the_page_tells_ranks_and_tiers_to_the_viewer(client: Client, django_user_model):
    lobby, [[player], _] = lobby_of(2, 1, "elo", random.Random(1), placement_matches=1)
    user = django_user_model.objects.create_user("me")
    Player.objects.filter(pk=player.pk).update(user=user)
    client.force_login(user)
    standings = stakes_of(lobby, player)["standings"]
    page = client.get(f"/lobbies/{lobby.pk}/").content.decode()
    now, won, lost = (standings[name] for name in ("now", "win", "loss"))
    assert now["rank"] != won["rank"] or now["rank"] != lost["rank"]
    for after in (won, lost):
        move = f"#{now['rank']} → #{after['rank']}" if after["rank"] != now["rank"] else f"#{now['rank']}"
        assert move in page
        if after["tier"] != now["tier"]:
            assert f"{now['tier']} → {after['tier']}" in page
