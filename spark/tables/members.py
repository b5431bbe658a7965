"""SQL of a member of a key or value, and of a header: the text that JSON has there, and how it is compared.

A key or value is JSON by itself, behind a registry's framing, or behind the few bytes that some journals put before it; what else
may be read (`further`) its caller knows. Other bytes have no members. Filters of records and rules mean the same by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

Bind = Callable[[object], str]  # a value -> the parameter that holds it, as SQL names it

JSON_OF = r"""CASE WHEN r.{0}_form IN ('object', 'array') THEN TRY(decode(r."{0}"))
WHEN r.{0}_form = 'framed' THEN TRY(decode(r."{0}"[6:]))
ELSE regexp_extract(TRY(decode(r."{0}")), '(?s)^[^{{\[]{{0,16}}([{{\[].*)$', 1) END"""
MEMBER = "TRY(json_extract_string({0}, {1}))"
HEADERS = "list_filter(r.headers, lambda header: header.key = encode({0}) AND {1})"
HEADER_TEXT = "coalesce(TRY(decode(header.value)), CAST(header.value AS VARCHAR))"
HAS_VALUE = "header.value IS NOT NULL"
NUMBER = r"^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$"
AS_NUMBER = f"TRY_CAST(regexp_extract({{0}}, '{NUMBER}') AS DOUBLE)"
IS_INTEGER = "regexp_full_match({0}, '-?[0-9]+')"


def member_text(record_field: str, steps: Iterable[str], bind: Bind, further: Iterable[str] = ()) -> str:
    """The member of `records AS r` as text; null where it is null or missing. `record_field`: key or value."""
    path = bind("".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in steps))
    documents = [JSON_OF.format(record_field), *further]
    return f"coalesce({', '.join(MEMBER.format(document, path) for document in documents)})"


def has_header(name: str, condition: str, bind: Bind) -> str:
    """Whether a header of this name has a value of which the condition on HEADER_TEXT holds."""
    return f"coalesce(len({HEADERS.format(bind(name), f'{HAS_VALUE} AND {condition}')}), 0) > 0"


def compared(text: str, operator: str, literal: str, number: float | None, bind: Bind) -> str:
    """A member or header against a literal: as numbers where the literal is one, else as texts.

    Whole numbers are equal by their digits, because those of 64 bits are more than a double tells apart.
    """
    if number is None:
        return f"{text} {operator} {bind(literal)}"
    by_value = f"{AS_NUMBER.format(text)} {operator} {bind(float(number))}"
    if operator != "=" or isinstance(number, float):
        return by_value
    return f"({text} = {bind(literal)} OR (NOT {IS_INTEGER.format(text)} AND {by_value}))"
