"""A failed inspection as its page shows it: the reason first, the place where reading stopped, the nearest file formats."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from spark.terms.marked import plain
from spark.terms.topic_commands import FILL_IN, take_dump
from webapp.catalogue.pages import pages
from webapp.journals.models import Inspection

CHECKED = "\n\nFormats checked:\n"  # as `spark.stages.unread` writes it
UNKNOWN = "Unknown file format: "  # so too; without it the message says what the file is
NO_RECORDS = f"If the rows are not records, send a dump of the topic: {plain(take_dump(FILL_IN))}"
NEAREST = 3
FORMAT = re.compile(r"- (.+?): (.+)")
SENTENCES = re.compile(r"(?<=\.)\s")


class CheckedFormat(NamedTuple):
    """A file format that the file is not, with the reason; `address`: of its page in the catalogue, if it has one."""

    title: str
    missing: str
    address: str = ""


@dataclass(frozen=True)
class Failure:
    """`is_of_input`: the same files would fail again; `is_unknown`: nothing says what the file is."""

    reason: str
    advice: str = ""
    is_of_input: bool = False
    stop: dict[str, Any] | None = None
    is_text: bool = False
    is_unknown: bool = False
    nearest: list[CheckedFormat] = field(default_factory=list)
    others: list[CheckedFormat] = field(default_factory=list)

    @property
    def is_stopped_later(self) -> bool:
        """Whether a part of the file was read."""
        return self.stop is not None and self.stop["rows"][0][0] != self.stop["stopped"]


def failure_of(inspection: Inspection) -> Failure:
    """Of an inspection that failed."""
    message, _, checked = inspection.error.partition(CHECKED)
    summary = inspection.summary
    stop, question = summary.get("unread"), summary.get("question")
    if question:
        message = question["sentence"]
    reason, *advice = SENTENCES.split(message.strip(), maxsplit=1)
    is_unknown = message.startswith(UNKNOWN)
    formats = checked_formats(checked) if is_unknown else []
    return Failure(
        reason or "The inspection failed.",
        NO_RECORDS if question else "".join(advice),
        is_of_input="unread" in summary or question is not None,
        stop=stop,
        is_text=question is not None or bool(stop and stop["is_text"]),
        is_unknown=is_unknown,
        nearest=formats[:NEAREST],
        others=formats[NEAREST:],
    )


def checked_formats(checked: str) -> list[CheckedFormat]:
    """From the lines that name each format with the reason, the nearest first: those have an address."""
    formats = [CheckedFormat(*match) for match in FORMAT.findall(checked)]
    return [format._replace(address=_address(format.title)) for format in formats[:NEAREST]] + formats[
        NEAREST:
    ]


def _address(title: str) -> str:
    return next((page.address for page in pages("sources") if page.title.lower() == title.lower()), "")
