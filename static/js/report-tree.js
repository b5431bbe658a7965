// The State page's tree: branches are fetched when they are opened, arrow keys walk it, the address says what stands open.
(() => {
  const MOST_OPENED = 40;
  const treeOf = (element) => element?.closest?.(".tree");
  const listOf = (toggle) => document.getElementById(toggle.getAttribute("aria-controls"));
  const isOpen = (toggle) => toggle.getAttribute("aria-expanded") === "true";

  function setOpen(toggle, opens) {
    const list = listOf(toggle);
    toggle.setAttribute("aria-expanded", String(opens));
    list.hidden = !opens;
    if (opens && !list.children.length && !list.hasAttribute("aria-busy")) {
      list.setAttribute("aria-busy", "true");
      window.htmx.ajax("GET", toggle.dataset.branchUrl, { target: list, swap: "innerHTML" });
    }
    keepInAddress();
  }

  // a branch that could not be fetched is closed, so that opening it asks again
  document.addEventListener("htmx:afterRequest", (event) => {
    const list = event.detail.target;
    if (!list?.classList?.contains("tree-branches")) return;
    list.removeAttribute("aria-busy");
    if (event.detail.successful) return;
    const toggle = document.querySelector(`[aria-controls="${list.id}"]`);
    if (toggle) setOpen(toggle, false);
    if (!event.detail.xhr?.status) window.toast("The server cannot be reached. Open the branch again in a moment.", "danger");
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (treeOf(event.target)) keepInAddress();
  });

  function opened() {
    const toggles = [...document.querySelectorAll('.tree-toggle[aria-expanded="true"]')];
    return JSON.stringify(toggles.slice(0, MOST_OPENED).map((toggle) => toggle.dataset.branch));
  }

  function keepInAddress() {
    const address = new URL(location.href);
    address.searchParams.set("open", opened());
    history.replaceState(history.state, "", address);
  }

  const chosen = () => document.querySelector(".tree") && new URL(location.href).searchParams.get("open");

  // another offset, compaction or reader: the same branches stay open
  document.addEventListener("htmx:configRequest", (event) => {
    const open = event.target.closest?.(".state-slider") && chosen();
    if (open) event.detail.parameters.open = open;
  });
  document.addEventListener("formdata", (event) => {
    const open = event.target.closest(".slider-jump") && chosen();
    if (open && !event.formData.has("from")) event.formData.set("open", open);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".state-slider a, .switches a");
    const open = link && chosen();
    if (!open) return;
    const address = new URL(link.href);
    address.searchParams.set("open", open);
    link.href = address.href;
  }, true);

  document.addEventListener("click", (event) => {
    const toggle = event.target.closest(".tree-toggle");
    if (!toggle || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    setOpen(toggle, !isOpen(toggle));
  });

  // one stop in each row: what opens it, else its first link
  function stops(tree) {
    const rows = [...tree.querySelectorAll(".tree-row, .tree-more")].filter((row) => !row.closest("[hidden]"));
    return rows.map((row) => row.querySelector("a, button")).filter(Boolean);
  }

  function above(stop) {
    const branches = stop.closest(".tree-branches");
    return branches && document.querySelector(`[aria-controls="${branches.id}"]`);
  }

  function wantedStop(key, tree, stop) {
    const all = stops(tree);
    const at = all.indexOf(stop);
    const isToggle = stop.classList.contains("tree-toggle");
    if (key === "ArrowDown") return all[at + 1];
    if (key === "ArrowUp") return all[at - 1];
    if (key === "Home") return all[0];
    if (key === "End") return all.at(-1);
    if (key === "ArrowRight" && isToggle && isOpen(stop)) return all[at + 1];
    if (key === "ArrowLeft" && !(isToggle && isOpen(stop))) return above(stop);
    return null;
  }

  document.addEventListener("keydown", (event) => {
    const tree = treeOf(event.target);
    if (!tree || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const row = event.target.closest(".tree-row, .tree-more");
    const stop = row?.querySelector("a, button");
    if (!stop) return;
    const isToggle = stop.classList.contains("tree-toggle");
    const next = wantedStop(event.key, tree, stop);
    if (next) next.focus();
    else if (event.key === "ArrowRight" && isToggle && !isOpen(stop)) setOpen(stop, true);
    else if (event.key === "ArrowLeft" && isToggle && isOpen(stop)) setOpen(stop, false);
    else if (event.key === " " && event.target === stop && isToggle) setOpen(stop, !isOpen(stop));
    else if (!["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) return;
    event.preventDefault();
  });
})();
