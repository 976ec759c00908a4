"""All tables of matchmaking.

Roles see queues; moderators take people out of them and close lobbies; administrators set them up.
"""

import django.core.validators
import django.db.models.deletion
import matchmaking.models.lobby
import matchmaking.models.queue
from django.db import migrations, models

from ranking.migrations._models import CreateModels
from ranking.migrations._roles import grant

VIEWER = [
    "view_queue", "view_ticket", "view_lobby", "view_server", "view_party", "view_formed", "view_unreportedloss",
]
MODERATOR = [*VIEWER, "change_ticket", "change_lobby", "change_server"]
ADMINISTRATOR = [*MODERATOR, "add_queue", "change_queue", "delete_queue"]
ROLES = {"viewer": VIEWER, "moderator": MODERATOR, "administrator": ADMINISTRATOR}


def make_roles(apps, schema_editor):
    grant(apps, "matchmaking", ROLES)


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('matchmaking', '0001_initial'),
        ('matchmaking', '0002_blind_accepting'),
        ('matchmaking', '0003_endings'),
        ('matchmaking', '0004_lobby_list_index'),
    ]

    dependencies = [
        ('ranking', '0001_squashed_0023_keys_and_kept_answers'),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
    ]

    operations = [
        CreateModels([
            migrations.CreateModel(
                name='Queue',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('open', models.BooleanField(default=True, help_text='Off: nobody new may queue; players who wait go on waiting.')),
                    ('strategy', models.CharField(choices=[('skill', 'by skill'), ('fifo', 'first in, first out')], default='skill', max_length=5)),
                    ('skill_above', models.PositiveIntegerField(blank=True, default=None, help_text='Above so many players in the queue, first in, first out gives way to skill.', null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000000)])),
                    ('team_size', models.PositiveIntegerField(blank=True, default=None, help_text='Players in a team; empty: as many as the mode allows.', null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)])),
                    ('largest_party', models.PositiveIntegerField(blank=True, default=None, help_text='Players in a party; empty: as many as a team has.', null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)])),
                    ('default_width', models.PositiveIntegerField(default=10, help_text='Percentiles up and down among which a player is matched, unless they choose.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)])),
                    ('widen_every', models.FloatField(default=20.0, help_text='Seconds after which a loose window takes its next step.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(3600)])),
                    ('max_rating_spread', models.FloatField(blank=True, default=None, help_text='Highest less lowest rating in a match; empty: any.', null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1000000000.0)])),
                    ('max_party_difference', models.PositiveIntegerField(blank=True, default=None, help_text='Between the teams’ largest parties; empty: any.', null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100)])),
                    ('split', models.CharField(choices=[('exact', 'the evenest teams'), ('greedy', 'strongest first, to the weakest')], default='exact', max_length=6)),
                    ('favourite', models.FloatField(blank=True, default=None, help_text='How likely the favourite may be to win; empty: no bound.', null=True, validators=[django.core.validators.MinValueValidator(0.5), django.core.validators.MaxValueValidator(1)])),
                    ('favourite_end', models.FloatField(default=0.75, help_text='The bound that it relaxes to.', validators=[django.core.validators.MinValueValidator(0.5), django.core.validators.MaxValueValidator(1)])),
                    ('favourite_over', models.FloatField(default=120.0, help_text='Seconds waited over which it relaxes.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(86400)])),
                    ('rematch_after', models.PositiveIntegerField(default=600, help_text='Seconds for which opponents don’t meet again.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(86400)])),
                    ('accept_seconds', models.PositiveIntegerField(default=20, help_text='Seconds to accept a match; 0: nobody is asked.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(600)])),
                    ('start_seconds', models.PositiveIntegerField(default=180, help_text='Seconds within which a match begins once all accepted.', validators=[django.core.validators.MinValueValidator(10), django.core.validators.MaxValueValidator(3600)])),
                    ('longest_match', models.PositiveIntegerField(default=7200, help_text='Seconds after which a match without a result is closed as lost.', validators=[django.core.validators.MinValueValidator(60), django.core.validators.MaxValueValidator(86400)])),
                    ('longest_wait', models.PositiveIntegerField(default=3600, help_text='Seconds after which a ticket expires.', validators=[django.core.validators.MinValueValidator(60), django.core.validators.MaxValueValidator(86400)])),
                    ('regions', models.JSONField(blank=True, default=list, help_text='The regions there are; empty: any.', validators=[matchmaking.models.queue.check_regions])),
                    ('ping_limit', models.PositiveIntegerField(default=150, help_text='Milliseconds of ping up to which a region is good, unless a player says.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10000)])),
                    ('variants', models.JSONField(blank=True, default=list, help_text='Maps or variants, drawn at random; empty: none.', validators=[matchmaking.models.queue.check_names])),
                    ('ticked_at', models.DateTimeField(blank=True, editable=False, null=True)),
                    ('tick_seconds', models.FloatField(blank=True, editable=False, null=True)),
                    ('tick_tickets', models.PositiveIntegerField(default=0, editable=False)),
                    ('tick_lobbies', models.PositiveIntegerField(default=0, editable=False)),
                    ('mode', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='queue', to='ranking.mode')),
                    ('accepting', models.CharField(choices=[('blind', 'blind: nothing is known until all have accepted'), ('open', 'open: teams and map are known')], db_default='blind', default='blind', help_text='Open invites players to decline until map, team-mates and opponents suit them.', max_length=5)),
                    ('rematch_memory', models.PositiveIntegerField(db_default=21600, default=21600, help_text='Seconds for which opponents who have met that often don’t meet again.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(604800)])),
                    ('rematches', models.CharField(choices=[('none', 'none'), ('once', 'one in a row'), ('any', 'any number')], db_default='once', default='once', help_text='How often opponents may meet again at once. More only after the seconds below, or once each has played another match.', max_length=4)),
                    ('server_memory', models.PositiveIntegerField(db_default=600, default=600, help_text='If there are any: seconds for which matches wait for servers that have all fallen silent.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(86400)])),
                    ('servers', models.CharField(choices=[('auto', 'if there are any'), ('required', 'required'), ('none', 'none: the game has its own')], db_default='auto', default='auto', help_text='Whether a match needs a game server that is connected here.', max_length=8)),
                ],
                options={
                    'ordering': ['mode__name'],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('strategy__in', ['fifo', 'skill'])), name='queue_strategy_known'),
                        models.CheckConstraint(condition=models.Q(('split__in', ['exact', 'greedy'])), name='queue_split_known'),
                        models.CheckConstraint(condition=models.Q(('widen_every__gt', 0)), name='queue_widens_after_a_while'),
                        models.CheckConstraint(condition=models.Q(('favourite__isnull', True), ('favourite__lte', models.F('favourite_end')), _connector='OR'), name='queue_bound_relaxes'),
                        models.CheckConstraint(condition=models.Q(('accepting__in', ['blind', 'open'])), name='queue_accepting_known'),
                        models.CheckConstraint(condition=models.Q(('servers__in', ['required', 'none', 'auto'])), name='queue_servers_known'),
                        models.CheckConstraint(condition=models.Q(('rematches__in', ['none', 'once', 'any'])), name='queue_rematches_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Party',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('created_at', models.DateTimeField()),
                ],
                options={
                    'verbose_name_plural': 'parties',
                },
            ),
            migrations.CreateModel(
                name='PartyMember',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('leads', models.BooleanField(default=False)),
                    ('joined_at', models.DateTimeField()),
                    ('pings', models.JSONField(default=dict)),
                    ('ping_limit', models.PositiveIntegerField(null=True)),
                    ('party', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='matchmaking.party')),
                    ('player', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='party_membership', to='ranking.player')),
                ],
                options={
                    'ordering': ['joined_at', 'id'],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('leads', True)), fields=('party',), name='party_one_leader'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Invitation',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('invited_at', models.DateTimeField()),
                    ('party', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='matchmaking.party')),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='invitations', to='ranking.player')),
                    ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ranking.player')),
                ],
                options={
                    'ordering': ['-invited_at', '-id'],
                    'constraints': [
                        models.UniqueConstraint(fields=('party', 'player'), name='invitation_once_a_party'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Server',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(blank=True, max_length=64)),
                    ('region', models.CharField(blank=True, max_length=32)),
                    ('address', models.CharField(max_length=200)),
                    ('capacity', models.PositiveSmallIntegerField(default=1)),
                    ('busy', models.PositiveSmallIntegerField(default=0)),
                    ('state', models.CharField(blank=True, max_length=64)),
                    ('registered_at', models.DateTimeField()),
                    ('heard_at', models.DateTimeField(db_index=True)),
                    ('source', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='servers', to='ranking.source')),
                    ('modes', models.ManyToManyField(related_name='servers', to='ranking.mode')),
                    ('signed_off_at', models.DateTimeField(null=True)),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('source', 'name'), name='server_once_a_source'),
                        models.CheckConstraint(condition=models.Q(('address', ''), _negated=True), name='server_address_given'),
                        models.CheckConstraint(condition=models.Q(('busy__gte', 0)), name='server_busy_not_negative'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Lobby',
                fields=[
                    ('key', models.CharField(default=matchmaking.models.lobby.new_key, max_length=20, primary_key=True, serialize=False)),
                    ('state', models.CharField(choices=[('accepting', 'accepting'), ('ready', 'ready'), ('live', 'live'), ('finished', 'finished'), ('forfeited', 'forfeited'), ('cancelled', 'cancelled'), ('lost', 'lost')], default='accepting', max_length=9)),
                    ('region', models.CharField(blank=True, max_length=32)),
                    ('variant', models.CharField(blank=True, max_length=64)),
                    ('teams', models.JSONField()),
                    ('places', models.JSONField()),
                    ('difference', models.FloatField()),
                    ('formed_at', models.DateTimeField()),
                    ('accept_until', models.DateTimeField(null=True)),
                    ('ready_at', models.DateTimeField(null=True)),
                    ('started_at', models.DateTimeField(null=True)),
                    ('closed_at', models.DateTimeField(null=True)),
                    ('ending_code', models.CharField(blank=True, db_column='ending', max_length=200)),
                    ('queue', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='lobbies', to='matchmaking.queue')),
                    ('server', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='lobbies', to='matchmaking.server')),
                    ('match', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='played_lobby', to='ranking.match')),
                    ('blind', models.BooleanField(db_default=False, default=False)),
                    ('scores', models.JSONField(null=True)),
                    ('silent_at', models.DateTimeField(null=True)),
                    ('ending_values', models.JSONField(blank=True, db_default={}, default=dict)),
                ],
                options={
                    'verbose_name_plural': 'lobbies',
                    'indexes': [
                        models.Index(condition=models.Q(('state__in', ('accepting', 'ready', 'live'))), fields=['state', 'formed_at'], name='lobby_going_on'),
                        models.Index(condition=models.Q(('server__isnull', False), ('state__in', ['ready', 'live'])), fields=['server'], name='lobby_on_server'),
                        models.Index(fields=['queue', '-formed_at'], name='lobby_recent'),
                        models.Index(fields=['formed_at', 'key'], name='lobby_latest'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('state__in', ('accepting', 'ready', 'live', 'finished', 'forfeited', 'cancelled', 'lost'))), name='lobby_state_known'),
                        models.CheckConstraint(condition=models.Q(('key', ''), _negated=True), name='lobby_key_given'),
                        models.CheckConstraint(condition=models.Q(models.Q(('state', 'ready'), _negated=True), ('ready_at__isnull', False), _connector='OR'), name='lobby_ready_at_some_time'),
                        models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['live', 'lost']), _negated=True), ('started_at__isnull', False), _connector='OR'), name='lobby_live_has_started'),
                        models.CheckConstraint(condition=models.Q(models.Q(models.Q(('state__in', ('accepting', 'ready', 'live')), _negated=True), ('closed_at__isnull', True), _connector='OR'), models.Q(models.Q(('state__in', ('finished', 'forfeited', 'cancelled', 'lost')), _negated=True), ('closed_at__isnull', False), _connector='OR')), name='lobby_closed_at_some_time'),
                        models.CheckConstraint(condition=models.Q(models.Q(('state', 'accepting'), _negated=True), ('server__isnull', True), _connector='OR'), name='lobby_server_once_accepted'),
                        models.CheckConstraint(condition=models.Q(('match__isnull', True), ('state', 'finished'), _connector='OR'), name='lobby_played_finished'),
                        models.CheckConstraint(condition=models.Q(('blind', False), ('state__in', ['accepting', 'cancelled']), _connector='OR'), name='lobby_blind_until_accepted'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Ticket',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('state', models.CharField(choices=[('waiting', 'waiting'), ('matched', 'matched'), ('playing', 'playing'), ('done', 'done'), ('cancelled', 'cancelled'), ('expired', 'expired'), ('refused', 'refused')], default='waiting', max_length=9)),
                    ('size', models.PositiveSmallIntegerField()),
                    ('queued_at', models.DateTimeField()),
                    ('waiting_since', models.DateTimeField()),
                    ('waited', models.FloatField(default=0.0)),
                    ('pings', models.JSONField(default=dict)),
                    ('team', models.PositiveSmallIntegerField(null=True)),
                    ('matched_at', models.DateTimeField(null=True)),
                    ('ended_at', models.DateTimeField(null=True)),
                    ('ending_code', models.CharField(blank=True, db_column='ending', max_length=200)),
                    ('queue', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='tickets', to='matchmaking.queue')),
                    ('party', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='tickets', to='matchmaking.party')),
                    ('lobby', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='tickets', to='matchmaking.lobby')),
                    ('ending_values', models.JSONField(blank=True, db_default={}, default=dict)),
                ],
                options={
                    'indexes': [
                        models.Index(condition=models.Q(('state', 'waiting')), fields=['queue', 'queued_at', 'id'], name='ticket_waiting'),
                        models.Index(condition=models.Q(('lobby__isnull', False)), fields=['lobby'], name='ticket_of_lobby'),
                        models.Index(condition=models.Q(('party__isnull', False)), fields=['party'], name='ticket_of_party'),
                        models.Index(condition=models.Q(('ended_at__isnull', False)), fields=['ended_at'], name='ticket_ended'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('state__in', ('waiting', 'matched', 'playing', 'done', 'cancelled', 'expired', 'refused'))), name='ticket_state_known'),
                        models.CheckConstraint(condition=models.Q(('size__gte', 1)), name='ticket_of_somebody'),
                        models.CheckConstraint(condition=models.Q(('waited__gte', 0)), name='ticket_waited_not_negative'),
                        models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['matched', 'playing']), _negated=True), models.Q(('lobby__isnull', False), ('matched_at__isnull', False), ('team__isnull', False)), _connector='OR'), name='ticket_matched_has_a_lobby'),
                        models.CheckConstraint(condition=models.Q(models.Q(('state', 'waiting'), _negated=True), models.Q(('lobby__isnull', True), ('matched_at__isnull', True), ('team__isnull', True)), _connector='OR'), name='ticket_waiting_has_no_lobby'),
                        models.CheckConstraint(condition=models.Q(models.Q(models.Q(('state__in', ('waiting', 'matched', 'playing')), _negated=True), ('ended_at__isnull', True), _connector='OR'), models.Q(models.Q(('state__in', ('done', 'cancelled', 'expired', 'refused')), _negated=True), ('ended_at__isnull', False), _connector='OR')), name='ticket_ended_at_some_time'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='TicketMember',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('strength', models.FloatField()),
                    ('display_hundredths', models.BigIntegerField()),
                    ('percentile', models.PositiveSmallIntegerField()),
                    ('width', models.PositiveSmallIntegerField()),
                    ('strict', models.BooleanField(default=False)),
                    ('live', models.BooleanField(default=True)),
                    ('seen_at', models.DateTimeField(null=True)),
                    ('accepted_at', models.DateTimeField(null=True)),
                    ('ticket', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='members', to='matchmaking.ticket')),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tickets', to='ranking.player')),
                ],
                options={
                    'ordering': ['id'],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('live', True)), fields=('player',), name='ticket_one_live_a_player'),
                        models.UniqueConstraint(fields=('ticket', 'player'), name='ticket_each_player_once'),
                        models.CheckConstraint(condition=models.Q(('percentile__gte', 1), ('percentile__lte', 100)), name='ticket_percentile_is_one'),
                        models.CheckConstraint(condition=models.Q(('width__gte', 1), ('width__lte', 100)), name='ticket_width_within_bounds'),
                        models.CheckConstraint(condition=models.Q(('accepted_at__isnull', True), ('seen_at__isnull', False), _connector='OR'), name='ticket_accepted_what_was_seen'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Formed',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('formed_at', models.DateTimeField(db_index=True)),
                    ('region', models.CharField(blank=True, max_length=32)),
                    ('difference', models.FloatField()),
                    ('spread', models.FloatField()),
                    ('longest_wait', models.FloatField()),
                    ('waits', models.JSONField()),
                    ('queue', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='history', to='matchmaking.queue')),
                ],
                options={
                    'verbose_name_plural': 'matches formed',
                    'indexes': [
                        models.Index(fields=['queue', '-id'], name='formed_latest'),
                    ],
                },
            ),
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
                    ('mode', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ranking.mode')),
                    ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='unreported_losses', to='ranking.player')),
                ],
                options={
                    'verbose_name_plural': 'unreported losses',
                    'indexes': [
                        models.Index(fields=['player', 'mode'], name='unreported_of_player'),
                        models.Index(fields=['-closed_at'], name='unreported_latest'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('lobby_key', 'player'), name='unreported_once_a_lobby'),
                        models.CheckConstraint(condition=models.Q(('best__gt', models.F('score'))), name='unreported_was_behind'),
                    ],
                },
            ),
        ]),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
