// The table of records: the record that the address names is in view, and the arrow keys walk from row to row.
(() => {
  const table = () => document.querySelector(".records-table");
  const linkOf = (row) => row?.querySelector("th [data-record]");

  function bringIntoView(row) {
    const { top, bottom } = row.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) row.scrollIntoView({ block: "center", behavior: "instant" });
  }

  // #offset-279 of a record that this page does not list opens the page that does
  function follow() {
    const offset = /^#offset-(-?\d+)$/.exec(location.hash)?.[1];
    if (!offset) return;
    const row = document.getElementById(`offset-${offset}`);
    if (row) return bringIntoView(row);
    const address = new URL(location.href);
    if (address.searchParams.get("offset") === offset) return;
    for (const name of ["after", "before", "record"]) address.searchParams.delete(name);
    address.searchParams.set("offset", offset);
    location.replace(address);
  }

  document.addEventListener("DOMContentLoaded", () => {
    const sought = table()?.querySelector(".is-sought");
    if (sought) {
      bringIntoView(sought);
      if (!new URL(location.href).searchParams.has("record")) linkOf(sought)?.focus({ preventScroll: true });
    }
    follow();
  });
  window.addEventListener("hashchange", follow);

  const STEPS = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity };
  document.addEventListener("keydown", (event) => {
    const link = event.target.closest?.(".records-table th [data-record]");
    const step = STEPS[event.key];
    if (!link || !step || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const links = [...table().querySelectorAll("th [data-record]")];
    const next = links[Math.max(0, Math.min(links.length - 1, links.indexOf(link) + step))];
    next.focus({ preventScroll: true });
    bringIntoView(next.closest("tr"));
  });
})();
