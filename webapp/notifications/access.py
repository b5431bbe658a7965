"""Who may see and change which channels and deliveries: one's own, and as an admin those of the project."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import Q
from django.shortcuts import get_object_or_404

from webapp.accounts.access import get_administered_project
from webapp.accounts.roles import projects_for_user
from webapp.notifications.models import Channel, Delivery


def get_channel_for_admin(user: Any, slug: str, channel_id: UUID) -> Channel:
    """404 for a channel of another project, 403 for who is no admin."""
    project = get_administered_project(user, slug)
    return get_object_or_404(project.channels.select_related("project"), pk=channel_id)


def get_delivery_for_user(user: Any, delivery_id: UUID) -> Delivery:
    """A delivery to this user, or to a channel of a project that they administer; else 404."""
    theirs = Q(user=user) | Q(channel__project__in=projects_for_user(user, "admin"))
    deliveries = Delivery.objects.filter(theirs).select_related("message", "channel__project")
    return get_object_or_404(deliveries, pk=delivery_id)
