"""Django's handle on the report pages; they keep nothing in the database."""

from django.apps import AppConfig


class ReportsConfig(AppConfig):
    """The report pages of an inspection."""

    name = "webapp.reports"
    label = "reports"
