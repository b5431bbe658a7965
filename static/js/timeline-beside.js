// Beside the timeline's figure: names of the lanes, the legend that switches kinds, the same as a table.
(() => {
  const ROWS_SHOWN = 1000;
  const TAIL = 12; // characters of a name that always show: names differ at their ends

  function node(tag, className, text) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  function icon(kind) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", `kind-icon mark-${kind}`);
    svg.setAttribute("aria-hidden", "true");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    use.setAttribute("href", `#mark-${kind}`);
    svg.append(use);
    return svg;
  }

  function cutName(name) {
    const label = node("span", "lane-name");
    label.title = name;
    if (name.length <= 2 * TAIL) label.append(node("span", "lane-tail", name));
    else label.append(node("span", "lane-head", name.slice(0, -TAIL)), node("span", "lane-tail", name.slice(-TAIL)));
    return label;
  }

  function lane(row, onLane) {
    const button = node("button", `timeline-row is-lane${row.isPinned ? " is-pinned" : ""}`);
    button.type = "button";
    button.dataset.lane = row.name;
    button.append(cutName(row.name), node("span", "lane-count", row.records.toLocaleString("en")), node("span", "visually-hidden", " records"));
    button.addEventListener("click", () => onLane(row.name));
    return button;
  }

  function nameRow(row, onLane) {
    if (row.kind === "lane") return lane(row, onLane);
    const element = node("div", `timeline-row is-${row.kind}`);
    if (row.kind === "histogram") {
      const [unit, ...rest] = row.name.split(" per ");
      element.append(node("strong", "", `${unit === "records" ? "Records" : "Bytes"}, by kind`), node("span", "quiet", [unit, ...rest].join(" per ")));
    } else {
      element.append(node("span", "lane-name", row.name));
      if (row.records !== undefined) element.append(node("span", "lane-count", row.records.toLocaleString("en")));
    }
    return element;
  }

  function names(rows, onLane) {
    const elements = rows.map((row) => {
      const element = nameRow(row, onLane);
      element.style.height = `${row.heightPixels}px`;
      return element;
    });
    document.querySelector("[data-timeline-names]").replaceChildren(...elements);
  }

  function legend(kinds, onToggle) {
    const chips = kinds.map((kind) => {
      const chip = node("button", `legend-chip${kind.records ? "" : " is-empty"}`);
      chip.type = "button";
      chip.setAttribute("aria-pressed", String(!kind.isHidden));
      chip.append(icon(kind.kind), node("span", "", kind.name), node("span", "quiet", kind.records.toLocaleString("en")));
      chip.addEventListener("click", () => onToggle(kind.kind));
      return chip;
    });
    document.querySelector("[data-timeline-legend]").replaceChildren(...chips);
  }

  function tableRow(cells, numbers = []) {
    const row = document.createElement("tr");
    cells.forEach((text, column) => {
      const cell = node(column ? "td" : "th", numbers.includes(column) ? "number" : "", text);
      if (!column) cell.scope = "row";
      row.append(cell);
    });
    return row;
  }

  function points(answer) {
    const all = [...answer.points, ...answer.events].sort((a, b) => a.x - b.x);
    const shown = all.slice(0, ROWS_SHOWN).map((row) => tableRow([row.words, row.lane ?? ""]));
    document.querySelector("[data-figure-points]").replaceChildren(...shown);
    const more = document.querySelector("[data-figure-points-more]");
    more.textContent = `Showing ${ROWS_SHOWN.toLocaleString("en")} of ${all.length.toLocaleString("en")} rows. Zoom in to see the others.`;
    more.hidden = all.length <= ROWS_SHOWN;
  }

  // a closed table is not filled: zooming stays quick
  function table(answer) {
    const lanes = answer.lanes.map((row) => tableRow([row.lane, row.records.toLocaleString("en"), row.kinds, row.how], [1]));
    document.querySelector("[data-figure-lanes]").replaceChildren(...lanes);
    const details = document.querySelector("[data-timeline-table]");
    details.ontoggle = () => { if (details.open) points(answer); };
    details.ontoggle();
  }

  window.timelineBeside = { names, legend, table };
})();
