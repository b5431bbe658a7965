"""The schema, and a page of it that people read: groups, filters, a curl line for each."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularJSONAPIView

from webapp.accounts.access import require_role

TEXT = "text/plain"
METHODS = ("get", "post", "patch", "put", "delete")
GROUPS = {
    "me": "You",
    "projects": "Projects",
    "journals": "Journals",
    "files": "Journals",
    "inspections": "Inspections and reports",
    "repairs": "Inspections and reports",
    "findings": "Review",
    "filters": "Review",
    "shares": "Links",
    "clusters": "Clusters",
    "trials": "Clusters",
    "captures": "Clusters",
    "watches": "Clusters",
    "deliveries": "Operations",
    "jobs": "Operations",
    "storage": "Operations",
    "audit": "Audit log",
}


class SchemaView(SpectacularJSONAPIView):
    """OpenAPI 3.0."""


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Every operation with its parameters, its body and a curl command."""
    require_role(request.user, "viewer")
    schema: Any = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    context = {"groups": _groups(request, schema), "info": schema["info"], "section": "api"}
    return render(request, "api/page.html", context)


def _groups(request: HttpRequest, schema: dict[str, Any]) -> list[tuple[str, list[dict[str, Any]]]]:
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for path, operations in schema["paths"].items():
        name = path.removeprefix("/api/v1/").split("/")[0]
        for method in METHODS:
            if method in operations:
                entry = _operation(request, schema, path, method, operations[method])
                groups[GROUPS.get(name, name.title())].append(entry)
    return [(title, groups[title]) for title in dict.fromkeys(GROUPS.values()) if title in groups]


def _operation(
    request: HttpRequest, schema: dict[str, Any], path: str, method: str, operation: dict[str, Any]
) -> dict[str, Any]:
    text, _, scope = operation.get("description", "").partition("Scope: ")
    fields = _fields(schema, operation)
    return {
        "id": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": operation.get("summary", ""),
        "text": text.strip().replace("`", ""),
        "scope": scope.strip().strip("`"),
        "parameters": [
            parameter for parameter in operation.get("parameters", []) if parameter["in"] == "query"
        ],
        "fields": fields,
        "curl": _curl(request.build_absolute_uri(path), method, fields, TEXT in _bodies(operation)),
    }


def _fields(schema: dict[str, Any], operation: dict[str, Any]) -> list[dict[str, Any]]:
    """Fields of the request's JSON body."""
    content = _bodies(operation).get("application/json", {})
    name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
    shape = schema["components"]["schemas"].get(name, {})
    needed = shape.get("required", [])
    return [
        {
            "name": field,
            "about": about,
            "type": str(about.get("type") or "object"),
            "is_needed": field in needed,
        }
        for field, about in shape.get("properties", {}).items()
    ]


def _bodies(operation: dict[str, Any]) -> dict[str, Any]:
    """Schema by media type."""
    return operation.get("requestBody", {}).get("content", {})


def _curl(address: str, method: str, fields: list[dict[str, Any]], is_text: bool) -> str:
    verb = "" if method == "get" else f" -X {method.upper()}"
    needed = ", ".join(f'"{field["name"]}": …' for field in fields if field["is_needed"])
    sent = f" -H 'Content-Type: application/json' -d '{{{needed}}}'" if fields else ""
    sent = f" -H 'Content-Type: {TEXT}' --data-binary @pasted.txt" if is_text else sent
    return f'curl -H "Authorization: Bearer $TOKEN"{verb}{sent} "{address}"'
