"""A text as the body: stored as a journal, or only looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.api.base import ApiView, query, tagged
from webapp.api.serializers.journals import AnnouncedShape
from webapp.api.serializers.pasted import PastedText, PreviewShape
from webapp.api.views.journals import etag_of_journal, older_journal
from webapp.journals import pasted
from webapp.journals.access import insist_on_adding, project_to_add_to
from webapp.journals.refused import Refused

TEXT = {"text/plain": OpenApiTypes.STR}


class TextBody(BaseParser):
    """Bytes, as they came."""

    media_type = "text/plain"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> bytes:
        """Raises Refused for none and for too much."""
        return pasted.read_body(stream)


class TextView(ApiView):
    """A journal of one text."""

    scopes = {"POST": "upload"}
    parser_classes = [TextBody]

    @extend_schema(
        parameters=[PastedText],
        request=TEXT,
        responses={201: AnnouncedShape},
        summary="Store a text as a journal and inspect it",
    )
    def post(self, request: Request) -> Response:
        """The body is what somebody copied: output of a Kafka tool, with everything around it. 20 MB at most."""
        asked = query(request, PastedText)
        older = older_journal(request, asked.get("continues"))
        project = older.project if older else project_to_add_to(request.user, asked.get("project", ""))
        file = asked.get("file", pasted.FILE)
        journal = pasted.store(request.user, project, asked.get("name", ""), text_of(request), file, older)
        return tagged(AnnouncedShape(journal).data, etag_of_journal(journal), 201)


class PreviewView(ApiView):
    """What a text is."""

    scopes = {"POST": "upload"}
    parser_classes = [TextBody]

    @extend_schema(
        request=TEXT, responses=PreviewShape, summary="What would be read of a text; nothing is stored"
    )
    def post(self, request: Request) -> Response:
        """503 when reading it takes more than 30 s, or others' previews are being made; an inspection has no such limit."""
        insist_on_adding(request.user)
        return Response(pasted.preview(text_of(request)))


def text_of(request: Request) -> bytes:
    """The body."""
    content = request.data
    if not isinstance(content, bytes):
        raise Refused(pasted.EMPTY)
    return content
