// What every report page does: the record drawer, copying, explained words that stay on the screen.
(() => {
  const drawer = () => document.getElementById("record-drawer");
  let opener = null;

  function show() {
    const element = drawer();
    if (window.tabler?.bootstrap?.Offcanvas) {
      window.tabler.bootstrap.Offcanvas.getOrCreateInstance(element).show();
    } else if (window.bootstrap?.Offcanvas) {
      window.bootstrap.Offcanvas.getOrCreateInstance(element).show();
    } else {
      element.classList.add("show");
    }
  }

  function keepInAddress(offset) {
    const address = new URL(location.href);
    if (offset === null) address.searchParams.delete("record");
    else address.searchParams.set("record", offset);
    history.replaceState(history.state, "", address);
  }

  function openRecord(url, offset, from) {
    if (!drawer()) return;
    opener = from ?? opener ?? document.querySelector(`tbody th [data-record="${CSS.escape(offset)}"]`);
    keepInAddress(offset);
    show();
    for (const row of document.querySelectorAll("tr.is-open")) row.classList.remove("is-open");
    for (const link of document.querySelectorAll(`tbody th [data-record="${CSS.escape(offset)}"]`)) {
      link.closest("tr").classList.add("is-open");
    }
    window.htmx.ajax("GET", url, { target: "#record-drawer-body", swap: "innerHTML" });
  }
  window.openRecord = openRecord;

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-record]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    if (!link.closest("#record-drawer")) opener = link;
    openRecord(link.dataset.recordUrl, link.dataset.record);
  });

  // straight to the bytes: those of the value, else of the key
  document.addEventListener("click", (event) => {
    const record = event.target.closest("[data-record-bytes]")?.closest(".record");
    const hex = record?.querySelector('[data-hex-of="value"]') ?? record?.querySelector("[data-hex-of]");
    if (!hex) return;
    hex.open = true;
    hex.scrollIntoView({ block: "start" });
    hex.querySelector("pre").focus({ preventScroll: true });
  });

  function hide() {
    const element = drawer();
    const library = window.tabler?.bootstrap?.Offcanvas ?? window.bootstrap?.Offcanvas;
    if (library) library.getInstance(element)?.hide();
    else element.classList.remove("show");
  }

  // the page behind stays usable while the drawer is open, so it is no modal dialogue
  document.addEventListener("shown.bs.offcanvas", (event) => {
    event.target.removeAttribute("aria-modal");
    event.target.querySelector(".btn-close")?.focus({ preventScroll: true });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const element = drawer();
    // one that is still opening would open to its end although it was told to hide
    if (element?.classList.contains("showing")) element.addEventListener("shown.bs.offcanvas", hide, { once: true });
    else if (element?.classList.contains("show")) hide();
  });

  document.addEventListener("hidden.bs.offcanvas", () => {
    keepInAddress(null);
    for (const row of document.querySelectorAll("tr.is-open")) row.classList.remove("is-open");
    opener?.focus();
  });

  async function copy(button) {
    const source = button.dataset.copy && document.querySelector(button.dataset.copy);
    await window.copyText(source ? source.content?.textContent ?? source.textContent : button.dataset.copyText);
    window.toast?.(button.dataset.copied || "Copied.");
  }

  // text: a string, or the promise of one; whether it was copied
  window.copyText = async (text) => {
    try {
      const blob = Promise.resolve(text).then((words) => new Blob([words], { type: "text/plain" }));
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
      return true;
    } catch {
      return copyTheOldWay(await text); // the clipboard's interface exists on secure addresses only
    }
  };

  function copyTheOldWay(text) {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "off-screen";
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    return isCopied;
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy], [data-copy-text]");
    if (button) copy(button);
  });

  // a word near the right edge explains itself to the left
  function keepOnScreen(event) {
    const word = event.target.closest?.(".term");
    if (!word) return;
    const room = document.documentElement.clientWidth - word.getBoundingClientRect().left;
    word.classList.toggle("opens-left", room < 300);
  }
  document.addEventListener("focusin", keepOnScreen);
  document.addEventListener("pointerover", keepOnScreen);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.activeElement?.classList.contains("term")) document.activeElement.blur();
  });

  // a link to a finding reaches it although it is folded away
  function reveal() {
    let target = null;
    try {
      target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch { /* a percent sign that encodes nothing leads nowhere */ }
    if (!target) return;
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    stayAt(target);
  }

  // figures that are drawn later push it down; whoever scrolls decides from then on
  function stayAt(target) {
    const watcher = new ResizeObserver(() => target.scrollIntoView({ behavior: "instant" }));
    watcher.observe(document.body);
    for (const kind of ["wheel", "keydown", "pointerdown"]) window.addEventListener(kind, () => watcher.disconnect(), { once: true });
    setTimeout(() => watcher.disconnect(), 4000);
  }
  window.addEventListener("hashchange", reveal);
  document.addEventListener("DOMContentLoaded", reveal);

  document.addEventListener("DOMContentLoaded", () => {
    const asked = new URL(location.href).searchParams.get("record");
    const element = drawer();
    if (asked && element?.dataset.recordUrl && /^-?\d+$/.test(asked.replaceAll(",", ""))) {
      openRecord(element.dataset.recordUrl.replace("/0/", `/${asked.replaceAll(",", "")}/`), asked.replaceAll(",", ""));
    }
  });
})();
