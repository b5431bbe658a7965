"""Views of the queue (Open, Mine, ...): of the project that the filter names."""

from __future__ import annotations

from typing import Any

from webapp.accounts.models import Membership, Project
from webapp.journals.models import Journal


def test_views_keep_the_project_and_count_its_incidents(
    make_findings: Any, reviewer: Any, sign_in: Any, journal: Journal, other_project: Project
) -> None:
    Membership.objects.create(project=other_project, user=reviewer, role="reviewer")
    sample = Journal.objects.create(project=other_project, name="sample", is_sample=True)
    make_findings(2)
    make_findings(1, of=other_project.journals.get(name="their-journal"))
    make_findings(3, of=sample)
    client = sign_in(reviewer)

    def views(query: str) -> dict[str, tuple[str, int]]:
        presets = client.get(f"/review/?{query}").context["presets"]
        return {preset["title"]: (preset["query"], preset["count"]) for preset in presets}

    assert views("")["Open"] == ("", 3)
    their = f"project={other_project.slug}"
    assert views(f"{their}&q=no+such")["Open"] == (their, 1)
    assert views(their)["Samples"] == (f"{their}&samples=only", 3)
    assert "1 sample journal is not counted" in client.get(f"/review/?{their}").content.decode()
    ours = client.get(f"/review/?project={journal.project.slug}")
    assert (ours.context["presets"][0]["is_here"], ours.context["presets"][0]["count"]) == (True, 2)
    assert "not counted" not in ours.content.decode()
