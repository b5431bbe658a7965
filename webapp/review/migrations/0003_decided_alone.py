"""Findings know whether somebody decided about them apart from their incident."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("review", "0002_incidents")]

    operations = [
        migrations.AddField(
            model_name="finding",
            name="decided_alone",
            field=models.BooleanField(
                default=False,
                help_text="apart from the other findings of its incident: their decisions leave it as it is",
            ),
        ),
        migrations.AlterField(
            model_name="finding",
            name="presence",
            field=models.CharField(
                choices=[
                    ("created", "first found"),
                    ("still", "still present"),
                    ("gone", "no longer present"),
                    ("back", "present again"),
                ],
                default="created",
                max_length=10,
            ),
        ),
    ]
