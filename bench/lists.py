"""The admin's lists at a million incidents, matches and lines of the audit log: `python -m bench.lists`.

Every filter and order, by itself and together with others. A page is a whole response, without the network. The
incidents are those of `bench.leavers`, and 10,000 leaves of matches.
"""

import os
import secrets
import sys
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from bench import leavers
from bench.boards import page
from bench.measuring import Row, side_by_side
from ranking.models import Incident, Player, Source

ROWS, DAYS, SERVERS = 1_000_000, 365, 200
ROUNDS = 7
BOUND = 0.5  # seconds

_MATCHES = """
INSERT INTO ranking_match (source_id, external_id, digest, mode_id, ended_at, variant, server, region, lobby, teams,
  received_at, late)
SELECT %(source)s, 'm' || n, repeat('x', 64), %(mode)s, %(now)s - n * %(days)s * interval '1 day' / %(rows)s,
  'variant ' || n %% 20, 'server ' || n %% %(servers)s, '', '', '[]', %(now)s, false
FROM generate_series(1, %(rows)s) AS n
"""
_LEAVES = """
INSERT INTO ranking_incident (player_id, kind, occasion, happened_at, mode_id, match_id)
SELECT %(player)s - id %% %(players)s, 'leave', 'match ' || id, ended_at, mode_id, id FROM ranking_match
WHERE source_id = %(source)s AND id %% 101 = 0
"""
_AUDIT = """
INSERT INTO ranking_auditentry (at, who, act, subject, reason, player_id)
SELECT %(now)s - n * %(days)s * interval '1 day' / %(rows)s, 'moderator ' || n %% 40,
  CASE WHEN n %% 5000 = 0 THEN 'merge' ELSE 'pardon' END, 'incident ' || n, 'x', %(player)s - n %% %(players)s
FROM generate_series(1, %(rows)s) AS n
"""
_BANS = """
INSERT INTO ranking_ban (player_id, scope, reason, by_id, starts_at, ends_at, lift_reason)
SELECT %(player)s - n * 7 %% %(players)s, 'queue', 'x', %(by)s, %(now)s - n * interval '1 minute',
  %(now)s - n * interval '1 minute' + interval '30 days', ''
FROM generate_series(1, %(players)s) AS n
"""


def fill(by: User) -> None:
    """A million matches and lines of the audit log; 100,000 bans, of which those of the last 30 days run."""
    if not Incident.objects.exists():
        leavers.fill()
    now, mode = timezone.now(), Incident.objects.latest("pk").mode_id
    source = Source.objects.create(slug=f"lists-{now:%H%M%S}", created_at=now)
    values: dict[str, Any] = {
        "source": source.pk, "mode": mode, "now": now, "days": DAYS, "rows": ROWS, "servers": SERVERS,
        "player": Player.objects.latest("pk").pk, "players": leavers.PLAYERS, "by": by.pk,
    }  # fmt: skip
    with connection.cursor() as cursor:
        for statement in (_MATCHES, _LEAVES, _AUDIT, _BANS):
            cursor.execute(statement, values)
        cursor.execute("VACUUM ANALYZE ranking_match, ranking_incident, ranking_auditentry, ranking_ban")


def addresses() -> dict[str, str]:
    """What is measured: a list and what follows its question mark."""
    mode, source = Incident.objects.latest("pk").mode_id, Source.objects.latest("pk").pk
    player = Player.objects.latest("pk").pk
    queries = {
        "leaver": ("", "locked=yes", "locked=no", "banned=yes", "banned=no", f"mode={mode}", "points=5", "o=-5", "o=4",
                   f"mode={mode}&points=3&banned=no", f"mode={mode}&locked=no&points=2", "locked=yes&banned=no&o=-5",
                   "locked=no&p=20", "q=leaver+77&points=3"),
        "incident": ("", f"mode={mode}", "kind=leave", "kind=missed", "server=server+7", "server=none", "pardoned=yes",
                     "pardoned=no", "since=1d", f"mode={mode}&kind=leave&server=server+7&since=30d", "o=1",
                     f"player={player}", "q=leaver+77"),
        "match": ("", f"source={source}", "server=server+7", "variant=variant+7", f"player={player}", "since=7d",
                  f"mode={mode}&since=30d&server=server+7", "o=3", "state=void", "q=m77", "q=leaver+77"),
        "ban": ("", "by=nobody", "since=1d", "running=yes", "running=day", "running=forever", "running=lifted", "o=4",
                f"player={player}", "q=leaver+77"),
        "auditentry": ("", "who=moderator+7", "act=merge", "act=merge&who=moderator+0", "since=1d", "o=0",
                       f"player={player}", "q=leaver+77"),
    }  # fmt: skip
    return {f"{model}?{query}": f"/admin/ranking/{model}/?{query}" for model, many in queries.items() for query in many}


def run(progress: Callable[[str], None]) -> Iterator[Row]:
    settings.ADMIN_MFA = False
    moderator = User.objects.create_superuser(f"moderator-{secrets.token_hex(4)}")
    progress("a million incidents, matches and lines of the audit log")
    fill(moderator)
    progress("lists of the admin")
    pages = {name: page(address, moderator) for name, address in addresses().items()}
    for name, taken in side_by_side(pages, ROUNDS).items():
        seconds = median(taken)
        yield Row(f"list {name}: median, against half a second", f"{1e3 * seconds:.0f} ms", f"{1e3 * BOUND:.0f} ms",
                  f"{seconds / BOUND:.2f} ×", "≤ 1 ×", seconds <= BOUND)  # fmt: skip


if __name__ == "__main__":
    from bench.measuring import table

    call_command("migrate", verbosity=0)
    print(table(list(run(lambda what: print(f"… {what}", file=sys.stderr, flush=True)))))
