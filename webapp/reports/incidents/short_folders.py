"""Folders of replicas in the texts of an incident: the last part of each, for a reader who looks for the consequence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spark.terms.visible import cut_middle
from webapp.reports.typed_text import Segments, is_command

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
