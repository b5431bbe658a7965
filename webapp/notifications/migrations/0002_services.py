"""Webhooks in the forms of services, and messages with severity and subject to merge them by."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("notifications", "0001_squashed"),
    ]

    operations = [
        migrations.AddField(
            model_name="channel",
            name="sealed_address",
            field=models.TextField(blank=True, help_text="of a webhook whose address is a secret"),
        ),
        migrations.AddField(
            model_name="channel",
            name="service",
            field=models.CharField(
                default="journalscope", help_text="in whose form a webhook is sent", max_length=20
            ),
        ),
        migrations.AddField(
            model_name="message",
            name="about",
            field=models.CharField(
                blank=True, help_text="the same for all messages about one incident", max_length=100
            ),
        ),
        migrations.AddField(
            model_name="message",
            name="severity",
            field=models.CharField(
                default="info", help_text="of the worst finding it is about", max_length=10
            ),
        ),
        migrations.AlterField(
            model_name="channel",
            name="sealed_secret",
            field=models.TextField(
                blank=True, help_text="signs what the webhook gets, or is its service's key"
            ),
        ),
        migrations.AlterField(
            model_name="channel",
            name="target",
            field=models.CharField(
                help_text="mail addresses set apart by commas, or the webhook's address; of one that is a secret its host",
                max_length=1000,
            ),
        ),
    ]
