"""Folders of replicas in the texts of an incident: the last part of each, for a reader who looks for the consequence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from spark.redaction.kafka_names import NUMBERED_COPY
from spark.terms.visible import cut_middle
from webapp.reports.typed_text import Segments, is_command, unbroken

# the name of a replica in a title; a share's own names begin with the noun: `(replica 1 of 14)`
OF_REPLICA = re.compile(rf" \((?:(?={NUMBERED_COPY.pattern})|replica |output )([^()]+(?: \([^()]+\))?)\)")
FOLDER_CHARACTERS = 24
PARTITION_CHARACTERS = 30


def last_part(folder: str) -> str:
    """`…/broker-2`, cut in its middle if that is long."""
    name = folder.rpartition("/")[2]
    return ("…/" if name != folder else "") + cut_middle(name, FOLDER_CHARACTERS)


def apart(folders: Sequence[str]) -> dict[str, str]:
    """By folder: its last parts, as many as tell it from the others."""
    parts = {folder: folder.split("/") for folder in folders}
    for count in range(1, max(map(len, parts.values()), default=1) + 1):
        names = {folder: "/".join(steps[-count:]) for folder, steps in parts.items()}
        if len(set(names.values())) == len(names):
            break
    return {folder: ("…/" if name != folder else "") + name for folder, name in names.items()}


def short_copy(name: str) -> str:
    """A partition's name with the last part of its replica's folder: `steady-0 (…/broker-2)`."""
    partition, mark, folder = name.removesuffix(")").partition(" (")
    short = cut_middle(partition if mark else name, PARTITION_CHARACTERS)
    return f"{short} ({last_part(folder)})" if mark else short


def with_short_folders(segments: Segments, folders: Iterable[str]) -> Segments:
    """The line with the last part of each folder that it names, all of it in the tooltip; commands stay whole."""
    longest_first = sorted((folder for folder in folders if "/" in folder), key=len, reverse=True)
    return [_shortened(segment, longest_first) for segment in segments]


def _shortened(segment: Mapping[str, Any], folders: Sequence[str]) -> Mapping[str, Any]:
    if is_command(segment):
        return segment
    text = segment["text"]
    for folder in folders:
        text = text.replace(folder, last_part(folder))
    return segment if text == segment["text"] else {**segment, "text": text, "whole": segment["text"]}


def consequence_first(title: str, characters: int = 0) -> SafeString:
    """A title with the consequence first: copies that it names follow it, each by the last part of its folder. `characters`: of
    both together; the copies are left out before the consequence is cut, at the end of a word."""
    folders = list(dict.fromkeys(OF_REPLICA.findall(title)))
    consequence, taken = OF_REPLICA.sub("", title), sum(len(last_part(folder)) + 3 for folder in folders)
    if characters:
        folders = folders if len(consequence) + taken <= characters else []
        consequence = cut(consequence, characters)
    if not folders:
        return unbroken(consequence)
    parts = ((folder, last_part(folder)) for folder in folders)
    names = format_html_join(", ", '<span title="{}">{}</span>', parts)
    return format_html('{} <span class="of-replica">({})</span>', unbroken(consequence), names)


def cut(text: str, length: int) -> str:
    """At the end of a word, and saying so."""
    return text if len(text) <= length else text[:length].rsplit(" ", 1)[0] + " …"
