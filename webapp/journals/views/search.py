"""The search box in the header: journals by name or ticket; on a report, a key or an offset of it."""

from __future__ import annotations

from urllib.parse import urlencode
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET

from webapp.journals.access import get_inspection_for_user, journals_for_user


@require_GET
def search(request: HttpRequest) -> HttpResponse:
    """Redirect to the record, key or finding that the query names."""
    words = request.GET.get("q", "").strip()
    inside = request.GET.get("inspection", "")
    if inside and words and (address := _address_in_report(request, inside, words)):
        return redirect(address)
    return redirect(f"{reverse('journals')}?{urlencode({'q': words})}" if words else reverse("journals"))


def _address_in_report(request: HttpRequest, inspection_id: str, words: str) -> str | None:
    """A number is an offset; other text is a key, unless it names a journal."""
    try:
        inspection = get_inspection_for_user(request.user, UUID(inspection_id))
    except ValueError:
        raise Http404 from None
    number = words.replace(",", "")
    if number.isascii() and number.isdecimal():
        return _address("report-records", inspection.pk, {"offset": number})
    if journals_for_user(request.user).filter(ticket__iexact=words).exists():
        return None
    return _address("report-keys", inspection.pk, {"key": words})


def _address(name: str, inspection_id: UUID, query: dict[str, str]) -> str:
    return f"{reverse(name, args=[inspection_id])}?{urlencode(query)}"
