"""All tables of leaderboards; what its roles may do; indexes of accounts by name and by address."""

import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models

from ranking.migrations._models import CreateModels
from ranking.migrations._roles import grant

VIEWER = ["view_avatar"]
ADMINISTRATOR = [*VIEWER, "view_webhook", "add_webhook", "change_webhook", "view_delivery", "change_delivery"]
ROLES = {"viewer": VIEWER, "moderator": VIEWER, "administrator": ADMINISTRATOR}

# Log-in and sign-up find accounts by name, in capitals or not, and by address. The table is Django's own.
INDEXES = {
    "sqlite": {"auth_user_username_nocase": "username COLLATE NOCASE", "auth_user_email": "email"},
    "postgresql": {"auth_user_username_upper": "upper(username)", "auth_user_email": "email"},
}


def make_indexes(apps, schema_editor):
    for name, key in INDEXES[schema_editor.connection.vendor].items():
        schema_editor.execute(f"CREATE INDEX {name} ON auth_user ({key})")


def drop_indexes(apps, schema_editor):
    for name in INDEXES[schema_editor.connection.vendor]:
        schema_editor.execute(f"DROP INDEX {name}")


def make_roles(apps, schema_editor):
    grant(apps, "leaderboards", ROLES)


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('leaderboards', '0001_initial'),
        ('leaderboards', '0002_login_indexes'),
        ('leaderboards', '0003_announcements'),
        ('leaderboards', '0004_season_achievements'),
        ('leaderboards', '0005_topics_and_counts'),
        ('leaderboards', '0006_preferences'),
        ('leaderboards', '0007_avatars'),
    ]

    dependencies = [
        ('ranking', '0001_squashed_0023_keys_and_kept_answers'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
    ]

    operations = [
        CreateModels([
            migrations.CreateModel(
                name='Following',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('since', models.DateTimeField()),
                    ('follower', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='followings', to='ranking.player')),
                    ('followed', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='followers', to='ranking.player')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('follower', 'followed'), name='following_once'),
                        models.CheckConstraint(condition=models.Q(('follower', models.F('followed')), _negated=True), name='following_not_oneself'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Blocking',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('since', models.DateTimeField()),
                    ('blocker', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='blockings', to='ranking.player')),
                    ('blocked', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='blockers', to='ranking.player')),
                ],
                options={
                    'indexes': [
                        models.Index(fields=['blocker', 'id'], name='blocking_latest'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('blocker', 'blocked'), name='blocking_once'),
                        models.CheckConstraint(condition=models.Q(('blocker', models.F('blocked')), _negated=True), name='blocking_not_oneself'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Achievement',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('feat', models.CharField(max_length=32)),
                    ('occasion', models.CharField(blank=True, max_length=32)),
                    ('earned_at', models.DateTimeField()),
                    ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='achievements', to='ranking.player')),
                    ('mode', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='achievements', to='ranking.mode')),
                    ('match', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ranking.match')),
                    ('season', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='achievements', to='ranking.season')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('player', 'mode', 'feat', 'occasion'), name='achievement_once'),
                        models.CheckConstraint(condition=models.Q(('feat', ''), _negated=True), name='achievement_feat_given'),
                        models.CheckConstraint(condition=models.Q(('season__isnull', True), models.Q(('occasion', ''), _negated=True), _connector='OR'), name='achievement_once_a_season'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Progress',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('generation', models.PositiveIntegerField()),
                    ('upto', models.BigIntegerField(default=0)),
                    ('season', models.BigIntegerField(default=0)),
                    ('completed', models.PositiveIntegerField(default=0)),
                    ('wins', models.PositiveIntegerField(default=0)),
                    ('losses', models.PositiveIntegerField(default=0)),
                    ('stayed', models.PositiveIntegerField(default=0)),
                    ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='progress', to='ranking.player')),
                    ('mode', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='progress', to='ranking.mode')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('player', 'mode'), name='progress_once_a_mode'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Watch',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('pending', models.BooleanField(default=True)),
                    ('level', models.PositiveSmallIntegerField(null=True)),
                    ('top', models.PositiveSmallIntegerField(null=True)),
                    ('rating', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='watch', to='ranking.rating')),
                ],
                options={
                    'verbose_name_plural': 'watches',
                    'indexes': [
                        models.Index(condition=models.Q(('pending', True)), fields=['id'], name='watch_pending'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(models.Q(('level__isnull', True), ('top__isnull', True)), models.Q(('level__isnull', False), ('top__isnull', False)), _connector='OR'), name='watch_seen_whole'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Notice',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(max_length=16)),
                    ('occasion', models.CharField(max_length=80)),
                    ('data', models.JSONField(default=dict)),
                    ('created_at', models.DateTimeField()),
                    ('read_at', models.DateTimeField(null=True)),
                    ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='notices', to='ranking.player')),
                    ('mode', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ranking.mode')),
                ],
                options={
                    'indexes': [
                        models.Index(fields=['player', '-id'], name='notice_newest'),
                        models.Index(condition=models.Q(('read_at__isnull', True)), fields=['player'], name='notice_unread'),
                        models.Index(condition=models.Q(('read_at__isnull', False)), fields=['read_at'], name='notice_read'),
                        models.Index(condition=models.Q(('read_at__isnull', True)), fields=['created_at'], name='notice_stale'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('player', 'kind', 'occasion'), name='notice_once_an_occasion'),
                        models.CheckConstraint(condition=models.Q(models.Q(('kind', ''), _negated=True), models.Q(('occasion', ''), _negated=True)), name='notice_kind_given'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Webhook',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=64, unique=True)),
                    ('kind', models.CharField(choices=[('game', 'A game: signed JSON'), ('discord', 'A Discord channel')], max_length=8)),
                    ('url', models.URLField(max_length=500, verbose_name='URL')),
                    ('events', models.JSONField(default=list)),
                    ('rotation', models.PositiveIntegerField(default=0)),
                    ('rotated_at', models.DateTimeField(blank=True, null=True)),
                    ('created_at', models.DateTimeField()),
                    ('disabled_at', models.DateTimeField(blank=True, null=True)),
                    ('modes', models.ManyToManyField(blank=True, related_name='webhooks', to='ranking.mode')),
                ],
                options={
                    'ordering': ['name'],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('kind__in', ['game', 'discord'])), name='webhook_kind_known'),
                        models.CheckConstraint(condition=models.Q(('url__startswith', 'https://'), ('url__startswith', 'http://'), _connector='OR'), name='webhook_url_is_http'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Delivery',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('type', models.CharField(max_length=24)),
                    ('occasion', models.CharField(max_length=64)),
                    ('data', models.JSONField(null=True)),
                    ('created_at', models.DateTimeField()),
                    ('due_at', models.DateTimeField()),
                    ('claimed_until', models.DateTimeField(null=True)),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('status', models.PositiveSmallIntegerField(null=True)),
                    ('last_error', models.TextField(blank=True)),
                    ('delivered_at', models.DateTimeField(null=True)),
                    ('parked_at', models.DateTimeField(null=True)),
                    ('webhook', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='leaderboards.webhook')),
                ],
                options={
                    'verbose_name_plural': 'deliveries',
                    'indexes': [
                        models.Index(condition=models.Q(('delivered_at__isnull', True), ('parked_at__isnull', True)), fields=['webhook', 'due_at', 'id'], name='delivery_due'),
                        models.Index(fields=['webhook', '-id'], name='delivery_newest'),
                        models.Index(condition=models.Q(('parked_at__isnull', False)), fields=['id'], name='delivery_parked'),
                        models.Index(condition=models.Q(('delivered_at__isnull', False)), fields=['delivered_at'], name='delivery_done'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('webhook', 'type', 'occasion'), name='delivery_once_a_webhook'),
                        models.CheckConstraint(condition=models.Q(('delivered_at__isnull', True), ('parked_at__isnull', True), _connector='OR'), name='delivery_done_or_parked'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Announcement',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(max_length=8)),
                    ('at', models.DateTimeField()),
                    ('made_at', models.DateTimeField()),
                    ('season', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='announcements', to='ranking.season')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('season', 'kind', 'at'), name='announcement_once'),
                        models.CheckConstraint(condition=models.Q(('kind__in', ['week', 'day', 'over', 'begun'])), name='announcement_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='ReadMark',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('read_at', models.DateTimeField()),
                    ('announcement', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='read_marks', to='leaderboards.announcement')),
                    ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='read_marks', to='ranking.player')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('player', 'announcement'), name='read_mark_once'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='AchievementCount',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('feat', models.CharField(max_length=32)),
                    ('holders', models.PositiveIntegerField()),
                    ('players', models.PositiveIntegerField()),
                    ('mode', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='ranking.mode')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('mode', 'feat'), name='achievement_count_once'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='MutedTopic',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('topic', models.CharField(max_length=16)),
                    ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='muted_topics', to='ranking.player')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('player', 'topic'), name='muted_topic_once'),
                        models.CheckConstraint(condition=models.Q(('topic__in', ['tiers', 'ranks', 'achievements'])), name='muted_topic_known'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Preferences',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('language', models.CharField(blank=True, max_length=16)),
                    ('zone', models.CharField(blank=True, max_length=64)),
                    ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='preferences', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name_plural': 'preferences',
                },
            ),
            migrations.CreateModel(
                name='Avatar',
                fields=[
                    ('player', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='ranking.player')),
                    ('image', models.BinaryField(null=True)),
                    ('due_at', models.DateTimeField(null=True)),
                    ('removed_at', models.DateTimeField(null=True)),
                ],
                options={
                    'indexes': [
                        models.Index(fields=['due_at'], name='avatar_due'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('image__isnull', True), django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('image'), 8192), _connector='OR'), name='avatar_small'),
                        models.CheckConstraint(condition=models.Q(models.Q(('due_at__isnull', False), ('removed_at__isnull', True)), models.Q(('due_at__isnull', True), ('image__isnull', True), ('removed_at__isnull', False)), _connector='OR'), name='avatar_due_or_removed'),
                    ],
                },
            ),
        ]),
        migrations.RunPython(make_indexes, drop_indexes),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
