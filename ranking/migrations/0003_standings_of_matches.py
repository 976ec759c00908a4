"""Ratings that standings before and after a match belong to; standings of forfeits; from when on tiers are given."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ranking', '0002_two_texts'),
    ]

    operations = [
        migrations.AddField(
            model_name='forfeit',
            name='display_after',
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='forfeit',
            name='display_before',
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='forfeit',
            name='listed_after',
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='forfeit',
            name='listed_before',
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='forfeit',
            name='percentile_after',
            field=models.PositiveSmallIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='forfeit',
            name='percentile_before',
            field=models.PositiveSmallIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='forfeit',
            name='rank_after',
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='forfeit',
            name='rank_before',
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='mode',
            name='tier_least_listed',
            field=models.PositiveSmallIntegerField(db_default=20, default=20),
        ),
        migrations.AddField(
            model_name='participation',
            name='display_after',
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='participation',
            name='display_before',
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddConstraint(
            model_name='forfeit',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('display_before__isnull', True), ('listed_before__isnull', True), ('percentile_before__isnull', True), ('rank_before__isnull', True)), models.Q(('display_before__isnull', False), ('listed_before__isnull', False), ('percentile_before__isnull', False), ('rank_before__isnull', False)), _connector='OR'), name='forfeit_standing_before_whole'),
        ),
        migrations.AddConstraint(
            model_name='forfeit',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('display_after__isnull', True), ('listed_after__isnull', True), ('percentile_after__isnull', True), ('rank_after__isnull', True)), models.Q(('display_after__isnull', False), ('listed_after__isnull', False), ('percentile_after__isnull', False), ('rank_after__isnull', False)), _connector='OR'), name='forfeit_standing_after_whole'),
        ),
    ]
