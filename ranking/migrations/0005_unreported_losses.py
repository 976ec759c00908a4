"""A kind of abuse reports: players who are behind, again and again, when servers fall silent."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ranking', '0004_places'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='finding',
            name='finding_kind_known',
        ),
        migrations.RemoveConstraint(
            model_name='finding',
            name='finding_of_one_or_two',
        ),
        migrations.AlterField(
            model_name='finding',
            name='kind',
            field=models.CharField(choices=[('boosting', 'boosting'), ('trading', 'win trading'), ('delevelling', 'de-levelling'), ('smurfing', 'smurfing'), ('sharing', 'shared account'), ('unreported', 'unreported losses')], max_length=11),
        ),
        migrations.AddConstraint(
            model_name='finding',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['boosting', 'trading', 'delevelling', 'smurfing', 'sharing', 'unreported'])), name='finding_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='finding',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind__in', ['boosting', 'trading']), ('other__isnull', False)), models.Q(('kind__in', ['delevelling', 'smurfing', 'unreported']), ('other__isnull', True)), ('kind', 'sharing'), _connector='OR'), name='finding_of_one_or_two'),
        ),
    ]
