"""Blind accepting, re-matches, whether a queue needs servers, and matches that were never reported."""

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

from ranking.migrations._roles import grant

ROLES = {role: ["view_unreportedloss"] for role in ("viewer", "moderator", "administrator")}


def blind_lobbies(apps, schema_editor):
    """Blind the lobbies that not everybody has accepted: they go on so, or fell through and stay so.

    Lobbies that everybody has accepted, and that only wait for a server, aren't blind.
    """
    lobbies = apps.get_model("matchmaking", "Lobby").objects.filter(state__in=["accepting", "cancelled"])
    accepted = lobbies.filter(state="accepting").exclude(tickets__members__accepted_at=None)
    lobbies.filter(ready_at=None, accept_until__isnull=False).exclude(pk__in=accepted.values("pk")).update(blind=True)


def make_roles(apps, schema_editor):
    grant(apps, "matchmaking", ROLES)


class Migration(migrations.Migration):

    dependencies = [
        ('matchmaking', '0001_initial'),
        ('ranking', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='UnreportedLoss',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('lobby_key', models.CharField(max_length=20)),
                ('server', models.CharField(max_length=200)),
                ('score', models.FloatField()),
                ('best', models.FloatField()),
                ('silent_at', models.DateTimeField()),
                ('closed_at', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'unreported losses',
            },
        ),
        migrations.AddField(
            model_name='lobby',
            name='blind',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='lobby',
            name='scores',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='lobby',
            name='silent_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='queue',
            name='accepting',
            field=models.CharField(choices=[('blind', 'blind: nothing is known until all have accepted'), ('open', 'open: teams and map are known')], db_default='blind', default='blind', help_text='Open invites players to decline until map, team-mates and opponents suit them.', max_length=5),
        ),
        migrations.AddField(
            model_name='queue',
            name='rematch_memory',
            field=models.PositiveIntegerField(db_default=21600, default=21600, help_text='Seconds for which opponents who have met that often don’t meet again.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(604800)]),
        ),
        migrations.AddField(
            model_name='queue',
            name='rematches',
            field=models.CharField(choices=[('none', 'none'), ('once', 'one in a row'), ('any', 'any number')], db_default='once', default='once', help_text='How often opponents may meet again at once. More only after the seconds below, or once each has played another match.', max_length=4),
        ),
        migrations.AddField(
            model_name='queue',
            name='server_memory',
            field=models.PositiveIntegerField(db_default=600, default=600, help_text='If there are any: seconds for which matches wait for servers that have all fallen silent.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(86400)]),
        ),
        migrations.AddField(
            model_name='queue',
            name='servers',
            field=models.CharField(choices=[('auto', 'if there are any'), ('required', 'required'), ('none', 'none: the game has its own')], db_default='auto', default='auto', help_text='Whether a match needs a game server that is connected here.', max_length=8),
        ),
        migrations.AddField(
            model_name='server',
            name='signed_off_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.RunPython(blind_lobbies, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name='lobby',
            constraint=models.CheckConstraint(condition=models.Q(('blind', False), ('state__in', ['accepting', 'cancelled']), _connector='OR'), name='lobby_blind_until_accepted'),
        ),
        migrations.AddConstraint(
            model_name='queue',
            constraint=models.CheckConstraint(condition=models.Q(('accepting__in', ['blind', 'open'])), name='queue_accepting_known'),
        ),
        migrations.AddConstraint(
            model_name='queue',
            constraint=models.CheckConstraint(condition=models.Q(('servers__in', ['required', 'none', 'auto'])), name='queue_servers_known'),
        ),
        migrations.AddConstraint(
            model_name='queue',
            constraint=models.CheckConstraint(condition=models.Q(('rematches__in', ['none', 'once', 'any'])), name='queue_rematches_known'),
        ),
        migrations.AddField(
            model_name='unreportedloss',
            name='mode',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ranking.mode'),
        ),
        migrations.AddField(
            model_name='unreportedloss',
            name='player',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='unreported_losses', to='ranking.player'),
        ),
        migrations.AddIndex(
            model_name='unreportedloss',
            index=models.Index(fields=['player', 'mode'], name='unreported_of_player'),
        ),
        migrations.AddIndex(
            model_name='unreportedloss',
            index=models.Index(fields=['-closed_at'], name='unreported_latest'),
        ),
        migrations.AddConstraint(
            model_name='unreportedloss',
            constraint=models.UniqueConstraint(fields=('lobby_key', 'player'), name='unreported_once_a_lobby'),
        ),
        migrations.AddConstraint(
            model_name='unreportedloss',
            constraint=models.CheckConstraint(condition=models.Q(('best__gt', models.F('score'))), name='unreported_was_behind'),
        ),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
