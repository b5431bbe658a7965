"""Commands in YAML: those of a container in a manifest of Kubernetes or a file of Docker Compose.

    (entrypoint | command | args) ":" (words in any form of YAML | one text)        image ":" name of kcat's image

Kubernetes runs `command` with `args`, Compose `entrypoint` with `command`; where neither names a tool, the image is it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

import yaml

from spark.sources._command import KCAT, behind, words_of
from spark.sources._wrapping.marks import KAFKA_TOOL

BEGIN = re.compile(rb"([ ]*(?:- +)*)[\"']?(?:image|entrypoint|command|args)[\"']? *:(?= |$)")
TOOL = re.compile(rb"(?:^|[\s'\"/])" + KAFKA_TOOL)
MORE = re.compile(rb"\s*(?:- |-$|#|[\"']?[\w./-]+[\"']? *:(?= |$))")
MANIFEST_LINES = 200


def manifest_command(lines: Sequence[bytes], is_fenced: bool) -> tuple[bytes, int] | None:
    """The command that these lines begin with and their number; within a fence with the lines of YAML behind it."""
    begin = BEGIN.match(lines[0])
    if begin is None:
        return None
    indent, count = len(begin[1]), 1
    while count < len(lines) and is_within(lines[count], indent):
        count += 1
    command = command_of(b"\n".join(line[indent:] for line in lines[:count]))
    if command is None:
        return None
    while is_fenced and count < len(lines) and (not lines[count].strip() or MORE.match(lines[count])):
        count += 1
    return command, count


def is_within(line: bytes, indent: int) -> bool:
    return bool(line.strip()) and not line[:indent].strip() and not line.startswith((b"```", b"~~~"))


def command_of(block: bytes) -> bytes | None:
    """The command of one mapping, as a shell would take it; None if it calls no tool of Kafka's."""
    try:
        node = yaml.compose(block.decode(errors="replace"), Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return None
    if not isinstance(node, yaml.MappingNode):
        return None
    members = {name.value: value for name, value in node.value if isinstance(name, yaml.ScalarNode)}
    words = [
        word
        for name in ("entrypoint", "command", "args")
        if name in members
        for word in words_in(members[name])
    ]
    image = words_in(members["image"]) if "image" in members else []
    if behind(KCAT, image) is not None and behind(KCAT, words) is None:
        words = image + words
    command = shlex.join(words).encode()
    return command if TOOL.search(command) else None


def words_in(node: yaml.Node) -> list[str]:
    """A list's scalars, or the words of one text."""
    if isinstance(node, yaml.ScalarNode):
        return words_of(node.value)
    items = node.value if isinstance(node, yaml.SequenceNode) else []
    return [item.value for item in items if isinstance(item, yaml.ScalarNode)]
