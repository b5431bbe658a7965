"""A text as the body: stored as a journal, or only looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.api.journals.journals import etag_of_journal, older_journal
from webapp.api.journals.serializers import AnnouncedShape
from webapp.api.rest.operation import operation
from webapp.api.rest.resource import Resource
from webapp.journals import pasted, text_formats
from webapp.journals.access import project_to_add_to, require_adding
from webapp.journals.models import Journal
from webapp.rejected import Rejected

TEXT = {"text/plain": OpenApiTypes.STR}


class PastedText(serializers.Serializer[Any]):
    """What the address says of a text that becomes a journal."""

    name = serializers.CharField(required=False, max_length=200, help_text="default: the file's name")
    file = serializers.CharField(
        required=False, max_length=200, help_text="name of the file that is stored; default: pasted.txt"
    )
    project = serializers.SlugField(required=False, help_text="default: the first in which you may upload")
    continues = serializers.UUIDField(
        required=False, help_text="the journal of which this is a newer dump; its project is used"
    )
    text_format = serializers.CharField(
        required=False,
        max_length=text_formats.MAX_CHARACTERS,
        trim_whitespace=False,
        help_text="how to read a text that does not say it: kcat's format, or columns; as for an inspection",
    )


class PreviewedPartition(serializers.Serializer[Any]):
    """A partition that a part has records of."""

    topic = serializers.CharField()
    partition = serializers.IntegerField()


class PreviewedPart(serializers.Serializer[Any]):
    """One dump in the text."""

    number = serializers.IntegerField(help_text="from 1, in the order of the text")
    layout = serializers.CharField(help_text="id of the file format, see the Catalogue")
    title = serializers.CharField()
    kind = serializers.CharField(help_text="segment | export | companion")
    note = serializers.CharField(help_text="how it was recognised, what was undone")
    first_line = serializers.IntegerField()
    last_line = serializers.IntegerField()
    records = serializers.IntegerField()
    batches = serializers.IntegerField()
    entries = serializers.IntegerField(help_text="of a part that is not a log: output of a tool, an index")
    damage = serializers.IntegerField(help_text="records or lines that cannot be read")
    control = serializers.DictField(child=serializers.IntegerField(), help_text="kind of control record -> how many")  # fmt: skip
    partitions = PreviewedPartition(many=True)
    first_offset = serializers.IntegerField(allow_null=True, help_text="null: the text has no offsets")
    last_offset = serializers.IntegerField(allow_null=True)


class PreviewShape(serializers.Serializer[Any]):
    """What an inspection would read and set aside."""

    size_bytes = serializers.IntegerField()
    lines = serializers.IntegerField()
    refused = serializers.CharField(help_text="a sentence if nothing was recognised, else empty")
    tried = serializers.CharField(help_text="the file formats that were tried, and why each does not match")
    question = serializers.DictField(
        allow_null=True, help_text="what must be named: `columns` with `rows`, `guess`, `mapping`, or the `format` of kcat -f; docs/sources/other-csv.md"
    )  # fmt: skip
    is_counted = serializers.BooleanField(help_text="false: time was over before all records were counted")
    parts = PreviewedPart(many=True)
    set_aside = serializers.DictField(child=serializers.IntegerField(), help_text="kind of line -> how many")
    runs = serializers.ListField(
        child=serializers.ListField(help_text="first line, last line, number of the part or 0, what the lines are"),
        help_text="consecutive lines of one kind, in order",
    )  # fmt: skip
    runs_to_line = serializers.IntegerField(help_text="the last line that `runs` cover")


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
        text_format = text_formats.cleaned(params.get("text_format", ""))
        journal = pasted.store(request.user, project, name, _text(request), file, older, text_format)
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
