"""What a bundle hides: the choices of a share without its terms. Evidence shows what it proves unless told otherwise."""

from __future__ import annotations

from typing import Any, ClassVar

from webapp.accounts.models import Project
from webapp.sharing.forms import ShareForm


class EvidenceForm(ShareForm):
    """The project's masks apply as in a link."""

    days: ClassVar[None] = None  # type: ignore[assignment,misc]
    audience: ClassVar[None] = None  # type: ignore[assignment,misc]
    password: ClassVar[None] = None  # type: ignore[assignment,misc]
    max_views: ClassVar[None] = None  # type: ignore[assignment,misc]

    def __init__(self, *args: Any, **members: Any) -> None:
        super().__init__(*args, **members)
        self.fields["keys"].help_text = "Else each key is a hash of this bundle: equal keys look equal."

    @staticmethod
    def first_values(project: Project) -> dict[str, Any]:
        """Everything shown, masks as the project has them."""
        return ShareForm.first_values(project) | dict.fromkeys(("payloads", "keys", "headers", "names"), True)
