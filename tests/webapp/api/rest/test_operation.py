"""What every operation declares, and that nothing answers without a declaration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from rest_framework.viewsets import ViewSet

from webapp.api.rest.errors import MissingView
from webapp.api.rest.operation import Operation
from webapp.api.rest.resource import Resource
from webapp.urls import urlpatterns

CHANGES = {"post", "put", "patch", "delete"}


def routes() -> Iterator[tuple[str, str, Any]]:
    """HTTP's method, name of the route, method that answers."""
    api = next(one for one in urlpatterns if str(one.pattern) == "api/")
    v1 = next(one for one in api.url_patterns if str(one.pattern) == "v1/")
    for route in v1.url_patterns:
        if route.callback.cls is not MissingView:
            for http_method, name in route.callback.actions.items():
                yield http_method, route.name, getattr(route.callback.cls, name)


def view_sets(kind: type[Resource] = Resource) -> Iterator[type[Resource]]:
    """All of ours."""
    for child in kind.__subclasses__():
        yield child
        yield from view_sets(child)


def test_every_method_that_answers_is_an_operation() -> None:
    assert [
        name for _, name, method in routes() if not isinstance(getattr(method, "operation", None), Operation)
    ] == []
    assert len(list(routes())) > 100


def test_what_changes_something_needs_more_than_the_scope_read() -> None:
    found = {
        f"{http_method} {name}"
        for http_method, name, method in routes()
        if http_method in CHANGES and method.operation.scope == "read"
    }
    assert found == set()


def test_a_body_and_an_answer_are_declared_where_there_is_one() -> None:
    bare = [
        name
        for _, name, method in routes()
        if (declared := method.operation).status != 204
        and not (declared.answer or declared.page or declared.media_type)
    ]
    assert bare == []


@pytest.mark.parametrize("view_set", list(view_sets()))
def test_a_resource_hides_nothing_of_the_frameworks_own(view_set: type[Resource]) -> None:
    """A method called `settings` would take the framework's settings away, and with them the answers to errors."""
    hidden = {name for name in vars(view_set) if hasattr(ViewSet, name) and not name.startswith("__")}
    assert hidden - {"parser_classes"} == set()
