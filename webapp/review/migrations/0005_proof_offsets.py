"""Findings are found by the offsets of the records that prove them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("review", "0004_saved_record_filters")]

    operations = [
        migrations.AddField(
            model_name="finding",
            name="proof_offsets",
            field=models.TextField(
                blank=True,
                default="",
                help_text="` 251 279 `: offsets of the records that prove it, for the search",
            ),
            preserve_default=False,
        ),
    ]
