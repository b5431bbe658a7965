"""Findings follow their journal: to another project, and away when the last inspection that saw them is deleted."""

from __future__ import annotations

from typing import Any

from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver

from webapp.journals.models import Inspection, Journal
from webapp.review.models import Finding
from webapp.review.presence import settle


@receiver(post_delete, sender=Inspection)
def settle_without(instance: Inspection, **_: Any) -> None:
    """Its sightings are gone already."""
    settle(instance.journal.lineage)


@receiver(post_save, sender=Journal)
def move_along(instance: Journal, created: bool, **_: Any) -> None:
    """Findings belong to the project of their journal."""
    if not created:
        stayed = Finding.objects.filter(journal=instance).exclude(project=instance.project_id)
        stayed.update(project=instance.project_id)
