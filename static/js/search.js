// The search over any page: Ctrl+K or Cmd+K, arrows, Enter. Without this script its link in the header opens the page.
(() => {
  const DELAY_MS = 100, SLOW_MS = 300;
  const dialog = () => document.getElementById("search-dialog");
  const input = () => document.getElementById("search-input");
  const list = () => document.getElementById("search-results");
  const results = () => [...list().querySelectorAll("a, button")];
  let timer = 0;
  let newest = 0; // number of the last request: an older answer that comes later is not shown
  let shown = null; // the text whose results are in the list

  function say(text, role) {
    const words = document.createElement("p");
    words.className = "search-none";
    words.setAttribute("role", role);
    words.textContent = text;
    list().replaceChildren(words);
  }

  async function ask() {
    const text = input().value;
    const number = ++newest;
    const query = new URLSearchParams({ q: text });
    if (dialog().dataset.inspection) query.set("inspection", dialog().dataset.inspection);
    let answer;
    const slow = setTimeout(() => number === newest && say("Searching…", "status"), SLOW_MS);
    try {
      answer = await fetch(`${dialog().dataset.search}?${query}`, { headers: { "HX-Request": "true" } });
    } catch {
      answer = null;
    }
    clearTimeout(slow);
    if (number !== newest) return;
    if (!answer?.ok || answer.redirected) {
      say(answer?.redirected ? "You are signed out. Reload the page to sign in." : "The search does not answer. Try again.", "alert");
      return;
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (number !== newest) return;
    list().replaceChildren(...page.body.childNodes);
    list().scrollTop = 0;
    window.htmx?.trigger(list(), "htmx:afterSettle"); // times follow the zone that is chosen
    shown = text;
    results()[0]?.classList.add("is-first");
  }

  function open() {
    if (!dialog() || dialog().open) return;
    if (document.querySelector("dialog[open]")) return;
    dialog().showModal();
    input().select();
    ask();
  }

  function move(step) {
    const all = results();
    const at = all.indexOf(document.activeElement);
    const next = at + step;
    if (next < 0 || at < 0 && step < 0) input().focus();
    else all[Math.min(next, all.length - 1)]?.focus();
  }

  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
      if (!dialog()) return;
      event.preventDefault();
      open();
      return;
    }
    if (!dialog()?.open || !dialog().contains(event.target)) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && event.key !== " " && event.target !== input()) {
      input().focus(); // typing goes on in the field
    }
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-search-open]") && !event.ctrlKey && !event.metaKey && dialog()) {
      event.preventDefault();
      open();
    }
    if (event.target === dialog()) dialog().close(); // beside the box
    if (dialog()?.open && event.target.closest(".search-result")) setTimeout(() => dialog().close(), 0);
  });

  document.addEventListener("input", (event) => {
    if (event.target !== input()) return;
    clearTimeout(timer);
    timer = setTimeout(ask, DELAY_MS);
  });

  document.addEventListener("submit", (event) => {
    if (!event.target.closest(".search-head")) return;
    event.preventDefault();
    clearTimeout(timer);
    const first = () => results()[0]?.click();
    if (shown === input().value) first();
    else ask().then(first);
  });

  // commands that are a control of the page Journals
  function press() {
    if (location.hash === "#paste") document.getElementById("paste-open")?.click();
    if (location.hash === "#drop-zone") document.querySelector("#drop-zone [data-pick]")?.focus();
  }
  window.addEventListener("hashchange", press);

  document.addEventListener("DOMContentLoaded", () => {
    if (document.getElementById("drop-zone")) setTimeout(press, 0); // after the page's own scripts
    const key = document.querySelector("[data-search-open] kbd");
    if (key && /Mac|iPhone|iPad/.test(navigator.platform)) key.textContent = "⌘ K";
  });
})();
