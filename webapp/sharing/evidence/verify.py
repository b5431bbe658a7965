"""Whether an evidence bundle is what was signed. Knows neither Django nor a database, and trusts nothing in the file.

A zip can hold two members of one name, bytes between and around its members, and names that differ between its
directory and the member itself: tools then show different things of one file, so each of these is refused.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from webapp.sharing.evidence.bundle import FORMAT, MANIFEST, PUBLIC_KEY, SIGNATURE, VERSION

MAX_BYTES = 4 * 1024**3  # of all members together
MAX_OF_MANIFEST = 16 * 1024**2
LOCAL_HEADER = struct.Struct("<4s5H3L2H")
CHUNK = 1024**2
ENCRYPTED = 0x1


class NoBundle(Exception):
    """The file is not an evidence bundle; the message says why."""


@dataclass
class Verdict:
    """`problems` in words; empty: whole. `key` is the one that the signature fits."""

    problems: list[str] = field(default_factory=list)
    members: int = 0
    made_at: str = ""
    journalscope: str = ""
    key: Ed25519PublicKey | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all members are as they were signed."""
        return not self.problems


def verify(path: Path, expected: Ed25519PublicKey | None = None) -> Verdict:
    """Check the file; with `expected` the signature has to fit this key and not merely the one in the bundle."""
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as bundle:
            return _verified(file, bundle, expected)
    except OSError as error:
        raise NoBundle(f"{path} cannot be read: {error.strerror or error}.") from error
    except (zipfile.BadZipFile, NotImplementedError, struct.error) as error:
        raise NoBundle(f"{path} is not a zip file, or it is damaged.") from error


def read_key(text: bytes) -> Ed25519PublicKey:
    """A public key in PEM; raises ValueError."""
    key = load_pem_public_key(text)
    if not isinstance(key, Ed25519PublicKey):
        raise TypeError("It is not an Ed25519 key.")
    return key


def _verified(file: IO[bytes], bundle: zipfile.ZipFile, expected: Ed25519PublicKey | None) -> Verdict:
    infos = bundle.infolist()
    names = Counter(info.filename for info in infos)
    lacking = [name for name in (MANIFEST, SIGNATURE) if name not in names]
    if lacking:
        raise NoBundle(f"It is a zip file, but not an evidence bundle: {' and '.join(lacking)} is not in it.")
    tricks = _tricks(file, bundle, infos, names)
    if tricks:
        return Verdict(tricks)
    manifest = _bytes(bundle, MANIFEST)
    document = _document(manifest)
    verdict = Verdict(made_at=str(document.get("made_at")), journalscope=str(document.get("journalscope")))
    verdict.problems += _signature_problems(bundle, names, manifest, expected, verdict)
    verdict.problems += _member_problems(bundle, names, document["members"], verdict)
    return verdict


def _document(manifest: bytes) -> dict[str, Any]:
    try:
        document = json.loads(manifest)
        members = document["members"]
        is_ours = document["format"] == FORMAT and all(
            isinstance(member["name"], str) and isinstance(member["sha256"], str) for member in members
        )
    except (ValueError, KeyError, TypeError) as error:
        raise NoBundle(
            f"{MANIFEST} is unreadable: it is damaged, or this is not an evidence bundle."
        ) from error
    if not is_ours:
        raise NoBundle(f"{MANIFEST} is not that of an evidence bundle.")
    if document.get("version") != VERSION:
        raise NoBundle(
            f"The bundle has version {document.get('version')}, and this Journalscope knows version {VERSION}."
        )
    return document


def _signature_problems(
    bundle: zipfile.ZipFile,
    names: Counter[str],
    manifest: bytes,
    expected: Ed25519PublicKey | None,
    verdict: Verdict,
) -> list[str]:
    """Whether the signature fits; the key in the bundle vouches for nothing but itself."""
    try:
        own = read_key(_bytes(bundle, PUBLIC_KEY)) if PUBLIC_KEY in names else None
    except (ValueError, TypeError):
        own = None
    key = expected or own
    if key is None:
        return [
            f"{PUBLIC_KEY} is missing or no key: without one the signature cannot be checked. Give one with --key."
        ]
    if not _fits(key, bundle, manifest):
        if expected and own and _fits(own, bundle, manifest):
            return ["It was signed with another key than the one you gave."]
        return [f"The signature does not match {MANIFEST}: one of the two was changed after it was signed."]
    verdict.key = key
    return []


def _fits(key: Ed25519PublicKey, bundle: zipfile.ZipFile, manifest: bytes) -> bool:
    try:
        key.verify(base64.b64decode(_bytes(bundle, SIGNATURE).strip(), validate=True), manifest)
    except (InvalidSignature, binascii.Error, ValueError):
        return False
    return True


def _member_problems(
    bundle: zipfile.ZipFile, names: Counter[str], listed: list[dict[str, Any]], verdict: Verdict
) -> list[str]:
    members = {member["name"]: member for member in listed}
    problems = [f"{name} is missing." for name in members if name not in names]
    problems += [
        f"{name} was added: it is not in {MANIFEST}."
        for name in names
        if name not in members and name not in (MANIFEST, SIGNATURE)
    ]
    for name, member in members.items():
        if name in names:
            verdict.members += 1
            problems += [] if _digest(bundle, name) == member["sha256"] else [f"{name} was changed."]
    return problems


def _digest(bundle: zipfile.ZipFile, name: str) -> str | None:
    """SHA-256 of a member; None if it cannot be unpacked."""
    digest = sha256()
    try:
        with bundle.open(name) as member:
            while chunk := member.read(CHUNK):
                digest.update(chunk)
    except (zipfile.BadZipFile, EOFError, OSError, ValueError, RuntimeError):
        return None
    except Exception as error:
        if type(error).__module__ == "zlib":
            return None
        raise
    return digest.hexdigest()


def _bytes(bundle: zipfile.ZipFile, name: str) -> bytes:
    if bundle.getinfo(name).file_size > MAX_OF_MANIFEST:
        raise NoBundle(f"{name} is far too large for an evidence bundle.")
    try:
        return bundle.read(name)
    except Exception as error:
        raise NoBundle(f"{name} cannot be unpacked: the file is damaged.") from error


def _tricks(
    file: IO[bytes], bundle: zipfile.ZipFile, infos: list[zipfile.ZipInfo], names: Counter[str]
) -> list[str]:
    """Features of a zip that tools read differently."""
    problems = [f"{name} is in it {times} times." for name, times in names.items() if times > 1]
    problems += [f"{info.filename} is encrypted." for info in infos if info.flag_bits & ENCRYPTED]
    problems += [
        f"{name} is not a plain file name." for name in names if name != Path(name).name or "\\" in name
    ]
    if sum(info.file_size for info in infos) > MAX_BYTES:
        problems.append("Its members unpack to more than 4 GiB.")
    if bundle.comment:
        problems.append("The file contains text after its directory. The signature does not cover it.")
    if not problems and not _is_seamless(file, bundle, infos):
        problems.append("The file contains bytes outside of its members. The signature does not cover them.")
    return problems


def _is_seamless(file: IO[bytes], bundle: zipfile.ZipFile, infos: list[zipfile.ZipInfo]) -> bool:
    """One member after the other from the first byte to the directory, and the directory to the file's end."""
    position = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset != position or info.extra or info.comment:
            return False
        file.seek(position)
        header = LOCAL_HEADER.unpack(file.read(LOCAL_HEADER.size))
        name_bytes, extra_bytes = header[9], header[10]
        if header[0] != b"PK\x03\x04" or extra_bytes:
            return False
        position += LOCAL_HEADER.size + name_bytes + info.compress_size
    directory = sum(46 + len(info.orig_filename.encode()) for info in infos)
    file.seek(0, 2)
    return position == bundle.start_dir and file.tell() == position + directory + 22
