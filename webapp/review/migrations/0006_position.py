"""Findings of equal rank are in the order of their report."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("review", "0005_proof_offsets")]

    operations = [
        migrations.AlterModelOptions(
            name="finding", options={"ordering": ("rank", "due_at", "position", "pk")}
        ),
        migrations.AddField(
            model_name="finding",
            name="position",
            field=models.PositiveIntegerField(
                default=0, help_text="among those of equal rank, as in the report"
            ),
        ),
    ]
