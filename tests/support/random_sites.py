"""A random history of a whole site: three modes, two seasons, and players of every kind that pages tell apart.

All of it is one seed's. Matches end within fifty days before NOW; boards are published at NOW, and the last matches
come after that.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.contrib.auth.models import User

from leaderboards.people.following import follow_player
from ranking.matches.forfeits import record_forfeit
from ranking.matches.recording import record_results
from ranking.models import Ban, Match, Mode, Player
from ranking.moderation.merges import MergeRefused, merge_players
from ranking.moderation.voids import restore, void
from ranking.rerating.reratings import rerate
from ranking.rules.report import PlayerReport, Report, TeamReport
from ranking.standings.publishing import publish
from ranking.systems.base import HARD, KEEP, SOFT, ResetRule
from tests.support.factories import LATER, NOW, ban_player, hide_player, make_mode, make_source
from tests.support.ledger_reading import Ledger, read_ledger
from tests.support.seasons import bring_along, end

DAY, HOUR, SECOND = dt.timedelta(days=1), dt.timedelta(hours=1), dt.timedelta(seconds=1)
BEGAN, ENDED = NOW - 50 * DAY, NOW - 20 * DAY
REGULARS = [f"regular-{number:02}" for number in range(12)]
NEWCOMERS = ["newcomer-1", "newcomer-2", "newcomer-3"]  # in placement to the end
PLAYER, NEWCOMER = "regular-00", "newcomer-1"  # who log in
SPECIAL = [PLAYER, NEWCOMER, "regular-01", "regular-02", "regular-03"]  # the last three: see _moderate
CROWD = 55  # players of the duel who brought ratings along and never play: more than a page of the board
MAPS, REGIONS = ("Harbour", "Cellar", ""), ("eu", "us")
SYSTEMS = {"duel": ["glicko-2", "battle-points"], "teams": ["team-ratio", "two-layer"], "field": ["weng-lin", "elo"]}
RULES = [ResetRule(KEEP), ResetRule(SOFT, 0.5), ResetRule(HARD)]
DURATION = 600.0


@dataclass
class RandomSite:
    """`published`: the ledger when the mode's board was published last; `yesterday`: last before today began;
    `archived`: when its first season ended. All by the mode's slug.
    """

    seed: int
    size: int
    rng: random.Random = field(init=False)
    published: dict[str, Ledger] = field(default_factory=dict)
    yesterday: dict[str, Ledger] = field(default_factory=dict)
    archived: dict[str, Ledger] = field(default_factory=dict)
    moderator: User = field(init=False)

    def live(self) -> None:
        self.rng = random.Random(self.seed)
        self.systems = {slug: self.rng.choice(systems) for slug, systems in SYSTEMS.items()}
        self.modes = {
            "duel": self._mode("duel", team_size_max=1),
            "teams": self._mode("teams", team_size_max=3),
            "field": self._mode("field", team_size_max=1, team_count=7, team_count_min=3, tier_least_listed=200),
        }
        self.number = 0
        self._bring_along("duel", BEGAN, [f"veteran-{number}" for number in range(3)])
        self._play(BEGAN + DAY, ENDED - DAY)
        veteran = get_player("veteran-0")  # inactive and banned when the season ends; neither is known later
        ban_player(veteran, scope=Ban.BOARDS, by=None, reason="A test.", now=ENDED - HOUR, ends_at=ENDED + HOUR)
        for slug in ("duel", "teams"):
            end(self.modes[slug], at=ENDED, reset=self.rng.choice(RULES), archived_at=ENDED)
            self.archived[slug] = read_ledger(ENDED)
        self._bring_along("duel", ENDED + HOUR, [f"crowd-{number:02}" for number in range(CROWD)])
        self._bring_along("teams", ENDED + HOUR, [NEWCOMERS[2]], placed=False)
        self._play(ENDED + DAY, NOW - DAY)
        self._moderate(NOW - 12 * HOUR)
        self._meet_newcomers(NOW - 6 * HOUR)
        self._publish(NOW)
        for slug in self.modes:
            self._record(slug, NOW + SECOND, self._sides(slug))
        self._log_in()

    def _mode(self, slug: str, **settings: int) -> Mode:
        placement = {"placement_matches": self.rng.randint(2, 4), "placement_after_reset": self.rng.randint(0, 2)}
        days = self.rng.choice([7, 30])
        return make_mode(
            slug, self.systems[slug], now=BEGAN, activity_days=days, activity_matches=1, **placement, **settings
        )

    def _bring_along(self, slug: str, now: dt.datetime, keys: Sequence[str], *, placed: bool = True) -> None:
        lines = [
            f"{key},,{self.rng.randint(1_400, 1_440) / self._scale(slug):g},,{self.rng.randint(1, 90)}" for key in keys
        ]
        bring_along(self.modes[slug], "\n".join(lines) + "\n", now=now, placed=placed)

    def _scale(self, slug: str) -> int:
        return 100 if self.systems[slug] == "team-ratio" else 1

    def _play(self, begin: dt.datetime, until: dt.datetime) -> None:
        """Matches of all modes, evenly spread, with whatever else happens between them."""
        count = 3 * self.size
        for number in range(count):
            slug, now = ("duel", "teams", "field")[number % 3], begin + (until - begin) * number / count
            self._record(slug, now, self._sides(slug))
            for act, chance in ((self._void_or_restore, 0.1), (self._drop_out, 0.06), (self._merge, 0.03)):
                if self.rng.random() < chance:
                    act(slug, now)
                    rerate(self.modes[slug])
            if self.rng.random() < 0.3:
                self._publish(now)

    def _publish(self, now: dt.datetime) -> None:
        for slug, mode in self.modes.items():
            rerate(mode)
            assert publish(mode, now=now) is not None
            self.published[slug] = read_ledger(now)
            if now < LATER.replace(hour=0, minute=0):
                self.yesterday[slug] = self.published[slug]

    def _sides(self, slug: str) -> list[list[PlayerReport]]:
        """Rosters of who plays: some leave, some come late."""
        rng = self.rng
        count, size = {"duel": (2, 1), "teams": (2, rng.randint(1, 3)), "field": (rng.randint(3, 7), 1)}[slug]
        weights = [3 if number < 4 else 1 for number in range(len(REGULARS))]  # a few play a lot
        keys = list(dict.fromkeys(rng.choices(REGULARS, weights, k=200)))[: count * size]
        return [[self._part(key, slug) for key in keys[side::count]] for side in range(count)]

    def _part(self, key: str, slug: str) -> PlayerReport:
        stats = {"score": float(self.rng.randint(0, 30)), "kills": float(self.rng.randint(0, 9))}
        chance = self.rng.random()
        if chance < 0.18:
            return PlayerReport(id=key, left_early=True, seconds=float(self.rng.randint(1, 500)), stats=stats)
        late = float(self.rng.randint(460, 590)) if chance < 0.26 and slug == "teams" else None
        seconds = DURATION if late is None else DURATION - late
        return PlayerReport(id=key, seconds=seconds, joined_at=late, stats=stats)

    def _record(self, slug: str, now: dt.datetime, sides: Sequence[Sequence[PlayerReport]], **more: object) -> None:
        rng = self.rng
        scores = [float(rng.randint(0, 4)) for _ in sides]
        places = [1 + sum(other > score for other in scores) for score in scores]
        self.number += 1
        kind = rng.random()
        more = more or (
            {"unrated": True} if kind < 0.04 else {"no_contest": "The server broke."} if kind < 0.08 else {}
        )
        report = Report(
            id=f"{slug}-{self.number}", mode=slug, ended_at=now, duration=DURATION, variant=rng.choice(MAPS),
            region=rng.choice(REGIONS),
            teams=tuple(TeamReport(tuple(side), score=score, place=place)
                        for side, score, place in zip(sides, scores, places, strict=True)),
            **more,
        )  # fmt: skip
        owners = [owner.key for owner in map(owner_of, (part.id for side in sides for part in side)) if owner]
        if len(set(owners)) < len(owners):
            return  # two of them are one player by now
        [recorded] = record_results([report], source=make_source(), now=now)
        assert recorded.error is None, recorded.error

    def _void_or_restore(self, slug: str, now: dt.datetime) -> None:
        """Of the season that runs: what is archived stays as it is, whatever the ledger says later."""
        matches = list(Match.objects.filter(mode=self.modes[slug], season__current=True).order_by("pk"))
        if matches:
            match = self.rng.choice(matches)
            change = restore if match.voids.filter(lifted_at=None).exists() else void
            change([match], by=None, reason="A mistake.", now=now)

    def _drop_out(self, slug: str, now: dt.datetime) -> None:
        count = {"duel": 2, "teams": 2, "field": 4}[slug]
        known = list(Player.objects.filter(key__in=REGULARS, merged_into=None).order_by("pk"))
        if len(known) >= count:
            players = self.rng.sample(known, count)
            record_forfeit(self.modes[slug], lobby=f"lobby-{slug}-{now:%d%H%M}", teams=[[player] for player in players],
                           player=players[0], reason="They left.", now=now)  # fmt: skip

    def _merge(self, slug: str, now: dt.datetime) -> None:
        """Two of the players who play least become one."""
        known = list(Player.objects.filter(key__in=REGULARS[8:], merged_into=None).order_by("pk"))
        if len(known) > 2:
            kept, merged = self.rng.sample(known, 2)
            try:
                merge_players(kept, merged, by=None, reason="One person.", now=now)
            except MergeRefused:
                return
            for mode in self.modes.values():
                rerate(mode)

    def _moderate(self, now: dt.datetime) -> None:
        hidden, banned, private = (get_player(key) for key in ("regular-01", "regular-02", "regular-03"))
        hide_player(hidden, now=now)
        ban_player(banned, scope=Ban.BOARDS, by=None, reason="A test.", now=now)
        Player.objects.filter(pk=private.pk).update(hides_matches=True)

    def _meet_newcomers(self, now: dt.datetime) -> None:
        """Each plays once, so that they are in placement; two of them against each other."""
        first, second, third = ([PlayerReport(id=key, seconds=DURATION)] for key in NEWCOMERS)
        regular, private = ([PlayerReport(id=key, seconds=DURATION)] for key in (PLAYER, "regular-03"))
        self._record("duel", now, [first, regular], unrated=False)
        self._record("duel", now, [second, third], unrated=False)
        self._record("teams", now, [[*first, *second], [*regular, *private]], unrated=False)
        self._record("field", now, [first, regular, private, second], unrated=False)

    def _log_in(self) -> None:
        self.moderator = User.objects.create_superuser("moderator")
        for key in (PLAYER, NEWCOMER):
            player = get_player(key)
            player.user = User.objects.create_user(key)
            player.save(update_fields=["user"])
            for other in ("regular-01", "regular-03", "regular-04", "regular-05", "newcomer-2", "crowd-01"):
                followed = owner_of(other)
                if followed is not None and followed != player:
                    follow_player(player, followed, now=NOW)


def owner_of(key: str) -> Player | None:
    player = Player.objects.select_related("merged_into").filter(key=key).first()
    return None if player is None else player.owner


def get_player(key: str) -> Player:
    player = owner_of(key)
    assert player is not None, key
    return player
