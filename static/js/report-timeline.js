// The timeline: zooming and panning ask the server for the true points of the window; the address says what is shown.
document.addEventListener("DOMContentLoaded", () => {
  const element = document.getElementById("timeline");
  if (!element) return;
  const { ask, draw, fail } = window.reportFigure;
  const isTime = element.dataset.axis === "time";
  const KEPT = ["x", "lanes", "from", "to", "hide"];
  const WAIT_MS = 150;
  let current = null; // the answer on the screen
  let asking = null;
  let waiting = 0;
  let quiet = false; // while we draw ourselves

  const inAddress = () => {
    const parameters = new URL(location.href).searchParams;
    return Object.fromEntries(KEPT.map((name) => [name, parameters.get(name)]));
  };

  function setAddress(changes, push) {
    const address = new URL(location.href);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === "") address.searchParams.delete(name);
      else address.searchParams.set(name, value);
    }
    if (address.href === location.href) return;
    if (push) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }

  async function show() {
    asking?.abort();
    asking = new AbortController();
    element.classList.add("is-loading");
    try {
      current = await ask(element.dataset.figureUrl, inAddress(), asking.signal);
      quiet = true;
      await draw(element, current);
      describe(current);
      listen();
      element.classList.remove("is-loading");
    } catch (error) {
      fail(element, error);
    } finally {
      quiet = false;
    }
  }

  function describe(answer) {
    document.querySelector("[data-figure-sentence]").textContent = answer.sentence;
    document.querySelector("[data-figure-caption]").textContent = answer.sentence;
    const body = document.querySelector("[data-figure-lanes]");
    body.replaceChildren(...answer.lanes.map((lane) => {
      const row = document.createElement("tr");
      const cells = [lane.lane, lane.records.toLocaleString("en"), lane.tombstones.toLocaleString("en"), lane.how];
      cells.forEach((text, column) => {
        const cell = document.createElement(column ? "td" : "th");
        if (!column) cell.scope = "row";
        if (column === 1 || column === 2) cell.className = "number";
        cell.textContent = text;
        row.append(cell);
      });
      return row;
    }));
  }

  function toNumber(value) {
    if (!isTime || typeof value === "number") return Number(value);
    return Date.parse(`${String(value).replace(" ", "T")}Z`);
  }

  function zoom(first, last) {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const [low, high] = [Math.floor(Math.min(first, last)), Math.ceil(Math.max(first, last))];
      const isWhole = current?.whole && low <= current.whole[0] && high >= current.whole[1];
      setAddress(isWhole ? { from: null, to: null } : { from: low, to: high }, true);
      show();
    }, WAIT_MS);
  }

  function reset() {
    clearTimeout(waiting);
    setAddress({ from: null, to: null }, true);
    show();
  }

  function hiddenKinds() {
    return element.data.filter((trace) => trace.visible === "legendonly").map((trace) => trace.meta).join(",");
  }

  function select(event) {
    const link = document.querySelector("[data-timeline-records]");
    if (!event?.range?.x) { link.hidden = true; return; }
    const [first, last] = event.range.x.map(toNumber).sort((a, b) => a - b);
    const address = new URL(element.dataset.recordsUrl, location.href);
    address.searchParams.set(isTime ? "since" : "first", Math.max(0, Math.ceil(first)));
    address.searchParams.set(isTime ? "until" : "last", Math.max(0, Math.floor(last)));
    link.href = address.href;
    link.hidden = false;
    link.focus({ preventScroll: true });
  }

  function listen() {
    if (element.dataset.zooms) return;
    element.dataset.zooms = "";
    element.on("plotly_relayout", (event) => {
      if (quiet) return;
      const range = event["xaxis.range"] ?? [event["xaxis.range[0]"], event["xaxis.range[1]"]];
      if (range[0] === undefined) return;
      zoom(...range.map(toNumber));
    });
    element.on("plotly_doubleclick", reset);
    element.addEventListener("showall", reset);
    element.on("plotly_restyle", () => setAddress({ hide: hiddenKinds() }, false));
    element.on("plotly_selected", select);
    element.on("plotly_deselect", () => select(null));
  }

  document.querySelector("[data-timeline-reset]").addEventListener("click", (event) => {
    event.preventDefault();
    reset();
  });
  window.addEventListener("popstate", show);
  document.addEventListener("themechange", show);
  show();
});
