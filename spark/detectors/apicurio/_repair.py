"""Words and steps the Apicurio detectors share: what to do when a content is lost or about to be."""

from __future__ import annotations

from collections.abc import Sequence

from spark.terms.topic_commands import keep_cleaner_away, let_cleaner_work, take_dump
from spark.terms.wording import at_offsets, listed, plural, some, version_name

REFERENCES = [
    "https://www.apicur.io/blog/2024/02/08/resolving-a-bug-in-apicurio-registry-kafkasql-storage-upgrade-process",
    "https://github.com/Apicurio/apicurio-registry/pull/4384",
]
MAX_APPENDED = 100


def versions_named(labels: Sequence[str]) -> str:
    """Some versions in words; one artifact's versions share its name."""
    return some([version_name(label) for label in labels])


def artifact_of(label: str) -> str:
    """The artifact a version belongs to."""
    return label.rpartition("/")[0]


def dump_first(topic: str) -> str:
    """The step before all others."""
    return (
        "Take a full dump of the topic now, before any registry or broker restarts: what is left of the evidence, and "
        f"of the content in memory, goes with a restart. {take_dump(topic)}"
    )


def stop_compaction(topic: str) -> str:
    """Keep the cleaner away; takes effect without a restart."""
    return f"Keep the cleaner from taking more: {keep_cleaner_away(topic)}"


def from_process_or_dump(labels: Sequence[str]) -> str:
    """Where the exact bytes may still be."""
    asked = (
        f"GET /apis/registry/v2/{rest_path(labels[0])}"
        if labels
        else "GET /apis/registry/v2/ids/contentIds/ID"
    )
    return (
        "Get the content's exact bytes from an export or an older dump, right when the SHA-256 of content followed by "
        "references equals the contentHash in the record's key; or from the registry process that is still running, "
        f"which answers from memory: `{asked}`"
    )


def rest_path(label: str) -> str:
    """Where the registry serves a version."""
    artifact, _, number = label.rpartition("/")
    group, _, name = artifact.partition("/")
    return f"groups/{group}/artifacts/{name}/versions/{number}"


def append_again(artifact_offsets: Sequence[int], content_step: str | None) -> str:
    """The append that survives compaction: content first, then what needs it."""
    if not artifact_offsets:
        return f"{content_step or 'Nothing needs to be appended'}."
    what = "artifact record" if len(artifact_offsets) == 1 else "artifact records"
    whose = "that artifact" if len(artifact_offsets) == 1 else "these artifacts"
    start = f"{content_step}, and after it" if content_step else "Append"
    return (
        f"{start} once more, with their old keys and values and in their old order, the {what} of "
        f"{at_offsets(artifact_offsets, MAX_APPENDED)} and the version, rule, owner and comment records that followed for "
        f"{whose}. The registry drops an artifact record that stands before its content. The tool kafkasql-topic-import, "
        "among Apicurio's examples, appends records from the lines of a base64 dump."
    )


def start_fixed_version() -> str:
    """Which versions may be started on the mended journal."""
    return (
        "Only then start a registry, and start a fixed version: 2.5.9 or later, best 2.6.x. Every start of 2.1.3 to "
        "2.5.8 writes the record without content again."
    )


def look_again(topic: str) -> str:
    """The end: back to normal, and checked."""
    return f"Inspect a fresh dump. When it comes out healthy, let the cleaner work again: {let_cleaner_work(topic)}"


def secondary_loss(later: Sequence[str], future: bool) -> str:
    """What falls with the first version of an artifact."""
    verb = "will fall" if future else "fall"
    return (
        f"With the first version of an artifact its later versions {verb} as well, although their content is intact: "
        f"{versions_named(later)}. The registry writes a null record under the key of each, and the next compaction then "
        "removes these records."
    )


def artifacts_named(labels: Sequence[str]) -> str:
    """`artifact a/b` or `artifacts a/b and c/d`, each once."""
    names = list(dict.fromkeys(artifact_of(label) for label in labels))
    return (
        f"artifact {names[0]}"
        if len(names) == 1
        else f"{plural(len(names), 'artifact')} ({listed(names[:3])}{', ...' if len(names) > 3 else ''})"
    )
