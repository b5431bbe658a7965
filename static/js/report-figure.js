// Figures: the server says what to draw; this draws it, again when the theme changes, and tells of clicks on marks.
(() => {
  // journal and tab, so that a folder of pictures can be told apart
  function figureName() {
    return document.querySelector('meta[name="figure-name"]')?.content || "journalscope";
  }

  const config = {
    displaylogo: false,
    responsive: true,
    doubleClick: false,
    showTips: false,
    displayModeBar: false, // it would cover the newest records; the buttons below the figure do the same
  };

  const phone = window.matchMedia("(max-width: 700px)");
  const finger = window.matchMedia("(pointer: coarse)");
  const DOUBLE_CLICK_MS = 320;
  const FINGER = 12; // pixels that a finger may miss a bar by, or move in a tap
  const APART = 3; // pixels: marks closer than that look like one
  const RING_RADIUS = 8.5;
  const TELLING_MS = 100; // until Plotly has told what a tap met
  const TAP_MS = 500; // within so many Plotly tells twice of one tap
  const theme = () => (document.documentElement.dataset.bsTheme === "dark" ? "dark" : "light");

  async function ask(url, parameters, signal) {
    const address = new URL(url, location.href);
    for (const [name, value] of Object.entries({ ...parameters, theme: theme(), zone: window.journalZone?.() })) {
      for (const one of [value].flat()) if (one !== null && one !== undefined && one !== "") address.searchParams.append(name, one);
    }
    const response = await fetch(address, { signal, headers: { Accept: "application/json" } });
    if (!response.ok) throw new Error(`The server answered ${response.status}. Reload the page and try again.`);
    return response.json();
  }

  async function draw(element, answer) {
    if (!answer.figure) return;
    if (finger.matches) forFingers(answer.figure);
    await window.Plotly.react(element, answer.figure.data, answer.figure.layout, config);
    element.classList.add("is-drawn");
    const notes = (element.closest("section")?.querySelector("[data-figure-notes]"))
      ?? document.querySelector("[data-figure-notes]");
    if (notes) {
      notes.textContent = (answer.notes ?? []).join(" ");
      notes.hidden = !notes.textContent;
    }
    if (element.dataset.listens) return;
    element.dataset.listens = "yes";
    offerPictures(element);
    if (finger.matches) listenToTaps(element);
    else listenToClicks(element);
    element.on("plotly_clickannotation", ({ annotation, event }) => openNote(element, annotation, event));
  }

  // a finger scrolls the page and hides what is below it: no zoom by drag, no words beside the mark
  function forFingers({ data, layout }) {
    layout.dragmode = false;
    for (const trace of data) {
      delete trace.hovertemplate;
      if (trace.hoverinfo !== "skip") trace.hoverinfo = "none";
    }
    for (const note of layout.annotations ?? []) delete note.hovertext;
  }

  // a finger that meets no bar means the nearest one of its row
  function nearestBar(element, { clientX, clientY }) {
    const layout = element._fullLayout;
    const box = element.getBoundingClientRect();
    const [x, y] = [clientX - box.left, clientY - box.top];
    const pixel = (bar) => layout.xaxis._offset + layout.xaxis.d2p(bar.x);
    const rowOf = (name) => layout[name.replace("y", "yaxis")];
    const isInRow = (row) => row && y >= row._offset && y <= row._offset + row._length;
    const bars = element._fullData.filter((trace) => isBar(trace) && trace.visible === true && trace.meta !== "gap" && isInRow(rowOf(trace.yaxis))).flatMap((trace) => Array.from(trace.x, (at, number) => ({ x: at, fullData: trace, pointNumber: number, customdata: trace.customdata[number] })));
    const lane = Math.round(layout.yaxis.p2d(y - layout.yaxis._offset));
    const inLane = bars.filter((bar) => bar.fullData.yaxis !== "y" || Math.round(bar.fullData.base[bar.pointNumber]) === lane);
    const distance = (bar) => Math.abs(pixel(bar) - x);
    const nearest = inLane.reduce((best, bar) => (!best || distance(bar) < distance(best) ? bar : best), null);
    return nearest && distance(nearest) <= FINGER ? nearest : null;
  }

  function listenToTaps(element) {
    let tapped = -Infinity;
    let down = null;
    element.addEventListener("pointerdown", (event) => { down = [event.clientX, event.clientY]; });
    element.addEventListener("pointercancel", () => { down = null; });
    element.addEventListener("pointerup", (event) => {
      const isTap = down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < FINGER && event.target.closest(".nsewdrag");
      down = null;
      if (isTap && element.id === "timeline") setTimeout(() => openNearest(event), TELLING_MS);
    });
    function openNearest(event) {
      if (performance.now() - tapped < TAP_MS) return;
      const bar = nearestBar(element, event);
      if (bar) openBin(element, bar);
    }
    element.on("plotly_click", (event) => {
      if (performance.now() - tapped < TAP_MS) return;
      tapped = performance.now();
      openMark(element, event.points, event.event);
    });
  }

  function listenToClicks(element) {
    let opening = 0;
    let doubleClicked = -Infinity;
    element.on("plotly_click", (event) => {
      clearTimeout(opening);
      if (performance.now() - doubleClicked < DOUBLE_CLICK_MS) return;
      opening = setTimeout(() => openMark(element, event.points, event.event), DOUBLE_CLICK_MS); // it may become a double click
    });
    element.on("plotly_doubleclick", () => {
      clearTimeout(opening);
      doubleClicked = performance.now();
    });
  }

  function kindIcon(kind) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", `kind-icon mark-${kind}`);
    svg.setAttribute("aria-hidden", "true");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    use.setAttribute("href", `#mark-${kind}`);
    svg.append(use);
    return svg;
  }

  // the kinds that a small figure draws; the timeline has a legend that switches them
  function legend(box, kinds) {
    const entries = kinds.filter((kind) => kind.records).map((kind) => {
      const entry = document.createElement("li");
      entry.append(kindIcon(kind.kind), kind.name);
      return entry;
    });
    box?.replaceChildren(...entries);
  }

  function offerPictures(element) {
    const tools = document.createElement("div");
    tools.className = "figure-tools";
    for (const [format, text] of [["png", "Picture"], ["svg", "SVG"]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "btn btn-sm";
      button.textContent = text;
      button.setAttribute("aria-label", text === "SVG" ? "Picture as SVG" : text);
      button.addEventListener("click", () => savePicture(element, format));
      tools.append(button);
    }
    (element.closest("[data-timeline-body]") ?? element).after(tools);
  }

  // as it is on the screen: the figure itself has no background, and names beside it are taken in
  function onPaper(element) {
    const colour = getComputedStyle(element.closest(".card") ?? document.body).backgroundColor;
    const layout = { ...element.layout, paper_bgcolor: colour };
    if (element.id === "timeline") {
      const title = document.querySelector("[data-figure-sentence]")?.textContent ?? "";
      layout.yaxis = { ...layout.yaxis, showticklabels: true };
      layout.margin = { ...layout.margin, l: 220, t: layout.margin.t + 28 };
      layout.height += 28;
      layout.title = { text: title, font: { size: 12 }, x: 0.01, y: 0.99, yanchor: "top" };
    }
    return { data: element.data, layout };
  }

  async function savePicture(element, format) {
    const paper = onPaper(element);
    const width = element.getBoundingClientRect().width + paper.layout.margin.l - element.layout.margin.l;
    const { height } = paper.layout;
    try {
      await window.Plotly.downloadImage(paper, { format, scale: 2, width, height, filename: figureName() });
    } catch (error) {
      fail(element, error instanceof Error ? error : new Error("The picture could not be made. Reload the page and try again."));
    }
  }

  const isBar = (trace) => trace.type === "bar";

  function openMark(element, points, event) {
    const point = points.find((candidate) => typeof candidate.customdata?.[0] === "number" && !isBar(candidate.data));
    const other = points.find((candidate) => candidate.data.meta === "other-dump");
    if (!point && other) element.dispatchEvent(new CustomEvent("openother", { detail: { x: other.x, y: other.y } }));
    const bar = points.find((candidate) => isBar(candidate.data) && candidate.data.meta !== "gap" && element.id === "timeline");
    if (!point && bar) openBin(element, bar);
    if (point) openOneOf(element, recordsAt(element, point), event);
  }

  function openRecord(element, { offset, y }) {
    if (!element.dataset.recordUrl) return;
    const url = element.recordUrls?.[y] ?? element.dataset.recordUrl;
    element.dispatchEvent(new CustomEvent("openmark", { detail: { offset: String(offset), y } }));
    window.openRecord(url.replace("/0/", `/${offset}/`), String(offset));
  }

  function openBin(element, bar) {
    const [first, last] = bar.customdata.map(Math.round);
    const y = bar.fullData.yaxis === "y" ? Math.round(bar.fullData.base[bar.pointNumber]) : null;
    element.dispatchEvent(new CustomEvent("openbin", { detail: { first, last, y } }));
  }

  // every record that is drawn as a mark or a ring: x, y, offset, words, number of its ring
  function drawnRecords(element) {
    return element._fullData.filter((trace) => trace.visible === true && !isBar(trace) && typeof trace.customdata?.[0]?.[0] === "number").flatMap((trace) => Array.from(trace.customdata, (row, number) => {
      const isRing = trace.meta === "finding";
      return { x: trace.x[number], y: trace.y[number], offset: Math.round(row[0]), isRing, ring: isRing ? row[2] : null, words: isRing ? row[1] : trace.name };
    }));
  }

  // the ring that a mark without a finding is drawn in, where it cannot be told from the marks of the findings
  function ringAround(element, inLane, x, offset) {
    if (inLane.some((one) => one.isRing && one.offset === offset)) return undefined;
    const pixelOf = (value) => element._fullLayout.xaxis.d2p(value);
    const here = pixelOf(x);
    const pixels = inLane.map((one) => pixelOf(one.x)).sort((a, b) => a - b);
    const isOnePlace = (there) => pixels.filter((pixel) => (pixel - here) * (pixel - there) <= 0).every((pixel, number, some) => !number || pixel - some[number - 1] < APART);
    const away = (one) => Math.abs(pixelOf(one.x) - here);
    const rings = inLane.filter((one) => one.isRing && away(one) <= RING_RADIUS && isOnePlace(pixelOf(one.x)));
    return rings.sort((a, b) => away(a) - away(b))[0]?.ring;
  }

  // what one point of the screen may mean: records of one time, and for a finger all of a ring
  function recordsAt(element, { curveNumber, pointNumber, y, customdata }) {
    const { x } = element._fullData[curveNumber];
    const all = drawnRecords(element).filter((one) => one.y === y);
    const offset = Math.round(customdata[0]);
    const around = ringAround(element, all, x[pointNumber], offset);
    if (around !== undefined) return all.filter((one) => one.isRing && one.ring === around);
    const ring = finger.matches ? all.find((one) => one.isRing && one.offset === offset)?.ring : null;
    return all.filter((one) => one.offset === offset || one.x === x[pointNumber] || (one.isRing && one.ring === ring));
  }

  // a flag opens the record of its finding, the number of a ring what the ring has, that of a pile what lies there
  function openNote(element, note, event) {
    const rings = drawnRecords(element).filter((one) => one.isRing);
    if (note.name?.startsWith("flag ")) openRecord(element, { offset: Number(note.name.slice(5)), y: note.y });
    if (note.name?.startsWith("pile ")) {
      const [first, last] = note.name.split(" ").slice(1).map(Number);
      openOneOf(element, drawnRecords(element).filter((one) => one.y === note.y && one.x >= first - 0.5 && one.x <= last + 0.5), event);
    }
    const at = note.name === "findings" && rings.find((one) => one.x === note.x && one.y === note.y);
    if (at) openOneOf(element, rings.filter((one) => one.y === at.y && one.ring === at.ring), event);
  }

  function openOneOf(element, records, event) {
    const byOffset = new Map(records.toSorted((a, b) => a.isRing - b.isRing).map((one) => [one.offset, one])); // words of findings win
    const choices = [...byOffset.values()].sort((a, b) => b.isRing - a.isRing || a.offset - b.offset);
    if (choices.length > 1 && window.chooseRecord) window.chooseRecord(choices, event, (one) => openRecord(element, one));
    else if (choices.length) openRecord(element, choices[0]);
  }

  function fail(element, error) {
    if (error.name === "AbortError") return;
    window.toast?.(error.message, "danger");
    element.classList.add("is-failed");
  }

  async function strip(element) {
    try {
      const names = phone.matches ? "above" : null;
      const width = Math.max(100, element.clientWidth - (names ? 50 : 230));
      const answer = await ask(element.dataset.figureUrl, { width, names });
      await draw(element, answer);
      legend(element.closest("section")?.querySelector("[data-figure-legend]"), answer.legend ?? []);
    } catch (error) {
      fail(element, error);
    }
  }

  window.reportFigure = { ask, draw, fail, kindIcon };

  function drawStrips() {
    for (const element of document.querySelectorAll(".report-figure.is-strip")) strip(element);
  }
  document.addEventListener("DOMContentLoaded", drawStrips);
  document.addEventListener("themechange", drawStrips);
  document.addEventListener("zonechange", drawStrips);
})();
