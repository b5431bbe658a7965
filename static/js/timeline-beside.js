// Beside the timeline's figure: names of the lanes, the legend that switches kinds, the same as a table.
(() => {
  const ROWS_SHOWN = 1000;
  const LEAST = 60; // pixels of a name
  const above = window.matchMedia("(max-width: 700px)"); // names stand above their lanes, as in timeline.css

  function node(tag, className, text) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  const icon = (kind) => window.reportFigure.kindIcon(kind);

  const ruler = node("span", "lane-ruler");
  const widths = new Map(); // of texts, in pixels

  function widthOf(text) {
    if (!widths.has(text)) {
      ruler.textContent = text;
      widths.set(text, ruler.getBoundingClientRect().width);
    }
    return widths.get(text);
  }

  // the most letters of both ends that so many pixels hold
  function middleCut(text, room) {
    if (widthOf(text) <= room) return text;
    for (let letters = Math.min(text.length - 1, Math.ceil(room / 3)); letters > 2; letters -= 1) {
      const cut = `${text.slice(0, Math.ceil(letters / 2))}…${text.slice(text.length - Math.floor(letters / 2))}`;
      if (widthOf(cut) <= room) return cut;
    }
    return "…";
  }

  function sharedStart(names) {
    let length = 0;
    while (names.every((name) => length < name.length && name[length] === names[0][length])) length += 1;
    return length;
  }

  const looksLike = (one, other) =>
    one.length === other.length && [...one].filter((letter, at) => letter !== other[at]).length < 3;

  // cut names that differ in a letter or two
  function lookAlikes(cut) {
    const groups = [];
    for (const [name, text] of cut) {
      if (text === name) continue;
      const near = groups.find((group) => group.some((other) => looksLike(text, cut.get(other))));
      if (near) near.push(name);
      else groups.push([name]);
    }
    return groups.filter((group) => group.length > 1);
  }

  // cut in the middle; names that would look alike leave out what they share instead
  function cutNames(names, roomOf) {
    const cut = new Map(names.map((name) => [name, middleCut(name, roomOf(name))]));
    for (const group of lookAlikes(cut)) {
      const start = sharedStart(group);
      const isAtEnd = group.some((name) => name.length - start < 8);
      if (isAtEnd && new Set(group.map((name) => cut.get(name))).size === group.length) continue;
      group.forEach((name, number) => {
        const room = roomOf(name);
        const rest = `…${middleCut(name.slice(start), room - widthOf("…"))}`;
        const isTaken = [...cut.entries()].some(([other, text]) => other !== name && text === rest);
        cut.set(name, isTaken ? `${middleCut(rest, room - widthOf(" (99)"))} (${number + 1})` : rest);
      });
    }
    return cut;
  }

  // names that the lanes of entities are cut from: without the type of the entity where one of that type has no room for it
  function namesToCut(lanes, rooms) {
    const names = new Map(lanes.map((row) => [row.name, row.name]));
    const entities = lanes.filter((row) => row.id?.startsWith("entity:")).map(({ name, id }) => {
      const [, type, ...rest] = id.split(":");
      return { name, type, entity: rest.join(":") };
    });
    const crowded = new Set(entities.filter(({ name }) => widthOf(name) > rooms.get(name)).map(({ type }) => type));
    for (const { name, type, entity } of entities) {
      const isTaken = [...names].some(([other, text]) => other !== name && text === entity);
      if (crowded.has(type) && entity && !isTaken) names.set(name, entity);
    }
    return names;
  }

  function cutName(name, text) {
    const label = node("span", "lane-name", text);
    label.title = name;
    return label;
  }

  function tool(name, className, symbol, text, isOn, onClick) {
    const button = node("button", `lane-tool ${className}`);
    button.type = "button";
    button.title = text;
    button.setAttribute("aria-label", `${text}: ${name}`);
    if (isOn !== null) button.setAttribute("aria-pressed", String(isOn));
    button.append(icon(symbol));
    button.addEventListener("click", onClick);
    return button;
  }

  function tools(row, act) {
    if (row.folds) return [tool(row.name, "lane-fold", "unfold", "Unfold", null, () => act.fold(row.folds, false))];
    if (!row.id) return [];
    const canOpen = row.id.startsWith("type:") && document.querySelector("[data-types-open]");
    const isOpen = canOpen && act.isOpen(row.id);
    const open = canOpen ? [tool(row.name, "lane-open", isOpen ? "fold" : "unfold", isOpen ? "Close its entities" : "Open into entities", isOpen, () => act.open(row.id, !isOpen))] : [];
    const pin = tool(row.name, "lane-pin", "pin", row.isPinned ? "Unpin" : "Pin above all lanes", row.isPinned, () => act.pin(row.id, !row.isPinned));
    return row.isPinned ? [pin] : [...open, pin, tool(row.name, "lane-fold", "away", "Fold", null, () => act.fold([row.id], true))];
  }

  function lane(row, act, text) {
    const element = node("div", `timeline-row is-lane${row.isVictim ? " is-victim" : ""}${row.isPinned ? " is-pinned" : ""}${row.folds ? " is-folded" : ""}${row.isInside ? " is-inside" : ""}`);
    element.dataset.lane = row.name;
    const name = node("button", "lane-walk");
    name.type = "button";
    name.append(cutName(row.name, text), node("span", "visually-hidden", `, ${row.records.toLocaleString("en")} ${row.records === 1 ? "record" : "records"}`));
    if (row.standsFor) name.title = `${row.standsFor} ${row.standsFor === 1 ? "lane" : "lanes"}`;
    name.addEventListener("click", () => act.walk(row.name));
    const count = node("span", "lane-count", row.records.toLocaleString("en"));
    count.setAttribute("aria-hidden", "true");
    const buttons = tools(row, act);
    const open = buttons.filter((button) => button.classList.contains("lane-open")); // always seen
    if (row.isPinned || row.folds) element.append(name, ...buttons, count); // always seen
    else {
      const box = node("span", "lane-tools");
      box.append(...buttons.filter((button) => !open.includes(button)));
      element.append(name, ...open, count, box);
    }
    return element;
  }

  function heading(row, act) {
    const element = node("div", "timeline-row is-heading");
    if (row.group) element.append(tool(row.name, "lane-fold", "fold", "Fold these lanes", null, () => act.fold([row.group], true)));
    element.append(node("span", "lane-name", row.name));
    if (row.more) {
      const more = node("span", "lane-count", `+${row.more}`);
      more.title = `${row.more} more, without a lane`;
      more.append(node("span", "visually-hidden", " without a lane"));
      element.append(more);
    }
    return element;
  }

  function nameRow(row, act, texts) {
    if (row.kind === "lane") return lane(row, act, texts.get(row.name));
    if (row.kind === "heading") return heading(row, act);
    const element = node("div", `timeline-row is-${row.kind}`);
    if (row.kind === "histogram") {
      const [unit, ...rest] = row.name.split(" per ");
      element.append(node("strong", "", `${unit === "records" ? "Records" : "Bytes"}, by kind`), node("span", "quiet", [unit, ...rest].join(" per ")));
    } else {
      element.append(node("span", "lane-name", row.name));
      if (row.withoutFlag) {
        const more = node("span", "lane-count", `+${row.withoutFlag}`);
        more.title = `${row.withoutFlag} more without a flag: the table below lists them`;
        element.append(more);
      }
      if (row.records !== undefined) element.append(node("span", "lane-count", row.records.toLocaleString("en")));
    }
    return element;
  }

  // the button that was pressed keeps the focus, wherever its lane goes
  function placeOfFocus(box) {
    const active = document.activeElement;
    const row = box.contains(active) ? active.closest("[data-lane]") : null;
    return row && { lane: row.dataset.lane, tool: active.className };
  }

  function names(rows, act) {
    const box = document.querySelector("[data-timeline-names]");
    const lanes = rows.filter((row) => row.kind === "lane");
    box.append(ruler);
    const besides = above.matches ? 84 : 4; // pixels of what else a row has, without those that it has beside the names
    const toolPixels = (row) => (row.isPinned || row.folds || row.id?.startsWith("type:") ? 20 : 0);
    const rooms = new Map(lanes.map((row) => [row.name, box.clientWidth - besides - toolPixels(row) - widthOf(row.records.toLocaleString("en"))]));
    const whole = namesToCut(lanes, rooms);
    const roomOf = new Map([...whole].map(([name, text]) => [text, Math.max(LEAST, rooms.get(name))]));
    const cut = cutNames([...whole.values()], (text) => roomOf.get(text));
    const texts = new Map([...whole].map(([name, text]) => [name, cut.get(text)]));
    const elements = rows.map((row) => {
      const element = nameRow(row, act, texts);
      element.style.height = `${row.heightPixels}px`;
      return element;
    });
    const place = placeOfFocus(box);
    const first = rows.findIndex((row) => row.kind === "lane" || row.kind === "heading");
    const head = node("div", "timeline-head-names"); // stays in sight while lanes scroll
    head.append(...elements.slice(0, first));
    box.replaceChildren(head, ...elements.slice(first));
    if (!place) return;
    const row = elements.find((element) => element.dataset.lane === place.lane);
    (row?.getElementsByClassName(place.tool)[0] ?? box.querySelector(".lane-fold, .lane-walk"))?.focus();
  }

  function legend(kinds, onToggle) {
    const chips = kinds.map((kind) => {
      const chip = node(kind.isFixed ? "span" : "button", `legend-chip${kind.records ? "" : " is-empty"}`);
      chip.append(icon(kind.kind), node("span", "", kind.name), node("span", "quiet", kind.records.toLocaleString("en")));
      if (kind.isFixed) return chip;
      chip.type = "button";
      chip.setAttribute("aria-pressed", String(!kind.isHidden));
      chip.addEventListener("click", () => onToggle(kind.kind));
      return chip;
    });
    document.querySelector("[data-timeline-legend]").replaceChildren(...chips);
  }

  function tableRow(cells, numbers = [], columns = []) {
    const row = document.createElement("tr");
    cells.forEach((text, column) => {
      const cell = node(column ? "td" : "th", numbers.includes(column) ? "number" : "");
      cell.append(text);
      if (!column) cell.scope = "row";
      else if (columns[column]) cell.dataset.column = columns[column];
      row.append(cell);
    });
    return row;
  }

  function link(row) {
    const there = node("a", "", row.words);
    there.href = row.url;
    return there;
  }

  function points(answer) {
    const all = [...answer.points, ...answer.events].sort((a, b) => a.x - b.x);
    const shown = all.slice(0, ROWS_SHOWN).map((row) => tableRow([row.url ? link(row) : [row.words, row.finding && `${row.finding} finding`].filter(Boolean).join(", "), row.lane ?? ""]));
    document.querySelector("[data-figure-points]").replaceChildren(...shown);
    const more = document.querySelector("[data-figure-points-more]");
    more.textContent = `Showing ${ROWS_SHOWN.toLocaleString("en")} of ${all.length.toLocaleString("en")} rows. Zoom in to see the others.`;
    more.hidden = all.length <= ROWS_SHOWN;
  }

  // a closed table is not filled: zooming stays quick
  function table(answer) {
    const lanes = answer.lanes.map((row) => tableRow([row.lane, row.records.toLocaleString("en"), row.kinds, row.how], [1], ["Lane", "Records", "Kinds", "Drawn as"]));
    document.querySelector("[data-figure-lanes]").replaceChildren(...lanes);
    const details = document.querySelector("[data-timeline-table]");
    details.ontoggle = () => { if (details.open) points(answer); };
    details.ontoggle();
  }

  window.timelineBeside = { names, legend, table };
})();
