"""An inspection does not go without its shares, whoever deletes it: a page, retention, an admin."""

from __future__ import annotations

from typing import Any

from django.db.models.signals import pre_delete
from django.dispatch import receiver

from webapp.journals.models import Inspection
from webapp.sharing.shares import close_with


@receiver(pre_delete, sender=Inspection)
def close_shares(instance: Inspection, **_: Any) -> None:
    """Before the row goes, its links are closed and their tables marked for removal."""
    close_with(instance)
