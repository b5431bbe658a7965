"""Pasted text: a preview of what an inspection of it would read, and the text as an upload like any other.

The preview is made in a process of its own (`webapp.journals.previews.process`): the pages load neither Spark nor numba, a
text that takes too long takes nothing with it, and what it writes is gone with its folder.
"""

from __future__ import annotations

import json
import time
from threading import BoundedSemaphore
from typing import Any, Protocol

from webapp.accounts.models import Project
from webapp.journals import names, text_formats, uploads
from webapp.journals.disk.scratch import scratch_folder
from webapp.journals.models import Journal
from webapp.journals.previews.process import previews
from webapp.rejected import Rejected

MAX_BYTES = 20 << 20
COUNTING_SECONDS = 8  # then the parts are shown without all of their records counted
MAX_SECONDS = 30  # then there is no preview
AT_ONCE = 2  # of one web process
WAIT_SECONDS = 10
FILE = "pasted.txt"

TOO_LARGE = (
    "The text is larger than {limit} MB. Save it as a file and drop the file: uploads have no such limit."
)
EMPTY = "There is no text. Paste the output of a Kafka tool."
TOO_LONG = "There is no preview: reading the text took more than {seconds} s. Inspect it without one; an inspection has no such limit."
BUSY = (
    "The server is making other previews. Try again in a few seconds, or inspect the text without a preview."
)
DEFECT = "There is no preview because of a bug in Journalscope. Your text is not the cause. Inspect it without a preview."


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


slots = BoundedSemaphore(AT_ONCE)


def read_body(stream: Readable) -> bytes:
    """Body of a request. Raises Rejected if it is empty or too large."""
    content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise Rejected(TOO_LARGE.format(limit=MAX_BYTES >> 20), 413)
    if not content.strip():
        raise Rejected(EMPTY)
    return content


def preview(content: bytes, name: str = FILE) -> dict[str, Any]:
    """The document that `spark.stages.preview` describes. Raises Rejected where there is none."""
    name = names.clean(name)
    if not slots.acquire(timeout=WAIT_SECONDS):
        raise Rejected(BUSY, 503)
    try:
        return _asked(content, name)
    finally:
        slots.release()


def _asked(content: bytes, name: str) -> dict[str, Any]:
    with scratch_folder("preview") as folder:
        folder.mkdir(parents=True)
        question = {
            "folder": str(folder), "name": name, "counting_seconds": COUNTING_SECONDS, "max_seconds": MAX_SECONDS,
        }  # fmt: skip
        began = time.monotonic()
        answer = previews.answer(question, content)
    if not answer and time.monotonic() - began >= MAX_SECONDS:
        raise Rejected(TOO_LONG.format(seconds=MAX_SECONDS), 503)
    if not answer:
        raise Rejected(DEFECT, 503)
    document: dict[str, Any] = json.loads(answer)
    return document


def store(
    user: Any,
    project: Project,
    name: str,
    content: bytes,
    file: str = FILE,
    continues: Journal | None = None,
    text_format: str = "",
    ticket: str = "",
) -> Journal:
    """Create a journal of one file; its inspection starts as after an upload, with the format or columns if the user named them."""
    if text_format and (complaint := text_formats.complaint(text_format)):
        raise Rejected(complaint)
    journal = uploads.announce(user, project, name, [(file or FILE, len(content))], continues, ticket)
    upload = journal.uploads.get()
    partial = uploads.partial_path(upload)
    partial.parent.mkdir(parents=True, exist_ok=True)
    partial.write_bytes(content)
    uploads.finish(upload, text_format)
    journal.refresh_from_db()
    return journal
