"""The audit log."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.roles import projects_for_user
from webapp.api.base import ApiView, listed, query
from webapp.api.errors import Wrong
from webapp.api.serializers.pages import page_shape
from webapp.api.serializers.runs import EventsAsked, EventShape
from webapp.audit.access import events_for_user
from webapp.audit.search import Search


class AuditView(ApiView):
    """Events."""

    scopes = {"GET": "admin"}

    @extend_schema(
        parameters=[EventsAsked], responses=page_shape(EventShape), summary="The audit log, newest first"
    )
    def get(self, request: Request) -> Response:
        """Of the projects of which you are an admin."""
        visible = events_for_user(request.user)
        asked = query(request, EventsAsked)
        search = Search.of({name: str(value) for name, value in asked.items()})
        slugs = {project.slug: project.pk for project in projects_for_user(request.user, "admin")}
        found = search.narrow(visible, slugs)
        if search.problems:
            raise Wrong(search.problems[0].replace("so it was left out", "so nothing was looked for"))
        return listed(request, found, EventShape, ("-pk",), asked)
