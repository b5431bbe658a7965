"""What is rejected is said on the next page."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.contrib.messages.storage.cookie import CookieStorage
from django.test import RequestFactory

from webapp.rejected import Rejected, rejection_as_message


@pytest.fixture
def request_(rf: RequestFactory) -> Any:
    made = rf.post("/")
    made._messages = CookieStorage(made)
    return made


def test_a_rejection_becomes_a_message_and_the_view_goes_on(request_: Any) -> None:
    with rejection_as_message(request_):
        raise Rejected("No room. Delete a journal.", 413)
    assert [str(message) for message in get_messages(request_)] == ["No room. Delete a journal."]


def test_any_other_error_stays_one(request_: Any) -> None:
    with pytest.raises(ValueError, match="bug"), rejection_as_message(request_):
        raise ValueError("bug")
    assert not list(get_messages(request_))
