"""`manage.py capture --bootstrap HOST:PORT --topic NAME --out FOLDER`: records of a live topic into a folder. docs/captures.md.

Exit code: 0 all that was asked for came, 1 not all of it, 2 it could not begin. Ctrl-C ends it and keeps what is there; the
same command goes on.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from argparse import ArgumentParser
from datetime import datetime
from getpass import getuser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from spark.terms.visible import visible_json
from workers.capture import (
    CaptureManifest,
    CaptureProgress,
    CaptureSignal,
    CaptureSpec,
    RegistryEndpoint,
    capture,
)
from workers.kafka import Address, KafkaCluster, KafkaError, Networks, Security
from workers.kafka.security import MECHANISMS, PROTOCOLS
from workers.management.outputs import OwnCommand

WHOLE, NOT_WHOLE, NOT_BEGUN = 0, 1, 2
MB = 1_000_000
SECRETS = ("KAFKA_PASSWORD", "KAFKA_TOKEN", "KAFKA_CLIENT_SECRET", "KAFKA_KEY_PASSWORD", "REGISTRY_PASSWORD")


class Command(OwnCommand):
    """Asks the brokers as the page Captures does; what it writes is a journal's files for `manage.py inspect`."""

    requires_system_checks: list[str] = []
    help = (
        "Capture a topic of a running cluster into a folder. Secrets come from the environment: "
        + ", ".join(SECRETS)
        + ", or from the file that the variable with the suffix _FILE names."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--bootstrap", required=True, action="append", metavar="HOST:PORT")
        parser.add_argument("--topic", required=True, metavar="NAME")
        parser.add_argument(
            "--out",
            required=True,
            type=Path,
            metavar="FOLDER",
            help="a new folder, or the folder of a capture to continue",
        )
        parser.add_argument("--partitions", type=int, nargs="+", metavar="N", help="these only")
        start, end = parser.add_mutually_exclusive_group(), parser.add_mutually_exclusive_group()
        start.add_argument("--from-offset", type=int, metavar="N", help="instead of the first record")
        start.add_argument("--from-time", type=datetime.fromisoformat, metavar="2026-01-31T12:00:00+00:00")
        start.add_argument("--after", type=Path, metavar="FOLDER", help="where the capture in FOLDER stopped")
        end.add_argument(
            "--to-offset", type=int, metavar="N", help="not included; instead of the high watermark"
        )
        end.add_argument("--to-time", type=datetime.fromisoformat, metavar="2026-01-31T13:00:00+00:00")
        parser.add_argument("--max-mb", type=float, metavar="N", help="capture at most this many megabytes")
        parser.add_argument("--mb-per-second", type=float, metavar="N", help="limit of the rate")
        parser.add_argument("--security-protocol", choices=PROTOCOLS, default=PROTOCOLS[0])
        parser.add_argument("--ca", type=Path, metavar="PEM", help="certificate authorities of the brokers")
        parser.add_argument("--certificate", type=Path, metavar="PEM", help="client certificate")
        parser.add_argument("--key", type=Path, metavar="PEM", help="its key")
        parser.add_argument("--no-host-name-check", action="store_true")
        parser.add_argument("--mechanism", choices=MECHANISMS)
        parser.add_argument("--username", metavar="TEXT")
        parser.add_argument("--token-url", metavar="TEXT")
        parser.add_argument("--client-id", metavar="TEXT")
        parser.add_argument("--registry", metavar="URL", help="also capture the schemas of this registry")
        parser.add_argument("--registry-username", metavar="TEXT")
        parser.add_argument("--json", action="store_true", help="print the manifest instead of a summary")

    def handle(self, *_: Any, **options: Any) -> None:
        watch = _Terminal(self)
        signal.signal(signal.SIGINT, watch.end)
        signal.signal(signal.SIGTERM, watch.end)
        try:
            networks = Networks.of(settings.KAFKA_NETWORKS)
            with KafkaCluster(address_of(options), networks) as cluster:
                manifest = capture(
                    cluster,
                    spec_of(options),
                    options["out"],
                    watch,
                    captured_by=getuser(),
                    registry=registry_of(options),
                )
        except (KafkaError, ValueError, OSError) as problem:
            raise CommandError(str(problem), returncode=NOT_BEGUN) from problem
        if options["json"]:
            self.stdout.write(visible_json(json.dumps(manifest.as_json(), ensure_ascii=False)))
        else:
            self.stdout.write(as_text(manifest, options["out"]))
        sys.exit(
            WHOLE
            if all(partition.is_whole and not partition.stopped_by for partition in manifest.partitions)
            else NOT_WHOLE
        )


class _Terminal:
    """Shows how far it is on stderr, and ends it when somebody wants that."""

    def __init__(self, command: OwnCommand) -> None:
        self._command = command
        self._word = CaptureSignal.GO_ON

    def end(self, *_: object) -> None:
        self._word = CaptureSignal.PAUSE

    def on_progress(self, progress: CaptureProgress) -> CaptureSignal:
        """Rewrites one line, on a terminal only."""
        if sys.stderr.isatty():
            remaining = "" if progress.seconds_left is None else f", {progress.seconds_left:.0f} s left"
            done = (
                f"{progress.size_bytes / MB:,.1f} MB at {progress.bytes_per_second / MB:,.1f} MB/s{remaining}"
            )
            self._command.stderr.write(f"\r\033[K{done} {progress.note}", ending="")
        return self._word


def spec_of(options: dict[str, Any]) -> CaptureSpec:
    """Raises ValueError."""
    start: dict[str, Any] = {"at": "earliest"}
    end: dict[str, Any] = {"at": "latest"}
    topic_id = None
    if options["after"]:
        before = CaptureManifest.load(options["after"])
        if before is None:
            raise ValueError(
                f"{options['after']} does not contain a capture. Name the folder of an earlier --out."
            )
        start = {"offsets": {str(row.partition): row.got.next_offset for row in before.partitions}}
        topic_id = before.topic["id"]
    for border, side in ((start, "from"), (end, "to")):
        offset, moment = options[f"{side}_offset"], options[f"{side}_time"]
        if offset is not None or moment is not None:
            border.clear()
            border |= (
                {"offset": offset} if moment is None else {"timestamp_ms": round(moment.timestamp() * 1000)}
            )
    return CaptureSpec(
        options["topic"],
        tuple(options["partitions"]) if options["partitions"] else None,
        start,
        end,
        max_bytes=_bytes(options["max_mb"]),
        bytes_per_second=_bytes(options["mb_per_second"]),
        topic_id=topic_id,
    )


def _bytes(megabytes: float | None) -> int | None:
    return None if megabytes is None else round(megabytes * MB)


def address_of(options: dict[str, Any]) -> Address:
    """Where the cluster is and how to sign in. Raises ValueError, OSError for a file that cannot be read."""
    texts = {
        f"{name}_pem": options[name].read_text() if options[name] else None
        for name in ("ca", "certificate", "key")
    }
    security = Security(
        protocol=options["security_protocol"],
        **texts,
        key_password=secret("KAFKA_KEY_PASSWORD"),
        check_host_name=not options["no_host_name_check"],
        mechanism=options["mechanism"],
        username=options["username"],
        password=secret("KAFKA_PASSWORD"),
        token=secret("KAFKA_TOKEN"),
        token_url=options["token_url"],
        client_id=options["client_id"],
        client_secret=secret("KAFKA_CLIENT_SECRET"),
    )
    servers = [server for text in options["bootstrap"] for server in text.split(",")]
    return Address(tuple(servers), security)


def registry_of(options: dict[str, Any]) -> RegistryEndpoint | None:
    """The schema registry to capture, if there is one."""
    if not options["registry"]:
        return None
    return RegistryEndpoint(
        options["registry"], options["registry_username"] or "", secret("REGISTRY_PASSWORD") or ""
    )


def secret(name: str) -> str | None:
    """The environment's NAME, or what is in the file that NAME_FILE names."""
    if path := os.environ.get(f"{name}_FILE"):
        return Path(path).read_text().rstrip("\r\n")
    return os.environ.get(name)


def as_text(manifest: CaptureManifest, folder: Path) -> str:
    name = manifest.topic["name"]
    lines = [f"{manifest.size_bytes / MB:,.1f} MB of {name} are in {folder}."]
    for partition in manifest.partitions:
        why = f", stopped by {partition.stopped_by}" if partition.stopped_by else ""
        lines.append(
            f"{name}-{partition.partition}: {partition.got.batches:,} batches up to offset {partition.got.next_offset:,} of "
            f"{partition.asked['to_offset']:,}{why}"
        )
        lines += [f"  {event.says}" for event in partition.events]
    lines += [f"Not asked: {question['question']}: {question['why']}" for question in manifest.not_asked]
    return "\n".join(lines)
