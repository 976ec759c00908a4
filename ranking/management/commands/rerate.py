"""`manage.py rerate MODE [--since SEQUENCE] [--chronological] [--staying]`: computes ratings anew from facts."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from ranking.models import Mode, Rerating
from ranking.modes.parameters import staying_for_all
from ranking.operations.audit import COMMAND, NOBODY, acting_through
from ranking.operations.progress import progress_bar
from ranking.rerating.lease import LeaseLost
from ranking.rerating.reratings import rate_anew, rerate
from ranking.systems.base import Refused

_MOST = 2**63 - 1  # of a sequence, which the database keeps in 64 bits


class Command(BaseCommand):
    help = (
        "Compute a mode's ratings anew from its facts, in the order of their sequence, while the site goes on."
        " Stopped at any point, it is taken up by the jobs, or by this command started again."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("mode", metavar="MODE")
        parser.add_argument("--since", type=int, metavar="SEQUENCE", help="leave alone what came before this event")
        parser.add_argument(
            "--chronological", action="store_true",
            help="by the time of the matches: late ones get a new place, which the audit log tells",
        )  # fmt: skip
        parser.add_argument(
            "--staying", action="store_true",
            help="staying is always better in the whole history, which is rated by the parameters in force now",
        )  # fmt: skip
        parser.add_argument("--reason", default="manage.py rerate", help="for the record")

    def handle(
        self, *, mode: str, since: int | None, chronological: bool, staying: bool, reason: str, **options: object
    ) -> None:
        if since is not None and not 1 <= since <= _MOST:
            raise CommandError("--since is the sequence of an event: a whole number from 1 to 2**63 - 1.", returncode=2)
        row = Mode.objects.filter(slug=mode).first()
        if row is None:
            raise CommandError(f"There is no mode {mode!r}.", returncode=2)
        if staying and since:
            raise CommandError("--staying rates the whole history: leave out --since.", returncode=2)
        try:
            system = staying_for_all(row) if staying else {}
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        now = timezone.now()
        with acting_through(NOBODY[COMMAND]):
            rate_anew(row, since=since, chronological=chronological, reason=reason, by=None, now=now, **system)
        done = _finish(row)
        how = ", in the order of time" if done.sorts else ""
        self.stdout.write(f"{done.done:,} matches of {mode} rated anew{how}.")


def _finish(mode: Mode) -> Rerating:
    """Rate the mode anew, with a bar of progress; raises CommandError."""
    with progress_bar(unit="matches") as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        try:
            done = rerate(mode, progress=progress)
        except LeaseLost as lost:
            raise CommandError(str(lost)) from lost
    if done is None:
        running = Rerating.objects.filter(mode=mode, state=Rerating.RUNNING).first()
        doing = Rerating.DOING[Rerating.RERATING] if running is None else running.doing
        raise CommandError(f"{mode.slug} is {doing} in another process; what you asked for comes next.")
    if done.error:
        raise CommandError(done.error)
    return done
