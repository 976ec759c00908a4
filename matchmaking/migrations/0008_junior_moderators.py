"""Junior moderators see queues, lobbies, parties and servers, and players' pictures, as viewers do."""

from django.db import migrations

from ranking.migrations._roles import grant

ROLE = "junior moderator"
MATCHMAKING = [
    "view_queue", "view_ticket", "view_lobby", "view_server", "view_party", "view_formed", "view_unreportedloss",
]
LEADERBOARDS = ["view_avatar"]


def extend_roles(apps, schema_editor):
    """Extend the role that ranking's migration made: a group of that name without a limit is the site's own."""
    if apps.get_model("ranking", "BanLimit").objects.filter(group__name=ROLE).exists():
        grant(apps, "matchmaking", {ROLE: MATCHMAKING})
        grant(apps, "leaderboards", {ROLE: LEADERBOARDS})


class Migration(migrations.Migration):

    dependencies = [
        ('matchmaking', '0007_failed_starts'),
        ('leaderboards', '0008_avoidances'),
        ('ranking', '0037_junior_moderators'),
    ]

    operations = [
        migrations.RunPython(extend_roles, migrations.RunPython.noop),
    ]
