"""A failed inspection shows the message first, and the file formats that were tried behind it."""

from webapp.journals.templatetags.journalscope import before_tried, tried

MESSAGE = "a.png is a picture.\n\nFormats checked:\n- kcat -J: not text\n1 more:\n- rpk: not text"


def test_the_list_of_what_was_tried_is_told_apart_from_the_message() -> None:
    assert before_tried(MESSAGE) == "a.png is a picture."
    assert tried(MESSAGE) == "- kcat -J: not text\n1 more:\n- rpk: not text"


def test_another_message_has_no_such_list() -> None:
    assert before_tried("The disk is full.") == "The disk is full."
    assert tried("The disk is full.") == ""
