"""What the manual plan appends for a content that an UPDATE emptied."""

from __future__ import annotations

from spark.detectors.apicurio._contents import Case
from spark.detectors.apicurio._repair import append_again
from spark.terms import marked
from spark.terms.typed_wording import at_offsets

BECOME_LATEST = (
    "Warning: the artifact was created again, and copies of its earlier records become its latest versions. Append them only if clients that ask for "
    "the latest version may get them."
)


def appends(case: Case) -> str:
    """The content, then what needs it."""
    if not case.again:
        latest = f"{BECOME_LATEST} " if case.is_recreated else ""
        return f"{latest}{append_again(case.to_append, content_step(case))}"
    text = f"at offset {marked.offset(case.copies[-1])}" if case.copies else "from an older dump"
    return nothing_for([version.offset for version in case.needs], case.again, text, case.to_append)


def nothing_for(offsets: list[int], again: list[int], text: str, others: list[int]) -> str:
    """For versions whose names later ones have; `others`: records that fell with them and can be appended."""
    is_one = len(offsets) == 1
    taken = (
        "Tell the owners of consumers whose messages contain the old global ID or content ID that the registry cannot serve it again. They need the "
        f"text {text}. Append no {'copy of the artifact record' if is_one else 'copies of the artifact records'} at {at_offsets(offsets)}: the registry "
        f"rejects {'it' if is_one else 'them'}, because the {'version' if is_one else 'versions'} at {at_offsets(again)} {'has its name' if is_one else 'have their names'}."
    )
    return f"{taken} {append_again(others, None)}" if others else taken


def content_step(case: Case) -> str | None:
    """How the content gets back into the journal; None: it stands there, and a copy would stand behind its users."""
    if case.retained:
        return None
    if case.held_by:
        return f"Append a copy of the record at offset {marked.offset(case.held_by[-1])}, with its key and value unchanged"
    if case.copies:
        return f"Append a copy of the record at offset {marked.offset(case.copies[-1])} (the same content under another ID), with its key and value unchanged"
    return (
        f"Append a Content CREATE for content {marked.entity(case.content_id, 'content')}, with the key of offset {marked.offset(case.updates[-1])}. Its value: the bytes "
        "02 01, then canonical hash, content and references, each after its length as a 4-byte big-endian integer"
    )
