"""The members of a bundle, by name."""

from __future__ import annotations

import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.conf import settings
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe

from spark.terms.installation import version
from webapp.sharing.evidence.content import BundleContent
from webapp.sharing.evidence.keys import fingerprint
from webapp.sharing.evidence.pdf import coverage_of, pdf_of

STYLE = "templates/sharing/evidence/report.css"
README = """Evidence: {title}
Made on {made_at:%Y-%m-%d %H:%M:%S} UTC by Journalscope {version}.

{verdict}

Coverage: {coverage}
Hidden: {hidden}

What is in here
  report.html         the report; opens in any browser, without a network
  report.pdf          the same on paper
  report.json         the same for programs: every finding, in the form that docs/report.md describes
  proof-records.json  the records that prove the findings, complete (at most {per_finding:,} for each finding, {in_all:,} in all)
  about.json          input files with their SHA-256, versions, checks, coverage
  public-key.pem      the key that made the signature
  manifest.json       SHA-256 of every member
  manifest.sig        Ed25519 signature of manifest.json, base64

Is it unchanged?
  journalscope verify-evidence FILE --key PUBLIC-KEY.pem     (in a checkout: .venv/bin/python manage.py verify-evidence ...)
says so, wherever Journalscope is installed. Take the key from the site that made the bundle ({page}), not from the
bundle: anyone can sign with another key. Fingerprint of the key that signed (SHA-256):
  {fingerprint}
"""


def members_of(content: BundleContent, key: Ed25519PublicKey) -> dict[str, bytes]:
    """Everything but manifest, signature and key, which belong to the bundle itself."""
    return {
        "README.txt": _readme(content, key).encode(),
        "report.html": html_of(content).encode(),
        "report.pdf": pdf_of(content),
        "report.json": _json({**content.report.document, "tables": None}),
        "proof-records.json": _json(content.proof),
        "about.json": _json(content.about),
    }


def html_of(content: BundleContent) -> str:
    """A single HTML file with its style and pictures, without scripts and addresses."""
    style = (settings.BASE_DIR / STYLE).read_text()
    return render_to_string(
        "sharing/evidence/report.html",
        {
            "content": content,
            "report": content.report,
            "coverage": coverage_of(content),
            "version": version(),
            "style": mark_safe(style),  # noqa: S308 - our own file
        },
    )


def _readme(content: BundleContent, key: Ed25519PublicKey) -> str:
    verdict, limits = content.report.verdict, content.proof["limits"]
    return README.format(
        title=content.title,
        made_at=content.made_at,
        version=version(),
        verdict=f"{verdict['level'].capitalize()}. {verdict['sentence']}",
        coverage=coverage_of(content),
        hidden=content.hidden,
        per_finding=limits["records_per_finding"],
        in_all=limits["records"],
        page="its page “Key of evidence”",
        fingerprint=fingerprint(key),
    )


def _json(document: Any) -> bytes:
    return json.dumps(document, indent=1, ensure_ascii=False).encode() + b"\n"
