"""At most one inspection and one repair is on its way for each question."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("journals", "0001_squashed"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="inspection",
            name="question",
            field=models.CharField(
                editable=False,
                help_text="SHA-256 of the parent and of what is asked",
                max_length=64,
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="repair",
            name="question",
            field=models.CharField(
                editable=False,
                help_text="SHA-256 of the parent and of what is asked",
                max_length=64,
                null=True,
            ),
        ),
        migrations.AddConstraint(
            model_name="inspection",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("queued", "running"))),
                fields=("question",),
                name="one_inspection_on_its_way",
            ),
        ),
        migrations.AddConstraint(
            model_name="repair",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("queued", "running"))),
                fields=("question",),
                name="one_repair_on_its_way",
            ),
        ),
    ]
