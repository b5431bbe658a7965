"""Comments on findings: text, people they mention, records attached by link."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.urls import NoReverseMatch, reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from webapp.audit.log import record
from webapp.journals.access import journals_for_user
from webapp.journals.models import Inspection
from webapp.rejected import Rejected
from webapp.review.access import can_comment, members_of
from webapp.review.models import Comment, Finding
from webapp.review.notices import notify_mentioned

MAX_CHARACTERS = 10_000
MAX_RECORDS = 50
MENTION = re.compile(r"(?<![\w@.])@([\w.+-]+(?:@[\w.-]+)?)")
RECORD_ADDRESS = re.compile(r"/inspections/([0-9a-f-]{36})/report/records/(?:(-?\d{1,18})/)?$")
OFFSET = re.compile(r"\d[\d,]{0,25}")
ONLY_SUPPORT = "Comments need the role support. Ask an admin of the project for it."


@dataclass(frozen=True)
class RecordLink:
    offset: int
    partition: str
    url: str


def comment(finding: Finding, user: Any, text: str, *, records: str = "") -> Comment:
    """Add a comment. `records`: offsets, or addresses of record pages, set apart by spaces or line ends.

    Raises Rejected for what cannot be kept, PermissionDenied for who may not comment.
    """
    if not can_comment(user, finding.project_id):
        raise PermissionDenied(ONLY_SUPPORT)
    text = text.replace("\0", "").strip()
    if not text or len(text) > MAX_CHARACTERS:
        raise Rejected(f"A comment has between 1 and {MAX_CHARACTERS:,} characters.")
    attached = parse_records(records, finding, user)
    with transaction.atomic():
        made = Comment.objects.create(finding=finding, author=user, text=text, records=attached)
        mentioned = mentioned_in(text, finding)
        made.mentions.set(mentioned)
        record(
            "finding.commented",
            actor=user,
            project_id=finding.project_id,
            target=finding,
            comment=made.pk,
            mentions=[person.pk for person in mentioned],
        )
        notify_mentioned(made, mentioned)
    return made


def mentioned_in(text: str, finding: Finding) -> list[Any]:
    """Members of the project that are mentioned with @."""
    names = {name.casefold() for match in MENTION.finditer(text) for name in _readings(match[1])}
    if not names:
        return []
    members = members_of([finding.project_id])
    return [member for member in members if member.get_username().casefold() in names]


def not_mentioned(text: str, mentioned: list[Any]) -> list[str]:
    """@names that match no member of the project."""
    members = {person.get_username().casefold() for person in mentioned}
    named = {match[1]: {name.casefold() for name in _readings(match[1])} for match in MENTION.finditer(text)}
    return [name.rstrip(".-+") for name, readings in named.items() if members.isdisjoint(readings)]


def _readings(name: str) -> set[str]:
    """With and without punctuation at the end, which may belong to the sentence."""
    return {name, name.rstrip(".-+")}


def parse_records(text: str, finding: Finding, user: Any) -> list[dict[str, Any]]:
    """Records to attach, each with its inspection and partition."""
    words = [word.strip(",;") for word in text.replace("\0", "").split()]
    records = [_record(word, finding, user) for word in words if word]
    if len(records) > MAX_RECORDS:
        raise Rejected(f"A comment contains at most {MAX_RECORDS} records; these are {len(records)}.")
    return records


def _record(word: str, finding: Finding, user: Any) -> dict[str, Any]:
    if OFFSET.fullmatch(word) and int(word.replace(",", "")) < 2**63:
        inspection = str(finding.last_inspection_id) if finding.last_inspection_id else None
        partition_names = {"topic": finding.topic, "partition": finding.partition, "replica": finding.replica}
        return {"inspection": inspection, **partition_names, "offset": int(word.replace(",", ""))}
    address = urlsplit(word)
    query = {name: values[0] for name, values in parse_qs(address.query).items()}
    match = RECORD_ADDRESS.search(address.path)
    offset = match and (match[2] or query.get("record"))
    if (
        not match
        or not offset
        or not re.fullmatch(r"-?\d{1,18}", offset)
        or not _is_seen(match[1], finding, user)
    ):
        raise Rejected(f"'{word[:100]}' is neither an offset nor the address of a record in this project.")
    partition = query.get("partition", "")
    partition_names = {"topic": query.get("topic", ""), "replica": query.get("replica", "")}
    return {
        "inspection": match[1],
        **partition_names,
        "partition": int(partition) if partition.isdecimal() else None,
        "offset": int(offset),
    }


def _is_seen(inspection_id: str, finding: Finding, user: Any) -> bool:
    """Whether the record's report is in the finding's project and visible to the user."""
    try:
        journals = journals_for_user(user).filter(project=finding.project_id)
        return Inspection.objects.filter(pk=UUID(inspection_id), journal__in=journals).exists()
    except ValueError:
        return False


def links_of(comment: Comment) -> list[RecordLink]:
    """Attached records; without an address if the report was deleted."""
    ids = {entry["inspection"] for entry in comment.records if entry["inspection"]}
    existing = {str(pk) for pk in Inspection.objects.filter(pk__in=ids).values_list("pk", flat=True)}
    return [_link(entry, entry["inspection"] in existing) for entry in comment.records]


def _link(entry: dict[str, Any], is_there: bool) -> RecordLink:
    partition = entry["topic"] if entry["partition"] is None else f"{entry['topic']}-{entry['partition']}"
    return RecordLink(entry["offset"], partition, _address(entry) if is_there else "")


def _address(entry: dict[str, Any]) -> str:
    named = {name: entry[name] for name in ("topic", "partition", "replica") if entry[name] not in (None, "")}
    query = {**named, "record": entry["offset"], "offset": entry["offset"]}
    try:
        return f"{reverse('report-records', args=[entry['inspection']])}?{urlencode(query)}"
    except NoReverseMatch:
        return ""


def in_html(comment: Comment) -> SafeString:
    """HTML of the comment with mentioned people marked."""
    reached = {person.get_username().casefold() for person in comment.mentions.all()}
    pieces: list[str] = []
    end = 0
    for match in MENTION.finditer(comment.text):
        name = next((name for name in sorted(_readings(match[1])) if name.casefold() in reached), "")
        if not name:
            continue
        pieces += [
            escape(comment.text[end : match.start()]),
            format_html('<strong class="mention">@{}</strong>', name),
        ]
        end = match.start() + 1 + len(name)
    return mark_safe("".join([*pieces, escape(comment.text[end:])]))  # noqa: S308 - every piece is escaped
