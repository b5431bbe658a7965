// The menu of columns: ticks and order count at once, are remembered on this computer and stand in the address.
(() => {
  const COOKIE = "record_columns";
  const YEAR = 31536000;
  const APPLY_AFTER_MS = 200;
  const menu = () => document.querySelector("[data-columns]");
  let waiting = null;
  let dragged = null;
  let running = null;

  const items = () => [...menu().querySelectorAll("[data-column]")];
  const chosen = () => items().filter((item) => item.querySelector("input").checked).map((item) => item.dataset.column).join(".");

  function remember(names) {
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `${COOKIE}=${names}; Path=/; Max-Age=${names ? YEAR : 0}; SameSite=Lax${secure}`;
  }

  // forms of the page carry the choice, too
  function keepInForms(names) {
    for (const form of document.querySelectorAll(".records-page form[method=get]:not(.menu-body)")) {
      let field = form.querySelector("input[type=hidden][name=columns]");
      if (!field) {
        field = Object.assign(document.createElement("input"), { type: "hidden", name: "columns" });
        form.prepend(field);
      }
      field.value = names;
    }
  }

  async function apply() {
    const names = chosen();
    remember(names);
    keepInForms(names);
    const address = new URL(location.href);
    address.searchParams.set("columns", names);
    history.replaceState(history.state, "", address);
    menu().querySelector("[data-columns-count]").textContent = `${names.split(".").length} of ${items().length}`;
    await show(address);
  }

  // the rows as the server lists them; an answer to an older choice is dropped
  async function show(address) {
    running?.abort();
    running = new AbortController();
    try {
      const answer = await fetch(address, { signal: running.signal });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const rows = page.getElementById("records-list");
      if (!rows) throw new Error(`No rows: ${answer.status}`);
      document.getElementById("records-list").replaceWith(document.adoptNode(rows));
      rows.dispatchEvent(new CustomEvent("htmx:afterSettle", { bubbles: true })); // times in the reader's zone
    } catch (problem) {
      if (problem.name !== "AbortError") location.assign(address);
    }
  }

  function applySoon() {
    clearTimeout(waiting);
    waiting = setTimeout(apply, APPLY_AFTER_MS);
  }

  function say(item) {
    const all = items();
    menu().querySelector("[data-columns-spoken]").textContent = `${item.innerText.trim()}: ${all.indexOf(item) + 1} of ${all.length}`;
  }

  // the offset stays first
  function move(item, step) {
    const all = items();
    const other = all[all.indexOf(item) + step];
    if (!other || other === all[0]) return;
    if (step > 0) other.after(item);
    else other.before(item);
    item.querySelector(".column-handle").focus();
    say(item);
    applySoon();
  }

  document.addEventListener("change", (event) => {
    if (event.target.closest("[data-columns]")) applySoon();
  });
  document.addEventListener("keydown", (event) => {
    const item = event.target.closest?.(".column-handle")?.closest("[data-column]");
    const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
    if (item && step) {
      event.preventDefault();
      move(item, step);
    }
    if (event.key === "Escape" && menu()?.open && menu().contains(document.activeElement)) {
      menu().open = false;
      menu().querySelector("summary").focus();
    }
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-columns-reset]")) remember("");
    else if (menu()?.open && !event.target.closest("[data-columns]")) menu().open = false;
  });

  document.addEventListener("dragstart", (event) => {
    dragged = event.target.closest?.("[data-columns] [data-column]") ?? null;
    if (!dragged) return;
    dragged.classList.add("is-dragged");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.dataset.column);
  });
  document.addEventListener("dragover", (event) => {
    const over = dragged && event.target.closest?.("[data-columns] [data-column]");
    if (!over) return;
    event.preventDefault();
    if (over === dragged) return;
    const { top, height } = over.getBoundingClientRect();
    if (over !== items()[0] && event.clientY < top + height / 2) over.before(dragged);
    else over.after(dragged);
  });
  document.addEventListener("drop", (event) => {
    if (dragged && event.target.closest?.("[data-columns]")) event.preventDefault();
  });
  document.addEventListener("dragend", () => {
    if (!dragged) return;
    dragged.classList.remove("is-dragged");
    say(dragged);
    dragged = null;
    applySoon();
  });
})();
