"""The report as PDF: the same content as the HTML file, by fpdf2 alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fpdf import FPDF
from fpdf.enums import TableBordersLayout, WrapMode, XPos, YPos
from fpdf.fonts import FontFace

from spark.terms.damage import damage, records_in_copies
from spark.terms.installation import version
from spark.terms.marked import partition_of_key
from spark.terms.verdict_word import verdict_word, without_word
from webapp.journals.disk.scratch import scratch_folder
from webapp.reports.proof import Card, Proof
from webapp.reports.typed_text import Block, Segments, merged
from webapp.sharing.evidence.content import BundleContent, Picture
from webapp.sharing.evidence.fonts import TEXT, Letters, add_fonts
from webapp.sharing.evidence.strip import COLOURS, FLAGS, WIDTH
from webapp.time_element import from_ms

MARGIN = 18.0
INPUTS_SHOWN = 500
KEY_LETTERS, SHOWN_LETTERS = 80, 200


class Paper(FPDF):
    """A4, with a foot on each page."""

    letters: Letters
    foot = ""

    def footer(self) -> None:
        """Title and page number."""
        self.set_y(-12)
        self.set_font(TEXT, size=8)
        self.set_text_color(90)
        self.cell(0, 5, self.letters.drawable(self.foot[:110]))
        self.set_x(self.w - self.r_margin - 30)
        self.cell(30, 5, f"Page {self.page_no()} of {{nb}}", align="R")
        self.set_text_color(0)

    def paragraph(
        self, text: str, size: float = 10, style: str = "", *, is_mono: bool = False, indent: float = 0
    ) -> None:
        drawable = self.letters.drawable(text)
        self.set_font(self.letters.mono_for(drawable) if is_mono else TEXT, style, size)
        self.set_x(self.l_margin + indent)
        self.multi_cell(
            0, size * 0.47, drawable, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT, wrapmode=WrapMode.WORD
        )

    def heading(self, text: str, size: float = 13) -> None:
        """A heading that stays with the text after it."""
        if self.will_page_break(28):
            self.add_page()
        self.ln(3)
        self.start_section(self.letters.drawable(text)[:120], level=0 if size > 12 else 1)
        self.paragraph(text, size, "B")
        self.ln(1)


def pdf_of(content: BundleContent) -> bytes:
    with scratch_folder("fonts") as folder:
        paper = Paper(format="A4")
        paper.letters = add_fonts(paper, folder)
        _write(paper, content)
        return bytes(paper.output())


def _write(paper: Paper, content: BundleContent) -> None:
    paper.foot = f"Journalscope {version()}: {content.title}"
    paper.set_margins(MARGIN, MARGIN)
    paper.set_auto_page_break(True, MARGIN)
    paper.set_title(f"Evidence: {content.title}")
    paper.set_creator(f"Journalscope {version()}")
    paper.set_creation_date(content.made_at)
    paper.add_page()
    _head(paper, content)
    for picture in content.pictures:
        _picture(paper, picture)
    _findings(paper, content)
    _remarks(paper, content)
    _not_checked(paper, content)
    _inputs(paper, content)
    if paper.letters.has_lacked:
        paper.ln(3)
        paper.paragraph(
            "Letters that this PDF cannot draw are written as \\uXXXX; report.html shows them.", 9
        )


def _head(paper: Paper, content: BundleContent) -> None:
    verdict = content.report.verdict
    word = verdict_word(verdict["level"], verdict["sentence"])
    paper.paragraph(f"{word}. {without_word(verdict['level'], verdict['sentence'])}", 16, "B")
    paper.ln(2)
    paper.paragraph(content.title, 11)
    made = f"Made on {content.made_at:%Y-%m-%d %H:%M:%S} UTC by Journalscope {version()}."
    inspected = f" Inspected on {content.inspected} UTC." if content.inspected else ""
    paper.paragraph(made + inspected, 9)
    paper.ln(1)
    paper.paragraph(f"Coverage: {coverage_of(content)}", 9)
    paper.paragraph(f"Hidden: {content.hidden}", 9)


def coverage_of(content: BundleContent) -> str:
    """What was read, as a sentence."""
    coverage = content.report.coverage
    ranges = [
        f"{partition_of_key(name)} {bounds[0]:,} to {bounds[1]:,}"
        for name, bounds in coverage.get("offsets_per_partition", {}).items()
    ]
    lost = coverage.get("cannot_tell") or []
    parts = [
        records_in_copies(coverage) + (f", offsets {', '.join(ranges)}" if ranges else ""),
        damage(coverage),
        f"isolation {coverage.get('isolation', 'read_uncommitted')}",
    ]
    return f"{'; '.join(parts)}." + (f" The source cannot tell: {'; '.join(lost)}." if lost else "")


def _picture(paper: Paper, picture: Picture) -> None:
    """The strip in the PDF's own lines and boxes."""
    strip, wide = picture.strip, paper.epw
    step = wide / len(strip.records)
    tall, scale = 18.0, paper.epw / WIDTH
    if paper.will_page_break(tall + 16):
        paper.add_page()
    paper.ln(3)
    paper.paragraph(f"{picture.replica.name}: offsets {strip.first:,} to {strip.last:,}", 9, "B")
    top, most = paper.get_y() + FLAGS * scale, max(*strip.records, 1)
    for counts, grey in ((strip.records, (122, 166, 201)), (strip.tombstones, (32, 37, 43))):
        paper.set_fill_color(*grey)
        for number, count in enumerate(counts):
            if count:
                bar = max(0.3, count / most * tall)
                paper.rect(paper.l_margin + number * step, top + tall - bar, step * 0.9, bar, "F")
    span = strip.last - strip.first + 1
    for offset, severity in picture.flags:
        if strip.first <= offset <= strip.last:
            colour = COLOURS.get(severity, COLOURS["low"])
            paper.set_draw_color(*(int(colour[at : at + 2], 16) for at in (1, 3, 5)))
            x = paper.l_margin + (offset - strip.first + 0.5) / span * wide
            paper.line(x, top - FLAGS * scale, x, top + tall)
    paper.set_draw_color(90)
    paper.line(paper.l_margin, top + tall, paper.l_margin + wide, top + tall)
    paper.set_draw_color(0)
    paper.set_fill_color(255)  # tables fill their cells with it
    paper.set_y(top + tall + 2)


def _findings(paper: Paper, content: BundleContent) -> None:
    if not content.cards:
        paper.heading("No fault found")
        paper.paragraph(f"{len(content.report.document.get('clean', [])):,} checks ran and found nothing.")
        return
    paper.heading(f"Findings ({len(content.cards):,})")
    for card in content.cards:
        _card(paper, card)
    if content.extra:
        paper.paragraph(f"{content.extra:,} more findings are in report.json.", 9)


def _remarks(paper: Paper, content: BundleContent) -> None:
    if not content.remarks:
        return
    paper.heading("Notes")
    for card in content.remarks:
        paper.paragraph(f"- {card.finding.title}")


def _not_checked(paper: Paper, content: BundleContent) -> None:
    if not content.report.unrun:
        return
    paper.heading("Checks that did not run")
    for line in content.report.unrun:
        paper.paragraph(f"- {line}", 8)


def _card(paper: Paper, card: Card) -> None:
    finding = card.finding
    paper.heading(f"{finding.severity.capitalize()}, {finding.confidence}: {finding.title}", 11)
    paper.paragraph(f"{card.replica.name}; detector {finding.detector}; id {finding.id}", 8)
    _blocks(paper, card.happened)
    if card.proofs:
        paper.ln(1)
        paper.paragraph("The records that prove it", 9, "B")
        _proofs(paper, card.proofs)
    extra = len(finding.evidence) - len(card.proofs)
    if extra > 0:
        paper.paragraph(f"and {extra:,} more; the first of them are in proof-records.json", 8)
    if card.to_do:
        paper.ln(1)
        paper.paragraph("What to do", 9, "B")
        _blocks(paper, card.to_do)
    if card.consequences:
        paper.ln(1)
        paper.paragraph("Consequences", 9, "B")
        for consequence in card.consequences:
            paper.paragraph(f"- {consequence.title}", 9, indent=3)
        if card.more_consequences:
            paper.paragraph(f"and {card.more_consequences:,} more", 8, indent=3)


def _blocks(paper: Paper, blocks: Iterable[Block]) -> None:
    for block in blocks:
        for number, line in enumerate(block.lines, 1):
            sign = "- " if block.is_list else ""
            if block.is_numbered:
                sign = f"{number}. "
            _line(paper, [{"text": sign}, *line], 3 if block.is_list else 0)


def _line(paper: Paper, line: Segments, indent: float) -> None:
    """Commands are on separate lines."""
    for segment in merged(line):
        piece, is_command = segment["text"], "kind" in segment
        if piece.strip(" .,;"):
            paper.paragraph(
                piece.strip(), 8 if is_command else 10, is_mono=is_command, indent=indent + 3 * is_command
            )


def _proofs(paper: Paper, proofs: Sequence[Proof]) -> None:
    rows = [
        (
            f"{proof.offset}", at(proof.timestamp_ms), proof.entry, proof.key[:KEY_LETTERS],
            proof.shows[:SHOWN_LETTERS], proof.value,
        )
        for proof in proofs
    ]  # fmt: skip
    _table(paper, ("Offset", "Time (UTC)", "Entry", "Key", "Shows", "Value"), rows, (12, 21, 17, 24, 34, 12))


def _inputs(paper: Paper, content: BundleContent) -> None:
    paper.heading("Input")
    rows = [
        (file.get("name") or "", f"{file.get('size_bytes') or 0:,}", file.get("layout") or "not read", file.get("sha256") or "")
        for file in content.inputs[:INPUTS_SHOWN]
    ]  # fmt: skip
    _table(paper, ("File", "Bytes", "Layout", "SHA-256"), rows, (40, 15, 20, 45))
    extra = len(content.inputs) - len(rows)
    if extra > 0:
        paper.paragraph(f"{extra:,} more files are in about.json.", 9)


def _table(paper: Paper, names: Sequence[str], rows: Iterable[Sequence[str]], widths: Sequence[int]) -> None:
    paper.set_font(TEXT, size=8)
    with paper.table(
        col_widths=tuple(widths),
        borders_layout=TableBordersLayout.HORIZONTAL_LINES,
        line_height=4,
        text_align="LEFT",
        headings_style=FontFace(emphasis="BOLD"),
        wrapmode=WrapMode.CHAR,
    ) as table:
        for row in [names, *rows]:
            line = table.row()
            for cell in row:
                line.cell(paper.letters.drawable(cell))


def at(timestamp_ms: int | None) -> str:
    """In UTC; `-` for a record without a time."""
    if timestamp_ms is None or timestamp_ms < 0:
        return "-"
    moment = from_ms(timestamp_ms)
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment else str(timestamp_ms)
