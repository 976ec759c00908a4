"""`manage.py demo`: two seeded seasons in a new database, played through the domain functions."""

import datetime as dt
import random
from argparse import ArgumentParser
from collections.abc import Iterator

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from config.management import demo
from config.processes.supervision import exit_with_supervisor
from config.storage.upgrades import BEHIND, is_behind
from leaderboards.announcing import tell_standings
from leaderboards.models import Notice
from leaderboards.notifications.season_news import announce_seasons
from leaderboards.people.following import follow_player
from matchmaking.models import Queue
from matchmaking.server_failures import note_failed_start
from matchmaking.servers import register_server
from ranking.database.locks import Turns
from ranking.matches.recording import record_results
from ranking.models import Mode, Player, Season, Snapshot, Source
from ranking.modes.parameters import create_mode
from ranking.operations.outbox import sweep
from ranking.operations.progress import progress_bar
from ranking.rules.report import Report
from ranking.seasons.ending import end_season
from ranking.standings.publishing import publish

PASSWORD = "rungs-demo"  # noqa: S105 - printed, and for a database that only this machine can reach
ADMIN, PLAYER = "admin", "gridfox"
FINISHED = "demo"  # the slug of the demo's source
UNREAD = 3  # of what the demo's player was told


class Command(BaseCommand):
    help = "Fill a new database with two demo seasons. Only on the embedded profile; never touches a database in use."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--if-new", action="store_true", help="do nothing where the database is in use")
        parser.add_argument("--seed", type=int, default=7)

    def handle(self, *, if_new: bool, seed: int, **options: object) -> None:
        if settings.SCALED:
            raise CommandError("The demo's logins are public; it runs on the embedded profile only.")
        if is_behind(connection):
            raise CommandError(BEHIND)
        exit_with_supervisor()
        is_demo = Source.objects.filter(slug=FINISHED).exists()
        begun = Source.objects.filter(slug=unfinished(seed)).first()
        if not is_demo and begun is None and Mode.objects.exists():
            if not if_new:
                raise CommandError("This database is in use; the demo wants a new one.")
            return
        if not get_user_model().objects.exists():
            make_logins(timezone.now())
        if not is_demo:
            self._say("Playing the demo seasons; boards, queues and profiles fill meanwhile.")
            self._play(seed, begun or begin_seasons(seed, whole_minute(timezone.now())))
            self._say("The demo seasons are played.")
        self._say(f"Demo logins: {PLAYER} (a player) and {ADMIN} (the admin); password {PASSWORD}")

    def _say(self, sentence: str) -> None:
        self.stdout.write(sentence)
        self.stdout.flush()

    def _play(self, seed: int, source: Source) -> None:
        rng = random.Random(seed)  # noqa: S311 - for looks
        now = source.created_at + dt.timedelta(days=demo.DAYS)
        reports = demo.seasons(demo.population(rng), rng, now)
        with progress_bar(total=len(reports), desc="Playing demo seasons", unit="matches") as bar:
            for played in record_seasons(reports, source, now):
                bar.update(played)
        finish_seasons(source, now)


def whole_minute(moment: dt.datetime) -> dt.datetime:
    """The minute that a moment lies in: seasons end at whole minutes."""
    return moment.replace(second=0, microsecond=0)


def unfinished(seed: int) -> str:
    """The slug of the demo's source while its seasons are being played."""
    return f"{FINISHED}-{seed}-unfinished"


@transaction.atomic
def begin_seasons(seed: int, now: dt.datetime) -> Source:
    """Make the modes, and the source of the results; it was created when the first seasons begin."""
    begin = now - dt.timedelta(days=demo.DAYS)
    make_modes(begin)
    return Source.objects.create(slug=unfinished(seed), created_at=begin)


def record_seasons(reports: list[Report], source: Source, now: dt.datetime) -> Iterator[int]:
    """Record results, publish boards and end seasons, day by day; yield how many results each publication follows.

    If the seasons were broken off, go on with them: results that are recorded stay as they are, and so does what was
    published.
    """
    modes = demo_modes()
    published = Snapshot.objects.filter(mode=modes[-1]).aggregate(latest=Max("taken_at"))["latest"]
    turns = Turns()
    for until, batch in by_publication(reports, source.created_at, now):
        end_seasons(until)
        record_results(batch, source=source, now=until)
        if published is None or until > published:
            sweep(until)
            for mode in modes:
                publish(mode, now=until)
                if mode.ranked:
                    tell_standings(mode, until)
            announce_seasons(until)
        turns.pause()
        yield len(batch)


def end_seasons(now: dt.datetime) -> None:
    """End the seasons that have come to their end, each at the moment when its late results have been waited for."""
    for season in Season.objects.filter(current=True, ends_at__lt=now).select_related("mode").order_by("mode"):
        assert season.ends_at is not None  # noqa: S101 - by the filter
        end_season(season.mode, at=season.ends_at + dt.timedelta(seconds=season.mode.late_results))


@transaction.atomic
def finish_seasons(source: Source, now: dt.datetime) -> None:
    """Open queues, add a server, follow some players, leave a few notices unread; from then on the demo is made."""
    open_queues(demo_modes())
    add_failing_server(source, now)
    follow_some(Player.objects.get(key="demo-player"))
    unread = list(Notice.objects.order_by("-id").values_list("pk", flat=True)[:UNREAD])
    Notice.objects.exclude(pk__in=unread).update(read_at=now)
    Source.objects.filter(pk=source.pk).update(slug=FINISHED)


@transaction.atomic
def make_logins(now: dt.datetime) -> None:
    users = get_user_model().objects
    users.create_superuser(ADMIN, password=PASSWORD)
    Player.objects.get_or_create(
        key="demo-player", defaults={"name": "GridFox", "search_name": "gridfox", "created_at": now}
    )
    Player.objects.filter(key="demo-player").update(user=users.create_user(PLAYER, password=PASSWORD))


def follow_some(player: Player) -> None:
    """A few of everybody, some of whom have stopped playing."""
    for other in Player.objects.exclude(pk=player.pk).order_by("id")[:96:8]:
        follow_player(player, other, now=timezone.now())


def open_queues(modes: list[Mode]) -> None:
    """Every mode may be queued for; maps are those that the seasons were played on."""
    maps = {demo.RACE: [], **{play.mode: list(play.variants) for play in demo.PLAYS}}
    for mode in modes:
        Queue.objects.get_or_create(mode=mode, defaults={"variants": maps[mode.slug]})


def add_failing_server(source: Source, now: dt.datetime) -> None:
    """A server whose last starts failed, and that has been silent for long enough that no queue waits for it."""
    heard_at = now - dt.timedelta(minutes=30)
    server = register_server(
        source, name="eu-west-3", region="eu-west", address="203.0.113.3:7000", capacity=4,
        modes=[Mode.objects.get(slug=demo.RACE)], now=heard_at,
    )  # fmt: skip
    for minutes in (15, 12, 8, 0):  # after each rest
        note_failed_start(server.pk, heard_at - dt.timedelta(minutes=minutes))


def make_modes(now: dt.datetime) -> list[Mode]:
    """Two team sizes, a free-for-all, one for fun, and a race; the seasons of most ranked ones end by a schedule."""
    ends = "on " + ", ".join(f"{end:%Y-%m-%d at %H:%M}" for end in demo.season_ends(now))
    return [
        create_mode(
            slug="control-6v6", name="Control 6v6", system="team-ratio", team_size_min=6, team_size_max=6, now=now,
            schedule=ends, description="Two teams of six hold three points.",
        ),
        create_mode(
            slug="duel", name="Duel", system="margin", placement_matches=5, now=now, schedule=ends,
            description="One against one, first to fifteen. A high win is worth more than a narrow one.",
        ),
        create_mode(
            slug="free-for-all", name="Free-for-all", system="elo", team_count=8, placement_matches=5, now=now,
            schedule=ends, description="Eight players, everyone for themselves.",
        ),
        create_mode(
            slug="casual", name="Casual", system="team-ratio", team_size_min=4, team_size_max=4, ranked=False, now=now,
            description="Four against four, for fun.",
        ),
        create_mode(
            slug=demo.RACE, name="Sprint", system="weng-lin", team_count=demo.MOST_RACERS,
            team_count_min=demo.FEWEST_RACERS, least_is_best=True, placement_matches=3, now=now,
            description="Three to twelve race over one lap. The shortest time wins.",
        ),
    ]  # fmt: skip


def demo_modes() -> list[Mode]:
    return list(Mode.objects.filter(slug__in=demo.MODES).order_by("id"))


def by_publication(
    reports: list[Report], begin: dt.datetime, now: dt.datetime
) -> list[tuple[dt.datetime, list[Report]]]:
    """Results by when boards were next published: daily, on the last day every three hours."""
    moments = [begin + dt.timedelta(days=day) for day in range(1, demo.DAYS)]
    moments += [now - dt.timedelta(hours=hours) for hours in range(21, -1, -3)]
    batches = []
    for since, until in zip([begin - dt.timedelta(days=1), *moments], moments, strict=False):
        batches.append((until, [report for report in reports if since < report.ended_at <= until]))
    return batches
