"""Saved filters of the review queue: one's own, and those that a project's reviewers share."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.access import insist_on_role
from webapp.api.base import ApiView, body, listed
from webapp.api.serializers.pages import Paging, page_shape
from webapp.api.serializers.review import FilterChange, NewFilter, SavedFilterShape
from webapp.api.views.findings import filter_of
from webapp.review import saved
from webapp.review.access import (
    filters_for_user,
    get_filter_for_user,
    insist_on_changing,
    project_to_share_with,
)
from webapp.review.filters import Filter

REVIEWS = dict.fromkeys(("POST", "PATCH", "DELETE"), "review")


class FiltersView(ApiView):
    """Filters."""

    scopes = REVIEWS

    @extend_schema(parameters=[Paging], responses=page_shape(SavedFilterShape), summary="Saved filters")
    def get(self, request: Request) -> Response:
        """Your own, and those of the projects that you review."""
        insist_on_role(request.user, "reviewer")
        return listed(request, filters_for_user(request.user), SavedFilterShape, ("name", "pk"))

    @extend_schema(request=NewFilter, responses={201: SavedFilterShape}, summary="Save a filter")
    def post(self, request: Request) -> Response:
        """For yourself, or for the reviewers of a project. The same name again replaces it."""
        insist_on_role(request.user, "reviewer")
        asked = body(request, NewFilter)
        project = project_to_share_with(request.user, asked.get("project", ""))
        kept = saved.keep(request.user, asked["name"], filter_of(asked["filter"]), project)
        return Response(SavedFilterShape(kept).data, status=201)


class FilterView(ApiView):
    """One filter."""

    scopes = REVIEWS

    @extend_schema(responses=SavedFilterShape, summary="One saved filter")
    def get(self, request: Request, filter_id: int) -> Response:
        """Its `filter` is what `findings/` and `matching` take."""
        return Response(SavedFilterShape(get_filter_for_user(request.user, filter_id)).data)

    @extend_schema(
        request=FilterChange, responses=SavedFilterShape, summary="Rename or change a saved filter"
    )
    def patch(self, request: Request, filter_id: int) -> Response:
        """For its owner, or an admin of the project that shares it."""
        kept = get_filter_for_user(request.user, filter_id)
        insist_on_changing(request.user, kept)
        asked = body(request, FilterChange)
        wanted = filter_of(asked["filter"]) if "filter" in asked else Filter.of_text(kept.query)
        saved.change(kept, asked.get("name", kept.name), wanted)
        return Response(SavedFilterShape(kept).data)

    @extend_schema(responses={204: None}, summary="Delete a saved filter")
    def delete(self, request: Request, filter_id: int) -> Response:
        """For everybody who has it."""
        kept = get_filter_for_user(request.user, filter_id)
        insist_on_changing(request.user, kept)
        saved.delete(kept)
        return Response(status=204)
