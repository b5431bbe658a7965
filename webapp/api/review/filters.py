"""Saved filters of the review queue: one's own, and those that a project's reviewers share."""

from __future__ import annotations

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from webapp.accounts.access import require_role
from webapp.api.rest.operation import operation
from webapp.api.rest.resource import Resource
from webapp.api.review.findings import filter_of
from webapp.api.review.serializers import FilterChange, NewFilter, SavedFilterShape
from webapp.review import saved
from webapp.review.access import (
    project_to_share_with,
    queue_filters,
    require_changing,
)
from webapp.review.models import SavedFilter


class FilterViewSet(Resource):
    """Filters."""

    lookup_url_kwarg = "filter_id"
    lookup_value_converter = "int"

    @operation("Saved filters", page=SavedFilterShape, order=("name", "pk"))
    def list(self, request: Request) -> QuerySet[SavedFilter]:
        """Your own, and those of the projects that you review."""
        require_role(request.user, "reviewer")
        return queue_filters(request.user)

    @operation("Save a filter", scope="review", body=NewFilter, answer=SavedFilterShape, status=201)
    def create(self, request: Request) -> SavedFilter:
        """For yourself, or for the reviewers of a project. The same name again replaces it."""
        require_role(request.user, "reviewer")
        payload = self.payload
        project = project_to_share_with(request.user, payload.get("project", ""))
        return saved.keep(request.user, payload["name"], filter_of(payload["filter"]).query, project)

    @operation("One saved filter", answer=SavedFilterShape)
    def retrieve(self, request: Request, filter_id: int) -> SavedFilter:
        """Its `filter` is what `findings/` and `matching` take."""
        return get_object_or_404(queue_filters(request.user), pk=filter_id)

    @operation("Rename or change a saved filter", scope="review", body=FilterChange, answer=SavedFilterShape)
    def partial_update(self, request: Request, filter_id: int) -> SavedFilter:
        """For its owner, or an admin of the project that shares it."""
        row = _changeable(request, filter_id)
        payload = self.payload
        query = filter_of(payload["filter"]).query if "filter" in payload else row.query
        saved.change(row, payload.get("name", row.name), query)
        return row

    @operation("Delete a saved filter", scope="review", status=204)
    def destroy(self, request: Request, filter_id: int) -> None:
        """For everybody who has it."""
        saved.delete(_changeable(request, filter_id))


def _changeable(request: Request, filter_id: int) -> SavedFilter:
    row = get_object_or_404(queue_filters(request.user), pk=filter_id)
    require_changing(request.user, row)
    return row
