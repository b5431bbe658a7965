// The review queue by keyboard: j k e a f r s x ?. Everything here has a button or a link as well.
(() => {
  const list = () => document.querySelector("[data-review-list]");
  const form = () => document.querySelector("[data-decide]") ?? document.querySelector("[data-judge]");
  const rows = () => [...(list()?.querySelectorAll("tr[data-finding]") ?? [])];
  let current = { id: null, index: 0 }; // where the mark is: kept while the list is drawn anew
  let advance = false;
  let isBusy = false; // a decision is on its way: keys wait for the list that comes back
  const waiting = [];

  function mark(row, focus = true) {
    for (const other of rows()) other.classList.toggle("is-current", other === row);
    if (!row) return;
    current = { id: row.dataset.finding, index: rows().indexOf(row) };
    if (focus) row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
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

  function sayChosen() {
    const text = list()?.querySelector("[data-chosen]");
    if (!text) return;
    const all = list().querySelector("[data-all-matching]");
    const ids = new Set(boxes().filter((box) => box.checked).flatMap((box) => box.value.split(",")));
    const count = all?.checked ? Number(all.dataset.allMatching) : ids.size;
    text.textContent = count ? `${count.toLocaleString("en")} selected` : "None selected";
  }

  // without a choice, the row that the mark is on is meant
  function chooseCurrent() {
    if (!list()) return true;
    const isChosen = boxes().some((box) => box.checked) || list().querySelector("[data-all-matching]")?.checked;
    advance = !isChosen;
    if (isChosen) return true;
    const box = currentRow()?.querySelector("input[name='finding']");
    if (box) box.checked = true;
    sayChosen();
    return Boolean(box);
  }

  function press(key) {
    const button = form()?.querySelector(`button[data-key='${key}']`);
    if (button && !button.disabled && chooseCurrent()) button.click();
  }

  function suppress() {
    if (!form() || !chooseCurrent()) return;
    const more = form().querySelector("[data-more]");
    if (more) more.open = true;
    form().querySelector("#until")?.focus();
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
    a: () => press("a"),
    f: () => press("f"),
    r: () => press("r"),
    s: suppress,
    "?": () => document.getElementById("review-keys")?.showModal(),
  };

  document.addEventListener("keydown", (event) => {
    const field = event.target.closest("input:not([type='checkbox']), select, textarea, [contenteditable]");
    if (event.key === "Escape" && field && form()?.contains(field)) {
      field.blur();
      if (list()) mark(currentRow());
    }
    if (event.key === "Enter" && field?.dataset.presses) {
      event.preventDefault();
      form().querySelector(`button[value='${field.dataset.presses}']`)?.click();
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
    while (waiting.length && !isBusy) keys[waiting.shift()]();
  });

  document.addEventListener("focusin", (event) => {
    const row = event.target.closest("tr[data-finding]");
    if (row) mark(row, false);
  });

  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-choose-page]")) for (const box of boxes()) box.checked = event.target.checked;
    if (list()?.contains(event.target)) sayChosen();
  });

  // by mouse a button means the chosen rows only: nothing is guessed
  document.addEventListener("htmx:afterSwap", (event) => {
    if (!event.target.matches?.("[data-review-list]") && !list()) return;
    const all = rows();
    const stayed = all.findIndex((row) => row.dataset.finding === current.id);
    const next = stayed >= 0 && advance ? stayed + 1 : stayed >= 0 ? stayed : current.index;
    advance = false;
    if (all.length) mark(all[Math.min(next, all.length - 1)]);
    else list()?.querySelector("a.btn")?.focus();
  });

  for (const problem of ["htmx:responseError", "htmx:sendError"]) {
    document.addEventListener(problem, () => {
      waiting.length = 0;
      for (const button of document.querySelectorAll("[data-decide] button[type='submit']:disabled:not([hidden])")) button.disabled = false;
    });
  }

  document.addEventListener("DOMContentLoaded", () => {
    sayChosen();
    if (rows().length) mark(rows()[0], false);
  });
})();
