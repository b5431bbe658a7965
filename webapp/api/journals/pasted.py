"""A text as the body: stored as a journal, or only looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from drf_spectacular.types import OpenApiTypes
from rest_framework.decorators import action
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.api.journals.journals import etag_of_journal, older_journal
from webapp.api.journals.pasted_serializers import PastedText, PreviewShape
from webapp.api.journals.serializers import AnnouncedShape
from webapp.api.rest.operation import operation
from webapp.api.rest.resource import Resource
from webapp.journals import pasted
from webapp.journals.access import project_to_add_to, require_adding
from webapp.journals.models import Journal
from webapp.rejected import Rejected

TEXT = {"text/plain": OpenApiTypes.STR}


class TextBody(BaseParser):
    """Bytes, as they came."""

    media_type = "text/plain"

    def parse(  # type: ignore[override]
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> bytes:
        """Raises Rejected for none and for too much."""
        return pasted.read_body(stream)


class TextViewSet(Resource):
    """Journals of one text."""

    parser_classes = [TextBody]

    @operation(
        "Store a text as a journal and inspect it",
        scope="upload",
        query=PastedText,
        body=TEXT,
        answer=AnnouncedShape,
        status=201,
    )
    def create(self, request: Request) -> Journal:
        """The body is what somebody copied: output of a Kafka tool, with everything around it. 20 MB at most."""
        params = self.params
        older = older_journal(request, params.get("continues"))
        project = older.project if older else project_to_add_to(request.user, params.get("project", ""))
        name, file = params.get("name", ""), params.get("file", pasted.FILE)
        journal = pasted.store(request.user, project, name, _text(request), file, older)
        self.etag = etag_of_journal(journal)
        return journal

    @action(detail=False, methods=["post"])
    @operation(
        "Preview of what Journalscope reads from a text; nothing is stored",
        scope="upload",
        body=TEXT,
        answer=PreviewShape,
    )
    def preview(self, request: Request) -> Response:
        """503 when reading it takes more than 30 s, or others' previews are being made; an inspection has no such limit."""
        require_adding(request.user)
        return Response(pasted.preview(_text(request)))


def _text(request: Request) -> bytes:
    """The body."""
    content = request.data
    if not isinstance(content, bytes):
        raise Rejected(pasted.EMPTY)
    return content
