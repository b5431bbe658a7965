"""The address that a project's "Create ticket" opens."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_roles_by_group"),
    ]

    operations = [
        migrations.AddField(
            model_name="project",
            name="ticket_template",
            field=models.CharField(
                blank=True,
                help_text='address that "Create ticket" opens; empty: no such button',
                max_length=1000,
            ),
        ),
    ]
