"""At most one trial and one capture is on its way for each question."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_squashed"),
        ("clusters", "0001_squashed"),
        ("journals", "0002_single_jobs"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="capture",
            name="question",
            field=models.CharField(
                editable=False,
                help_text="SHA-256 of the parent and of what is asked",
                max_length=64,
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="trial",
            name="question",
            field=models.CharField(
                editable=False,
                help_text="SHA-256 of the parent and of what is asked",
                max_length=64,
                null=True,
            ),
        ),
        migrations.AddConstraint(
            model_name="capture",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("queued", "running"))),
                fields=("question",),
                name="one_capture_on_its_way",
            ),
        ),
        migrations.AddConstraint(
            model_name="trial",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("queued", "running"))),
                fields=("question",),
                name="one_trial_on_its_way",
            ),
        ),
    ]
