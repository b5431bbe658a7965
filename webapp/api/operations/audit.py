"""The audit log."""

from __future__ import annotations

from django.db.models import QuerySet
from rest_framework.request import Request

from webapp.accounts.roles import projects_for_user
from webapp.api.operations.serializers import EventShape, EventsQuery
from webapp.api.rest.errors import ApiError
from webapp.api.rest.operation import operation
from webapp.api.rest.resource import Resource
from webapp.audit.access import events_for_user
from webapp.audit.models import Event
from webapp.audit.search import Search


class AuditViewSet(Resource):
    """Events."""

    @operation(
        "The audit log, newest first", scope="admin", query=EventsQuery, page=EventShape, order=("-pk",)
    )
    def list(self, request: Request) -> QuerySet[Event]:
        """Of the projects of which you are an admin."""
        visible = events_for_user(request.user)
        search = Search.of({name: str(value) for name, value in self.params.items()})
        slugs = {project.slug: project.pk for project in projects_for_user(request.user, "admin")}
        events = search.narrow(visible, slugs)
        if search.problems:
            raise ApiError(search.problems[0].replace("so it was left out", "so nothing was looked for"))
        return events
