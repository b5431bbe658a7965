"""The journals list and the search box."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.journals import uploads
from webapp.journals.models import Inspection, Journal
from webapp.journals.templatetags.journalscope import fitted

State = Inspection.State


def test_a_row_says_what_a_ticket_would_quote(done: Inspection, viewer: Any, sign_in: Any) -> None:
    page = sign_in(viewer).get("/").content.decode()
    for words in (
        "⬢",
        "Critical",
        "1 content is lost.",
        "1,234,567",
        "Apicurio Registry 2.x",
        "Log segment",
        "owner",
    ):
        assert words in page
    assert '<td class="number">3</td>' in page
    names = page[page.index("dump-line") : page.index("</span>", page.index("dump-line"))]
    assert " file" not in names  # the names are cut, never the link to the files
    assert names.index("Apicurio Registry 2.x") < names.index("Log segment")  # the end is cut, never the type


def test_a_journal_is_called_by_its_topic_with_its_file_second(
    done: Inspection, viewer: Any, sign_in: Any
) -> None:
    name = done.journal.name
    done.summary |= {"by_topics": "orders-0", "by_files": f"{name}.zip"}
    done.save()
    page = sign_in(viewer).get("/").content.decode()
    assert page.index(fitted("orders-0")) < page.index(f'<span class="quiet">{fitted(name)}</span>')


def test_a_name_that_somebody_gave_comes_before_the_topic(
    done: Inspection, viewer: Any, sign_in: Any
) -> None:
    journal = done.journal
    done.summary |= {
        "by_topics": "orders-0",
        "by_files": "dump.zip",
        "last_timestamp_ms": 1_795_249_555_065,
    }
    done.save()
    page = sign_in(viewer).get("/").content.decode()
    topic = f'<span class="quiet">{fitted("orders-0")}</span>'
    assert page.index(f"{fitted(journal.name)}</a>") < page.index(topic) < page.index("2026-11-21 08:25")
    Journal.objects.filter(pk=journal.pk).update(name="orders-0")
    page = sign_in(viewer).get("/").content.decode()
    assert f"{fitted('orders-0')}</a>" in page
    assert topic not in page


def test_one_column_has_the_ticket_and_who_uploaded(
    done: Inspection, owner: Any, viewer: Any, sign_in: Any
) -> None:
    Journal.objects.update(ticket="OPS-1")
    page = sign_in(owner).get("/").content.decode()
    assert 'value="OPS-1"' in page
    assert '<th scope="col">Ticket, uploaded</th>' in page
    assert '<div class="uploaded-line quiet"><span class="line">owner</span> · <time' in page
    page = sign_in(viewer).get("/").content.decode()
    assert '<div class="line">OPS-1</div>' in page
    assert "ticket-field" not in page


def test_a_sample_is_called_one_once(done: Inspection, viewer: Any, sign_in: Any) -> None:
    badge = '<span class="badge">Sample</span>'
    for name, has_badge in (("Sample: a topic", False), ("a topic", True)):
        Journal.objects.update(name=name, is_sample=True)
        assert (badge in sign_in(viewer).get("/").content.decode()) == has_badge


def test_a_long_verdict_ends_with_a_whole_word(done: Inspection, viewer: Any, sign_in: Any) -> None:
    done.summary["headline"] = f"Consumers of orders-0 stop at offset 4: {'corrupt ' * 20}record batch"
    done.save()
    page = sign_in(viewer).get("/").content.decode()
    assert f'title="{done.headline}"' in page
    assert "corrupt corrupt …</div>" in page


def test_dumps_of_the_same_minute_are_told_apart_by_seconds(
    done: Inspection, make_journal: Any, viewer: Any, sign_in: Any
) -> None:
    def dump(inspection: Inspection, timestamp_ms: int) -> None:
        inspection.state = State.DONE
        inspection.summary = done.summary | {"last_timestamp_ms": timestamp_ms}
        inspection.save()

    dump(done, 1_795_249_506_000)
    assert "2026-11-21 08:25</time>" in sign_in(viewer).get("/").content.decode()
    dump(make_journal(files={"b": b"2"}).inspections.get(), 1_795_249_555_000)
    page = sign_in(viewer).get("/").content.decode()
    assert "2026-11-21 08:25:06</time>" in page
    assert "2026-11-21 08:25:55</time>" in page


def test_the_drop_zone_is_one_line_once_there_are_journals(
    make_journal: Any, owner: Any, sign_in: Any
) -> None:
    assert "is-small" not in sign_in(owner).get("/").content.decode()
    make_journal()
    assert "is-small" in sign_in(owner).get("/").content.decode()
    assert "is-small" in sign_in(owner).get("/?verdict=healthy").content.decode()


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (State.QUEUED, "Starts as soon as a worker is free."),
        (State.RUNNING, "Running"),
        (State.FAILED, "The archive is encrypted."),
        (State.CANCELLED, "You can restart it."),
    ],
)
def test_every_state_has_words(
    inspection: Inspection, viewer: Any, sign_in: Any, state: str, words: str
) -> None:
    Inspection.objects.update(state=state, error="The archive is encrypted.")
    page = sign_in(viewer).get("/").content.decode()
    row = sign_in(viewer).get(f"/journals/{inspection.journal_id}/row/").content.decode()
    assert words in page
    assert words in row
    assert ("every 1s" in row) == (state in {State.QUEUED, State.RUNNING})


def test_the_newest_comes_first(make_journal: Any, viewer: Any, sign_in: Any) -> None:
    for name in ("first", "second", "third"):
        make_journal(files={name: name.encode()})
    page = sign_in(viewer).get("/").content.decode()
    assert page.index(fitted("third")) < page.index(fitted("second")) < page.index(fitted("first"))


def test_filters_by_verdict_and_owner(
    done: Inspection, make_journal: Any, reviewer: Any, sign_in: Any
) -> None:
    make_journal(reviewer, {"of-reviewer.log": b"2"})
    client = sign_in(reviewer)
    names = {
        query: [journal.name for journal in client.get(f"/?{query}").context["page"]]
        for query in ("", "verdict=critical", "verdict=healthy", "whose=mine", "verdict=nonsense")
    }
    both = ["of-reviewer.log", "00000000000000000000.log"]
    assert names[""] == names["verdict=nonsense"] == both
    assert names["verdict=critical"] == both[1:]
    assert names["whose=mine"] == both[:1]
    assert names["verdict=healthy"] == []
    assert "No journals match these filters" in client.get("/?verdict=healthy").content.decode()


def test_pages_of_fifty_say_what_they_show(project: Any, owner: Any, sign_in: Any) -> None:
    Journal.objects.bulk_create(Journal(project=project, name=f"j{n}", created_by=owner) for n in range(60))
    client = sign_in(owner)
    assert "of 60" in client.get("/").content.decode()
    last = client.get("/?page=2&whose=mine").content.decode()
    assert "page=1" in last
    assert "whose=mine" in last


def test_a_page_asks_the_database_few_questions(
    project: Any, owner: Any, sign_in: Any, django_assert_max_num_queries: Any
) -> None:
    for n in range(40):
        journal = Journal.objects.create(project=project, name=f"j{n}", created_by=owner)
        Inspection.objects.create(journal=journal, state=State.DONE, verdict_level="healthy")
    client = sign_in(owner)
    client.get("/")  # the first page of a session writes the session down
    with django_assert_max_num_queries(12):
        client.get("/")


def test_the_first_page_is_not_empty_handed(owner: Any, viewer: Any, sign_in: Any) -> None:
    assert "The inspection starts automatically" in sign_in(owner).get("/").content.decode()
    seen_by_viewer = sign_in(viewer).get("/").content.decode()
    assert "Uploads need the role support" in seen_by_viewer
    assert 'id="drop-zone"' not in seen_by_viewer


def test_stopped_uploads_are_offered_to_their_owner_only(
    project: Any, owner: Any, reviewer: Any, sign_in: Any
) -> None:
    journal = uploads.announce(owner, project, "", [("half.log", 1000)])
    uploads.partial_path(journal.uploads.get()).write_bytes(b"x" * 400)
    assert "400 bytes of 1.0 kB" in sign_in(owner).get("/").content.decode()
    assert "half-way" not in sign_in(reviewer).get("/").content.decode()


def test_a_name_is_text_and_never_markup(make_journal: Any, viewer: Any, sign_in: Any) -> None:
    make_journal(files={"<script>alert(1)</script>": b"x"})
    assert "<script>alert" not in sign_in(viewer).get("/").content.decode()


def test_search_in_what_is_not_there_is_404(done: Inspection, viewer: Any, sign_in: Any) -> None:
    for inside in ("nonsense", "00000000-0000-0000-0000-000000000000"):
        assert sign_in(viewer).get("/search/", {"q": "1", "inspection": inside}).status_code == 404


def test_a_stranger_sees_whom_to_ask_and_nothing_else(done: Inspection, stranger: Any, sign_in: Any) -> None:
    client = sign_in(stranger)
    first = client.get("/")
    assert first.status_code == 403
    assert "Ask an admin" in first.content.decode()
    assert "Critical" not in first.content.decode()
    assert client.get(f"/journals/{done.journal_id}/row/").status_code == 404
    assert client.get("/search/", {"q": "0", "inspection": str(done.pk)}).status_code == 404


def test_a_list_without_hits_says_which_filter_excludes_everything(
    make_journal: Any, viewer: Any, sign_in: Any
) -> None:
    make_journal(files={"kafkasql.log": b"1"})
    page = sign_in(viewer).get("/", {"q": "nothing", "whose": ""})
    assert [(row.words, row.address, row.count) for row in page.context["excluded_by"]] == [
        ("“nothing” in name or ticket", "/", 1)
    ]
    assert "Without “nothing” in name or ticket: 1 journal<" in page.content.decode()


def test_two_filters_that_each_exclude_everything_are_not_blamed_alone(
    make_journal: Any, viewer: Any, sign_in: Any
) -> None:
    make_journal(files={"kafkasql.log": b"1"})
    assert not sign_in(viewer).get("/", {"q": "nothing", "verdict": "critical"}).context["excluded_by"]
