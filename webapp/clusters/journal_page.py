"""What a journal's page says of its capture and of its other dumps.

Registered when the app is ready, in every process and every command: nothing here loads the result tables.
"""

from __future__ import annotations

from typing import Any

from webapp.clusters.manifests import manifest_view
from webapp.journals.models import Journal


def context(journal: Journal) -> dict[str, Any]:
    """`captured`: the journal's capture with its manifest, None for an upload; `has_history`."""
    capture = journal.captures.select_related("cluster").order_by("-created_at").first()
    others = Journal.objects.filter(lineage=journal.lineage, project=journal.project_id)
    return {
        "captured": (capture, manifest_view(capture.manifest)) if capture else None,
        "has_history": others.exclude(pk=journal.pk).exists(),
    }
