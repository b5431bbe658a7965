"""Words that the Apicurio detectors share: what is appended when content is lost, versions, what falls with a first version."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from spark.terms import marked
from spark.terms.typed_wording import at_offsets, some, version_name

MAX_APPENDED = 100


def versions_named(labels: Sequence[str]) -> str:
    """Some versions in words; one artifact's versions share its name."""
    return some([version_name(label) for label in labels])


def artifact_of(label: str) -> str:
    """The artifact a version belongs to."""
    return label.rpartition("/")[0]


def rest_path(labels: Sequence[str], content_id: str = "") -> str:
    """Where the registry serves the first of these versions; without any, the content itself."""
    if not labels:
        return f"ids/contentIds/{marked.entity(content_id, 'content')}"
    artifact, _, number = labels[0].rpartition("/")
    group, _, name = artifact.partition("/")
    group, name, number = (marked.name(quote(text, safe="")) for text in (group, name, number))
    return f"groups/{group}/artifacts/{name}/versions/{number}"


def append_again(artifact_offsets: Sequence[int], content_step: str | None) -> str:
    """The append that survives compaction: content first, then what needs it."""
    if not artifact_offsets:
        return f"{content_step or 'Nothing needs to be appended'}."
    is_one = len(artifact_offsets) == 1
    first = (
        f"{content_step}. This record must come first: the registry rejects an artifact record that precedes its content. "
        "After it, append"
        if content_step
        else "Append"
    )
    return (
        f"{first} {'a copy of the artifact record' if is_one else 'copies of the artifact records'} at "
        f"{at_offsets(artifact_offsets, MAX_APPENDED)}, then copies of the later version, rule, owner and comment records of "
        f"{'that artifact' if is_one else 'these artifacts'}, in their original order. Keep all keys and values. Apicurio's "
        "example tool kafkasql-topic-import appends records from the lines of a base64 dump."
    )


def secondary_loss(later: Sequence[str], future: bool) -> str:
    """What falls with the first version of an artifact."""
    verb = "will be" if future else "are"
    return (
        f"If the first version of an artifact is rejected, its later versions {verb} rejected too, even if their content is "
        f"intact: {versions_named(later)}. The registry writes a tombstone for the key of each. The next compaction then "
        "removes their records."
    )
