"""The bill of materials of a release, in CycloneDX: packages of the lock file as the environment has them, and vendored libraries.

`cyclonedx-py` (scripts/locks/release.lock) describes the environment; what tests alone need is taken out, vendored libraries are added.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any
from urllib.parse import quote

from licences import Dependency, locked, vendored
from packaging.utils import canonicalize_name

LOCK = "scripts/locks/release.lock"
VALID = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
sys.exit(JsonStrictValidator(SchemaVersion.V1_6).validate_str(sys.stdin.read()))
"""


def bill(root: Path, tools: Path) -> str:
    """JSON, checked by its schema."""
    command = [tools / "bin" / "cyclonedx-py", "environment", "--short-PURLs", "--output-reproducible"]
    options = ["--spec-version", "1.6", "--pyproject", root / "pyproject.toml", sys.executable]
    made = subprocess.run([*command, *options], check=True, capture_output=True, text=True)
    document = released(json.loads(made.stdout), set(locked(root)), list(vendored(root)))
    text = json.dumps(document, indent=1, sort_keys=True) + "\n"
    subprocess.run([tools / "bin" / "python", "-c", VALID], input=text, check=True, text=True)
    return text


def tools(root: Path, folder: Path) -> Path:
    """The environment with `cyclonedx-py`, made from its lock file where it is not there or another."""
    stamp = folder / "installed"
    lock = root / LOCK
    if not stamp.exists() or stamp.read_bytes() != lock.read_bytes():
        venv.create(folder, clear=True, with_pip=True)
        pip = [
            folder / "bin" / "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--require-hashes",
        ]
        subprocess.run([*pip, "-r", lock], check=True)
        stamp.write_bytes(lock.read_bytes())
    return folder


def released(document: dict[str, Any], names: set[str], vendored: list[Dependency]) -> dict[str, Any]:
    """The document with these packages alone, and with vendored libraries as dependencies of the product."""
    document["components"] = [
        component for component in document["components"] if canonicalize_name(component["name"]) in names
    ]
    product = document["metadata"]["component"]["bom-ref"]
    kept = {product, *(component["bom-ref"] for component in document["components"])}
    document["dependencies"] = [
        entry | {"dependsOn": [ref for ref in entry.get("dependsOn", []) if ref in kept]}
        for entry in document["dependencies"]
        if entry["ref"] in kept
    ]
    own = next(entry for entry in document["dependencies"] if entry["ref"] == product)
    for library in vendored:
        document["components"].append(component(library))
        document["dependencies"].append({"ref": purl(library)})
        own["dependsOn"].append(purl(library))
    return document


def purl(library: Dependency) -> str:
    return f"pkg:npm/{quote(library.name)}@{library.version}"


def component(library: Dependency) -> dict[str, Any]:
    """A vendored library with the hashes of its files."""
    files = [path for path in sorted(library.files[0].parent.iterdir()) if path.name != "LICENSE"]
    return {
        "type": "library",
        "bom-ref": purl(library),
        "purl": purl(library),
        "name": library.name,
        "version": library.version,
        "licenses": [{"license": {"id": licence}} for licence in library.licences],
        "components": [
            {
                "type": "file",
                "bom-ref": f"{purl(library)}#{path.name}",
                "name": f"static/vendor/{path.parent.name}/{path.name}",
                "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}],
            }
            for path in files
        ],
    }
