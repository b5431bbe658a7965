// The review queue: the incident beside the list, and the keys j k e c a f r s x ?. Everything here has a button or a link as well.
(() => {
  const list = () => document.querySelector("[data-review-list]");
  const form = () => document.querySelector("[data-decide]") ?? document.querySelector("[data-judge]");
  const rows = () => [...(list()?.querySelectorAll("[data-finding]") ?? [])];
  const beside = () => document.getElementById("review-beside");
  const pane = () => document.getElementById("review-preview");
  const isBeside = () => Boolean(pane()?.offsetParent); // narrow windows have no room for it
  const PREVIEW_MS = 120; // a mark that moves on has no preview asked for
  let current = { id: null, index: 0 }; // where the mark is: kept while the list is drawn anew
  let advance = false;
  let isBusy = false; // a decision is on its way: keys wait for the list that comes back
  let previewTimer = 0;
  let previewNumber = 0; // an answer that comes after a newer one is not shown
  const waiting = [];

  function mark(row, focus = true) {
    for (const other of rows()) other.classList.toggle("is-current", other === row);
    if (!row) return;
    current = { id: row.dataset.finding, index: rows().indexOf(row) };
    if (focus) {
      row.focus({ preventScroll: true });
      row.scrollIntoView({ block: "nearest" });
    }
    clearTimeout(previewTimer);
    if (isBeside()) previewTimer = setTimeout(() => preview(row), PREVIEW_MS);
  }

  async function preview(row) {
    const number = ++previewNumber;
    pane()?.querySelector(".review-hint")?.replaceChildren("Loading…");
    let answer;
    try {
      answer = await fetch(row.dataset.preview, { headers: { "HX-Request": "true" } });
    } catch {
      return;
    }
    const text = answer.ok && !answer.redirected ? await answer.text() : "";
    if (number !== previewNumber || !pane()) return;
    if (!text) {
      pane().textContent = "The preview cannot be shown. Open the incident instead.";
      return;
    }
    pane().replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
    pane().scrollTop = 0;
    const position = pane().querySelector("[data-position]");
    if (position) position.textContent = `${Number(list().dataset.first) + rows().indexOf(row)} of ${list().dataset.total} · `;
    window.htmx?.trigger(pane(), "htmx:afterSettle"); // times follow the zone that is chosen
  }

  function currentRow() {
    const all = rows();
    return all.find((row) => row.dataset.finding === current.id) ?? all[Math.min(current.index, all.length - 1)];
  }

  function move(step) {
    const all = rows();
    if (!all.length) return;
    const at = all.findIndex((row) => row.classList.contains("is-current"));
    mark(all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + step))]);
  }

  const boxes = () => [...(list()?.querySelectorAll("input[name='finding']") ?? [])];
  const isChosen = () => boxes().some((box) => box.checked) || Boolean(list()?.querySelector("[data-all-matching]")?.checked);

  function sayChosen() {
    const text = list()?.querySelector("[data-chosen]");
    if (!text) return;
    const all = list().querySelector("[data-all-matching]");
    const ids = new Set(boxes().filter((box) => box.checked).flatMap((box) => box.value.split(",")));
    const count = all?.checked ? Number(all.dataset.allMatching) : ids.size;
    text.textContent = `${count.toLocaleString("en")} selected`;
    beside()?.classList.toggle("has-chosen", count > 0);
    const about = document.querySelector("[data-about]");
    if (about) about.textContent = count ? `Applies to the ${count.toLocaleString("en")} selected finding${count === 1 ? "" : "s"}.` : "";
  }

  // without a choice, the incident that the mark is on is meant
  function chooseCurrent() {
    if (!list()) return true;
    const chosen = isChosen();
    advance = !chosen;
    if (chosen) return true;
    const box = currentRow()?.querySelector("input[name='finding']");
    if (box) box.checked = true;
    return Boolean(box);
  }

  function button(key) {
    return [...(form()?.elements ?? [])].find((one) => one.dataset.key === key);
  }

  // a button that was pressed is disabled; those at the foot are pressed again
  function enable() {
    for (const one of form()?.elements ?? []) if (one.type === "submit" && !one.hidden) one.disabled = false;
  }

  function press(key) {
    const pressed = button(key);
    if (pressed && !pressed.disabled) pressed.click();
  }

  function suppress() {
    if (!form()) return;
    const more = document.querySelector("[data-suppress]");
    if (more) more.open = true;
    document.getElementById("until")?.focus();
  }

  function open() {
    const address = list() ? currentRow()?.dataset.open : document.querySelector("[data-one-finding]")?.dataset.open;
    if (address) location.assign(address);
  }

  function walk(key) {
    const link = document.querySelector(`a[data-walk='${key}']`);
    if (link) location.assign(link.href);
  }

  function toggle() {
    const box = currentRow()?.querySelector("input[name='finding']");
    if (box) box.click();
  }

  const keys = {
    j: () => (list() ? move(1) : walk("j")),
    k: () => (list() ? move(-1) : walk("k")),
    e: open,
    x: toggle,
    c: () => press("c"),
    a: () => press("a"),
    f: () => press("f"),
    r: () => press("r"),
    s: suppress,
    "?": () => document.getElementById("review-keys")?.showModal(),
  };

  document.addEventListener("keydown", (event) => {
    const field = event.target.closest("input:not([type='checkbox']), select, textarea, [contenteditable]");
    if (event.key === "Escape" && field?.form && field.form === form()) {
      field.closest("details[open]")?.removeAttribute("open");
      field.blur();
      if (list()) mark(currentRow());
    }
    if (event.key === "Enter" && field?.dataset.presses) {
      event.preventDefault();
      [...form().elements].find((one) => one.value === field.dataset.presses && one.type === "submit")?.click();
    }
    if (field || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (!keys[event.key]) return;
    event.preventDefault();
    if (isBusy) waiting.push(event.key);
    else keys[event.key]();
  });

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (list()?.contains(event.target)) isBusy = true;
  });
  document.addEventListener("htmx:afterRequest", () => {
    isBusy = false;
    enable();
    while (waiting.length && !isBusy) keys[waiting.shift()]();
  });

  document.addEventListener("focusin", (event) => {
    const row = event.target.closest("[data-finding]");
    if (row && !row.classList.contains("is-current")) mark(row, false);
  });

  document.addEventListener("click", (event) => {
    if (!list()) return;
    const row = event.target.closest("[data-finding]");
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (row && isPlain && isBeside() && event.target.closest(".review-title")) event.preventDefault();
    if (row && !event.target.closest("input, summary, a:not(.review-title)")) mark(row, isBeside());
    const decides = event.target.closest("button[type='submit']");
    if (decides && decides.form === form() && beside()?.contains(decides)) {
      if (!chooseCurrent()) event.preventDefault();
      for (const menu of beside().querySelectorAll("details[open]")) menu.open = false;
    }
  });

  // an address says what was chosen, and nothing else
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-filter]")) return;
    for (const field of event.target.elements) if (field.name && !field.value) field.disabled = true;
  });

  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-choose-page]")) for (const box of boxes()) box.checked = event.target.checked;
    if (list()?.contains(event.target)) sayChosen();
  });

  document.addEventListener("htmx:afterSwap", (event) => {
    if (!event.target.matches?.("[data-review-list]") && !list()) return;
    const all = rows();
    const stayed = all.findIndex((row) => row.dataset.finding === current.id);
    const next = stayed >= 0 && advance ? stayed + 1 : stayed >= 0 ? stayed : current.index;
    advance = false;
    if (beside()) beside().hidden = !all.length;
    const reason = document.getElementById("comment");
    if (reason) reason.value = "";
    sayChosen();
    if (all.length) mark(all[Math.min(next, all.length - 1)]);
    else list()?.querySelector("a.btn")?.focus();
  });

  for (const problem of ["htmx:responseError", "htmx:sendError"]) {
    document.addEventListener(problem, () => {
      waiting.length = 0;
      enable();
    });
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.documentElement.classList.add("has-script");
    sayChosen();
    if (rows().length) mark(rows()[0], false);
  });
})();
