"""Filters of records can be saved, each for one journal type."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("review", "0003_decided_alone"),
    ]

    operations = [
        migrations.AddField(
            model_name="savedfilter",
            name="journal_type",
            field=models.CharField(
                blank=True,
                default="",
                help_text="whose records it filters; empty: the review queue",
                max_length=60,
            ),
        ),
        migrations.AlterField(
            model_name="savedfilter",
            name="query",
            field=models.TextField(help_text="the query of the page's address"),
        ),
    ]
