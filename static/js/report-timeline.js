// The timeline: zooming and panning ask the server for the true points of the window; the address says what is shown.
document.addEventListener("DOMContentLoaded", () => {
  const element = document.getElementById("timeline");
  if (!element) return;
  const { ask, draw, fail } = window.reportFigure;
  const isTime = element.dataset.axis === "time";
  const KEPT = ["x", "lanes", "height", "from", "to", "hide", "filter"];
  const LISTS = ["pin", "fold", "open"]; // may stand in the address several times
  const WAIT_MS = 80;
  const phone = window.matchMedia("(max-width: 700px)"); // as in timeline.css
  const sidesPixels = () => (isTime || phone.matches ? 78 : 60); // beside the plot
  const NEW_WIDTH = 0.12; // of the width: a smaller change only scales the figure
  let current = null; // the answer on the screen
  let asking = null;
  let waiting = 0;
  let drawnWidth = 1; // pixels of the figure that the answer is for
  let quiet = false; // while we draw ourselves

  const inAddress = () => {
    const parameters = new URL(location.href).searchParams;
    return Object.fromEntries([...KEPT.map((name) => [name, parameters.get(name)]), ...LISTS.map((name) => [name, parameters.getAll(name)])]);
  };

  function setAddress(changes, push) {
    const address = new URL(location.href);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === "") address.searchParams.delete(name);
      else address.searchParams.set(name, value);
    }
    goTo(address, push);
  }

  function goTo(address, push) {
    if (address.href === location.href) return;
    if (push) history.pushState(history.state, "", address);
    else history.replaceState(history.state, "", address);
    showSwitches();
  }

  // links that change one thing keep the rest
  function showSwitches() {
    const here = inAddress();
    for (const link of document.querySelectorAll("[data-keeps-address] a")) {
      const address = new URL(link.href);
      for (const name of ["hide", ...LISTS]) {
        address.searchParams.delete(name);
        for (const value of [here[name] ?? []].flat()) address.searchParams.append(name, value);
      }
      link.href = address.href;
    }
  }

  function changeList(name, values, isOn) {
    const address = new URL(location.href);
    const others = address.searchParams.getAll(name).filter((one) => !values.includes(one));
    address.searchParams.delete(name);
    for (const one of isOn ? [...others, ...values] : others) address.searchParams.append(name, one);
    goTo(address, true);
    return show();
  }

  function axisText(x) {
    if (!isTime) return String(Math.round(x));
    const shifted = new Date(x + (current?.shiftMs ?? 0));
    return `${shifted.toISOString().replace("T", " ").slice(0, 19)} ${current?.zone ?? "UTC"}`;
  }

  async function show() {
    asking?.abort();
    asking = new AbortController();
    try {
      const width = Math.max(100, element.clientWidth - sidesPixels());
      drawnWidth = element.clientWidth;
      const answer = await ask(element.dataset.figureUrl, { ...inAddress(), record: new URL(location.href).searchParams.get("record"), width, names: phone.matches ? "above" : null }, asking.signal);
      current = answer;
      quiet = true;
      recordsOfLanes(answer);
      await draw(element, answer);
      describe(answer);
      listen();
    } catch (error) {
      fail(element, error);
    } finally {
      quiet = false;
    }
  }

  // a lane of another partition has its records elsewhere
  function recordsOfLanes(answer) {
    const urls = Object.entries(answer.recordUrls ?? {}).map(([lane, url]) => [answer.yOfLane[lane], url]);
    element.recordUrls = Object.fromEntries(urls);
  }

  const lanesByHand = {
    walk: (lane) => walk.walkLane(lane),
    pin: (id, isOn) => changeList("pin", [id], isOn),
    fold: (ids, isOn) => changeList("fold", ids, isOn),
    open: (id, isOn) => changeList("open", [id], isOn),
    isOpen: (id) => inAddress().open.includes(id),
  };

  function describe(answer) {
    document.querySelector("[data-figure-sentence]").textContent = answer.sentence;
    document.querySelector("[data-figure-caption]").textContent = answer.sentence;
    window.timelineBeside.names(answer.rows, lanesByHand);
    window.timelineLanes.shown(element, answer.rows);
    window.timelineBeside.legend(answer.legend, toggle);
    window.timelineBeside.table(answer);
    const isWhole = answer.window?.join() === answer.whole?.join();
    document.querySelector("[data-timeline-reset]").hidden = isWhole && !inAddress().from && !inAddress().to;
    document.querySelector("[data-timeline-records]").hidden = isWhole;
    if (!isWhole) offerRecords(...answer.window);
    document.querySelector("[data-whole-records]").textContent = answer.wholeRecords;
    placeBrush(answer, axisText);
    walk.shown(answer);
    const record = new URL(location.href).searchParams.get("record");
    if (record) walk.selectOffset(record, laneOfAddress(answer));
  }

  function toNumber(value) {
    if (!isTime) return Number(value);
    const shown = typeof value === "number" ? value : Date.parse(`${String(value).replace(" ", "T")}Z`);
    return shown - (current?.shiftMs ?? 0);
  }

  function zoom(first, last) {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const whole = current?.whole ?? [-Infinity, Infinity];
      const low = Math.max(whole[0], Math.ceil(Math.min(first, last)));
      const high = Math.max(low, Math.min(whole[1], Math.floor(Math.max(first, last))));
      const isWhole = low <= whole[0] && high >= whole[1];
      setAddress(isWhole ? { from: null, to: null } : { from: low, to: high }, true);
      show();
    }, WAIT_MS);
  }

  function reset() {
    clearTimeout(waiting);
    setAddress({ from: null, to: null }, true);
    show();
  }

  function toggle(kind) {
    const hidden = new Set((inAddress().hide ?? "").split(",").filter(Boolean));
    if (!hidden.delete(kind)) hidden.add(kind);
    setAddress({ hide: [...hidden].join(",") }, false);
    const chips = [...document.querySelectorAll("[data-timeline-legend] button")];
    const number = chips.indexOf(document.activeElement);
    show().then(() => document.querySelectorAll("[data-timeline-legend] button")[number]?.focus());
  }

  // what the window shows, as a list
  function offerRecords(first, last) {
    const address = new URL(element.dataset.recordsUrl, location.href);
    address.searchParams.set(isTime ? "since" : "first", Math.max(0, first));
    address.searchParams.set(isTime ? "until" : "last", Math.max(0, last));
    document.querySelector("[data-timeline-records]").href = address.href;
  }

  function listen() {
    if (element.dataset.zooms) return;
    element.dataset.zooms = "yes";
    element.on("plotly_relayout", (event) => {
      if (quiet) return;
      const range = event["xaxis.range"] ?? [event["xaxis.range[0]"], event["xaxis.range[1]"]];
      if (range[0] === undefined) return;
      zoom(...range.map(toNumber));
    });
    if (!window.matchMedia("(pointer: coarse)").matches) element.on("plotly_doubleclick", reset); // two taps are two taps
    element.addEventListener("openmark", ({ detail: { offset, y } }) => {
      const lane = laneAt(y);
      if (current?.recordUrls?.[lane]) takePartition(current.recordUrls[lane]);
      walk.selectOffset(offset, lane);
    });
    element.addEventListener("openbin", ({ detail: { first, last, y } }) => {
      const lane = laneAt(y);
      if (first < last) zoom(first, last);
      else if (lane || !current?.recordUrls) {
        page.open({ offset: first, lane }, null);
        walk.selectOffset(first, lane);
      }
    });
    element.addEventListener("openother", ({ detail: { x, y } }) => {
      const lane = laneAt(y);
      const point = current.points.find((one) => one.url && one.lane === lane && one.x === x);
      if (point) page.open(point, null);
    });
    new ResizeObserver(resized).observe(element.parentElement);
  }

  const laneAt = (y) => Object.keys(current?.yOfLane ?? {}).find((lane) => current.yOfLane[lane] === y);

  function resized() {
    window.Plotly.Plots.resize(element);
    if (Math.abs(element.clientWidth / drawnWidth - 1) < NEW_WIDTH) return;
    clearTimeout(waiting);
    waiting = setTimeout(show, WAIT_MS);
  }

  // of several partitions, the one that the address names
  function laneOfAddress(answer) {
    const parameters = new URL(location.href).searchParams;
    const isHere = (url) => ["topic", "partition", "replica"].every((name) => (new URL(url, location.href).searchParams.get(name) ?? "") === (parameters.get(name) ?? ""));
    return Object.keys(answer.recordUrls ?? {}).find((lane) => isHere(answer.recordUrls[lane]));
  }

  function takePartition(url) {
    const parameters = new URL(url, location.href).searchParams;
    setAddress(Object.fromEntries(["topic", "partition", "replica"].map((name) => [name, parameters.get(name)])), false);
  }

  const page = {
    open(point, opener) {
      if (point.url) { location.assign(point.url); return; } // of another report
      const url = current?.recordUrls?.[point.lane] ?? element.dataset.recordUrl;
      if (current?.recordUrls) takePartition(url);
      window.openRecord(url.replace("/0/", `/${point.offset}/`), String(point.offset), opener);
    },
  };
  const walk = window.timelineWalk(element, { zoom, reset, page });
  const placeBrush = window.timelineBrush(zoom);

  document.querySelector("[data-timeline-reset]").addEventListener("click", (event) => {
    event.preventDefault();
    reset();
  });
  document.addEventListener("hidden.bs.offcanvas", () => walk.clear());
  document.querySelector("[data-entity-pin]")?.addEventListener("submit", (event) => {
    event.preventDefault();
    const address = new URL(location.href);
    address.searchParams.set("entity", new FormData(event.target).get("entity"));
    location.assign(address);
  });
  showSwitches();
  window.addEventListener("popstate", show);
  document.addEventListener("themechange", show);
  document.addEventListener("zonechange", show);
  show();
});
