// Times in UTC or in a local zone: one switch for all pages. The choice is remembered on this computer; a local zone also stands
// in the address, so that a link says which zone it was made with.
(() => {
  const KEY = "journalscope.zone";
  const DAY = /\d{4}-\d{2}-\d{2}/;
  const CLOCK = /\d{2}:\d{2}(:\d{2})?(\.\d{3})?/;
  const UTC = /\bUTC\b/;
  const AFTER = /^\s*UTC\b/;
  const written = new WeakMap(); // node -> text as the server wrote it
  const tooltip = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

  const own = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

  function isZone(name) {
    try { return Boolean(new Intl.DateTimeFormat("en", { timeZone: name })); } catch { return false; }
  }

  function isLocalRemembered() {
    try { return Boolean(localStorage.getItem(KEY)); } catch { return false; /* storage may be forbidden */ }
  }

  function inAddress() {
    const name = new URL(location.href).searchParams.get("zone");
    return name && isZone(name) ? name : "";
  }

  let zone = inAddress() || (isLocalRemembered() ? own() : ""); // IANA name; empty: UTC

  function keepInAddress() {
    const address = new URL(location.href);
    if (zone) address.searchParams.set("zone", zone);
    else address.searchParams.delete("zone");
    if (address.href !== location.href) history.replaceState(history.state, "", address);
  }

  function partsOf(moment) {
    const form = { timeZone: zone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, timeZoneName: "longOffset" };
    const parts = new Intl.DateTimeFormat("en", form).formatToParts(moment);
    return Object.fromEntries(parts.map((part) => [part.type, part.value]));
  }

  const nameOf = (part) => part.timeZoneName.replace("GMT", "UTC").replace(/[+-]00:00$/, "");
  const offsetName = (moment) => nameOf(partsOf(moment));

  // the same words with the local day and clock: as exact as the server wrote them
  function local(text, moment) {
    const part = partsOf(moment);
    return text
      .replace(DAY, `${part.year}-${part.month}-${part.day}`)
      .replace(CLOCK, (_, second, fraction) => `${part.hour}:${part.minute}${second ? `:${part.second}` : ""}${fraction ? `.${part.fractionalSecond}` : ""}`)
      .replace(UTC, nameOf(part));
  }

  function write(node, change) {
    if (!written.has(node)) written.set(node, node.nodeValue);
    const text = written.get(node);
    const shown = zone ? change(text) : text;
    if (node.nodeValue !== shown) node.nodeValue = shown;
  }

  function writeTime(time) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.valueOf())) return;
    if (!("local" in time.dataset)) {
      time.dataset.local = "";
      time.title = `${time.title ? `${time.title}\n` : ""}${tooltip.format(moment)} (your time)`;
    }
    for (const node of time.childNodes) if (node.nodeType === Node.TEXT_NODE) write(node, (text) => local(text, moment));
    const next = time.nextSibling;
    if (next?.nodeType === Node.TEXT_NODE && AFTER.test(written.get(next) ?? next.nodeValue)) write(next, (text) => text.replace(UTC, offsetName(moment)));
  }

  // heads of columns and of lists name the zone of the times below them
  function writeHead(head) {
    for (const node of head.childNodes) {
      if (node.nodeType === Node.TEXT_NODE && UTC.test(written.get(node) ?? node.nodeValue)) write(node, (text) => text.replace(UTC, zone));
    }
  }

  // a form sends the zone in which its times are typed; times that are filled in keep the zone in which they were written
  function writeForms(root) {
    for (const field of root.querySelectorAll("input[data-zone-field]:not([data-zone-fixed])")) {
      field.value = zone;
      for (const label of field.form.querySelectorAll("label")) writeHead(label);
    }
  }

  function writeAll(root) {
    for (const time of root.querySelectorAll("time[datetime]")) writeTime(time);
    for (const head of root.querySelectorAll("th, dt, [data-zone-head]")) writeHead(head);
    writeForms(root);
  }

  function showSwitch() {
    for (const button of document.querySelectorAll("[data-zone-switch]")) {
      const isOn = Boolean(button.dataset.zoneSwitch) === Boolean(zone);
      button.classList.toggle("active", isOn);
      button.setAttribute("aria-pressed", String(isOn));
      if (button.dataset.zoneSwitch) button.title = zone || own();
    }
  }

  function change(name) {
    zone = name;
    try { localStorage.setItem(KEY, zone ? "local" : ""); } catch { /* the address is enough */ }
    keepInAddress();
    showSwitch();
    writeAll(document);
    document.dispatchEvent(new CustomEvent("zonechange", { detail: zone }));
  }

  window.journalZone = () => zone;
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-zone-switch]");
    if (button) change(button.dataset.zoneSwitch ? own() : "");
  });
  document.addEventListener("DOMContentLoaded", () => {
    showSwitch();
    writeAll(document);
    if (zone && document.querySelector("time[datetime], .report-figure")) keepInAddress();
  });
  document.addEventListener("htmx:afterSettle", (event) => writeAll(event.target));
})();
