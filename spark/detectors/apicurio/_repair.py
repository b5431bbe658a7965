"""Words and steps the Apicurio detectors share: what to do when content is lost or about to be."""

from __future__ import annotations

from collections.abc import Sequence

from spark.detectors._words import look_again, stop_compaction
from spark.terms import marked
from spark.terms.topic_commands import take_dump
from spark.terms.typed_wording import at_offsets, some, steps, version_name

REFERENCES = [
    "https://www.apicur.io/blog/2024/02/08/resolving-a-bug-in-apicurio-registry-kafkasql-storage-upgrade-process",
    "https://github.com/Apicurio/apicurio-registry/pull/4384",
]
MAX_APPENDED = 100
# Before anything is appended: a registry that runs would write between the records, or reject them for good.
STOP_REGISTRIES = (
    "When you have the dump and the content, stop every registry that uses this topic. Records of a running registry would stand "
    "between the appended ones."
)
# Which versions may be started on the repaired journal.
START_FIXED_VERSION = (
    "Warning: versions 2.1.3 to 2.5.8 write the UPDATE without content again at every start. Start the registries in a fixed "
    "version only: 2.5.9 or later, preferably 2.6.x."
)


def issues(*numbers: int) -> list[str]:
    """References to the registry's own issues."""
    return [f"https://github.com/Apicurio/apicurio-registry/issues/{number}" for number in numbers]


def versions_named(labels: Sequence[str]) -> str:
    """Some versions in words; one artifact's versions share its name."""
    return some([version_name(label) for label in labels])


def artifact_of(label: str) -> str:
    """The artifact a version belongs to."""
    return label.rpartition("/")[0]


def append_content(
    topic: str, lost: Sequence[str] | None, artifact_offsets: Sequence[int], content_step: str | None
) -> str:
    """All steps that bring a content back; `lost`: the versions that need it, where no record has its bytes."""
    return steps(
        [
            dump_first(topic),
            stop_compaction(topic),
            *([] if lost is None else [from_process_or_dump(lost)]),
            STOP_REGISTRIES,
            append_again(artifact_offsets, content_step),
            START_FIXED_VERSION,
            look_again(topic),
        ]
    )


def dump_first(topic: str) -> str:
    """The step before all others."""
    return (
        "Warning: do not restart any registry or broker until a step says so. A restart destroys the remaining evidence and the content in "
        f"memory. Take a full dump of the topic: {take_dump(topic)}"
    )


def from_process_or_dump(labels: Sequence[str]) -> str:
    """Where the exact bytes may still be."""
    request = (
        f"GET /apis/registry/v2/{rest_path(labels[0])}"
        if labels
        else "GET /apis/registry/v2/ids/contentIds/ID"
    )
    return (
        "Get the exact bytes of the content from an export, from an older dump, or from the running registry, which "
        f"answers from memory: `{request}`. Check them: the SHA-256 of the content followed by its references must equal the "
        "contentHash in the record's key. Registries up to 2.4.1 hash the content without its references."
    )


def rest_path(label: str) -> str:
    """Where the registry serves a version."""
    artifact, _, number = label.rpartition("/")
    group, _, name = artifact.partition("/")
    return f"groups/{marked.name(group)}/artifacts/{marked.name(name)}/versions/{marked.name(number)}"


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
        f"If the first version of an artifact is rejected, its later versions {verb} rejected too, even though their content is "
        f"intact: {versions_named(later)}. The registry writes a tombstone for the key of each. The next compaction then "
        "removes their records."
    )
