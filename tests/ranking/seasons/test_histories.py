"""Random histories with many seasons: rating them anew gives what was lived, and archives never change."""

import datetime as dt
import os
import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as st

from ranking.matches.forfeits import record_forfeit
from ranking.matches.recording import record_results
from ranking.models import Change, Forfeit, Match, Merge, Player, Rating, Season, Seed, Snapshot
from ranking.moderation.merges import MergeRefused, merge_players
from ranking.moderation.restoring import RestoreRefused
from ranking.moderation.splits import split_players
from ranking.moderation.voids import restore, void
from ranking.modes.parameters import current_parameters, system_of
from ranking.rerating.reratings import request_rerating, rerate
from ranking.seasons.dates import EndRequest, request_end
from ranking.seasons.ending import end_season
from ranking.seasons.strikes import lift_strikes, strike_ratings, struck_among
from ranking.seasons.taking_back import plan_taking_back, take_back_end
from ranking.seeds.withdrawing import withdraw_seeds
from ranking.standings.publishing import publish
from ranking.systems.base import HARD, KEEP, SOFT, Refused, ResetRule
from ranking.systems.registry import SYSTEMS
from tests.ranking.seasons.test_history import bring_someone, check_history, check_rated_anew
from tests.support.examples import examples
from tests.support.factories import NOW, make_mode, make_source
from tests.support.replay import alike
from tests.support.reports import results
from tests.support.reratings import rate_anew
from tests.support.savepoints import rolled_back
from tests.support.seasons import HALF, end, season_of
from tests.support.systems import largest_team

pytestmark = pytest.mark.django_db

HISTORIES = int(os.environ.get("HISTORIES") or 2)  # a system, in a long run
HOUR, MINUTE = dt.timedelta(hours=1), dt.timedelta(minutes=1)
RULES = [ResetRule(KEEP), ResetRule(HARD), HALF, ResetRule(SOFT, 0.8), ResetRule(SOFT, 0.0)]


class History:
    """A mode as it is lived: each act is as likely as its number in ACTS says, after each result."""

    ACTS = (
        ("drop_out", 0.3), ("void_or_restore", 0.4), ("merge", 0.12), ("split", 0.06), ("publish", 0.2),
        ("request_chronological", 0.08), ("request", 0.05), ("close", 0.12), ("rerate", 0.5), ("seed", 0.25),
        ("withdraw_seed", 0.1), ("strike_or_lift", 0.2), ("end", 0.22), ("take_back", 0.15),
    )  # fmt: skip

    def __init__(self, system: str, largest: int, seed: int) -> None:
        self.rng, self.largest, self.now, self.acts = random.Random(seed), largest, NOW, self.ACTS
        self.mode = make_mode(system=system, team_size_max=largest, late_results=600)
        self.source = make_source()
        self.done: Counter[str] = Counter()
        self.archives: dict[tuple[str, int, str], object] = {}

    def live(self, reports):
        for report in reports:
            self.record(report)
            for act, chance in self.acts:
                if self.rng.random() < chance:
                    getattr(self, act)()
                    self.done[act] += 1
                    assert differences(self.archives, self.mode) == {}, act
        if season_of(self.mode).state == Season.CLOSING:
            self.end()
        rerate(self.mode)

    def record(self, report):
        """A result of now; or a late one, or one of just before the end of a season that closes."""
        late = self.rng.random()
        if late >= 0.2:
            report = replace(report, ended_at=report.ended_at + (self.now - NOW))
        elif late < 0.1:
            report = replace(report, ended_at=self.now - MINUTE)
        keys = [player.id for team in report.teams for player in team.players]
        merged = Player.objects.filter(key__in=keys, merged_into__isnull=False)
        owners = list(merged.values_list("merged_into__key", flat=True))
        if not set(owners) & set(keys) and len(set(owners)) == len(owners):  # nobody plays against themselves
            record_results([report], source=self.source, now=self.now)

    def members(self):
        return list(Player.objects.filter(merged_into=None).order_by("pk"))

    def drop_out(self):
        members = self.members()
        self.rng.shuffle(members)
        half = self.rng.randint(1, min(self.largest, len(members) // 2))
        teams = [members[:half], members[half : 2 * half]]
        dropper = self.rng.choice(teams[0] + teams[1])
        lobby = f"lobby-{Forfeit.objects.count()}"
        record_forfeit(self.mode, lobby=lobby, teams=teams, player=dropper, reason="left", now=self.now)

    def void_or_restore(self):
        facts = [*Match.objects.filter(mode=self.mode), *Forfeit.objects.filter(mode=self.mode)]
        if facts:
            fact = self.rng.choice(facts)
            change = restore if fact.voids.filter(lifted_at=None).exists() else void
            try:
                change([fact], by=None, reason="test", now=self.now)
            except RestoreRefused:  # two who met in it became one player since
                self.done["restore refused"] += 1

    def merge(self):
        members = self.members()
        try:
            merge_players(*self.rng.sample(members, 2), by=None, reason="test", now=self.now)
        except MergeRefused:
            self.done["merge refused"] += 1

    def split(self):
        merges = list(Merge.objects.filter(lifted_at=None))
        try:
            for merge in merges[-1:]:
                split_players(merge, by=None, reason="test", now=self.now)
        except MergeRefused:
            self.done["split refused"] += 1

    def publish(self):
        publish(self.mode, now=self.now)

    def request_chronological(self):
        request_rerating(self.mode, reason="test", now=self.now, chronological=True)

    def request(self):
        request_rerating(self.mode, reason="test", now=self.now)

    def rerate(self):
        rerate(self.mode)

    def close(self):
        """The season's end has come; late results are waited for."""
        self.now += HOUR
        if season_of(self.mode).state == Season.RUNNING:
            request_end(self.mode, EndRequest(self.rng.choice(RULES)), by=None, reason="test", now=self.now)
            self.now += MINUTE

    def seed(self):
        """Ratings brought along by players known and unknown, some of them placed at once."""
        try:
            bring_someone(self.mode, self.rng, self.now)
        except Refused:
            self.done["seed refused"] += 1

    def withdraw_seed(self):
        keys = list(
            Seed.objects.filter(season=season_of(self.mode)).order_by("pk").values_list("player__key", flat=True)
        )
        keys = [self.rng.choice(keys)] if keys else []
        try:
            list(withdraw_seeds(self.mode, keys, by=None, reason="test", now=self.now))
        except Refused:
            self.done["withdraw_seed refused"] += 1

    def strike_or_lift(self):
        ratings = list(Rating.objects.filter(mode=self.mode, season__current=False).order_by("pk"))
        if ratings:
            rating = self.rng.choice(ratings)
            change = lift_strikes if struck_among([rating.pk]) else strike_ratings
            change([rating.pk], by=None, reason="test", now=self.now)

    def take_back(self):
        plan = plan_taking_back(self.mode)
        if plan.objection:
            self.done["take_back refused"] += 1
            return
        for key in archived(Season.objects.filter(pk=plan.season.pk)):
            self.archives.pop(key, None)
        take_back_end(self.mode, by=None, reason="test", now=self.now)

    def end(self):
        rerate(self.mode)
        if season_of(self.mode).state == Season.CLOSING:
            assert end_season(self.mode) is not None
        else:
            self.now += HOUR
            end(self.mode, at=self.now, reset=self.rng.choice(RULES))
        self.archives = archives_of(self.mode)


def archives_of(mode):
    """Everything that a mode's archived seasons keep, value by value."""
    return archived(Season.objects.filter(mode=mode, current=False))


def archived(seasons):
    return {
        (table, row["id"], name): bytes(value) if name == "table" else value
        for table, rows in zip(("season", "rating", "snapshot"), rows_of(seasons), strict=True)
        for row in rows
        for name, value in row.items()
        if name != "event_id"  # the end's place in history, which moves with all others
    }


def rows_of(seasons):
    ratings, finals = Rating.objects.filter(season__in=seasons), Snapshot.objects.filter(season__in=seasons, final=True)
    return seasons.values(), ratings.values(), finals.values()


def differences(archives, mode):
    """What has changed in these archives since."""
    now = archives_of(mode)
    return {key: (value, now.get(key)) for key, value in archives.items() if now.get(key) != value}


def check_first_rows(mode):
    """A player enters a season once: by a reset if they have a row in an earlier one, else as a newcomer.

    They bring along one rating in a season at most. A match comes before it only if it was void then, or somebody
    else's before a merge.
    """
    system = system_of(current_parameters(mode))
    newcomer = system.to_state(system.newcomer())
    known: dict[int, int] = {}
    seeded: set[tuple[int, int]] = set()  # season and player
    rows = Change.objects.live().filter(mode=mode).select_related("season").order_by("season__number", "event", "pk")
    for row in rows:
        entered = known.get(row.player_id)
        assert (row.kind == Change.RESET) == (entered is not None and entered < row.season.number)
        if entered is None:
            assert alike(row.before, newcomer)
        if row.kind == Change.SEED:
            assert (row.season.number, row.player_id) not in seeded
            seeded.add((row.season.number, row.player_id))
        known[row.player_id] = row.season.number


@pytest.mark.parametrize("system", sorted(SYSTEMS))
@examples(
    HISTORIES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], phases=[Phase.generate]
)
@given(st.data(), st.integers(0, 2**32))
def test_many_seasons_are_rated_anew_as_they_were_lived(system, data, seed):
    largest = largest_team(system, 3)
    sent = data.draw(st.lists(results(largest), min_size=3, max_size=40))
    with rolled_back():
        history = History(system, largest, seed)
        history.live(sent)
        check(history)
        rate_anew(history.mode, chronological=True)
        check(history)


def check(history):
    check_history(
        history.mode,
        {pk: value for (table, pk, name), value in history.archives.items() if (table, name) == ("season", "checksum")},
    )
    check_first_rows(history.mode)
    check_rated_anew(history.mode)
    assert differences(history.archives, history.mode) == {}
