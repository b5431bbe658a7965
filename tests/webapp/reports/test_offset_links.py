"""Links of offsets: of one partition of several, of the only one, of a damaged one."""

from __future__ import annotations

from webapp.reports.offset_links import OffsetLinks


def test_a_link_leads_to_the_record_among_the_others_and_names_it_alone() -> None:
    link = OffsetLinks("/r/records/", "/r/records/0/").link(1204, "1,204")
    assert link == (
        '<a class="offset" href="/r/records/?record=1204&amp;offset=1204" data-record="1204" '
        'data-record-url="/r/records/1204/">1,204</a>'
    )


def test_a_partition_of_several_stays_in_the_address_and_is_escaped() -> None:
    link = OffsetLinks("/r/records/?topic=a&partition=0", "/r/records/0/?topic=a&partition=0").link(-5, "-5")
    assert 'href="/r/records/?topic=a&amp;partition=0&amp;record=-5&amp;offset=-5"' in link
    assert 'data-record-url="/r/records/-5/?topic=a&amp;partition=0"' in link
