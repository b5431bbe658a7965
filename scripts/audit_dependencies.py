"""Known holes in what the lock files name, as far as that can be asked from here: `python scripts/audit_dependencies.py`.

pip-audit asks the package index, or OSV, for the advisories of each package. Where neither answers (a mirror without
advisories, a machine without network), nothing was audited, and this says so instead of "no known vulnerabilities".

Exit code: 0 nothing found or nothing could be asked, 1 a hole is known. With --strict, "could not be asked" is 1 as well.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ("requirements.lock", "requirements-dev.lock")
SERVICES = ("pypi", "osv")
# Old enough to have advisories: whoever answers knows some.
PROBE = "django==4.2.0"


def audited(service: str, *words: str, text: str | None = None) -> dict[str, list[dict[str, object]]] | None:
    """pip-audit's document; None where it has none to give."""
    command = [
        sys.executable, "-m", "pip_audit", "--progress-spinner", "off", "--disable-pip", "--format", "json",
        "--vulnerability-service", service, *words,
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, input=text, timeout=600)
    try:
        document: dict[str, list[dict[str, object]]] = json.loads(done.stdout)
    except ValueError:
        return None
    return document


def answering() -> str | None:
    """The first service that knows the advisories of an old release."""
    for service in SERVICES:
        document = audited(service, "--no-deps", "-r", "/dev/stdin", text=PROBE)
        if document and any(dependency.get("vulns") for dependency in document["dependencies"]):
            return service
    return None


def main() -> int:
    service = answering()
    if service is None:
        print(
            "Not audited: no service for advisories answers from here. Run this where the package index is reached directly."
        )
        return int("--strict" in sys.argv)
    vulnerabilities = 0
    for lock in LOCKS:
        document = audited(service, "--require-hashes", "-r", lock)
        if document is None:
            print(f"{lock}: {service} broke off; run it again.")
            return 1
        skipped = [
            dependency["name"] for dependency in document["dependencies"] if "skip_reason" in dependency
        ]
        print(
            f"{lock}: {len(document['dependencies']) - len(skipped)} packages asked for, {len(skipped)} unknown to {service}."
        )
        for package in document["dependencies"]:
            for vulnerability in package.get("vulns", ()):  # type: ignore[attr-defined]
                vulnerabilities += 1
                print(
                    f"  {package['name']} {package['version']}: {vulnerability['id']}, fixed in {', '.join(vulnerability['fix_versions']) or 'none'}"
                )
    return int(vulnerabilities > 0)


if __name__ == "__main__":
    sys.exit(main())
