"""All tables of ranking, and its roles: groups that moderators and administrators are put into."""

import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import ranking.models.mode
from django.conf import settings
from django.db import migrations, models

from ranking.migrations._models import CreateModels
from ranking.migrations._roles import grant
from ranking.rules.names import skeleton

VIEWER = [
    *(f"view_{model}" for model in (
        "appeal", "auditentry", "ban", "change", "event", "finding", "incident", "leaver", "match", "merge", "mode",
        "parameterversion", "player", "rating", "rerating", "season", "snapshot",
    )),
]
MODERATOR = [
    *VIEWER, "pardon_incident", "add_ban", "extend_ban", "lift_ban", "hide_player", "add_void", "decide_appeal",
    "change_finding",
]
ADMINISTRATOR = [
    *MODERATOR, "change_player", "add_mode", "change_mode", "view_key", "add_key", "change_key", "view_source",
    "add_source", "change_source", "view_outboxentry", "change_outboxentry",
]
ROLES = {"viewer": VIEWER, "moderator": MODERATOR, "administrator": ADMINISTRATOR}
NAMES = {
    "pardon_incident": "Can pardon incidents",
    "extend_ban": "Can extend bans",
    "lift_ban": "Can lift bans",
    "hide_player": "Can hide players from boards",
    "decide_appeal": "Can decide appeals",
    "view_auditentry": "Can view audit entry",
    "view_outboxentry": "Can view outbox entry",
    "change_outboxentry": "Can change outbox entry",
    "view_parameterversion": "Can view parameter version",
}
BATCH = 2_000


def make_roles(apps, schema_editor):
    grant(apps, "ranking", ROLES, NAMES)


def fill_skeletons(apps, schema_editor):
    """Write down what names of players look like; none is flagged, as only a new name looks like an older one."""
    Player = apps.get_model("ranking", "Player")
    last = 0
    while rows := list(Player.objects.filter(pk__gt=last).order_by("pk").only("name")[:BATCH]):
        for row in rows:
            row.skeleton = skeleton(row.name)
        Player.objects.bulk_update(rows, ["skeleton"])
        last = rows[-1].pk


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('ranking', '0001_ledger'),
        ('ranking', '0002_accounts'),
        ('ranking', '0003_skeletons'),
        ('ranking', '0004_rerating'),
        ('ranking', '0005_evaluation_runs'),
        ('ranking', '0006_friends'),
        ('ranking', '0007_privacy'),
        ('ranking', '0008_forfeits'),
        ('ranking', '0009_conduct'),
        ('ranking', '0010_merges'),
        ('ranking', '0011_abuse'),
        ('ranking', '0012_relisting'),
        ('ranking', '0013_chronology'),
        ('ranking', '0014_appeals'),
        ('ranking', '0015_roles'),
        ('ranking', '0016_names_in_order'),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
        # Not used here, but later they would build all classes of these models again and again.
        ('mfa', '0003_authenticator_type_uniq'),
        ('socialaccount', '0006_alter_socialaccount_extra_data'),
    ]

    operations = [
        CreateModels([
            migrations.CreateModel(
                name='Source',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField(max_length=64, unique=True)),
                    ('created_at', models.DateTimeField()),
                ],
            ),
            migrations.CreateModel(
                name='Player',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', models.CharField(max_length=128, unique=True)),
                    ('name', models.CharField(max_length=64)),
                    ('search_name', models.CharField(max_length=128)),
                    ('skeleton', models.CharField(blank=True, db_default='', default='', max_length=128)),
                    ('lookalike', models.BooleanField(db_default=False, default=False)),
                    ('hidden_at', models.DateTimeField(blank=True, null=True)),
                    ('hides_matches', models.BooleanField(db_default=False, default=False, help_text='Only you see your list of matches, your form and how your rating moved. Your rank stays on the board, and a match that you played stays on its own page: it is the other players’ too.', verbose_name='Hide my matches')),
                    ('hides_from_friends', models.BooleanField(db_default=False, default=False, help_text='You are on nobody else’s friends board, whoever follows you.', verbose_name='Stay off friends boards')),
                    ('anonymised_at', models.DateTimeField(blank=True, null=True)),
                    ('created_at', models.DateTimeField()),
                    ('user', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='player', to=settings.AUTH_USER_MODEL)),
                    ('merged_into', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='aliases', to='ranking.player')),
                ],
                options={
                    'permissions': [('hide_player', 'Can hide players from boards')],
                    'indexes': [
                        models.Index(condition=models.Q(('merged_into__isnull', False)), fields=['merged_into'], name='player_aliases'),
                        models.Index(condition=models.Q(('hidden_at__isnull', False)), fields=['id'], name='player_hidden'),
                        models.Index(fields=['skeleton', 'lookalike'], name='player_looks'),
                        models.Index(fields=['search_name', 'id'], name='player_by_name', opclasses=['varchar_pattern_ops', 'int8_ops']),
                        models.Index(condition=models.Q(('lookalike', True)), fields=['id'], name='player_lookalike'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('key', ''), _negated=True), name='player_key_given'),
                        models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='player_name_given'),
                        models.CheckConstraint(condition=models.Q(('anonymised_at__isnull', True), models.Q(('hidden_at__isnull', False), ('hides_matches', True), ('user__isnull', True)), _connector='OR'), name='player_gone_is_hidden'),
                        models.CheckConstraint(condition=models.Q(('merged_into__isnull', True), models.Q(('hidden_at__isnull', False), ('user__isnull', True)), _connector='OR'), name='player_merged_is_hidden'),
                        models.CheckConstraint(condition=models.Q(('merged_into__isnull', True), models.Q(('merged_into', models.F('id')), _negated=True), _connector='OR'), name='player_merged_into_another'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='PlayerName',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=64)),
                    ('since', models.DateTimeField()),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='names', to='ranking.player')),
                ],
                options={
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='player_name_of_history_given'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='ClaimCode',
                fields=[
                    ('player', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='claim_code', serialize=False, to='ranking.player')),
                    ('digest', models.CharField(max_length=64)),
                    ('expires_at', models.DateTimeField()),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('digest',), name='claim_code_digest_once'),
                        models.CheckConstraint(condition=models.Q(('digest', ''), _negated=True), name='claim_code_digest_given'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Leaver',
                fields=[
                ],
                options={
                    'proxy': True,
                },
                bases=('ranking.player',),
            ),
            migrations.CreateModel(
                name='Mode',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.SlugField(unique=True)),
                    ('name', models.CharField(max_length=64)),
                    ('description', models.CharField(blank=True, max_length=200)),
                    ('team_count', models.PositiveSmallIntegerField(default=2, validators=[django.core.validators.MinValueValidator(2)])),
                    ('team_size_min', models.PositiveSmallIntegerField(default=1, validators=[django.core.validators.MinValueValidator(1)])),
                    ('team_size_max', models.PositiveSmallIntegerField(default=1)),
                    ('ranked', models.BooleanField(default=True)),
                    ('shows_rating', models.BooleanField(default=True)),
                    ('shows_percentile', models.BooleanField(default=True)),
                    ('shows_tier', models.BooleanField(default=True)),
                    ('tier_scheme', models.CharField(choices=[('1-100', '1-100'), ('1-50', '1-50'), ('named', 'named')], default='named', max_length=8)),
                    ('named_tiers', models.JSONField(blank=True, default=list, validators=[ranking.models.mode.check_named_tiers])),
                    ('placement_matches', models.PositiveSmallIntegerField(default=10)),
                    ('activity_matches', models.PositiveSmallIntegerField(default=1, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10)])),
                    ('activity_days', models.PositiveSmallIntegerField(blank=True, default=30, null=True, validators=[django.core.validators.MinValueValidator(1)])),
                    ('reconnect_grace', models.PositiveSmallIntegerField(default=180)),
                    ('conduct', models.JSONField(blank=True, default=dict, validators=[ranking.models.mode.check_conduct])),
                    ('entry_days', models.PositiveSmallIntegerField(db_default=0, default=0)),
                    ('entry_matches', models.PositiveSmallIntegerField(db_default=0, default=0)),
                    ('time_zone', models.CharField(default='UTC', max_length=64, validators=[ranking.models.mode.check_time_zone])),
                    ('generation', models.PositiveIntegerField(default=1)),
                    ('relisted_to', models.BigIntegerField(blank=True, editable=False, null=True)),
                    ('created_at', models.DateTimeField()),
                    ('entry_mode', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='opens', to='ranking.mode')),
                    ('lease', models.OneToOneField(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ranking.rerating')),
                ],
                options={
                    'ordering': ['name'],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('team_count__gte', 2)), name='mode_two_teams_or_more'),
                        models.CheckConstraint(condition=models.Q(('team_size_max__gte', models.F('team_size_min')), ('team_size_min__gte', 1)), name='mode_team_sizes_in_order'),
                        models.CheckConstraint(condition=models.Q(('activity_matches__gte', 1), ('activity_matches__lte', 10)), name='mode_activity_needs_one_to_ten'),
                        models.CheckConstraint(condition=models.Q(('activity_days__isnull', True), ('activity_days__gte', 1), _connector='OR'), name='mode_activity_days_positive'),
                        models.CheckConstraint(condition=models.Q(('tier_scheme__in', ('1-100', '1-50', 'named'))), name='mode_tier_scheme_known'),
                        models.CheckConstraint(condition=models.Q(models.Q(('entry_matches', 0), ('entry_mode__isnull', True)), models.Q(('entry_matches__gt', 0), ('entry_mode__isnull', False)), _connector='OR'), name='mode_entry_matches_of_a_mode'),
                        models.CheckConstraint(condition=models.Q(('entry_mode__isnull', True), models.Q(('entry_mode', models.F('id')), _negated=True), _connector='OR'), name='mode_entry_by_another'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Season',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('name', models.CharField(max_length=64)),
                    ('starts_at', models.DateTimeField()),
                    ('ends_at', models.DateTimeField(blank=True, null=True)),
                    ('current', models.BooleanField(default=True)),
                    ('mode', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seasons', to='ranking.mode')),
                ],
                options={
                    'ordering': ['mode', 'number'],
                    'constraints': [
                        models.UniqueConstraint(fields=('mode', 'number'), name='season_number_once_a_mode'),
                        models.UniqueConstraint(condition=models.Q(('current', True)), fields=('mode',), name='season_one_current_a_mode'),
                        models.CheckConstraint(condition=models.Q(('ends_at__isnull', True), ('ends_at__gt', models.F('starts_at')), _connector='OR'), name='season_ends_after_start'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Event',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('match', 'match'), ('forfeit', 'forfeit'), ('reset', 'reset'), ('parameters', 'parameters'), ('season_end', 'season_end')], max_length=10)),
                    ('happened_at', models.DateTimeField()),
                    ('mode', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='events', to='ranking.mode')),
                ],
                options={
                    'indexes': [
                        models.Index(fields=['mode', 'id'], name='event_in_order'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('kind__in', ['match', 'forfeit', 'reset', 'parameters', 'season_end'])), name='event_kind_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='ParameterVersion',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('system', models.CharField(max_length=32)),
                    ('params', models.JSONField(default=dict)),
                    ('retroactive', models.BooleanField(default=False)),
                    ('generation', models.PositiveIntegerField(default=1)),
                    ('mode', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='parameter_versions', to='ranking.mode')),
                    ('event', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, to='ranking.event')),
                ],
                options={
                    'ordering': ['mode', '-number'],
                    'constraints': [
                        models.UniqueConstraint(fields=('mode', 'number'), name='parameters_number_once_a_mode'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Match',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('external_id', models.CharField(max_length=128)),
                    ('digest', models.CharField(max_length=64)),
                    ('started_at', models.DateTimeField(null=True)),
                    ('ended_at', models.DateTimeField()),
                    ('duration', models.FloatField(null=True)),
                    ('rounds', models.PositiveIntegerField(null=True)),
                    ('variant', models.CharField(blank=True, max_length=64)),
                    ('server', models.CharField(blank=True, max_length=64)),
                    ('region', models.CharField(blank=True, max_length=32)),
                    ('lobby', models.CharField(blank=True, max_length=64)),
                    ('teams', models.JSONField()),
                    ('received_at', models.DateTimeField()),
                    ('late', models.BooleanField(default=False)),
                    ('source', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='matches', to='ranking.source')),
                    ('mode', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='matches', to='ranking.mode')),
                    ('event', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='match', to='ranking.event')),
                    ('season', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='matches', to='ranking.season')),
                ],
                options={
                    'verbose_name_plural': 'matches',
                    'indexes': [
                        models.Index(models.F('mode'), models.OrderBy(models.F('ended_at'), descending=True), models.OrderBy(models.F('id'), descending=True), name='match_recent'),
                        models.Index(models.OrderBy(models.F('ended_at'), descending=True), models.OrderBy(models.F('id'), descending=True), name='match_latest'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('source', 'external_id'), name='match_once_a_source'),
                        models.CheckConstraint(condition=models.Q(('started_at__isnull', True), ('ended_at__gte', models.F('started_at')), _connector='OR'), name='match_ends_after_start'),
                        models.CheckConstraint(condition=models.Q(('duration__isnull', True), ('duration__gte', 0), _connector='OR'), name='match_duration_not_negative'),
                        models.CheckConstraint(condition=models.Q(models.Q(('event__isnull', True), ('season__isnull', True)), models.Q(('event__isnull', False), ('season__isnull', False)), _connector='OR'), name='match_rated_within_a_season'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Forfeit',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('lobby', models.CharField(max_length=64)),
                    ('teams', models.JSONField()),
                    ('reason', models.CharField(max_length=200)),
                    ('happened_at', models.DateTimeField()),
                    ('mode', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='forfeits', to='ranking.mode')),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='forfeits', to='ranking.player')),
                    ('event', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='forfeit', to='ranking.event')),
                    ('season', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ranking.season')),
                ],
                options={
                    'indexes': [
                        models.Index(condition=models.Q(('event__isnull', True)), fields=['mode', 'id'], name='forfeit_to_rate'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('mode', 'lobby', 'player'), name='forfeit_once_a_lobby'),
                        models.CheckConstraint(condition=models.Q(('lobby', ''), _negated=True), name='forfeit_lobby_given'),
                        models.CheckConstraint(condition=models.Q(models.Q(('event__isnull', True), ('season__isnull', True)), models.Q(('event__isnull', False), ('season__isnull', False)), _connector='OR'), name='forfeit_rated_within_a_season'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Void',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('voided_at', models.DateTimeField()),
                    ('reason', models.CharField(max_length=200)),
                    ('lifted_at', models.DateTimeField(null=True)),
                    ('lift_reason', models.CharField(blank=True, max_length=200)),
                    ('match', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='voids', to='ranking.match')),
                    ('forfeit', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='voids', to='ranking.forfeit')),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('lifted_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('lifted_at__isnull', True)), fields=('match',), name='void_once_at_a_time'),
                        models.UniqueConstraint(condition=models.Q(('lifted_at__isnull', True)), fields=('forfeit',), name='void_of_forfeit_once_at_a_time'),
                        models.CheckConstraint(condition=models.Q(models.Q(('forfeit__isnull', False), ('match__isnull', True)), models.Q(('forfeit__isnull', True), ('match__isnull', False)), _connector='OR'), name='void_of_a_match_or_a_forfeit'),
                        models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='void_reason_given'),
                        models.CheckConstraint(condition=models.Q(models.Q(('lift_reason', ''), ('lifted_at__isnull', True)), models.Q(('lifted_at__isnull', False), models.Q(('lift_reason', ''), _negated=True)), _connector='OR'), name='void_lifted_with_a_reason'),
                        models.CheckConstraint(condition=models.Q(('lifted_at__isnull', True), ('lifted_at__gte', models.F('voided_at')), _connector='OR'), name='void_lifted_afterwards'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Participation',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('team', models.PositiveSmallIntegerField()),
                    ('slot', models.PositiveSmallIntegerField()),
                    ('seconds', models.FloatField(null=True)),
                    ('left_early', models.BooleanField(default=False)),
                    ('rounds_played', models.PositiveIntegerField(null=True)),
                    ('absences', models.JSONField(default=list)),
                    ('party', models.CharField(blank=True, max_length=64)),
                    ('stats', models.JSONField(default=dict)),
                    ('rank_before', models.PositiveIntegerField(null=True)),
                    ('percentile_before', models.PositiveSmallIntegerField(null=True)),
                    ('listed_before', models.PositiveIntegerField(null=True)),
                    ('rank_after', models.PositiveIntegerField(null=True)),
                    ('percentile_after', models.PositiveSmallIntegerField(null=True)),
                    ('listed_after', models.PositiveIntegerField(null=True)),
                    ('match', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='participations', to='ranking.match')),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='participations', to='ranking.player')),
                    ('played_as', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ranking.player')),
                ],
                options={
                    'ordering': ['match', 'team', 'slot'],
                    'constraints': [
                        models.UniqueConstraint(fields=('match', 'player'), name='participation_once_a_match'),
                        models.UniqueConstraint(fields=('match', 'team', 'slot'), name='participation_slot_once'),
                        models.CheckConstraint(condition=models.Q(('seconds__isnull', True), ('seconds__gte', 0), _connector='OR'), name='participation_seconds_not_negative'),
                        models.CheckConstraint(condition=models.Q(models.Q(('listed_before__isnull', True), ('percentile_before__isnull', True), ('rank_before__isnull', True)), models.Q(('listed_before__isnull', False), ('percentile_before__isnull', False), ('rank_before__isnull', False)), _connector='OR'), name='participation_standing_before_whole'),
                        models.CheckConstraint(condition=models.Q(models.Q(('listed_after__isnull', True), ('percentile_after__isnull', True), ('rank_after__isnull', True)), models.Q(('listed_after__isnull', False), ('percentile_after__isnull', False), ('rank_after__isnull', False)), _connector='OR'), name='participation_standing_after_whole'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Change',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('match', 'match'), ('forfeit', 'forfeit'), ('reset', 'reset')], max_length=8)),
                    ('generation', models.PositiveIntegerField()),
                    ('superseded_in', models.PositiveIntegerField(null=True)),
                    ('outcome', models.CharField(blank=True, max_length=4)),
                    ('win_probability', models.FloatField(null=True)),
                    ('display_before', models.BigIntegerField()),
                    ('mu_before', models.FloatField(null=True)),
                    ('sigma_before', models.FloatField(null=True)),
                    ('volatility_before', models.FloatField(null=True)),
                    ('display_after', models.BigIntegerField()),
                    ('mu_after', models.FloatField(null=True)),
                    ('sigma_after', models.FloatField(null=True)),
                    ('volatility_after', models.FloatField(null=True)),
                    ('event', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='changes', to='ranking.event')),
                    ('match', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='changes', to='ranking.match')),
                    ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='changes', to='ranking.player')),
                    ('mode', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='changes', to='ranking.mode')),
                    ('season', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='changes', to='ranking.season')),
                    ('parameters', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, to='ranking.parameterversion')),
                ],
                options={
                    'indexes': [
                        models.Index(fields=['player', 'mode', 'season', 'event'], name='change_in_order'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('event', 'player', 'generation'), name='change_once_an_event'),
                        models.CheckConstraint(condition=models.Q(models.Q(('kind', 'match'), ('match__isnull', False), ('outcome__in', ['win', 'draw', 'loss', 'left'])), models.Q(('kind__in', ['forfeit', 'reset']), ('match__isnull', True), ('outcome', '')), _connector='OR'), name='change_of_a_match_names_it'),
                        models.CheckConstraint(condition=models.Q(('superseded_in__isnull', True), ('superseded_in__gt', models.F('generation')), _connector='OR'), name='change_superseded_later'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Rating',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('region', models.CharField(blank=True, max_length=32)),
                    ('chosen_region', models.CharField(blank=True, db_default='', default='', max_length=32)),
                    ('region_chosen_at', models.DateTimeField(blank=True, null=True)),
                    ('display_hundredths', models.BigIntegerField()),
                    ('mu', models.FloatField(null=True)),
                    ('sigma', models.FloatField(null=True)),
                    ('volatility', models.FloatField(null=True)),
                    ('reached_at', models.DateTimeField()),
                    ('wins', models.PositiveIntegerField(default=0)),
                    ('draws', models.PositiveIntegerField(default=0)),
                    ('losses', models.PositiveIntegerField(default=0)),
                    ('leaves', models.PositiveIntegerField(default=0)),
                    ('recent_completions', models.JSONField(default=list)),
                    ('last_completed_at', models.DateTimeField(null=True)),
                    ('last_match_at', models.DateTimeField(null=True)),
                    ('active_until', models.DateTimeField(null=True)),
                    ('to_publish', models.BooleanField(default=True)),
                    ('listed', models.BooleanField(default=False)),
                    ('published_hundredths', models.BigIntegerField(null=True)),
                    ('published_reached_at', models.DateTimeField(null=True)),
                    ('published_on', models.DateField(null=True)),
                    ('published_day_ago', models.BigIntegerField(null=True)),
                    ('board_order', models.GeneratedField(db_persist=True, expression=django.db.models.expressions.CombinedExpression(models.F('published_hundredths'), '*', models.Value(-1)), output_field=models.BigIntegerField(null=True))),
                    ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='ranking.player')),
                    ('mode', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='ranking.mode')),
                    ('season', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='ranking.season')),
                ],
                options={
                    'indexes': [
                        models.Index(condition=models.Q(('listed', True)), fields=['mode', 'season', 'board_order', 'published_reached_at', 'id'], name='rating_board'),
                        models.Index(condition=models.Q(('listed', True)), fields=['mode', 'season', 'region', 'board_order', 'published_reached_at', 'id'], name='rating_board_of_region'),
                        models.Index(condition=models.Q(('to_publish', True)), fields=['mode', 'season', 'id'], name='rating_to_publish'),
                        models.Index(condition=models.Q(('listed', True)), fields=['mode', 'season', 'active_until'], name='rating_becoming_inactive'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('player', 'mode', 'season'), name='rating_once_a_season'),
                        models.CheckConstraint(condition=models.Q(('listed', False), models.Q(('published_hundredths__isnull', False), ('published_reached_at__isnull', False)), _connector='OR'), name='rating_listed_is_published'),
                        models.CheckConstraint(condition=models.Q(models.Q(('chosen_region', ''), ('region_chosen_at__isnull', True)), models.Q(models.Q(('chosen_region', ''), _negated=True), ('region_chosen_at__isnull', False)), _connector='OR'), name='rating_region_chosen_at_some_time'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Snapshot',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('region', models.CharField(blank=True, max_length=32)),
                    ('taken_at', models.DateTimeField()),
                    ('final', models.BooleanField(default=False)),
                    ('listed', models.PositiveIntegerField()),
                    ('table', models.BinaryField()),
                    ('mode', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='snapshots', to='ranking.mode')),
                    ('season', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='snapshots', to='ranking.season')),
                ],
                options={
                    'indexes': [
                        models.Index(fields=['mode', 'season', 'region', '-id'], name='snapshot_newest'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='NextRating',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('display_hundredths', models.BigIntegerField()),
                    ('mu', models.FloatField(null=True)),
                    ('sigma', models.FloatField(null=True)),
                    ('volatility', models.FloatField(null=True)),
                    ('reached_at', models.DateTimeField()),
                    ('wins', models.PositiveIntegerField()),
                    ('draws', models.PositiveIntegerField()),
                    ('losses', models.PositiveIntegerField()),
                    ('leaves', models.PositiveIntegerField()),
                    ('recent_completions', models.JSONField(default=list)),
                    ('last_completed_at', models.DateTimeField(null=True)),
                    ('last_match_at', models.DateTimeField(null=True)),
                    ('active_until', models.DateTimeField(null=True)),
                    ('rating', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='next', to='ranking.rating')),
                    ('mode', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='ranking.mode')),
                ],
            ),
            migrations.CreateModel(
                name='Rerating',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('state', models.CharField(choices=[('waiting', 'waiting'), ('running', 'running'), ('done', 'done')], default='waiting', max_length=8)),
                    ('since', models.BigIntegerField(null=True)),
                    ('sorted_from', models.BigIntegerField(null=True)),
                    ('system', models.CharField(blank=True, max_length=32)),
                    ('params', models.JSONField(blank=True, default=dict)),
                    ('reason', models.CharField(max_length=200)),
                    ('requested_at', models.DateTimeField()),
                    ('started_at', models.DateTimeField(null=True)),
                    ('switched_at', models.DateTimeField(null=True)),
                    ('finished_at', models.DateTimeField(null=True)),
                    ('worker', models.CharField(blank=True, max_length=32)),
                    ('claimed_until', models.DateTimeField(null=True)),
                    ('done', models.PositiveIntegerField(default=0)),
                    ('total', models.PositiveIntegerField(default=0)),
                    ('error', models.TextField(blank=True)),
                    ('mode', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reratings', to='ranking.mode')),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'running', 'done'])), name='rerating_state_known'),
                        models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='rerating_reason_given'),
                        models.UniqueConstraint(condition=models.Q(('state', 'waiting')), fields=('mode',), name='rerating_one_waits'),
                        models.UniqueConstraint(condition=models.Q(('state', 'running')), fields=('mode',), name='rerating_one_runs'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='NextPlace',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('late', models.BooleanField(default=False)),
                    ('mode', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='ranking.mode')),
                    ('event', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='place', to='ranking.event')),
                    ('next', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ranking.event')),
                ],
                options={
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('next__gt', models.F('event'))), name='next_place_is_new'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='OutboxEntry',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('consumer', models.CharField(max_length=64)),
                    ('due_at', models.DateTimeField()),
                    ('claimed_until', models.DateTimeField(null=True)),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('last_error', models.TextField(blank=True)),
                    ('parked_at', models.DateTimeField(null=True)),
                    ('event', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='outbox', to='ranking.event')),
                ],
                options={
                    'verbose_name_plural': 'outbox entries',
                    'indexes': [
                        models.Index(condition=models.Q(('parked_at__isnull', True)), fields=['due_at', 'id'], name='outbox_due'),
                        models.Index(condition=models.Q(('parked_at__isnull', False)), fields=['id'], name='outbox_parked'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('consumer', 'event'), name='outbox_once_a_consumer'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Key',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('prefix', models.CharField(max_length=12, unique=True)),
                    ('digest', models.CharField(max_length=64)),
                    ('scopes', models.JSONField(default=list)),
                    ('created_at', models.DateTimeField()),
                    ('revoked_at', models.DateTimeField(blank=True, null=True)),
                    ('last_used_at', models.DateTimeField(blank=True, null=True)),
                    ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='keys', to='ranking.source')),
                    ('modes', models.ManyToManyField(blank=True, related_name='keys', to='ranking.mode')),
                ],
                options={
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('digest', ''), _negated=True), name='key_digest_given'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Merge',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('sequence', models.BigIntegerField()),
                    ('forfeits', models.JSONField(default=list)),
                    ('reason', models.CharField(max_length=200)),
                    ('merged_at', models.DateTimeField()),
                    ('kept', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='merges', to='ranking.player')),
                    ('merged', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='merges_away', to='ranking.player')),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('merged',), name='merge_once_a_player'),
                        models.CheckConstraint(condition=models.Q(('kept', models.F('merged')), _negated=True), name='merge_of_two'),
                        models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='merge_reason_given'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Incident',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('leave', 'left a match'), ('dropout', 'dropped out of a lobby'), ('missed', 'missed an accept')], max_length=7)),
                    ('occasion', models.CharField(max_length=128)),
                    ('happened_at', models.DateTimeField()),
                    ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='incidents', to='ranking.player')),
                    ('mode', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='incidents', to='ranking.mode')),
                    ('match', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='incidents', to='ranking.match')),
                    ('forfeit', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='incident', to='ranking.forfeit')),
                ],
                options={
                    'permissions': [('pardon_incident', 'Can pardon incidents')],
                    'indexes': [
                        models.Index(fields=['player', 'happened_at'], name='incident_of_player'),
                        models.Index(fields=['happened_at'], name='incident_recent'),
                        models.Index(condition=models.Q(('kind', 'missed'), _negated=True), fields=['happened_at'], include=('id', 'player', 'mode', 'match', 'forfeit'), name='incident_leaves'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('player', 'occasion'), name='incident_once_an_occasion'),
                        models.CheckConstraint(condition=models.Q(('kind__in', ['leave', 'dropout', 'missed'])), name='incident_kind_known'),
                        models.CheckConstraint(condition=models.Q(('occasion', ''), _negated=True), name='incident_occasion_given'),
                        models.CheckConstraint(condition=models.Q(models.Q(('kind', 'leave'), ('match__isnull', False)), models.Q(models.Q(('kind', 'leave'), _negated=True), ('match__isnull', True)), _connector='OR'), name='incident_leave_names_its_match'),
                        models.CheckConstraint(condition=models.Q(('forfeit__isnull', True), ('kind', 'dropout'), _connector='OR'), name='incident_forfeit_of_a_dropout'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Pardon',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('pardoned_at', models.DateTimeField()),
                    ('reason', models.CharField(max_length=200)),
                    ('incident', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='pardon', to='ranking.incident')),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='pardon_reason_given'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Ban',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('scope', models.CharField(choices=[('queue', 'queues'), ('boards', 'boards'), ('both', 'queues and boards')], max_length=6)),
                    ('reason', models.CharField(max_length=200)),
                    ('starts_at', models.DateTimeField()),
                    ('ends_at', models.DateTimeField(blank=True, null=True)),
                    ('lifted_at', models.DateTimeField(blank=True, null=True)),
                    ('lift_reason', models.CharField(blank=True, max_length=200)),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bans', to='ranking.player')),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('lifted_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'permissions': [('extend_ban', 'Can extend bans'), ('lift_ban', 'Can lift bans')],
                    'indexes': [
                        models.Index(condition=models.Q(('lifted_at__isnull', True)), fields=['ends_at'], name='ban_ends'),
                        models.Index(condition=models.Q(('lifted_at__isnull', False)), fields=['lifted_at'], name='ban_lifted'),
                        models.Index(condition=models.Q(('scope__in', ['boards', 'both'])), fields=['starts_at'], name='ban_boards_starts'),
                        models.Index(condition=models.Q(('scope__in', ['boards', 'both'])), fields=['ends_at'], name='ban_boards_ends'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('scope__in', ['queue', 'boards', 'both'])), name='ban_scope_known'),
                        models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='ban_reason_given'),
                        models.CheckConstraint(condition=models.Q(('ends_at__isnull', True), ('ends_at__gt', models.F('starts_at')), _connector='OR'), name='ban_ends_after_start'),
                        models.CheckConstraint(condition=models.Q(models.Q(('lift_reason', ''), ('lifted_at__isnull', True)), models.Q(('lifted_at__isnull', False), models.Q(('lift_reason', ''), _negated=True)), _connector='OR'), name='ban_lifted_with_a_reason'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Appeal',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('words', models.CharField(max_length=2000)),
                    ('made_at', models.DateTimeField()),
                    ('decision', models.CharField(blank=True, choices=[('granted', 'granted'), ('confirmed', 'confirmed'), ('withdrawn', 'withdrawn')], max_length=9)),
                    ('decided_at', models.DateTimeField(null=True)),
                    ('answer', models.CharField(blank=True, max_length=200)),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='appeals', to='ranking.player')),
                    ('ban', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='appeal', to='ranking.ban')),
                    ('incident', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='appeal', to='ranking.incident')),
                    ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'permissions': [('decide_appeal', 'Can decide appeals')],
                    'indexes': [
                        models.Index(condition=models.Q(('decided_at__isnull', True)), fields=['made_at', 'id'], name='appeal_open'),
                        models.Index(condition=models.Q(('decided_at__isnull', False)), fields=['decided_at'], name='appeal_decided'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(models.Q(('ban__isnull', True), ('incident__isnull', False)), models.Q(('ban__isnull', False), ('incident__isnull', True)), _connector='OR'), name='appeal_of_a_ban_or_a_lockout'),
                        models.CheckConstraint(condition=models.Q(('words', ''), _negated=True), name='appeal_words_given'),
                        models.CheckConstraint(condition=models.Q(models.Q(('answer', ''), ('decided_at__isnull', True), ('decision', '')), models.Q(('decided_at__isnull', False), ('decision__in', ['granted', 'confirmed', 'withdrawn']), models.Q(('answer', ''), _negated=True)), _connector='OR'), name='appeal_decided_with_an_answer'),
                        models.CheckConstraint(condition=models.Q(('decided_at__isnull', True), ('decided_at__gte', models.F('made_at')), _connector='OR'), name='appeal_decided_afterwards'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='AuditEntry',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('at', models.DateTimeField(db_index=True)),
                    ('who', models.CharField(blank=True, db_default='', default='', max_length=150)),
                    ('act', models.CharField(max_length=32)),
                    ('subject', models.CharField(max_length=160)),
                    ('reason', models.CharField(max_length=200)),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('player', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='audit', to='ranking.player')),
                ],
                options={
                    'verbose_name_plural': 'audit log',
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('act', ''), _negated=True), name='audit_act_given'),
                        models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='audit_reason_given'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='EvaluationRun',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('candidates', models.JSONField()),
                    ('until', models.PositiveBigIntegerField()),
                    ('matches', models.PositiveBigIntegerField()),
                    ('asked_at', models.DateTimeField()),
                    ('state', models.CharField(choices=[('waiting', 'waiting'), ('running', 'running'), ('done', 'done'), ('failed', 'failed'), ('stopped', 'stopped')], default='waiting', max_length=7)),
                    ('progress', models.PositiveBigIntegerField(default=0)),
                    ('results', models.JSONField(default=list)),
                    ('error', models.TextField(blank=True)),
                    ('finished_at', models.DateTimeField(null=True)),
                    ('claimed_by', models.CharField(blank=True, max_length=32)),
                    ('claimed_until', models.DateTimeField(null=True)),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('mode', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='evaluations', to='ranking.mode')),
                    ('asked_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'indexes': [
                        models.Index(fields=['mode', '-id'], name='evaluation_newest'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('state__in', ['waiting', 'running'])), fields=('mode',), name='evaluation_one_at_a_time'),
                        models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', True), ('state__in', ['waiting', 'running'])), models.Q(('finished_at__isnull', False), ('state__in', ['done', 'failed', 'stopped'])), _connector='OR'), name='evaluation_finished_or_not'),
                        models.CheckConstraint(condition=models.Q(models.Q(('claimed_by', ''), ('claimed_until__isnull', True)), models.Q(models.Q(('claimed_by', ''), _negated=True), ('claimed_until__isnull', False), ('state', 'running')), _connector='OR'), name='evaluation_claimed_while_running'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='DeviceUse',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('digest', models.CharField(max_length=32)),
                    ('used_at', models.DateTimeField(db_index=True)),
                    ('match', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='devices', to='ranking.match')),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='devices', to='ranking.player')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('match', 'player'), name='device_once_a_match'),
                        models.CheckConstraint(condition=models.Q(('digest', ''), _negated=True), name='device_digest_given'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='AbuseRun',
                fields=[
                    ('mode', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='abuse_run', serialize=False, to='ranking.mode')),
                    ('ran_at', models.DateTimeField()),
                    ('parts', models.PositiveBigIntegerField()),
                    ('seconds', models.FloatField()),
                ],
            ),
            migrations.CreateModel(
                name='Finding',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('boosting', 'boosting'), ('trading', 'win trading'), ('delevelling', 'de-levelling'), ('smurfing', 'smurfing'), ('sharing', 'shared account')], max_length=11)),
                    ('score', models.FloatField()),
                    ('evidence', models.JSONField()),
                    ('found_at', models.DateTimeField()),
                    ('seen_at', models.DateTimeField()),
                    ('verdict', models.CharField(choices=[('open', 'not reviewed'), ('confirmed', 'confirmed'), ('dismissed', 'dismissed')], default='open', max_length=9)),
                    ('reviewed_score', models.FloatField(null=True)),
                    ('reviewed_at', models.DateTimeField(null=True)),
                    ('reason', models.CharField(blank=True, max_length=200)),
                    ('mode', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='findings', to='ranking.mode')),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='findings', to='ranking.player')),
                    ('other', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='findings_beside', to='ranking.player')),
                    ('reviewed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name': 'abuse report',
                    'indexes': [
                        models.Index(models.OrderBy(models.F('score'), descending=True), models.OrderBy(models.F('id'), descending=True), name='finding_strongest'),
                        models.Index(fields=['mode', 'kind'], name='finding_of_mode'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('other__isnull', True)), fields=('kind', 'mode', 'player'), name='finding_once_a_player'),
                        models.UniqueConstraint(fields=('kind', 'mode', 'player', 'other'), name='finding_once_a_pair'),
                        models.CheckConstraint(condition=models.Q(('kind__in', ['boosting', 'trading', 'delevelling', 'smurfing', 'sharing'])), name='finding_kind_known'),
                        models.CheckConstraint(condition=models.Q(models.Q(('kind__in', ['boosting', 'trading']), ('other__isnull', False)), models.Q(('kind__in', ['delevelling', 'smurfing']), ('other__isnull', True)), ('kind', 'sharing'), _connector='OR'), name='finding_of_one_or_two'),
                        models.CheckConstraint(condition=models.Q(('other__isnull', True), models.Q(('other', models.F('player')), _negated=True), _connector='OR'), name='finding_of_two_different'),
                        models.CheckConstraint(condition=models.Q(('seen_at__gte', models.F('found_at'))), name='finding_seen_after_found'),
                        models.CheckConstraint(condition=models.Q(models.Q(('reason', ''), ('reviewed_at__isnull', True), ('reviewed_score__isnull', True), ('verdict', 'open')), models.Q(('reviewed_at__isnull', False), ('reviewed_score__isnull', False), ('verdict__in', ['confirmed', 'dismissed']), models.Q(('reason', ''), _negated=True)), _connector='OR'), name='finding_reviewed_with_a_reason'),
                    ],
                },
            ),
        ]),
        migrations.RunPython(fill_skeletons, migrations.RunPython.noop),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
