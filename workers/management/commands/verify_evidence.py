"""`manage.py verify_evidence FILE`: whether an evidence bundle is whole. Needs no database, no Redis, no Spark.

Exit code: 0 whole, 1 not what was signed, 2 no evidence bundle or no key to check it with.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from webapp.sharing.evidence.keys import fingerprint
from webapp.sharing.evidence.verify import NoBundle, Verdict, read_key, verify
from workers.management.outputs import OwnCommand

WHOLE, CHANGED, NO_BUNDLE = 0, 1, 2


class Command(OwnCommand):
    help = "Check an evidence bundle: exit code 0 unchanged, 1 changed, 2 not an evidence bundle."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="the bundle, a zip file")
        parser.add_argument(
            "--key",
            type=Path,
            metavar="PUBLIC",
            help="public key of the sender's installation (PEM, from its page “Key of evidence”)",
        )

    def handle(self, *_: Any, file: Path, key: Path | None, **__: Any) -> None:
        try:
            expected = _key(key) if key else None
            verdict = verify(file, expected)
        except NoBundle as problem:
            self.stderr.write(str(problem))
            sys.exit(NO_BUNDLE)
        for line in _sentences(file, verdict, expected):
            self.stdout.write(line)
        sys.exit(WHOLE if verdict.is_whole else CHANGED)


def _key(path: Path) -> Ed25519PublicKey:
    try:
        return read_key(path.read_bytes())
    except OSError as error:
        raise NoBundle(f"The key {path} cannot be read: {error.strerror}.") from error
    except (ValueError, TypeError) as error:
        raise NoBundle(f"{path} does not contain an Ed25519 public key in PEM.") from error


def _sentences(file: Path, verdict: Verdict, expected: Ed25519PublicKey | None) -> list[str]:
    if not verdict.is_whole:
        return [
            f"{file.name} was changed after it was signed:",
            *(f"- {problem}" for problem in verdict.problems),
        ]
    lines = [
        f"{file.name} is complete and unchanged: {verdict.members} members, as signed on {verdict.made_at}"
        f" by Journalscope {verdict.journalscope}."
    ]
    if verdict.key:
        lines.append(f"Fingerprint of the key: {fingerprint(verdict.key)}")
    if expected:
        return [*lines, "The signature matches the given key."]
    return [
        *lines,
        "The key comes from the bundle, and anyone can sign with their own key. Compare its fingerprint with the fingerprint on the "
        "sender's site, or name the sender's key with --key.",
    ]
