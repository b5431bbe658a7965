"""The zip: its members, a manifest with the SHA-256 of each, and a signature over the manifest.

manifest.json   {"format": "journalscope-evidence", "version": 1, "made_at": "...", "journalscope": "...",
                 "members": [{"name": "report.html", "size_bytes": 1, "sha256": "..."}]}
manifest.sig    Ed25519 over the bytes of manifest.json, base64
public-key.pem  the key that fits the signature; a member like any other
"""

from __future__ import annotations

import base64
import json
import zipfile
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import IO

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from spark.terms.installation import version
from webapp.sharing.evidence.keys import public_pem

FORMAT, VERSION = "journalscope-evidence", 1
MANIFEST, SIGNATURE, PUBLIC_KEY = "manifest.json", "manifest.sig", "public-key.pem"


def write_bundle(
    target: IO[bytes], members: Mapping[str, bytes], key: Ed25519PrivateKey, made_at: datetime
) -> None:
    whole = {**members, PUBLIC_KEY: public_pem(key.public_key())}
    manifest = _manifest(whole, made_at)
    signature = base64.b64encode(key.sign(manifest)) + b"\n"
    moment = made_at.timetuple()[:6]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, data in {**whole, MANIFEST: manifest, SIGNATURE: signature}.items():
            member = zipfile.ZipInfo(name, moment)
            member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            bundle.writestr(member, data)


def _manifest(members: Mapping[str, bytes], made_at: datetime) -> bytes:
    listed = [
        {"name": name, "size_bytes": len(data), "sha256": sha256(data).hexdigest()}
        for name, data in sorted(members.items())
    ]
    document = {
        "format": FORMAT,
        "version": VERSION,
        "made_at": made_at.isoformat(timespec="seconds"),
        "journalscope": version(),
        "members": listed,
    }
    return json.dumps(document, indent=2).encode() + b"\n"
