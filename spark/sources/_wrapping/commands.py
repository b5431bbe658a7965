"""Topic and partition that a command names for its output.

kafka-console-consumer --topic T [--partition P]    kcat -t T [-p P]    rpk topic consume T    PRINT T
kafka-dump-log --files .../T-P/00000000000000000000.log
"""

from __future__ import annotations

import re

NAME = r"([A-Za-z0-9._-]{1,249})"
TOPIC = (
    re.compile(rf"(?:^|\s)--(?:topic|whitelist|include)[= ]+['\"]?{NAME}(?=['\"\s]|$)"),
    re.compile(rf"\b(?:kcat|kafkacat)\b.*?\s-(?:t|C -t|Ct)\s*['\"]?{NAME}(?=['\"\s]|$)", re.S),
    re.compile(rf"\brpk\s+topic\s+consume\s+(?:-\S+\s+)*['\"]?{NAME}(?=['\"\s]|$)"),
    re.compile(rf"^\s*(?:print)\s+[`'\"]?{NAME}[`'\"]?", re.I),
)
PARTITION = re.compile(r"(?:^|\s)(?:--partition[= ]+|-p\s*)(\d{1,9})(?=\s|$)")
DUMPED = re.compile(rf"(?:^|[/\\=,'\"\s]){NAME}-(\d{{1,9}})[/\\]\d{{20}}\.\w+")


def place_in(command: str) -> tuple[str | None, int | None]:
    """Topic and partition, if the command names them."""
    if dumped := DUMPED.search(command):
        folders = {match.groups() for match in DUMPED.finditer(command)}
        return (dumped[1], int(dumped[2])) if len(folders) == 1 else (None, None)
    topic = next((match[1] for pattern in TOPIC if (match := pattern.search(command))), None)
    partition = PARTITION.search(command)
    return topic, int(partition[1]) if partition and topic else None
